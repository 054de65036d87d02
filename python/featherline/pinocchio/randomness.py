"""The one source of random numbers of this module, which `seed` begins again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import random

# Made when they are asked for: their modules take longer to import than most of this package.
_source: random.Random | None = None
_generator: np.random.Generator | None = None


def seed(seed_value: int) -> None:
    """Begin the random numbers again: the same seed gives the same numbers."""
    global _generator
    _seeds().seed(seed_value)
    _generator = np.random.default_rng(seed_value)


def _seeds() -> random.Random:
    global _source
    if _source is None:
        import random

        _source = random.Random()
    return _source


def numbers() -> np.random.Generator:
    """The source of arrays."""
    global _generator
    if _generator is None:
        _generator = np.random.default_rng()
    return _generator


def next_seed() -> int:
    """A seed of the native module."""
    return (_source or _seeds()).getrandbits(64)


def uniform(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Uniform random numbers between bounds."""
    # In a third of the time of Generator.uniform.
    width = high - low
    if not ((width >= 0) & (width < np.inf)).all():
        raise ValueError("an upper bound is below its lower bound, or too far above it")
    between: np.ndarray = low + width * numbers().random(width.shape)
    return between
