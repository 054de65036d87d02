"""Random trees, described like the samples, drawn anew from the seed and never kept.

Depth-first by construction: each joint is carried by one of those on the way from the last joint to the root. Every
kind of joint occurs, composites within composites and mimics of mimics too, with armature, rotors behind gears,
damping, dry friction and springs.
"""

from __future__ import annotations

from collections.abc import Callable

import description
import samples
from description import Json

# Kinds that a mimic may be, and may mimic: one degree of freedom.
SINGLE = ("revolute", "revolute_unbounded", "prismatic", "helical")
MIMIC_SHARE = 0.2
DRIVEN_SHARE = 0.5


def draw(seed: int, number: int) -> Json:
    """Draw one tree of 4 to 24 joints; odd ones have mimics, and every third one is a chain."""
    name = f"random tree {number}"
    tree = samples.Draw(name, seed)
    rng = tree.rng
    joints: list[Json] = []
    path: list[str] = []
    mimicked: list[str] = []
    for i in range(int(rng.integers(4, 25))):
        if number % 3 != 0 and i > 0:
            del path[int(rng.integers(0, len(path) + 1)) :]
        if number % 2 == 1 and mimicked and rng.random() < MIMIC_SHARE:
            ratio, offset = samples.numbers(rng.uniform(-1.5, 1.5, 2))
            kind = samples.mimic(_single(tree), str(rng.choice(mimicked)), ratio, offset)
        else:
            kind = _any(tree)
        joint = tree.joint(f"j{i}", path[-1] if path else None, kind)
        if rng.random() < DRIVEN_SHARE:
            _, nv = description.size(kind)
            joint["armature"] = samples.numbers(rng.uniform(0.0, 0.3, nv))
            joint["rotor_inertia"] = samples.numbers(rng.uniform(0.0, 1e-3, nv))
            joint["gear_ratio"] = samples.numbers(rng.uniform(1.0, 20.0, nv))
        if kind["type"] in SINGLE or kind["type"] == "mimic":
            mimicked.append(joint["name"])
        joints.append(joint)
        path.append(joint["name"])
    return tree.robot(name, joints, joints[-1]["name"], samples.numbers(rng.uniform(-10.0, 10.0, 3)))


def _any(tree: samples.Draw) -> Json:
    """Draw a kind of joint, its axes aligned or general."""
    make: Callable[[samples.Draw, int], Json]
    make, _ = samples.KINDS[str(tree.rng.choice(list(samples.KINDS)))]
    return make(tree, int(tree.rng.integers(0, 3)))


def _single(tree: samples.Draw) -> Json:
    """Draw a kind that a mimic may have."""
    make, _ = samples.KINDS[str(tree.rng.choice(SINGLE))]
    return make(tree, int(tree.rng.integers(0, 3)))
