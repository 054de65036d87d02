"""Functions that several modules of Pinocchio share, under the name that programs import them from."""

from featherline.pinocchio.data import createDatas
from featherline.pinocchio.geometry_files import buildModelsFromMJCF, buildModelsFromUrdf
from featherline.pinocchio.native import nonLinearEffects as nle

__all__ = ["buildModelsFromMJCF", "buildModelsFromUrdf", "createDatas", "nle"]
