"""The one source of random numbers of this module, which `seed` begins again."""

from __future__ import annotations

import random

import numpy as np

_source = random.Random()
numbers = np.random.default_rng()


def seed(seed_value: int) -> None:
    """Begin the random numbers again: the same seed gives the same numbers."""
    global numbers
    _source.seed(seed_value)
    numbers = np.random.default_rng(seed_value)


def next_seed() -> int:
    """A seed of the native module."""
    return _source.getrandbits(64)


def uniform(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Uniform random numbers between bounds."""
    return numbers.uniform(low, high)
