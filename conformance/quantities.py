"""The reference numbers: every quantity of one state, computed on the expanded model and mapped back.

`Lifted` holds G, the gradient of the map of coordinates; README.md lists names, shapes and conventions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

import passive
from coordinates import Array, Lifted
from robot import Robot
from sampling import State

FRAMES = {
    "local": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
    "aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}
# Beyond this condition number nothing is left of an inverse in double precision.
SINGULAR = 1e14

Values = dict[str, Array]


class Undefined(Exception):
    """A quantity does not exist for this state; the message says why."""


def symmetric(upper: Array) -> Array:
    """Complete a matrix of which Pinocchio fills the upper triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


def mass_matrix(robot: Robot, x: Lifted) -> tuple[Array, Array]:
    """Give the mass matrix in the expanded model and in the coordinates under test, armature counted."""
    full = symmetric(pin.crba(robot.full, robot.data, x.q))
    reduced = x.push(x.pull(full))
    return full, (reduced + reduced.T) / 2


def condition(robot: Robot, x: Lifted) -> float:
    """Give the 2-norm condition number of the mass matrix (infinite where singular)."""
    return float(np.linalg.cond(mass_matrix(robot, x)[1])) if robot.nv else 1.0


def inverse_dynamics(robot: Robot, x: Lifted, s: State) -> Values:
    """Joint forces, without and with external wrenches; their velocity and gravity parts."""
    model, data, fext = robot.full, robot.data, robot.wrenches(s.fext)
    still = robot.map.lift(s.q, np.zeros_like(s.v), np.zeros_like(s.a))
    moving = robot.map.lift(s.q, s.v, np.zeros_like(s.a))
    return {
        "tau": x.push(pin.rnea(model, data, x.q, x.v, x.a)),
        "tau_fext": x.push(pin.rnea(model, data, x.q, x.v, x.a, fext)),
        "bias": x.push(pin.rnea(model, data, moving.q, moving.v, moving.a)),
        "gravity": x.push(pin.computeGeneralizedGravity(model, data, x.q)),
        "static_torque_fext": x.push(pin.rnea(model, data, still.q, still.v, still.a, fext)),
    }


def matrices(robot: Robot, x: Lifted, s: State) -> Values:
    """Mass matrix and Coriolis matrix."""
    full, reduced = mass_matrix(robot, x)
    coriolis = pin.computeCoriolisMatrix(robot.full, robot.data, x.q, x.v).copy()
    if x.gradient is not None:
        coriolis = x.push(coriolis @ x.gradient + full @ x.gradient_rate)
    return {"mass_matrix": reduced, "coriolis_matrix": coriolis}


def passive_forces(robot: Robot, x: Lifted, s: State) -> Values:
    """Passive forces, and the joint forces of inverse dynamics that has to overcome them."""
    forces = passive.forces(robot.full, robot.drives, x)
    needed = inverse_dynamics(robot, x, s)
    return {
        "passive_forces": forces,
        "tau_passive": needed["tau"] - forces,
        "tau_passive_fext": needed["tau_fext"] - forces,
    }


def forward_dynamics(robot: Robot, x: Lifted, s: State) -> Values:
    """Accelerations under the joint forces `tau_in`; the inverse mass matrix.

    Accelerations come without and with external wrenches, and without and with passive forces.
    """
    model, data, fext = robot.full, robot.data, robot.wrenches(s.fext)
    if condition(robot, x) > SINGULAR:
        raise Undefined("the mass matrix is singular")
    total = s.tau + passive.forces(model, robot.drives, x)
    if x.gradient is None:
        return {
            "mass_matrix_inverse": symmetric(pin.computeMinverse(model, data, x.q)),
            "qdd_aba": pin.aba(model, data, x.q, x.v, s.tau).copy(),
            "qdd_aba_fext": pin.aba(model, data, x.q, x.v, s.tau, fext).copy(),
            "qdd_passive": pin.aba(model, data, x.q, x.v, total).copy(),
            "qdd_passive_fext": pin.aba(model, data, x.q, x.v, total, fext).copy(),
        }
    # No expanded model knows that the coordinates of mimics are tied: solve in the coordinates under test.
    mass = mass_matrix(robot, x)[1]
    inverse = np.linalg.inv(mass)
    moving = robot.map.lift(s.q, s.v, np.zeros_like(s.a))
    bias = x.push(pin.rnea(model, data, moving.q, moving.v, moving.a))
    loaded = x.push(pin.rnea(model, data, moving.q, moving.v, moving.a, fext))
    return {
        "mass_matrix_inverse": (inverse + inverse.T) / 2,
        "qdd_aba": np.linalg.solve(mass, s.tau - bias),
        "qdd_aba_fext": np.linalg.solve(mass, s.tau - loaded),
        "qdd_passive": np.linalg.solve(mass, total - bias),
        "qdd_passive_fext": np.linalg.solve(mass, total - loaded),
    }


