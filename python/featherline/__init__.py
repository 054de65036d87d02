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
    Advice,
    Assembly,
    BlockTriangularForm,
    ChiSquare,
    Configuration,
    Diagnosis,
    Estimate,
    EstimateProgram,
    Estimator,
    Force,
    Frame,
    Inertia,
    Innovations,
    Joint,
    Model,
    Motion,
    OperationCount,
    Outlier,
    Pattern,
    Plan,
    Prior,
    Sensor,
    Simulation,
    Solution,
    Suspect,
    System,
    __version__,
    load,
)

__all__ = [
    "ROBOTS", "SE3", "Advice", "Assembly", "BlockTriangularForm", "ChiSquare", "Configuration", "Diagnosis",
    "Estimate", "EstimateProgram", "Estimator", "Force", "Frame", "Inertia", "Innovations", "Joint", "Model",
    "Motion", "OperationCount", "Outlier", "Pattern", "Plan", "Prior", "Sensor", "Simulation", "Solution", "Suspect",
    "System", "__version__", "load", "spatial",
]  # fmt: skip
