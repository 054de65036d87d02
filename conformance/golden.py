"""Golden files: the reference numbers of one description, written once and kept with the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import agreement
import description
import identities
import sampling
from coordinates import Array
from description import Json
from quantities import GROUPS, Values, evaluate
from robot import Robot

FORMAT = 1
SEED = 0
FRACTION = 0.3
# Hessians hold nv^2 numbers for each frame: they are kept for the first state, and for robots up to this size.
HESSIAN_NV = 17


def write(source: Path, target: Path, states: int) -> None:
    """Compute the golden numbers of a description, check them against other ways of computing them, and write them."""
    spec = description.read(source)
    robot = description.Builder(spec).build()
    space = configuration_space(spec)
    if (space.nq, space.nv) != (robot.nq, robot.nv):
        raise ValueError(f"{source}: coordinates of the joints do not add up")
    rng = sampling.generator(SEED, robot.name)
    drawn = [sampling.state(robot.segments, robot.nv, len(robot.joints), rng) for _ in range(states)]
    others = [sampling.configuration(robot.segments, rng) for _ in range(states)]
    witness = _witness(spec, drawn)
    for state in drawn:
        identities.check(robot, space, state)
    groups = tuple(g for g in GROUPS if g != "hessians")
    records = []
    shapes: dict[str, list[int]] = {}
    for i, (state, other) in enumerate(zip(drawn, others, strict=True)):
        values, errors = evaluate(robot, state, groups + (("hessians",) if i == 0 and robot.nv <= HESSIAN_NV else ()))
        values |= configuration(space, state.q, other, state.v)
        shapes |= {name: list(array.shape) for name, array in values.items()}
        flat = {name: _compact(array) for name, array in values.items()}
        records.append({"errors": errors, "values": flat})
    document = {
        "format": FORMAT,
        "description": robot.name,
        "pin": pin.__version__,
        "seed": SEED,
        "interpolation": FRACTION,
        "native": witness,
        **robot.header(),
        "shapes": shapes,
        "states": records,
    }
    target.write_text(_lines(document))


def configuration_space(spec: Json) -> pin.Model:
    """Put every free joint at the universe: a model with the same configuration space, for the Lie-group operations."""
    space = pin.Model()
    for joint in spec["joints"]:
        if joint["kind"]["type"] != "mimic":
            for i, (_, leaf) in enumerate(description.leaves(joint["kind"])):
                space.addJoint(0, description.native(leaf), pin.SE3.Identity(), f"{joint['name']}#{i}")
    return space


def configuration(space: pin.Model, q: Array, other: Array, v: Array) -> Values:
    """Compute the operations on configurations: from q by v, and between q and `other`."""
    by_q, by_v = pin.dIntegrate(space, q, v)
    from_q, to_other = pin.dDifference(space, q, other)
    return {
        "neutral": pin.neutral(space),
        "q_other": other,
        "integrate": pin.integrate(space, q, v),
        "integrate_jacobian_q": by_q,
        "integrate_jacobian_v": by_v,
        "difference": pin.difference(space, q, other),
        "difference_jacobian_q": from_q,
        "difference_jacobian_other": to_other,
        "interpolate": pin.interpolate(space, q, other, FRACTION),
    }


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
        armature += joint.get("armature") or [0.0] * model.joints[model.getJointId(joint["name"])].nv
    model.armature = np.array(armature)
    for joint, entry in zip(robot.joints, spec["joints"], strict=True):
        if joint.mimic is not None:
            if entry["kind"]["kind"]["type"] == "helical":
                raise ValueError("Pinocchio's mimic of a helical joint about any axis is undefined behaviour")
            master, follower = model.getJointId(joint.mimic.master), model.getJointId(joint.name)
            if model.nqs[master] != model.nqs[follower]:
                raise ValueError("Pinocchio's mimics have as many coordinates as their masters")
            model = pin.transformJointIntoMimic(model, master, follower, joint.mimic.ratio, joint.mimic.offset)
    return model


def _witness(spec: Json, states: list[sampling.State]) -> dict[str, Any]:
    """Compare with Pinocchio's own joints where it has them.

    Pinocchio drops the armature of mimics: the comparison leaves it out on both sides.
    """
    joints = [
        {key: value for key, value in joint.items() if key != "armature" or joint["kind"]["type"] != "mimic"}
        for joint in spec["joints"]
    ]
    bare = {**spec, "joints": joints}
    robot = description.Builder(bare).build()
    has_mimics = any(joint.mimic for joint in robot.joints)
    try:
        model = native_model(bare, robot)
    except ValueError as reason:
        return {"refused": str(reason)}
    return {"worst": max(agreement.worst(robot, model, state, has_mimics=has_mimics) for state in states)}


def _compact(array: Array) -> list[float | int]:
    """Flatten row by row; exact zeros and ones in their shortest form, all else with every digit."""
    return [int(x) if x in (0.0, 1.0) else x for x in array.ravel().tolist()]


def _lines(document: Json) -> str:
    """Write JSON with one line for each quantity, so that a change can be read in a diff."""
    states = document.pop("states")
    head = json.dumps(document, separators=(",", ":"), allow_nan=False)[:-1]
    blocks = []
    for state in states:
        errors = json.dumps(state["errors"])
        values = (
            f"{json.dumps(name)}:{json.dumps(x, separators=(',', ':'), allow_nan=False)}"
            for name, x in state["values"].items()
        )
        blocks.append('{"errors":' + errors + ',"values":{\n' + ",\n".join(values) + "\n}}")
    return head + ',\n"states":[\n' + ",\n".join(blocks) + "\n]}\n"
