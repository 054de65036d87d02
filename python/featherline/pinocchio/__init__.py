"""Pinocchio's names over featherline: `import featherline.pinocchio as pin`.

A name of Pinocchio 4.1 that this module lacks raises NotImplementedError with that name.

>>> import featherline.pinocchio as pin
>>> pin.SE3.Identity() * pin.Motion.Zero() == pin.Motion.Zero()
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import _closest
from featherline.pinocchio import (
    cholesky as cholesky,
    coal as coal,
    deprecated as deprecated,
    explog as explog,
    liegroups as liegroups,
    linalg as linalg,
    robot_wrapper as robot_wrapper,
    rpy as rpy,
    serialization as serialization,
    shortcuts as shortcuts,
    utils as utils,
)
from featherline.pinocchio.absent import ABSENT
from featherline.pinocchio.append import appendModel as appendModel
from featherline.pinocchio.coal import CollisionGeometry as CollisionGeometry
from featherline.pinocchio.collision import *  # noqa: F403
from featherline.pinocchio.configuration import *  # noqa: F403
from featherline.pinocchio.constrained import *  # noqa: F403
from featherline.pinocchio.constraint_cholesky import *  # noqa: F403
from featherline.pinocchio.data import Data as Data, createDatas as createDatas
from featherline.pinocchio.dynamics import *  # noqa: F403
from featherline.pinocchio.enums import *  # noqa: F403
from featherline.pinocchio.frames import Frame as Frame
from featherline.pinocchio.geometry import *  # noqa: F403
from featherline.pinocchio.geometry_files import *  # noqa: F403
from featherline.pinocchio.hessians import *  # noqa: F403
from featherline.pinocchio.joint_data import *  # noqa: F403
from featherline.pinocchio.joints import *  # noqa: F403
from featherline.pinocchio.joints import JointModel as JointModel
from featherline.pinocchio.kinematics import *  # noqa: F403
from featherline.pinocchio.lie_group import *  # noqa: F403
from featherline.pinocchio.linalg import (
    isOrthonormal as isOrthonormal,
    orthogonalization as orthogonalization,
    orthonormalization as orthonormalization,
)
from featherline.pinocchio.lists import *  # noqa: F403
from featherline.pinocchio.materials import *  # noqa: F403
from featherline.pinocchio.mjcf import *  # noqa: F403
from featherline.pinocchio.model import Model as Model
from featherline.pinocchio.native import *  # noqa: F403
from featherline.pinocchio.mimic import *  # noqa: F403
from featherline.pinocchio.native import nonLinearEffects as nonLinearEffects
from featherline.pinocchio.parallel import *  # noqa: F403
from featherline.pinocchio.pseudo_inertia import *  # noqa: F403
from featherline.pinocchio.quaternion import *  # noqa: F403
from featherline.pinocchio.randomness import seed as seed
from featherline.pinocchio.reduced import buildReducedModel as buildReducedModel
from featherline.pinocchio.rigid_constraints import *  # noqa: F403
from featherline.pinocchio.robot_wrapper import RobotWrapper as RobotWrapper
from featherline.pinocchio.samples import *  # noqa: F403
from featherline.pinocchio.spatial import *  # noqa: F403
from featherline.pinocchio.srdf import *  # noqa: F403
from featherline.pinocchio.supported import *  # noqa: F403
from featherline.pinocchio.symmetric3 import *  # noqa: F403
from featherline.pinocchio.urdf import *  # noqa: F403

nle = nonLinearEffects
hppfcl = coal

__version__ = __raw_version__ = "4.1.0"
PINOCCHIO_MAJOR_VERSION, PINOCCHIO_MINOR_VERSION, PINOCCHIO_PATCH_VERSION = 4, 1, 0
WITH_CPPAD = WITH_HPP_FCL = WITH_HPP_FCL_BINDINGS = WITH_OPENMP = WITH_SDFORMAT = False
WITH_COLLISION = WITH_URDFDOM = True
XAxis, YAxis, ZAxis = np.eye(3)
ScalarType = float
DeprecatedBool = bool


def printVersion(delimiter: str = ".") -> str:
    """The version of Pinocchio whose names these are."""
    return delimiter.join(__version__.split("."))


def checkVersionAtLeast(major: int, minor: int, patch: int) -> bool:
    """Whether these are the names of that version of Pinocchio, or of a later one."""
    return (4, 1, 0) >= (major, minor, patch)


def sharedMemory(value: bool | None = None) -> bool | None:
    """True: parts of spatial objects are views. It cannot be switched off."""
    if value is None:
        return True
    if not value:
        raise NotImplementedError("sharedMemory(False): parts of spatial objects are always views")
    return None


def __dir__() -> list[str]:
    """Pinocchio's names, without those that are there to write them."""
    own = {"ABSENT", "Any", "annotations", "np"}
    shown = {"__version__", "__raw_version__"}
    return [name for name in globals() if name in shown or not (name in own or name.startswith("_"))]


def __getattr__(name: str) -> Any:
    if name in ABSENT:
        raise NotImplementedError(f"pinocchio.{name} has no counterpart in featherline yet")
    near = _closest(name, __dir__())
    hint = f"; did you mean '{near}'?" if near else ""
    raise AttributeError(f"module 'featherline.pinocchio' has no attribute '{name}'{hint}")