def kinematics(robot: Robot, x: Lifted, s: State) -> Values:
    """Placements of bodies and joints; velocities and accelerations (spatial and classical) of joints."""
    model, data = robot.full, robot.data
    pin.forwardKinematics(model, data, x.q, x.v, x.a)
    pin.updateFramePlacements(model, data)
    values = {
        "body_placements": _stack([data.oMf[i].homogeneous for _, i in robot.bodies], (4, 4)),
        "joint_placements": _stack([data.oMi[j.full_id].homogeneous for j in robot.joints], (4, 4)),
    }
    getters: dict[str, Callable[..., pin.Motion]] = {
        "joint_velocity": pin.getVelocity,
        "joint_acceleration": pin.getAcceleration,
        "joint_classical_acceleration": pin.getClassicalAcceleration,
    }
    for name, get in getters.items():
        for frame, reference in FRAMES.items():
            rows = [get(model, data, j.full_id, reference).vector for j in robot.joints]
            values[f"{name}_{frame}"] = _stack(rows, (6,))
    return values


def jacobians(robot: Robot, x: Lifted, s: State) -> Values:
    """Jacobians of the targets' frames and their time derivatives, velocities and accelerations of the same frames."""
    model, data = robot.full, robot.data
    pin.forwardKinematics(model, data, x.q, x.v, x.a)
    pin.computeJointJacobiansTimeVariation(model, data, x.q, x.v)
    pin.updateFramePlacements(model, data)
    values: dict[str, Array] = {}
    for frame, reference in FRAMES.items():
        full = [pin.getFrameJacobian(model, data, t.frame_id, reference).copy() for t in robot.targets]
        rate = [pin.getFrameJacobianTimeVariation(model, data, t.frame_id, reference).copy() for t in robot.targets]
        pulled = [x.pull(j) for j in full]
        pulled_rate = [x.pull_rate(j, r) for j, r in zip(full, rate, strict=True)]
        values[f"jacobian_{frame}"] = _stack(pulled, (6, robot.nv))
        values[f"jacobian_rate_{frame}"] = _stack(pulled_rate, (6, robot.nv))
    getters: dict[str, Callable[..., pin.Motion]] = {
        "target_velocity": pin.getFrameVelocity,
        "target_acceleration": pin.getFrameAcceleration,
        "target_classical_acceleration": pin.getFrameClassicalAcceleration,
    }
    for name, get in getters.items():
        for frame, reference in FRAMES.items():
            rows = [get(model, data, t.frame_id, reference).vector for t in robot.targets]
            values[f"{name}_{frame}"] = _stack(rows, (6,))
    return values


def centre_of_mass(robot: Robot, x: Lifted, s: State) -> Values:
    """Centre of mass, its velocity, acceleration and Jacobian; centres of mass of all subtrees, in the world."""
    model, data = robot.full, robot.data
    if robot.total_mass <= 0.0:
        raise Undefined("nothing that moves has mass")
    pin.centerOfMass(model, data, x.q, x.v, x.a, False)
    values = {"com": data.com[0].copy(), "vcom": data.vcom[0].copy(), "acom": data.acom[0].copy()}
    values["jacobian_com"] = x.pull(pin.jacobianCenterOfMass(model, data, x.q).copy())
    pin.forwardKinematics(model, data, x.q)
    mass = np.array([inertia.mass for inertia in model.inertias])
    moment = np.array([m * data.oMi[i].act(model.inertias[i].lever) for i, m in enumerate(mass)])
    for i in range(model.njoints - 1, 0, -1):
        mass[model.parents[i]] += mass[i]
        moment[model.parents[i]] += moment[i]
    values["subtree_mass"] = np.array([mass[j.full_id] for j in robot.joints])
    values["subtree_mass_moment"] = _stack([moment[j.full_id] for j in robot.joints], (3,))
    return values


