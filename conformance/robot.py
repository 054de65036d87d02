"""A robot as both libraries see it, and its expanded Pinocchio model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin

import sampling
from coordinates import CoordinateMap
from passive import Drives
from sampling import Segment, State


@dataclass(frozen=True)
class Mimic:
    """The joint that a mimic joint mimics (through a chain of mimics, if there is one)."""

    master: str
    ratio: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """A joint of the model under test.

    `full_id` is the joint of the expanded model that carries its body. A mimic has nq = nv = 0, and the indices of its
    master.
    """

    name: str
    kind: str
    parent: str | None
    full_id: int
    idx_q: int
    nq: int
    idx_v: int
    nv: int
    mimic: Mimic | None = None

    def header(self) -> dict[str, Any]:
        """Describe the joint in a `model` record."""
        mimic = self.mimic and {
            "master": self.mimic.master,
            "ratio": self.mimic.ratio,
            "offset": self.mimic.offset,
        }
        return {
            "name": self.name,
            "type": self.kind,
            "parent": self.parent,
            "idx_q": self.idx_q,
            "nq": self.nq,
            "idx_v": self.idx_v,
            "nv": self.nv,
            "mimic": mimic,
        }


@dataclass(frozen=True)
class Target:
    """A place where Jacobians are taken: a joint's frame, a body's or an operational frame."""

    kind: str
    name: str
    frame_id: int

    def header(self) -> dict[str, str]:
        """Describe the target in a `model` record."""
        return {"kind": self.kind, "name": self.name}


@dataclass
class Robot:
    """A model under test: its joints, the map to the expanded model, and that model with its scratch data.

    `space` is a model with the configuration space of the one under test, and without anything else of it.
    """

    name: str
    joints: list[Joint]
    segments: tuple[Segment, ...]
    map: CoordinateMap
    full: pin.Model
    space: pin.Model
    drives: Drives
    bodies: list[tuple[str, int]]
    targets: list[Target]
    hessian_target: Joint | None
    data: pin.Data = field(init=False)

    def __post_init__(self) -> None:
        self.data = self.full.createData()
        if (self.space.nq, self.space.nv) != (self.nq, self.nv):
            raise ValueError(f"{self.name}: coordinates of the joints do not add up")

    @property
    def nq(self) -> int:
        """Length of q."""
        return self.map.nq

    @property
    def nv(self) -> int:
        """Length of v."""
        return self.map.nv

    @property
    def total_mass(self) -> float:
        """Mass of everything that can move (links fixed to the universe do not count)."""
        return float(sum(inertia.mass for inertia in self.full.inertias.tolist()[1:]))

    def draw(self, rng: np.random.Generator) -> State:
        """Draw a state."""
        return sampling.state(self.segments, self.nv, len(self.joints), rng)

    def wrenches(self, fext: np.ndarray) -> pin.StdVec_Force:
        """Spread one wrench per joint over the joints of the expanded model."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.full.njoints)])
        for joint, wrench in zip(self.joints, fext, strict=True):
            forces[joint.full_id] = pin.Force(wrench)
        return forces

    def header(self) -> dict[str, Any]:
        """Describe the model, in the words of README.md."""
        return {
            "nq": self.nq,
            "nv": self.nv,
            "total_mass": self.total_mass,
            "gravity": self.full.gravity.linear.tolist(),
            "joints": [joint.header() for joint in self.joints],
            "bodies": [name for name, _ in self.bodies],
            "targets": [target.header() for target in self.targets],
            "hessian_joint": self.hessian_target and self.hessian_target.name,
        }


def pick_targets(joints: list[Joint]) -> list[Joint]:
    """Choose the two deepest leaves, then the first joint and one halfway, without repetition."""
    depth: dict[str | None, int] = {None: 0}
    for joint in joints:
        depth[joint.name] = depth[joint.parent] + 1
    parents = {joint.parent for joint in joints}
    leaves = sorted((j for j in joints if j.name not in parents), key=lambda j: -depth[j.name])
    chosen = leaves[:2] + joints[:1] + joints[len(joints) // 2 : len(joints) // 2 + 1]
    return list({joint.name: joint for joint in chosen}.values())
