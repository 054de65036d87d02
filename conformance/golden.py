"""Golden files: the reference numbers of one description, written once and kept with the project."""

from __future__ import annotations

import json
from pathlib import Path

import pinocchio as pin

import agreement
import configuration
import description
import identities
import sampling
from coordinates import Array
from description import Json
from quantities import evaluate

FORMAT = 1
SEED = 0
# Of these the files hold numbers; Jacobians of all subtrees are left to the stream, for their size.
GROUPS = (
    "inverse_dynamics",
    "matrices",
    "passive_forces",
    "forward_dynamics",
    "kinematics",
    "jacobians",
    "centre_of_mass",
    "centroidal",
    "energy",
)
# Hessians hold nv^2 numbers for each frame: they are kept for the first state, and for robots up to this size.
HESSIAN_NV = 17


def write(source: Path, target: Path, states: int) -> None:
    """Compute the golden numbers of a description, check them against other ways of computing them, and write them."""
    spec = description.read(source)
    robot = description.Builder(spec).build()
    rng = sampling.generator(SEED, robot.name)
    drawn = [robot.draw(rng) for _ in range(states)]
    others = [sampling.configuration(robot.segments, rng) for _ in drawn]
    stretched = [sampling.unnormalised(robot.segments, state.q, rng) for state in drawn]
    arguments = [configuration.Arguments(*pair) for pair in zip(others, stretched, strict=True)]
    witness = agreement.of_description(spec, drawn)
    for state in drawn:
        identities.check(robot, state)
    records = []
    shapes: dict[str, list[int]] = {}
    for i, (state, given) in enumerate(zip(drawn, arguments, strict=True)):
        values, errors = evaluate(robot, state, GROUPS + (("hessians",) if i == 0 and robot.nv <= HESSIAN_NV else ()))
        values |= configuration.evaluate(robot.space, state.q, state.v, given)
        shapes |= {name: list(array.shape) for name, array in values.items()}
        flat = {name: _compact(array) for name, array in values.items()}
        records.append({"errors": errors, "values": flat})
    document = {
        "format": FORMAT,
        "description": robot.name,
        "pin": pin.__version__,
        "seed": SEED,
        "interpolation": configuration.FRACTION,
        "native": witness,
        **robot.header(),
        "shapes": shapes,
        "states": records,
    }
    target.write_text(_lines(document))


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
