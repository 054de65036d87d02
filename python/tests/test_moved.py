"""Bodies of the world that callers move: `mocap` bodies of MJCF."""

from __future__ import annotations

import numpy as np
import pytest

import featherline as fl

mujoco = pytest.importorskip("mujoco")

ARM = """<mujoco><option timestep="0.0002" integrator="implicitfast"/><worldbody>
  <body name="target" mocap="true" pos="0.35 0 0.2"><site name="goal"/></body>
  <body name="upper"><joint name="a" axis="0 1 0" damping="0.5"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1" contype="0" conaffinity="0"/>
    <body name="lower" pos=".3 0 0"><joint name="b" axis="0 1 0" damping="0.5"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1" contype="0" conaffinity="0"/>
      <site name="hand" pos=".3 0 0"/></body></body></worldbody>
  <equality><connect site1="goal" site2="hand" solref="0.05 1" solimp="0.99 0.99 0.001"/></equality>
  <keyframe><key name="bent" qpos="-1 1.5"/></keyframe></mujoco>"""

BELT = """<mujoco><option timestep="0.001"/><worldbody>
  <body name="belt" mocap="true" pos="0 0 -.1"><geom type="box" size="4 1 .1" friction="0.5"/></body>
  <body name="cube" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" friction="0.5"/></body>
</worldbody></mujoco>"""


def hand(q: np.ndarray) -> np.ndarray:
    angles = np.cumsum(q)
    return 0.3 * np.array([np.cos(angles).sum(), 0.0, -np.sin(angles).sum()])


def test_an_arm_is_pulled_as_in_mujoco() -> None:
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    simulation = fl.Simulation(fl.load_robot(ARM), configuration="bent")
    apart = []
    for k in range(1, 1001):
        goal = np.array([0.35 - 0.1 * k / 1000, 0.0, 0.2 + 0.1 * k / 1000])
        data.mocap_pos[0] = goal
        mujoco.mj_step(model, data)
        # MuJoCo's mocap bodies have no velocity.
        simulation.place_body("target", goal)
        simulation.step(record=False)
        apart.append(np.abs(hand(simulation.q) - hand(data.qpos)).max())
    # Damping is that of the end of the step here, with an error of the order h/T = 0.4 %; and A is
    # that of all that the joint carries.
    assert max(apart) < 0.03 * np.linalg.norm(goal - hand(np.array([-1.0, 1.5]))), max(apart)


def test_a_hand_arrives_with_its_target() -> None:
    simulation = fl.Simulation(fl.load_robot(ARM), configuration="bent")
    simulation.run(1.0, record=False)
    goal = np.array([0.25, 0.0, 0.3])
    simulation.move_body("target", goal, seconds=0.2)
    simulation.run(0.2, record=False)
    # R f/k is left, with f < 20 N, A < 10/kg and k = 400/s²; one that is only placed would lag by
    # b v/k = 2 T v, 7 cm.
    assert np.linalg.norm(hand(simulation.q) - goal) < 5e-3


@pytest.mark.parametrize("by_steps", [True, False])
def test_a_belt_carries_a_cube_from_call_to_call(by_steps: bool) -> None:
    simulation = fl.Simulation(fl.load_robot(BELT))
    assert simulation.moved_bodies == ["belt"]
    simulation.move_body("belt", [1.0, 0.0, -0.1], seconds=2.0)
    for _ in range(10):
        if by_steps:
            simulation.step(steps=100)
        else:
            simulation.run(0.1)
    # After v/(μ g) = 0.1 s it goes at the belt's speed, to the solver's tolerance.
    assert abs(simulation.v[0] - 0.5) < 1e-6
    position, quaternion = simulation.moved_pose("belt")
    assert np.allclose(position, [0.5, 0.0, -0.1], atol=1e-12)
    assert np.array_equal(quaternion, [0.0, 0.0, 0.0, 1.0])
    simulation.reset()
    assert np.array_equal(simulation.moved_pose("belt")[0], [0.0, 0.0, -0.1])


def test_mistakes_are_said() -> None:
    simulation = fl.Simulation(fl.load_robot(BELT))
    with pytest.raises(ValueError, match="`bolt` is no body that is moved: there are `belt`"):
        simulation.move_body("bolt", [0, 0, 0])
    with pytest.raises(ValueError, match="has the length 2"):
        simulation.place_body("belt", quaternion=[0, 0, 0, 2])
    with pytest.raises(ValueError, match="positive number"):
        simulation.move_body("belt", [0, 0, 0], seconds=0)
    with pytest.warns(UserWarning, match="no bodies that are moved"):
        still = fl.Simulation(fl.load_robot(BELT), method="runge-kutta-4")
    with pytest.raises(ValueError, match="there are none"):
        still.move_body("belt", [0, 0, 0])


def test_a_state_has_the_motion_of_moved_bodies() -> None:
    simulation = fl.Simulation(fl.load_robot(BELT))
    simulation.move_body("belt", [1, 0, -0.1], seconds=2.0)
    simulation.run(0.5, record=False)
    saved = simulation.state
    ends = []
    for _ in range(2):
        simulation.run(0.4, record=False)
        ends.append((simulation.q.copy(), simulation.v.copy(), simulation.moved_pose("belt")[0]))
        simulation.state = saved
    for first, second in zip(*ends, strict=True):
        assert np.array_equal(first, second)
    # The belt is where it was: half a second of 0.5 m/s.
    assert simulation.moved_pose("belt")[0][0] == pytest.approx(0.25, abs=1e-9)
