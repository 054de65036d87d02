"""Laws that the reference numbers must obey, whoever computed them: nothing is written that breaks one.

Derivatives are central differences along the motion q (+) h v. Their error is about h^2 |f'''| + eps |f| / h, some
1e-8 of the largest entry with the step below; a wrong formula is off by the size of the quantity itself.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from coordinates import Array
from quantities import FRAMES, GROUPS, Values, evaluate
from robot import Robot
from sampling import State

STEP = 1e-5
DIFFERENCED = 1e-6
EXACT = 1e-10


class Broken(Exception):
    """A law does not hold, so a reference number is wrong."""


def check(robot: Robot, state: State) -> None:
    """Check every law for one state."""
    space = robot.space
    groups = tuple(group for group in GROUPS if group != "hessians")
    here, _ = evaluate(robot, state, (*groups, "hessians"))
    ahead, behind = (evaluate(robot, _moved(space, state, sign * STEP), groups)[0] for sign in (1.0, -1.0))

    def rate(name: str) -> Array:
        return (ahead[name] - behind[name]) / (2 * STEP)

    _exact(robot, state, here)
    c = here["coriolis_matrix"]
    _same("dM/dt = C + C^T", rate("mass_matrix"), c + c.T, DIFFERENCED)
    _same("velocity of the centre of mass", rate("com"), here["vcom"], DIFFERENCED)
    _same("velocity of subtrees", rate("subtree_mass_moment"), here["subtree_momentum"], DIFFERENCED)
    _same("acceleration of subtrees", rate("subtree_momentum"), here["subtree_momentum_rate"], DIFFERENCED)
    _same("rate of the centroidal matrix", rate("centroidal_matrix"), here["centroidal_matrix_rate"], DIFFERENCED)
    power = rate("kinetic_energy") + rate("potential_energy")
    _same("power of the joint forces", power, np.array([state.v @ here["tau"]]), DIFFERENCED)
    for frame in FRAMES:
        _same(f"dJ/dt ({frame})", rate(f"jacobian_{frame}"), here[f"jacobian_rate_{frame}"], DIFFERENCED)
    for before, after, velocity in zip(
        behind["joint_placements"], ahead["joint_placements"], here["joint_velocity_local"], strict=True
    ):
        moved = pin.log6(pin.SE3(before).actInv(pin.SE3(after))).vector / (2 * STEP)
        _same("velocity of a placement", moved, velocity, DIFFERENCED)
    _hessian(robot, state, here)
    _passive(robot, state, here)
    _configuration(space, state)


def _exact(robot: Robot, s: State, x: Values) -> None:
    """Check laws that hold without differences."""
    _same("tau = M a + bias", x["mass_matrix"] @ s.a + x["bias"], x["tau"], EXACT)
    _same("C v + gravity = bias", x["coriolis_matrix"] @ s.v + x["gravity"], x["bias"], EXACT)
    _same("M qdd + bias = tau", x["mass_matrix"] @ x["qdd_aba"] + x["bias"], s.tau, EXACT)
    applied = x["tau"] - x["tau_fext"]
    _same("qdd with wrenches", x["mass_matrix"] @ x["qdd_aba_fext"] + x["bias"], s.tau + applied, EXACT)
    _same("static torque", x["gravity"] - x["static_torque_fext"], applied, EXACT)
    _same("power of wrenches", np.array([s.v @ applied]), np.array([np.sum(s.fext * x["joint_velocity_local"])]), EXACT)
    _same("inverse of M", x["mass_matrix_inverse"] @ x["mass_matrix"], np.eye(robot.nv), EXACT)
    _same("momentum = A v", x["centroidal_matrix"] @ s.v, x["centroidal_momentum"], EXACT)
    rate = x["centroidal_matrix"] @ s.a + x["centroidal_matrix_rate"] @ s.v
    _same("rate of momentum = A a + dA/dt v", rate, x["centroidal_momentum_rate"], EXACT)
    _same("momentum = m vcom", x["centroidal_momentum"][:3], robot.total_mass * x["vcom"], EXACT)
    _same("Jacobian of the centre of mass", x["jacobian_com"] @ s.v, x["vcom"], EXACT)
    _same("Jacobian of subtrees", x["subtree_mass_jacobian"] @ s.v, x["subtree_momentum"], EXACT)
    _regressors(robot, s, x)
    passive = s.tau + x["passive_forces"]
    _same("qdd with passive forces", x["mass_matrix"] @ x["qdd_passive"] + x["bias"], passive, EXACT)
    _same("passive forces", x["tau"] - x["tau_passive"], x["passive_forces"], EXACT)
    _same("rate of momentum = m acom", x["centroidal_momentum_rate"][:3], robot.total_mass * x["acom"], EXACT)
    for frame in FRAMES:
        jacobian, jacobian_rate = x[f"jacobian_{frame}"], x[f"jacobian_rate_{frame}"]
        _same(f"J v ({frame})", jacobian @ s.v, x[f"target_velocity_{frame}"], EXACT)
        # The origin of the aligned frame moves with the body: there J a + dJ/dt v is the classical acceleration.
        kind = "target_classical_acceleration" if frame == "aligned" else "target_acceleration"
        _same(f"J a + dJ/dt v ({frame})", jacobian @ s.a + jacobian_rate @ s.v, x[f"{kind}_{frame}"], EXACT)


def _regressors(robot: Robot, s: State, x: Values) -> None:
    """Multiply regressors by the dynamic parameters; armature comes on top."""
    lifted, armature = robot.map.lift(s.q, s.v, s.a), robot.full.armature
    body = x["dynamic_parameters"]
    parameters, moments = body.ravel(), body[:, :4].ravel()
    _same("torque regressor", x["torque_regressor"] @ parameters + lifted.push(armature * lifted.a), x["tau"], EXACT)
    _same("gravity regressor", x["gravity_regressor"] @ parameters, x["gravity"], EXACT)
    momentum = x["momentum_regressor"] @ parameters + lifted.push(armature * lifted.v)
    _same("momentum regressor", momentum, x["mass_matrix"] @ s.v, EXACT)
    kinetic = np.array([x["kinetic_energy_regressor"] @ parameters + armature @ lifted.v**2 / 2])
    _same("kinetic energy regressor", kinetic, x["kinetic_energy"], EXACT)
    potential = np.array([x["potential_energy_regressor"] @ parameters])
    _same("potential energy regressor", potential, x["potential_energy"], EXACT)
    _same("static regressor", x["static_regressor"] @ moments, x["com"], EXACT)


def _passive(robot: Robot, s: State, here: Values) -> None:
    """Split passive forces: what is even in v is the springs', and the same at rest; what is odd takes power away."""
    states = (State(s.q, sign * s.v, s.a, s.tau, s.fext) for sign in (-1.0, 0.0))
    back, still = (evaluate(robot, state, ("passive_forces",))[0]["passive_forces"] for state in states)
    there = here["passive_forces"]
    _same("springs do not depend on v", (there + back) / 2, still, EXACT)
    if s.v @ (there - back) > 0.0:
        raise Broken("damping and dry friction add power")


