"""What simulations return beside arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class JointHistory(NamedTuple):
    """A joint over time: arrays (n,), or (n, entries) where the joint has several."""

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    tau: NDArray[np.float64]


class Occurrence(NamedTuple):
    """An event that happened: its name, the time in s, and the state before its action."""

    event: str
    t: float
    q: NDArray[np.float64]
    v: NDArray[np.float64]


class Conservation(NamedTuple):
    """How well a simulation kept what gravity alone does not change.

    Errors are the greatest changes since the start: that of the energy relative to `energy_scale`, the greatest
    kinetic energy in J (of robots that float freely, that about the centre of mass); momenta in N·s and N·m·s, without
    what gravity gave. The drift is the slope of a straight line through the energy, in 1/s, with its standard error.
    """

    energy_error: float
    energy_scale: float
    energy_drift: float
    energy_drift_error: float
    linear_momentum_error: float
    angular_momentum_error: float
    loop_gap: float
