"""Rigid-body dynamics of robots: fast, exact, allocation-free.

>>> import featherline as fl
>>> panda = fl.load("panda")
>>> panda.rnea(panda.neutral(), [0.0] * 7, [0.0] * 7).shape
(7,)
"""

from featherline import results, spatial
from featherline._native import (
    ROBOTS,
    SE3,
    Carried,
    EstimateProgram,
    Estimator,
    Event,
    Force,
    Frame,
    Inertia,
    Joint,
    Loop,
    Model,
    Motion,
    Plan,
    Prior,
    Program,
    ProportionalDerivative,
    Recording,
    Sensor,
    Simulation,
    SimulationError,
    System,
    VariationalIntegrator,
    __version__,
    load,
)

__all__ = [
    "ROBOTS", "SE3", "Carried", "EstimateProgram", "Estimator", "Event", "Force", "Frame", "Inertia", "Joint", "Loop", "Model",
    "Motion", "Plan", "Prior", "Program", "ProportionalDerivative", "Recording", "Sensor", "Simulation", "SimulationError",
    "System", "VariationalIntegrator", "__version__", "load", "results", "spatial",
]  # fmt: skip
