"""The operations on configurations: Pinocchio's, on a model with the configuration space of the one under test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import sampling
from coordinates import Array

# How far to go from one configuration to the other.
FRACTION = 0.3


@dataclass(frozen=True)
class Arguments:
    """A second configuration, and the first with (cos, sin) pairs and quaternions of other lengths than one."""

    other: Array
    unnormalised: Array


def draw(segments: tuple[sampling.Segment, ...], q: Array, rng: np.random.Generator) -> Arguments:
    """Draw what the operations need besides q and v."""
    other = sampling.configuration(segments, rng)
    return Arguments(other, sampling.unnormalised(segments, q, rng))


def evaluate(space: pin.Model, q: Array, v: Array, arguments: Arguments) -> dict[str, Array]:
    """Compute all operations: from q by v, and between q and the other configuration."""
    other = arguments.other
    by_q, by_v = pin.dIntegrate(space, q, v)
    from_q, to_other = pin.dDifference(space, q, other)
    return {
        "neutral": pin.neutral(space),
        "q_other": other,
        "q_unnormalised": arguments.unnormalised,
        "normalise": pin.normalize(space, arguments.unnormalised),
        "integrate": pin.integrate(space, q, v),
        "integrate_jacobian_q": by_q,
        "integrate_jacobian_v": by_v,
        "difference": pin.difference(space, q, other),
        "difference_jacobian_q": from_q,
        "difference_jacobian_other": to_other,
        "distance": np.array([pin.distance(space, q, other)]),
        "interpolate": pin.interpolate(space, q, other, FRACTION),
    }
