"""Placements, velocities, accelerations and Jacobians of joints and frames, beside the native functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import ReferenceFrame
from featherline.pinocchio.model import Model, of_model
from featherline.pinocchio.native import (
    computeJointJacobiansTimeVariation,
    getFrameJacobianTimeVariation,
    updateFramePlacements,
)

__all__ = ["findCommonAncestor", "frameJacobianTimeVariation", "updateGlobalPlacements"]

Array = np.ndarray


@of_model
def updateGlobalPlacements(model: Model, data: Data) -> None:
    """Nothing: data.oMi is always up to date."""


def _joint(model: Model, joint_id: int) -> int:
    if not 0 <= joint_id < model.njoints:
        raise ValueError(f"joint {joint_id}, where joints are 0 to {model.njoints - 1}")
    return joint_id


@of_model
def frameJacobianTimeVariation(
    model: Model, data: Data, q: Any, v: Any, frame_id: int, reference_frame: ReferenceFrame
) -> Array:
    """computeJointJacobiansTimeVariation and getFrameJacobianTimeVariation."""
    computeJointJacobiansTimeVariation(model, data, q, v)
    updateFramePlacements(model, data)
    rate: Array = getFrameJacobianTimeVariation(model, data, frame_id, reference_frame)
    return rate


@of_model
def findCommonAncestor(model: Model, joint1_id: int, joint2_id: int) -> tuple[int, int, int]:
    """The last joint that carries both, and its positions in both supports."""
    one, two = model.supports[_joint(model, joint1_id)], model.supports[_joint(model, joint2_id)]
    k = max(i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a == b)
    return one[k], k, k