def subtrees(robot: Robot, x: Lifted, s: State) -> Values:
    """Mass times velocity, acceleration and Jacobian of the centres of mass of all subtrees, in the world.

    Times mass, so that they exist for massless subtrees. Pinocchio gives a subtree's centre in the frame of its root.
    """
    model, data = robot.full, robot.data
    momentum, rate = (np.zeros((len(robot.joints), 3)) for _ in range(2))
    jacobian = np.zeros((len(robot.joints), 3, robot.nv))
    pin.centerOfMass(model, data, x.q, x.v, x.a, True)
    heavy = [(row, j.full_id) for row, j in enumerate(robot.joints) if data.mass[j.full_id] > 0.0]
    for row, i in heavy:
        turn = data.mass[i] * data.oMi[i].rotation
        momentum[row], rate[row] = turn @ data.vcom[i], turn @ data.acom[i]
    pin.jacobianCenterOfMass(model, data, x.q, True)
    for row, i in heavy:
        jacobian[row] = data.mass[i] * x.pull(pin.jacobianSubtreeCenterOfMass(model, data, i).copy())
    return {"subtree_momentum": momentum, "subtree_momentum_rate": rate, "subtree_mass_jacobian": jacobian}


def centroidal(robot: Robot, x: Lifted, s: State) -> Values:
    """Centroidal momentum, its matrix, and the time derivatives of both."""
    model, data = robot.full, robot.data
    if robot.total_mass <= 0.0:
        raise Undefined("nothing that moves has mass")
    momentum_rate = pin.computeCentroidalMomentumTimeVariation(model, data, x.q, x.v, x.a).vector.copy()
    momentum = data.hg.vector.copy()
    pin.dccrba(model, data, x.q, x.v)
    matrix, rate = data.Ag.copy(), data.dAg.copy()
    return {
        "centroidal_momentum": momentum,
        "centroidal_momentum_rate": momentum_rate,
        "centroidal_matrix": x.pull(matrix),
        "centroidal_matrix_rate": x.pull_rate(matrix, rate),
    }


def energy(robot: Robot, x: Lifted, s: State) -> Values:
    """Kinetic energy (1/2 v^T M v, armature counted) and potential energy (zero at the world's origin).

    Pinocchio's own kinetic energy leaves out the armature of some joint kinds, so it is not used.
    """
    _, mass = mass_matrix(robot, x)
    potential = pin.computePotentialEnergy(robot.full, robot.data, x.q)
    return {"kinetic_energy": np.array([s.v @ mass @ s.v / 2]), "potential_energy": np.array([potential])}


def hessians(robot: Robot, x: Lifted, s: State) -> Values:
    """H[:, i, k]: derivative of column i of the joint's Jacobian along tangent direction k, in three frames.

    The local one follows from the world's by the product rule: Pinocchio's has spurious entries between the columns
    of one joint with several degrees of freedom.
    """
    if robot.hessian_target is None:
        return {}
    model, data, joint = robot.full, robot.data, robot.hessian_target.full_id
    pin.computeJointJacobians(model, data, x.q)
    pin.computeJointKinematicHessians(model, data, x.q)
    values = {}
    for frame in ("world", "aligned"):
        values[f"hessian_{frame}"] = _pull_hessian(
            x,
            pin.getJointJacobian(model, data, joint, FRAMES[frame]),
            _unscramble(pin.getJointKinematicHessian(model, data, joint, FRAMES[frame])),
        )
    local = x.pull(pin.getJointJacobian(model, data, joint, FRAMES["local"]).copy())
    carried = np.einsum("ab,bik->aik", data.oMi[joint].actionInverse, values["hessian_world"])
    turning = np.stack([pin.Motion(column).action @ local for column in local.T], axis=2)
    return {"hessian_local": carried - turning, **values}


