"""Seeded random states, drawn joint by joint so that every joint moves through its whole range."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coordinates import Array


@dataclass(frozen=True)
class Interval:
    """One coordinate, uniform between two bounds."""

    lower: float
    upper: float
    nq: ClassVar[int] = 1

    def draw(self, rng: np.random.Generator) -> Array:
        """Draw the coordinate."""
        return np.array([rng.uniform(self.lower, self.upper)])


@dataclass(frozen=True)
class Circle:
    """A (cos, sin) pair, the angle uniform."""

    nq: ClassVar[int] = 2

    def draw(self, rng: np.random.Generator) -> Array:
        """Draw the pair."""
        angle = rng.uniform(-math.pi, math.pi)
        return np.array([math.cos(angle), math.sin(angle)])


@dataclass(frozen=True)
class Quaternion:
    """A unit quaternion x, y, z, w, uniform over rotations (Shoemake, 1992: a normalised Gaussian)."""

    nq: ClassVar[int] = 4

    def draw(self, rng: np.random.Generator) -> Array:
        """Draw the quaternion."""
        x = rng.standard_normal(4)
        return x / np.linalg.norm(x)


Segment = Interval | Circle | Quaternion


@dataclass(frozen=True)
class State:
    """One random state; `fext` has a row [linear; angular] per joint, in the joint's frame."""

    q: Array
    v: Array
    a: Array
    tau: Array
    fext: Array


def bounded(lower: float, upper: float) -> Interval:
    """Clip the limits of one coordinate to [-pi, pi], or take that range where nothing sensible is left."""
    lower = max(lower, -math.pi) if math.isfinite(lower) else -math.pi
    upper = min(upper, math.pi) if math.isfinite(upper) else math.pi
    return Interval(lower, upper) if upper > lower else Interval(-math.pi, math.pi)


def configuration(segments: tuple[Segment, ...], rng: np.random.Generator) -> Array:
    """Draw a configuration."""
    return np.concatenate([np.zeros(0), *(s.draw(rng) for s in segments)])


def unnormalised(segments: tuple[Segment, ...], q: Array, rng: np.random.Generator) -> Array:
    """Stretch every (cos, sin) pair and quaternion of a configuration."""
    stretched, at = q.copy(), 0
    for segment in segments:
        if not isinstance(segment, Interval):
            stretched[at : at + segment.nq] *= rng.uniform(0.5, 2.0)
        at += segment.nq
    return stretched


def state(segments: tuple[Segment, ...], nv: int, joints: int, rng: np.random.Generator) -> State:
    """Draw a state: v, a, tau and the wrenches are standard normal."""
    q = configuration(segments, rng)
    v, a, tau = rng.standard_normal((3, nv))
    return State(q, v, a, tau, rng.standard_normal((joints, 6)))


def generator(seed: int, *labels: str) -> np.random.Generator:
    """Make a generator that depends on the seed and the labels alone, not on what was drawn before."""
    return np.random.default_rng([seed, *(zlib.crc32(label.encode()) for label in labels)])
