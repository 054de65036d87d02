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
    explog as explog,
    linalg as linalg,
    robot_wrapper as robot_wrapper,
    rpy as rpy,
    shortcuts as shortcuts,
    utils as utils,
)
from featherline.pinocchio.absent import ABSENT
from featherline.pinocchio.append import appendModel as appendModel
from featherline.pinocchio.collision import (
    computeCollision as computeCollision,
    computeCollisions as computeCollisions,
    computeDistance as computeDistance,
    computeDistances as computeDistances,
)
from featherline.pinocchio.configuration import (
    compactTangentMap as compactTangentMap,
    dDifference as dDifference,
    dIntegrate as dIntegrate,
    dIntegrateTransport as dIntegrateTransport,
    getTangentToConfigurationSparsitySegment as getTangentToConfigurationSparsitySegment,
    isNormalized as isNormalized,
    isSameConfiguration as isSameConfiguration,
    randomConfiguration as randomConfiguration,
    tangentMapProduct as tangentMapProduct,
    tangentMapTransposeProduct as tangentMapTransposeProduct,
)
from featherline.pinocchio.constrained import (
    computeKKTContactDynamicMatrixInverse as computeKKTContactDynamicMatrixInverse,
    forwardDynamics as forwardDynamics,
    getKKTContactDynamicMatrixInverse as getKKTContactDynamicMatrixInverse,
    impulseDynamics as impulseDynamics,
)
from featherline.pinocchio.data import Data as Data
from featherline.pinocchio.dynamics import (
    computeCentroidalMapTimeVariation as computeCentroidalMapTimeVariation,
    computeSubtreeMasses as computeSubtreeMasses,
    computeTotalMass as computeTotalMass,
)
from featherline.pinocchio.enums import *  # noqa: F403
from featherline.pinocchio.frames import Frame as Frame
from featherline.pinocchio.geometry import (
    CollisionPair as CollisionPair,
    CollisionResult as CollisionResult,
    Contact as Contact,
    DistanceResult as DistanceResult,
    GeometryData as GeometryData,
    GeometryModel as GeometryModel,
    GeometryObject as GeometryObject,
    updateGeometryPlacements as updateGeometryPlacements,
)
from featherline.pinocchio.geometry_files import (
    buildGeomFromMJCF as buildGeomFromMJCF,
    buildGeomFromUrdf as buildGeomFromUrdf,
    buildGeomFromUrdfString as buildGeomFromUrdfString,
    buildModelsFromMJCF as buildModelsFromMJCF,
    buildModelsFromUrdf as buildModelsFromUrdf,
)
from featherline.pinocchio.joints import *  # noqa: F403
from featherline.pinocchio.joints import JointModel as JointModel
from featherline.pinocchio.kinematics import (
    findCommonAncestor as findCommonAncestor,
    frameJacobianTimeVariation as frameJacobianTimeVariation,
    updateGlobalPlacements as updateGlobalPlacements,
)
from featherline.pinocchio.linalg import (
    isOrthonormal as isOrthonormal,
    orthogonalization as orthogonalization,
    orthonormalization as orthonormalization,
)
from featherline.pinocchio.lists import *  # noqa: F403
from featherline.pinocchio.mjcf import (
    buildModelFromMJCF as buildModelFromMJCF,
    buildModelFromMJCFAndRootJoint as buildModelFromMJCFAndRootJoint,
)
from featherline.pinocchio.model import Model as Model
from featherline.pinocchio.native import *  # noqa: F403
from featherline.pinocchio.native import nonLinearEffects as nonLinearEffects
from featherline.pinocchio.parallel import (
    ModelPool as ModelPool,
    abaInParallel as abaInParallel,
    omp_get_max_threads as omp_get_max_threads,
    rneaInParallel as rneaInParallel,
)
from featherline.pinocchio.quaternion import (
    AngleAxis as AngleAxis,
    Quaternion as Quaternion,
)
from featherline.pinocchio.randomness import seed as seed
from featherline.pinocchio.reduced import buildReducedModel as buildReducedModel
from featherline.pinocchio.rigid_constraints import (
    BaumgarteCorrectorParameters as BaumgarteCorrectorParameters,
    ProximalSettings as ProximalSettings,
    RigidConstraintData as RigidConstraintData,
    RigidConstraintModel as RigidConstraintModel,
    StdVec_RigidConstraintData as StdVec_RigidConstraintData,
    StdVec_RigidConstraintModel as StdVec_RigidConstraintModel,
    computeConstraintDynamicsDerivatives as computeConstraintDynamicsDerivatives,
    computeDelassusMatrix as computeDelassusMatrix,
    computeImpulseDynamicsDerivatives as computeImpulseDynamicsDerivatives,
    constraintDynamics as constraintDynamics,
    getConstraintJacobian as getConstraintJacobian,
    getConstraintsJacobian as getConstraintsJacobian,
    initConstraintDynamics as initConstraintDynamics,
)
from featherline.pinocchio.robot_wrapper import RobotWrapper as RobotWrapper
from featherline.pinocchio.samples import (
    buildSampleModelHumanoid as buildSampleModelHumanoid,
    buildSampleModelHumanoidRandom as buildSampleModelHumanoidRandom,
    buildSampleModelManipulator as buildSampleModelManipulator,
)
from featherline.pinocchio.spatial import *  # noqa: F403
from featherline.pinocchio.srdf import (
    loadReferenceConfigurations as loadReferenceConfigurations,
    loadReferenceConfigurationsFromXML as loadReferenceConfigurationsFromXML,
    loadRotorParameters as loadRotorParameters,
    removeCollisionPairs as removeCollisionPairs,
    removeCollisionPairsFromXML as removeCollisionPairsFromXML,
)
from featherline.pinocchio.supported import (
    computeSupportedForceByFrame as computeSupportedForceByFrame,
    computeSupportedInertiaByFrame as computeSupportedInertiaByFrame,
)
from featherline.pinocchio.urdf import (
    buildModelFromUrdf as buildModelFromUrdf,
    buildModelFromXML as buildModelFromXML,
)

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
    near = _closest(name, __dir__())
    hint = f"; did you mean '{near}'?" if near else ""
    raise AttributeError(f"module 'featherline.pinocchio' has no attribute '{name}'{hint}")