def _unscramble(hessian: Array) -> Array:
    """Undo the memory order of Pinocchio's binding, which hands a column-major tensor over as row-major."""
    return np.array(hessian).ravel().reshape(hessian.shape, order="F")


def _pull_hessian(x: Lifted, jacobian: Array, hessian: Array) -> Array:
    """Apply the chain rule to a Hessian over v_full."""
    if x.gradient is None:
        return hessian
    pulled = np.einsum("rab,ai,bk->rik", hessian, x.gradient, x.gradient, optimize=True)
    return pulled + np.einsum("ra,aik->rik", jacobian, x.curvature, optimize=True)


def _stack(rows: list[Array], shape: tuple[int, ...]) -> Array:
    """Stack equal arrays, giving the right shape to an empty list."""
    return np.array(rows) if rows else np.zeros((0, *shape))


def derivatives(robot: Robot, x: Lifted, s: State) -> Values:
    """First derivatives along q and v of joint forces, accelerations, momentum and the motion of a joint.

    With a map whose gradient varies they would need its third derivatives: nothing is given then.
    """
    if x.curvature is not None and np.any(x.curvature):
        return {}
    model, data, fext = robot.full, robot.data, robot.wrenches(s.fext)

    def both(matrix: Array) -> Array:
        return x.push(x.pull(matrix.copy()))

    values = {}
    by_q, by_v, _ = pin.computeRNEADerivatives(model, data, x.q, x.v, x.a, fext)
    values |= {"dtau_dq_fext": both(by_q), "dtau_dv_fext": both(by_v)}
    values["dgravity_dq"] = both(pin.computeGeneralizedGravityDerivatives(model, data, x.q))
    if condition(robot, x) <= SINGULAR:
        mass = mass_matrix(robot, x)[1]
        qdd = forward_dynamics(robot, x, s)["qdd_aba_fext"]
        moving = robot.map.lift(s.q, s.v, qdd)
        by_q, by_v, _ = pin.computeRNEADerivatives(model, data, moving.q, moving.v, moving.a, fext)
        values["dqdd_dq_fext"] = -np.linalg.solve(mass, both(by_q))
        values["dqdd_dv_fext"] = -np.linalg.solve(mass, both(by_v))
    if robot.total_mass > 0.0:
        names = ("dmomentum_dq", "dmomentum_rate_dq", "dmomentum_rate_dv", "dmomentum_rate_da")
        found = pin.computeCentroidalDynamicsDerivatives(model, data, x.q, x.v, x.a)
        values |= {name: x.pull(matrix.copy()) for name, matrix in zip(names, found, strict=True)}
    if robot.hessian_target is not None:
        pin.computeForwardKinematicsDerivatives(model, data, x.q, x.v, x.a)
        for frame, found in _motion_derivatives(robot, robot.hessian_target.full_id).items():
            names = (f"dv_dq_{frame}", f"da_dq_{frame}", f"da_dv_{frame}", f"da_da_{frame}")
            values |= {name: x.pull(matrix) for name, matrix in zip(names, found, strict=True)}
    return values


