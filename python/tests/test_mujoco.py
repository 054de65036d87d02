"""The counterparts that the page for those who come from MuJoCo names, number by number."""

import pathlib
import re
from typing import Any

import numpy as np
import pytest

import featherline as fl

mujoco = pytest.importorskip("mujoco")

PAGE = pathlib.Path(__file__).parent.parent.parent / "book/src/coming_from_mujoco.md"

# A body that floats, with a hinge and a ball on it: each kind of coordinate that differs.
TEXT = """<mujoco model='gripper'><compiler angle='radian'/><option gravity='0 0 -9.81'/>
  <worldbody><body name='trunk' pos='0 0 1'><freejoint name='root'/>
    <geom type='box' size='0.2 0.1 0.05' pos='0.02 0 0' mass='3'/>
    <body name='arm' pos='0.2 0 0'><joint name='hinge' axis='0 1 0' ref='0.1' damping='0.3' stiffness='2' springref='0.4' armature='0.02'/>
      <geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' mass='0.5'/>
      <body name='hand' pos='0.3 0 0'><joint name='ball' type='ball'/>
        <geom type='box' size='0.05 0.02 0.01' pos='0.05 0 0.01' mass='0.2'/><site name='tip' pos='0.1 0 0' quat='1 1 0 0'/>
      </body></body></body></worldbody>
  <keyframe><key name='home' qpos='0 0 1 1 0 0 0 0.5 1 0 0 0'/></keyframe></mujoco>"""


@pytest.fixture(name="state")
def made_state() -> Any:
    """The page's functions, both models, a random state in both, and what MuJoCo computes there."""
    names: dict[str, Any] = {}
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)[0]
    exec(compile(code, str(PAGE), "exec"), names)
    theirs = mujoco.MjModel.from_xml_string(TEXT)
    data = mujoco.MjData(theirs)
    random = np.random.default_rng(3)
    data.qpos[:] = random.normal(size=theirs.nq)
    mujoco.mj_normalizeQuat(theirs, data.qpos)
    data.qvel[:] = random.normal(size=theirs.nv)
    data.qacc[:] = random.normal(size=theirs.nv)
    mujoco.mj_energyPos(theirs, data)
    mujoco.mj_fwdPosition(theirs, data)
    mujoco.mj_fwdVelocity(theirs, data)
    mujoco.mj_energyPos(theirs, data)
    mujoco.mj_energyVel(theirs, data)
    mujoco.mj_subtreeVel(theirs, data)
    ours = fl.load(TEXT)
    q = names["configuration"](theirs, data.qpos)
    turn = names["velocity_map"](theirs, data.qpos)
    return ours, theirs, data, q, turn


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_kinematics(state):
    ours, theirs, data, q, turn = state
    v = turn @ data.qvel
    for name in ("trunk", "arm", "hand"):
        placement = ours.placement(q, name)
        close(placement[:3, 3], data.body(name).xpos)
        close(placement[:3, :3], data.body(name).xmat.reshape(3, 3))
    close(ours.placement(q, "tip")[:3, 3], data.site("tip").xpos)
    close(ours.center_of_mass(q), data.subtree_com[0])
    # Rows of MuJoCo: linear and angular apart, in the world's axes at the point.
    linear, angular = np.zeros((3, theirs.nv)), np.zeros((3, theirs.nv))
    mujoco.mj_jacSite(theirs, data, linear, angular, theirs.site("tip").id)
    close(ours.jacobian(q, "tip", "local_world_aligned") @ turn, np.vstack([linear, angular]))
    mujoco.mj_jacSubtreeCom(theirs, data, linear, 0)
    close(ours.center_of_mass_jacobian(q) @ turn, linear)
    # [rotation; translation] there, [linear; angular] here.
    twist = np.zeros(6)
    kind = mujoco.mjtObj.mjOBJ_SITE
    for flag, reference in ((1, "local"), (0, "local_world_aligned")):
        mujoco.mj_objectVelocity(theirs, data, kind, theirs.site("tip").id, twist, flag)
        close(ours.velocity(q, v, "tip", reference), [*twist[3:], *twist[:3]])
    # The rate of T is −ω × that of the linear rows.
    rate = np.zeros((theirs.nv, theirs.nv))
    rate[:3, :3] = -np.cross(v[3:6], turn[:3, :3], axisb=0, axisc=0)
    mujoco.mj_jacDot(theirs, data, linear, angular, data.site("tip").xpos, theirs.body("hand").id)
    found = ours.jacobian_rate(q, v, "tip", "local_world_aligned") @ turn + ours.jacobian(q, "tip", "local_world_aligned") @ rate
    close(found, np.vstack([linear, angular]))
    # Accelerations of MuJoCo are those of an accelerometer: gravity is taken off.
    mujoco.mj_rnePostConstraint(theirs, data)
    mujoco.mj_objectAcceleration(theirs, data, kind, theirs.site("tip").id, twist, 0)
    expected = ours.classical_acceleration(q, v, turn @ data.qacc + rate @ data.qvel, "tip", "local_world_aligned")
    close(expected - [0, 0, -9.81, 0, 0, 0], [*twist[3:], *twist[:3]])
    mujoco.mj_angmomMat(theirs, data, angular, 0)
    close(ours.centroidal_map(q)[3:] @ turn, angular)
    momentum = ours.centroidal_momentum(q, v)
    close(momentum[:3], data.subtree_linvel[0] * ours.total_mass)
    close(momentum[3:], data.subtree_angmom[0])


