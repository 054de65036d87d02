"""The stream of reference numbers over all robots of the package, all descriptions, and random trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

import numpy as np

import agreement
import configuration
import description
import identities
import random_trees
import record
import sampling
import urdf
from description import Json
from quantities import GROUPS, evaluate
from robot import Robot

FORMAT = 2
CONFIGURATION = "configuration"
DESCRIPTIONS = Path(__file__).parent / "descriptions"


@dataclass(frozen=True)
class Order:
    """What is asked for; no names in `only` mean all robots."""

    states: int
    seed: int
    trees: int
    only: tuple[str, ...]
    groups: tuple[str, ...]

    def wants(self, robot: str) -> bool:
        """Tell whether a robot is among those asked for."""
        return not self.only or any(name in robot for name in self.only)


def run(out: BinaryIO, order: Order) -> None:
    """Write the whole stream: one robot is in memory at a time."""
    header = {
        "format": FORMAT,
        "seed": order.seed,
        "states": order.states,
        "groups": list(order.groups),
        "interpolation": configuration.FRACTION,
        "versions": {name: metadata.version(name) for name in ("pin", urdf.PACKAGE, "numpy")},
    }
    record.write(out, "stream", header, {})
    counts = {"models": 0, "refused": 0, "states": 0}
    for file in filter(lambda file: order.wants(file.robot), urdf.files()):
        for base in urdf.BASES:
            _urdf(out, file, base, order, counts)
            if file.continuous():
                _urdf(out, replace(file, angles=True), base, order, counts)
    for name, spec in _descriptions(order):
        if order.wants(name):
            _description(out, name, spec, order, counts)
    record.write(out, "end", counts, {})
    out.flush()


def _descriptions(order: Order) -> Iterator[tuple[str, Json]]:
    """Give all descriptions by name: those of the folder, then random ones that are not kept."""
    for path in sorted(DESCRIPTIONS.glob("*.json")):
        yield f"descriptions/{path.name}", description.read(path)
    for i in range(order.trees):
        tree = random_trees.draw(order.seed, i)
        yield tree["name"], tree


def _urdf(out: BinaryIO, file: urdf.File, base: str, order: Order, counts: dict[str, int]) -> None:
    """Write the `model` record of a URDF and its states, or the reason for having none."""
    header = {"robot": file.robot, "file": str(file.path), "base": base}
    header["continuous"] = "angle" if file.angles else "cos_sin"
    note = None
    try:
        try:
            robot, mode = urdf.load(file, base, with_mimics=True), "reduced"
        except urdf.Refused as reason:
            robot, mode, note = urdf.load(file, base, with_mimics=False), "free", str(reason)
    except urdf.Refused as reason:
        record.write(out, "model", {**header, "refused": str(reason)}, {})
        counts["refused"] += 1
        return
    witness = agreement.of_urdf(file, base, robot, order.seed) if mode == "reduced" else None
    record.write(out, "model", {**header, "mimics": mode, "note": note, "native": witness, **robot.header()}, {})
    counts["models"] += 1
    _states(out, robot, sampling.generator(order.seed, file.robot, base, header["continuous"]), order, counts)


def _description(out: BinaryIO, name: str, spec: Json, order: Order, counts: dict[str, int]) -> None:
    """Write the `model` record of a description and its states, if the independent checks agree."""
    robot = description.Builder(spec).build()
    header = {"robot": name, "description": spec, "base": "described", "mimics": "reduced"}
    state = robot.draw(sampling.generator(order.seed, name, "witness"))
    identities.check(robot, state)
    header["native"] = agreement.of_description(spec, [state])
    record.write(out, "model", {**header, **robot.header()}, {})
    counts["models"] += 1
    _states(out, robot, sampling.generator(order.seed, name), order, counts)


def _states(out: BinaryIO, robot: Robot, rng: np.random.Generator, order: Order, counts: dict[str, int]) -> None:
    """Write `state` records; a quantity that came out with a NaN goes to the reasons instead."""
    for index in range(order.states):
        state = robot.draw(rng)
        values, errors = evaluate(robot, state, order.groups)
        if CONFIGURATION in order.groups:
            given = configuration.draw(robot.segments, state.q, rng)
            values |= configuration.evaluate(robot.space, state.q, state.v, given)
        for name in [name for name, array in values.items() if np.isnan(array).any()]:
            errors[name] = "not a number in the reference"
            del values[name]
        record.write(out, "state", {"index": index, "errors": errors}, values)
        counts["states"] += 1


def parse_groups(names: list[str] | None) -> tuple[str, ...]:
    """Check the groups asked for; none means all."""
    known = (*GROUPS, CONFIGURATION)
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        sys.exit(f"no such quantities: {', '.join(unknown)}; there are {', '.join(known)}")
    return tuple(names or known)