def _motion_derivatives(robot: Robot, joint: int) -> dict[str, tuple[Array, ...]]:
    """Give derivatives of a joint's velocity by q, and of its acceleration by q, v and a, in three frames.

    Those of the local frame are Pinocchio's; the others follow by the product rule, for the axes move with q, too.
    Pinocchio's own are other things: along q its world's acceleration is wrong behind a joint of several freedoms that
    is not the root (extrapolated differences confirm the product rule to 1e-12); its aligned frame stands
    still.
    """
    model, data = robot.full, robot.data
    found = pin.getJointAccelerationDerivatives(model, data, joint, FRAMES["local"])
    local = tuple(matrix.copy() for matrix in found)
    placement = data.oMi[joint]
    v, a = (pin.getVelocity(model, data, joint), pin.getAcceleration(model, data, joint))
    turned = pin.SE3(placement.rotation, np.zeros(3))
    jacobian = {f: pin.getJointJacobian(model, data, joint, FRAMES[f]).copy() for f in ("world", "aligned")}
    jacobian["aligned"][:3] = 0.0
    frames = {"local": local}
    for frame, moved in (("world", placement), ("aligned", turned)):
        columns = [pin.Motion(column) for column in jacobian[frame].T]
        turns = [_stack([c.cross(moved.act(m)).vector for c in columns], (6,)).T.reshape(6, -1) for m in (v, a)]
        dv_dq, da_dq, da_dv, da_da = (moved.action @ matrix for matrix in local)
        frames[frame] = (dv_dq + turns[0], da_dq + turns[1], da_dv, da_da)
    return frames


def regressors(robot: Robot, x: Lifted, s: State) -> Values:
    """Joint forces, momenta, energies and the forces on bodies by the bodies' dynamic parameters.

    Ten columns a body, those of the joints under test: other bodies of the expanded model have no mass. Momenta are
    the joint forces of a robot at rest that the acceleration v asks for, less gravity.
    """
    model, data = robot.full, robot.data
    zero = np.zeros_like(s.v)
    ids = [joint.full_id for joint in robot.joints]
    columns = np.array([10 * (i - 1) + k for i in ids for k in range(10)], dtype=int)

    def torque(y: Lifted) -> Array:
        return x.push(pin.computeJointTorqueRegressor(model, data, y.q, y.v, y.a)[:, columns])

    gravity = torque(robot.map.lift(s.q, zero, zero))
    values = {
        "dynamic_parameters": _stack([model.inertias[i].toDynamicParameters() for i in ids], (10,)),
        "torque_regressor": torque(x),
        "gravity_regressor": gravity,
        "momentum_regressor": torque(robot.map.lift(s.q, zero, s.v)) - gravity,
        "kinetic_energy_regressor": pin.computeKineticEnergyRegressor(model, data, x.q, x.v).ravel()[columns],
        "potential_energy_regressor": pin.computePotentialEnergyRegressor(model, data, x.q).ravel()[columns],
    }
    if robot.total_mass > 0.0:
        by_moments = np.array([4 * (i - 1) + k for i in ids for k in range(4)], dtype=int)
        values["static_regressor"] = pin.computeStaticRegressor(model, data, x.q)[:, by_moments]
    pin.rnea(model, data, x.q, x.v, x.a)
    values["joint_body_regressor"] = _stack([pin.jointBodyRegressor(model, data, i).copy() for i in ids], (6, 10))
    pin.updateFramePlacements(model, data)
    frames = [pin.frameBodyRegressor(model, data, t.frame_id).copy() for t in robot.targets]
    values["frame_body_regressor"] = _stack(frames, (6, 10))
    return values


GROUPS = {
    "inverse_dynamics": inverse_dynamics,
    "matrices": matrices,
    "passive_forces": passive_forces,
    "forward_dynamics": forward_dynamics,
    "kinematics": kinematics,
    "jacobians": jacobians,
    "centre_of_mass": centre_of_mass,
    "subtrees": subtrees,
    "centroidal": centroidal,
    "energy": energy,
    "hessians": hessians,
    "derivatives": derivatives,
    "regressors": regressors,
}


def evaluate(robot: Robot, state: State, groups: tuple[str, ...]) -> tuple[Values, dict[str, str]]:
    """Compute the groups asked for; what does not exist for this state comes back as reasons by group."""
    lifted = robot.map.lift(state.q, state.v, state.a)
    values: Values = {
        "q": state.q,
        "v": state.v,
        "a": state.a,
        "tau_in": state.tau,
        "fext": state.fext,
        "condition": np.array([condition(robot, lifted)]),
    }
    reasons: dict[str, str] = {}
    for group in (name for name in GROUPS if name in groups):
        try:
            values |= GROUPS[group](robot, lifted, state)
        except Undefined as reason:
            reasons[group] = str(reason)
    return values, reasons
