"""Rigid-body dynamics of robots: fast, exact, allocation-free.

>>> import featherline as fl
>>> panda = fl.load("panda")
>>> panda.rnea(panda.neutral(), [0.0] * 7, [0.0] * 7).shape
(7,)
"""

from featherline import spatial
from featherline._native import (
    ROBOTS,
    SE3,
    Force,
    Frame,
    Inertia,
    Joint,
    Model,
    Motion,
    Program,
    __version__,
    load,
)

__all__ = [
    "ROBOTS", "SE3", "Force", "Frame", "Inertia", "Joint", "Model", "Motion", "Program", "__version__", "load",
    "spatial",
]  # fmt: skip
