"""The one source of random numbers of this module, which `seed` begins again."""

from __future__ import annotations

import random

import numpy as np

_source = random.Random()
# Made when it is asked for: numpy.random takes longer to import than most of this package.
_generator: np.random.Generator | None = None


def seed(seed_value: int) -> None:
    """Begin the random numbers again: the same seed gives the same numbers."""
    global _generator
    _source.seed(seed_value)
    _generator = np.random.default_rng(seed_value)


def numbers() -> np.random.Generator:
    """The source of arrays."""
    global _generator
    if _generator is None:
        _generator = np.random.default_rng()
    return _generator


def next_seed() -> int:
    """A seed of the native module."""
    return _source.getrandbits(64)


def uniform(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Uniform random numbers between bounds."""
    return numbers().uniform(low, high)
