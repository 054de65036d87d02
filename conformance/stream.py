"""The stream of reference numbers over all robots of the package."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import metadata
from typing import BinaryIO

import numpy as np

import agreement
import record
import sampling
import urdf
from quantities import GROUPS, evaluate
from robot import Robot

FORMAT = 1


def run(out: BinaryIO, states: int, seed: int, only: Iterable[str], groups: tuple[str, ...]) -> None:
    """Write the whole stream: one robot is in memory at a time."""
    header = {
        "format": FORMAT,
        "seed": seed,
        "states": states,
        "groups": list(groups),
        "versions": {name: metadata.version(name) for name in ("pin", urdf.PACKAGE, "numpy")},
    }
    record.write(out, "stream", header, {})
    counts = {"models": 0, "refused": 0, "states": 0}
    wanted = tuple(only)
    for file in urdf.files():
        if wanted and not any(name in file.robot for name in wanted):
            continue
        for base in urdf.BASES:
            _robot(out, file, base, states, seed, groups, counts)
    record.write(out, "end", counts, {})
    out.flush()


def _robot(
    out: BinaryIO, file: urdf.File, base: str, states: int, seed: int, groups: tuple[str, ...], counts: dict[str, int]
) -> None:
    """Write a robot's `model` record and its states, or the reason for having none."""
    header = {"robot": file.robot, "file": str(file.path), "base": base}
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
    witness = agreement.of_urdf(file, base, robot, seed) if mode == "reduced" else None
    record.write(out, "model", {**header, "mimics": mode, "note": note, "native": witness, **robot.header()}, {})
    counts["models"] += 1
    rng = sampling.generator(seed, file.robot, base)
    for index in range(states):
        write_state(out, robot, sampling.state(robot.segments, robot.nv, len(robot.joints), rng), index, groups)
        counts["states"] += 1


def write_state(out: BinaryIO, robot: Robot, state: sampling.State, index: int, groups: tuple[str, ...]) -> None:
    """Write one `state` record; a quantity that came out with a NaN goes to the reasons instead."""
    values, errors = evaluate(robot, state, groups)
    for name in [name for name, array in values.items() if np.isnan(array).any()]:
        errors[name] = "not a number in the reference"
        del values[name]
    record.write(out, "state", {"index": index, "errors": errors}, values)


def parse_groups(names: list[str] | None) -> tuple[str, ...]:
    """Check the groups asked for; none means all."""
    unknown = sorted(set(names or ()) - set(GROUPS))
    if unknown:
        sys.exit(f"no such quantities: {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    return tuple(names or GROUPS)
