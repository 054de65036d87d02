"""Pinocchio's names over featherline: `import featherline.pinocchio as pin`.

What Pinocchio 4.1 has and this module does not raises NotImplementedError with its name.

>>> import featherline.pinocchio as pin
>>> pin.SE3.Identity() * pin.Motion.Zero() == pin.Motion.Zero()
True
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio import cholesky, explog, linalg, robot_wrapper, rpy, shortcuts, utils
from featherline.pinocchio.absent import ABSENT
from featherline.pinocchio.append import appendModel
from featherline.pinocchio.collision import computeCollision, computeCollisions, computeDistance, computeDistances
from featherline.pinocchio.configuration import (
    compactTangentMap,
    dDifference,
    dIntegrate,
    dIntegrateTransport,
    getTangentToConfigurationSparsitySegment,
    isNormalized,
    isSameConfiguration,
    randomConfiguration,
    tangentMapProduct,
    tangentMapTransposeProduct,
)
from featherline.pinocchio.constrained import (
    computeKKTContactDynamicMatrixInverse,
    forwardDynamics,
    getKKTContactDynamicMatrixInverse,
    impulseDynamics,
)
from featherline.pinocchio.data import Data
from featherline.pinocchio.dynamics import (
    computeCentroidalMapTimeVariation,
    computeSubtreeMasses,
    computeTotalMass,
)
from featherline.pinocchio.enums import *  # noqa: F403
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.geometry import (
    CollisionPair,
    CollisionResult,
    Contact,
    DistanceResult,
    GeometryData,
    GeometryModel,
    GeometryObject,
    updateGeometryPlacements,
)
from featherline.pinocchio.geometry_files import (
    buildGeomFromMJCF,
    buildGeomFromUrdf,
    buildGeomFromUrdfString,
    buildModelsFromMJCF,
    buildModelsFromUrdf,
)
from featherline.pinocchio.joints import *  # noqa: F403
from featherline.pinocchio.joints import JointModel
from featherline.pinocchio.kinematics import (
    findCommonAncestor,
    frameJacobianTimeVariation,
    updateGlobalPlacements,
)
from featherline.pinocchio.linalg import isOrthonormal, orthogonalization, orthonormalization
from featherline.pinocchio.lists import *  # noqa: F403
from featherline.pinocchio.mjcf import buildModelFromMJCF, buildModelFromMJCFAndRootJoint
from featherline.pinocchio.model import Model
from featherline.pinocchio.native import *  # noqa: F403
from featherline.pinocchio.native import nonLinearEffects
from featherline.pinocchio.parallel import ModelPool, abaInParallel, omp_get_max_threads, rneaInParallel
from featherline.pinocchio.quaternion import AngleAxis, Quaternion
from featherline.pinocchio.randomness import seed
from featherline.pinocchio.reduced import buildReducedModel
from featherline.pinocchio.rigid_constraints import (
    BaumgarteCorrectorParameters,
    ProximalSettings,
    RigidConstraintData,
    RigidConstraintModel,
    StdVec_RigidConstraintData,
    StdVec_RigidConstraintModel,
    computeConstraintDynamicsDerivatives,
    computeDelassusMatrix,
    computeImpulseDynamicsDerivatives,
    constraintDynamics,
    getConstraintJacobian,
    getConstraintsJacobian,
    initConstraintDynamics,
)
from featherline.pinocchio.robot_wrapper import RobotWrapper
from featherline.pinocchio.samples import (
    buildSampleModelHumanoid,
    buildSampleModelHumanoidRandom,
    buildSampleModelManipulator,
)
from featherline.pinocchio.spatial import *  # noqa: F403
from featherline.pinocchio.srdf import (
    loadReferenceConfigurations,
    loadReferenceConfigurationsFromXML,
    loadRotorParameters,
    removeCollisionPairs,
    removeCollisionPairsFromXML,
)
from featherline.pinocchio.supported import computeSupportedForceByFrame, computeSupportedInertiaByFrame
from featherline.pinocchio.urdf import buildModelFromUrdf, buildModelFromXML

nle = nonLinearEffects

__version__ = "4.1.0"
PINOCCHIO_MAJOR_VERSION, PINOCCHIO_MINOR_VERSION, PINOCCHIO_PATCH_VERSION = 4, 1, 0
WITH_CPPAD = WITH_HPP_FCL = WITH_HPP_FCL_BINDINGS = WITH_OPENMP = WITH_SDFORMAT = False
WITH_COLLISION = WITH_URDFDOM = True
XAxis, YAxis, ZAxis = np.eye(3)


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


def createDatas(*models: Any) -> tuple[Any, ...]:
    """Data of each model that is given."""
    return tuple(model.createData() for model in models)


def __dir__() -> list[str]:
    """Pinocchio's names, without those that are there to write them."""
    own = {"ABSENT", "Any", "annotations", "np"}
    return [name for name in globals() if name not in own and (not name.startswith("_") or name == "__version__")]


def __getattr__(name: str) -> Any:
    if name in ABSENT:
        raise NotImplementedError(f"pinocchio.{name} has no counterpart in featherline yet")
    raise AttributeError(f"module 'featherline.pinocchio' has no attribute '{name}'")