def test_dynamics(state):
    ours, theirs, data, q, turn = state
    v = turn @ data.qvel
    mass = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, mass)
    close(turn.T @ ours.mass_matrix(q) @ turn, mass)
    # The accelerations of both differ by the change of the axes.
    change = np.zeros(theirs.nv)
    change[:3] = -np.cross(v[3:6], v[:3])
    close(turn.T @ ours.rnea(q, v, change), data.qfrc_bias)
    accelerations = turn @ data.qacc + change
    forces = np.zeros(theirs.nv)
    mujoco.mj_rne(theirs, data, 1, forces)
    # mj_rne leaves out armature.
    close(turn.T @ ours.rnea(q, v, accelerations) - theirs.dof_armature * data.qacc, forces)
    mujoco.mj_inverse(theirs, data)
    close(turn.T @ ours.inverse_dynamics(q, v, accelerations), data.qfrc_inverse)
    close(turn.T @ ours.passive_forces(q, v), data.qfrc_passive)
    mujoco.mj_fwdActuation(theirs, data)
    mujoco.mj_fwdAcceleration(theirs, data)
    found = ours.forward_dynamics(q, v, np.zeros(ours.nv))
    close(np.linalg.solve(turn, found - change), data.qacc_smooth)
    solved = np.zeros((1, theirs.nv))
    mujoco.mj_solveM(theirs, data, solved, np.ones((1, theirs.nv)))
    close(np.linalg.solve(turn, ours.mass_matrix_solve(q, np.linalg.solve(turn.T, np.ones(theirs.nv)))), solved[0])
    close(ours.kinetic_energy(q, v), data.energy[1])


def test_coordinates(state):
    ours, theirs, data, q, turn = state
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)[0], names)
    moved = data.qpos.copy()
    mujoco.mj_integratePos(theirs, moved, data.qvel, 0.1)
    # Here the position moves along a screw, there along a line: the rotations are the same.
    found, expected = ours.integrate(q, 0.1 * (turn @ data.qvel)), names["configuration"](theirs, moved)
    close(found[3:], expected[3:])
    assert np.abs(found[:3] - expected[:3]).max() < 0.1
    back = np.zeros(theirs.nv)
    mujoco.mj_differentiatePos(theirs, back, 0.1, data.qpos, moved)
    close(ours.difference(q, expected)[3:], 0.1 * back[3:])
    home = ours.reference_configurations()
    close(home["home"], names["configuration"](theirs, theirs.key("home").qpos))
    close(home["qpos0"], names["configuration"](theirs, theirs.qpos0))


def test_potential_energy():
    text = re.sub(r" damping='.*?' stiffness='.*?' springref='.*?'", "", TEXT)
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    mujoco.mj_energyPos(theirs, data)
    ours = fl.load(text)
    close(ours.potential_energy(ours.reference_configurations()["qpos0"]), data.energy[0])
