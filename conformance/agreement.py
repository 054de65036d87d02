"""A second check: Pinocchio's own joints against the expanded model, wherever Pinocchio supports both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin

import description
import sampling
import urdf
from coordinates import Array
from description import Json
from quantities import evaluate, symmetric
from robot import Robot

TOLERANCE = 1e-9  # two ways of rounding, on badly scaled robots


class Disagreement(Exception):
    """The two ways of computing the reference differ: one of them is wrong, and no number can be trusted."""


def of_urdf(file: urdf.File, base: str, robot: Robot, seed: int) -> dict[str, Any] | None:
    """Compare a robot that has mimics with Pinocchio's own mimic joints; `None` where there are none."""
    if robot.map.identity:
        return None
    try:
        native = urdf.native(file, base)
    except ValueError as error:
        return {"refused": str(error)}
    rng = sampling.generator(seed, file.robot, base, "native")
    state = robot.draw(rng)
    return {"worst": worst(robot, native, state, has_mimics=True)}


def of_description(spec: Json, states: list[sampling.State]) -> dict[str, Any]:
    """Compare a description with Pinocchio's own joints where it has them.

    Pinocchio drops the armature of mimics: the comparison leaves it out on both sides.
    """
    rotors = ("armature", "rotor_inertia")
    joints = [
        {key: value for key, value in joint.items() if joint["kind"]["type"] != "mimic" or key not in rotors}
        for joint in spec["joints"]
    ]
    bare = {**spec, "joints": joints}
    robot = description.Builder(bare).build()
    has_mimics = any(joint.mimic for joint in robot.joints)
    try:
        model = native_model(bare, robot)
    except ValueError as reason:
        return {"refused": str(reason)}
    return {"worst": max(worst(robot, model, state, has_mimics=has_mimics) for state in states)}


def native_model(spec: Json, robot: Robot) -> pin.Model:
    """Build the robot with Pinocchio's own joints, mimics included; raise where it has no such thing."""
    model = pin.Model()
    for joint in spec["joints"]:
        parent = model.getJointId(joint["parent"]) if joint["parent"] else 0
        i = model.addJoint(
            parent, description.native(joint["kind"]), description.placement(joint["placement"]), joint["name"]
        )
        model.appendBodyToJoint(i, description.inertia(joint["body"]), pin.SE3.Identity())
    model.gravity.linear = np.array(spec["gravity"], dtype=float)
    armature: list[float] = []
    for joint in spec["joints"]:
        armature += description.drive(joint)["armature"].tolist()
    model.armature = np.array(armature)
    for joint, entry in zip(robot.joints, spec["joints"], strict=True):
        if joint.mimic is not None:
            if entry["kind"]["kind"]["type"] == "helical":
                raise ValueError("Pinocchio's mimic of a helical joint about any axis is undefined behaviour")
            master, mimic = model.getJointId(joint.mimic.master), model.getJointId(joint.name)
            if model.nqs[master] != model.nqs[mimic]:
                raise ValueError("Pinocchio's mimics have as many coordinates as their masters")
            model = pin.transformJointIntoMimic(model, master, mimic, joint.mimic.ratio, joint.mimic.offset)
    return model


def worst(robot: Robot, native: pin.Model, state: sampling.State, *, has_mimics: bool) -> float:
    """Return the largest relative difference over everything the native model supports, or raise."""
    if (native.nq, native.nv) != (robot.nq, robot.nv):
        raise Disagreement(f"{robot.name}: native nq, nv = {native.nq}, {native.nv}; ours {robot.nq}, {robot.nv}")
    groups = ("inverse_dynamics", "forward_dynamics", "matrices", "kinematics", "centroidal")
    ours, _ = evaluate(robot, state, groups)
    largest = 0.0
    for name, theirs in _native(native, robot, state, has_mimics):
        if name not in ours:
            continue
        scale = max(1.0, float(np.abs(ours[name]).max(initial=0.0)))
        if name in ("qdd_aba", "mass_matrix_inverse"):
            scale *= float(ours["condition"][0])
        error = float(np.abs(theirs - ours[name]).max(initial=0.0)) / scale
        if not error <= TOLERANCE:
            raise Disagreement(f"{robot.name}: {name} differs by {error:.1e} from Pinocchio's own joints")
        largest = max(largest, error)
    return largest


def _native(model: pin.Model, robot: Robot, s: sampling.State, has_mimics: bool) -> Iterator[tuple[str, Array]]:
    """Compute with Pinocchio's own joints what it computes correctly for every joint kind."""
    data = model.createData()
    ids = [model.getJointId(joint.name) for joint in robot.joints]
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero() for _ in range(model.njoints)])
    for i, wrench in zip(ids, s.fext, strict=True):
        forces[i] = pin.Force(wrench)
    yield "tau", pin.rnea(model, data, s.q, s.v, s.a).copy()
    yield "tau_fext", pin.rnea(model, data, s.q, s.v, s.a, forces).copy()
    yield "bias", pin.nonLinearEffects(model, data, s.q, s.v).copy()
    yield "gravity", pin.computeGeneralizedGravity(model, data, s.q).copy()
    yield "static_torque_fext", pin.computeStaticTorque(model, data, s.q, forces).copy()
    yield "mass_matrix", _by_columns(model, data, s.q) if has_mimics else symmetric(pin.crba(model, data, s.q))
    pin.forwardKinematics(model, data, s.q, s.v, s.a)
    yield "joint_placements", np.array([data.oMi[i].homogeneous for i in ids])
    for frame, rf in (("local", pin.LOCAL), ("world", pin.WORLD), ("aligned", pin.LOCAL_WORLD_ALIGNED)):
        yield f"joint_velocity_{frame}", np.array([pin.getVelocity(model, data, i, rf).vector for i in ids])
        yield f"joint_acceleration_{frame}", np.array([pin.getAcceleration(model, data, i, rf).vector for i in ids])
        classical = [pin.getClassicalAcceleration(model, data, i, rf).vector for i in ids]
        yield f"joint_classical_acceleration_{frame}", np.array(classical)
    pin.ccrba(model, data, s.q, s.v)
    yield "centroidal_matrix", data.Ag.copy()
    yield "centroidal_momentum", data.hg.vector.copy()
    if not has_mimics:
        yield "qdd_aba", pin.aba(model, data, s.q, s.v, s.tau).copy()
        yield "mass_matrix_inverse", symmetric(pin.computeMinverse(model, data, s.q))


def _by_columns(model: pin.Model, data: pin.Data, q: Array) -> Array:
    """Give the mass matrix by unit accelerations.

    With mimics, Pinocchio's composite-rigid-body algorithm misses entries between a mimic's master and joints with
    several degrees of freedom on the way to the mimic; its recursive Newton-Euler algorithm does not.
    """
    still = np.zeros(model.nv)
    weight = pin.rnea(model, data, q, still, still).copy()
    return np.array([pin.rnea(model, data, q, still, unit) - weight for unit in np.eye(model.nv)]).T
