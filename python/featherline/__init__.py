"""Rigid-body dynamics of robots: fast, exact, allocation-free.

>>> import featherline as fl
>>> panda = fl.load("panda")
>>> panda.rnea(panda.neutral(), [0.0] * 7, [0.0] * 7).shape
(7,)
"""

from typing import TYPE_CHECKING

from featherline import spatial
from featherline._native import (
    ROBOTS,
    SE3,
    Carried,
    Collision,
    Drives,
    EstimateProgram,
    Estimator,
    Event,
    Force,
    Frame,
    FrameConstraint,
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
    Robot,
    Sensor,
    Simulation,
    SimulationBatch,
    SimulationError,
    System,
    VariationalIntegrator,
    Viewer,
    WarmStart,
    __version__,
    check,
    convert,
    load,
    load_robot,
    picture,
    quantities,
    repair,
    to_mjcf,
    to_urdf,
    view,
)
from featherline.descriptions import load_description

if TYPE_CHECKING:
    from featherline import results, robot_files
    from featherline.robot_files import RobotWarning

__all__ = [
    "ROBOTS", "SE3", "Carried", "Collision", "Drives", "EstimateProgram", "Estimator", "Event", "Force", "Frame",
    "FrameConstraint", "Inertia", "Joint", "Loop", "Model",
    "Motion", "Plan", "Prior", "Program", "ProportionalDerivative", "Recording", "Robot", "RobotWarning", "Sensor", "Simulation",
    "SimulationBatch", "SimulationError", "System", "VariationalIntegrator", "Viewer", "WarmStart", "__version__", "check", "convert", "load", "load_description",
    "load_robot", "picture", "quantities", "repair", "results", "robot_files", "spatial", "to_mjcf", "to_urdf",
    "view",
]  # fmt: skip

if not TYPE_CHECKING:
    # Their many named tuples take longer to make than the rest of the package takes to load.
    def __getattr__(name):
        if name in ("results", "robot_files"):
            import importlib

            return importlib.import_module(f"featherline.{name}")
        if name == "RobotWarning":
            from featherline.robot_files import RobotWarning

            return RobotWarning
        raise AttributeError(f"module 'featherline' has no attribute '{name}'")

    def __dir__():
        return sorted({*globals(), *__all__})
