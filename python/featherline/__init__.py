"""Rigid-body dynamics of robots: fast, exact, allocation-free.

>>> import featherline as fl
>>> panda = fl.load("panda")
>>> panda.rnea(panda.neutral(), [0.0] * 7, [0.0] * 7).shape
(7,)
"""

from featherline import results, robot_files, spatial
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
from featherline.robot_files import RobotWarning

__all__ = [
    "ROBOTS", "SE3", "Carried", "Collision", "Drives", "EstimateProgram", "Estimator", "Event", "Force", "Frame",
    "FrameConstraint", "Inertia", "Joint", "Loop", "Model",
    "Motion", "Plan", "Prior", "Program", "ProportionalDerivative", "Recording", "Robot", "RobotWarning", "Sensor", "Simulation",
    "SimulationBatch", "SimulationError", "System", "VariationalIntegrator", "Viewer", "WarmStart", "__version__", "check", "convert", "load", "load_description",
    "load_robot", "picture", "quantities", "repair", "results", "robot_files", "spatial", "to_mjcf", "to_urdf",
    "view",
]  # fmt: skip