def _hessian(robot: Robot, state: State, here: Values) -> None:
    """Differentiate the Jacobian of the first target (the joint of the Hessian) along every tangent direction."""
    columns = []
    for direction in np.eye(robot.nv):
        along = State(state.q, direction, state.a, state.tau, state.fext)
        pair = [evaluate(robot, _moved(robot.space, along, sign * STEP), ("jacobians",))[0] for sign in (1.0, -1.0)]
        columns.append({f: (pair[0][f"jacobian_{f}"][0] - pair[1][f"jacobian_{f}"][0]) / (2 * STEP) for f in FRAMES})
    for frame in FRAMES:
        difference = np.stack([column[frame] for column in columns], axis=2)
        _same(f"Hessian ({frame})", difference, here[f"hessian_{frame}"], DIFFERENCED)


def _configuration(space: pin.Model, s: State) -> None:
    """Differentiate integrate, and undo it by difference over a step shorter than half a turn."""
    by_q, by_v = pin.dIntegrate(space, s.q, s.v)
    end = pin.integrate(space, s.q, s.v)
    back = pin.difference(space, end, pin.integrate(space, end, 0.5 * s.v / max(1.0, np.linalg.norm(s.v))))
    _same("difference undoes integrate", back, 0.5 * s.v / max(1.0, np.linalg.norm(s.v)), EXACT)
    columns_q, columns_v = [], []
    for direction in np.eye(space.nv):
        ends = [pin.integrate(space, pin.integrate(space, s.q, h * direction), s.v) for h in (STEP, -STEP)]
        columns_q.append(pin.difference(space, ends[1], ends[0]) / (2 * STEP))
        ends = [pin.integrate(space, s.q, s.v + h * direction) for h in (STEP, -STEP)]
        columns_v.append(pin.difference(space, ends[1], ends[0]) / (2 * STEP))
    _same("Jacobian of integrate by q", np.array(columns_q).T, by_q, DIFFERENCED)
    _same("Jacobian of integrate by v", np.array(columns_v).T, by_v, DIFFERENCED)


def _moved(space: pin.Model, s: State, step: float) -> State:
    """Follow the motion: q along v, v along a (what is left out is even in the step, and cancels)."""
    return State(pin.integrate(space, s.q, step * s.v), s.v + step * s.a, s.a, s.tau, s.fext)


def _same(law: str, left: Array, right: Array, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(right).max(initial=0.0)))
    error = float(np.abs(left - right).max(initial=0.0)) / scale
    if not error <= tolerance:
        raise Broken(f"{law}: off by {error:.1e} of the largest entry")
