"""Pinocchio's names over featherline: `import featherline.pinocchio as pin`.

A name of Pinocchio 4.1 that this module lacks raises NotImplementedError with that name.

>>> import featherline.pinocchio as pin
>>> pin.SE3.Identity() * pin.Motion.Zero() == pin.Motion.Zero()
True
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from featherline._native import _closest
from featherline.pinocchio.absent import ABSENT, Absent as _Absent
from featherline.pinocchio.data import Data as Data, createDatas as createDatas
from featherline.pinocchio.enums import *  # noqa: F403
from featherline.pinocchio.frames import Frame as Frame
from featherline.pinocchio.joint_data import *  # noqa: F403
from featherline.pinocchio.joints import *  # noqa: F403
from featherline.pinocchio.joints import JointModel as JointModel
from featherline.pinocchio.lists import *  # noqa: F403
from featherline.pinocchio.model import Model as Model
from featherline.pinocchio.native import *  # noqa: F403
from featherline.pinocchio.mimic import *  # noqa: F403
from featherline.pinocchio.native import nonLinearEffects as nonLinearEffects
from featherline.pinocchio.pseudo_inertia import *  # noqa: F403
from featherline.pinocchio.quaternion import *  # noqa: F403
from featherline.pinocchio.randomness import seed as seed
from featherline.pinocchio.spatial import *  # noqa: F403

if TYPE_CHECKING:
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
    from featherline.pinocchio.append import appendModel as appendModel
    from featherline.pinocchio.coal import (
        CachedMeshLoader as CachedMeshLoader,
        CollisionGeometry as CollisionGeometry,
        MeshLoader as MeshLoader,
    )
    from featherline.pinocchio.collision import *  # noqa: F403
    from featherline.pinocchio.configuration import *  # noqa: F403
    from featherline.pinocchio.constrained import *  # noqa: F403
    from featherline.pinocchio.constraint_cholesky import *  # noqa: F403
    from featherline.pinocchio.dynamics import *  # noqa: F403
    from featherline.pinocchio.geometry import *  # noqa: F403
    from featherline.pinocchio.geometry_files import *  # noqa: F403
    from featherline.pinocchio.hessians import *  # noqa: F403
    from featherline.pinocchio.kinematics import *  # noqa: F403
    from featherline.pinocchio.lie_group import *  # noqa: F403
    from featherline.pinocchio.linalg import (
        isOrthonormal as isOrthonormal,
        orthogonalization as orthogonalization,
        orthonormalization as orthonormalization,
    )
    from featherline.pinocchio.materials import *  # noqa: F403
    from featherline.pinocchio.mjcf import *  # noqa: F403
    from featherline.pinocchio.parallel import *  # noqa: F403
    from featherline.pinocchio.reduced import buildReducedModel as buildReducedModel
    from featherline.pinocchio.rigid_constraints import *  # noqa: F403
    from featherline.pinocchio.robot_wrapper import RobotWrapper as RobotWrapper
    from featherline.pinocchio.samples import *  # noqa: F403
    from featherline.pinocchio.srdf import *  # noqa: F403
    from featherline.pinocchio.supported import *  # noqa: F403
    from featherline.pinocchio.symmetric3 import *  # noqa: F403
    from featherline.pinocchio.urdf import *  # noqa: F403

    hppfcl = coal

# Modules that take the longest to load, with their names here: each is loaded when one of them is first read.
_LATER = {
    "append": "appendModel",
    "coal": "CachedMeshLoader CollisionGeometry MeshLoader",
    "collision": """GeometryPool computeBodyRadius computeCollision computeCollisions computeCollisionsInParallel
        computeContactPatch computeContactPatches computeDistance computeDistances""",
    "configuration": """compactTangentMap dDifference dIntegrate dIntegrateTransport
        getTangentToConfigurationSparsitySegment isNormalized isSameConfiguration randomConfiguration
        tangentMapProduct tangentMapTransposeProduct""",
    "constrained": """computeKKTContactDynamicMatrixInverse forwardDynamics getKKTContactDynamicMatrixInverse
        impulseDynamics""",
    "constraint_cholesky": """ConstraintCholeskyDecomposition ContactCholeskyDecomposition DelassusCholeskyExpression
        DelassusOperatorCholeskyExpression""",
    "dynamics": "computeCentroidalMapTimeVariation computeSubtreeMasses computeTotalMass",
    "geometry": """CollisionPair CollisionResult Contact DistanceResult GeometryData GeometryModel GeometryObject
        updateGeometryPlacements""",
    "geometry_files": """buildGeomFromMJCF buildGeomFromUrdf buildGeomFromUrdfString buildModelsFromMJCF
        buildModelsFromUrdf""",
    "hessians": "computeJointKinematicHessians getFrameKinematicHessian getJointKinematicHessian",
    "kinematics": "findCommonAncestor frameJacobianTimeVariation updateGlobalPlacements",
    "lie_group": "LieGroup lieGroup",
    "linalg": "isOrthonormal orthogonalization orthonormalization",
    "materials": """CONCRETE FrictionCoefficientMatrix GeometryNoMaterial GeometryPhongMaterial ICE METAL PLASTIC
        PhysicsMaterial PhysicsMaterialType WOOD getFrictionCoefficientMatrix""",
    "mjcf": "buildModelFromMJCF buildModelFromMJCFAndRootJoint",
    "parallel": "ModelPool abaInParallel omp_get_max_threads rneaInParallel",
    "reduced": "buildReducedModel",
    "rigid_constraints": """BaumgarteCorrectorParameters ProximalSettings RigidConstraintData RigidConstraintModel
        StdVec_RigidConstraintData StdVec_RigidConstraintModel computeConstraintDynamicsDerivatives
        computeDampedDelassusMatrixInverse computeDelassusMatrix computeImpulseDynamicsDerivatives
        computeJointMinimalOrdering constraintDynamics getConstraintJacobian getConstraintsJacobian
        initConstraintDynamics lcaba""",
    "robot_wrapper": "RobotWrapper",
    "samples": """buildSampleGeometryModelHumanoid buildSampleGeometryModelManipulator buildSampleModelHumanoid
        buildSampleModelHumanoidRandom buildSampleModelManipulator""",
    "srdf": """loadReferenceConfigurations loadReferenceConfigurationsFromXML loadRotorParameters
        removeCollisionPairs removeCollisionPairsFromXML""",
    "supported": "computeSupportedForceByFrame computeSupportedInertiaByFrame",
    "symmetric3": "Symmetric3",
    "urdf": "buildModelFromUrdf buildModelFromXML",
}
_MODULE_OF = {name: module for module, names in _LATER.items() for name in names.split()}
_SUBMODULES = frozenset(
    """cholesky coal deprecated explog hppfcl liegroups linalg robot_wrapper rpy serialization shortcuts utils""".split()
)

nle = nonLinearEffects

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
    own = {"ABSENT", "Any", "ModuleType", "TYPE_CHECKING", "annotations"}
    here = {name for name, value in globals().items() if name[0] != "_" and not isinstance(value, ModuleType)}
    return sorted({"__version__", "__raw_version__", *_MODULE_OF, *_SUBMODULES, *here} - own)


def __getattr__(name: str) -> Any:
    import importlib

    if name in _SUBMODULES:
        found = importlib.import_module(f"featherline.pinocchio.{'coal' if name == 'hppfcl' else name}")
    elif name in _MODULE_OF:
        found = getattr(importlib.import_module(f"featherline.pinocchio.{_MODULE_OF[name]}"), name)
    elif name in ABSENT:
        raise _Absent(f"pinocchio.{name} has no counterpart in featherline yet")
    else:
        near = _closest(name, __dir__())
        hint = f"; did you mean '{near}'?" if near else ""
        raise AttributeError(f"module 'featherline.pinocchio' has no attribute '{name}'{hint}")
    globals()[name] = found
    return found


if not TYPE_CHECKING:
    __all__ = [name for name in __dir__() if not name.startswith("__")]
