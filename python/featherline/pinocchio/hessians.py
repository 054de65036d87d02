"""Derivatives of the Jacobians of joints and frames along each coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import ReferenceFrame
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import Model, of_model
from featherline.pinocchio.native import computeJointJacobians

__all__ = ["computeJointKinematicHessians", "getFrameKinematicHessian", "getJointKinematicHessian"]

Array = np.ndarray
_FRAME = "frame of the hessian"
_REFERENCES = {
    ReferenceFrame.WORLD: "world",
    ReferenceFrame.LOCAL: "local",
    ReferenceFrame.LOCAL_WORLD_ALIGNED: "local_world_aligned",
}


@of_model
def computeJointKinematicHessians(model: Model, data: Data, q: Any = None) -> None:
    """Make ready for getJointKinematicHessian and getFrameKinematicHessian, at q or the last configuration."""
    if q is not None:
        computeJointJacobians(model, data, q)
    elif data._q is None:
        raise ValueError("computeJointKinematicHessians without q: computeJointJacobians must be called before")
    data._of_hessians = np.array(data._q)


@of_model
def getJointKinematicHessian(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame) -> Array:
    """The derivatives (6, nv, nv) of a joint's Jacobian: [:, j, k] is that of column j along coordinate k.

    Pinocchio's binding returns the same numbers in an array whose indices are exchanged.
    """
    return _hessian(model, data, joint_id, SE3(), reference_frame)


@of_model
def getFrameKinematicHessian(model: Model, data: Data, *arguments: Any, **named: Any) -> Array:
    """getJointKinematicHessian of a frame: (model, data, frame_id, reference_frame), or
    (model, data, joint_id, frame_placement, reference_frame)."""
    if named:
        forms = ("frame_id reference_frame", "joint_id frame_placement reference_frame")
        arguments = in_order("getFrameKinematicHessian", forms, arguments, named)
    if len(arguments) == 3:
        return _hessian(model, data, *arguments)
    frame_id, reference_frame = arguments
    if not 0 <= frame_id < model.nframes:
        raise ValueError(f"frame {frame_id}, where frames are 0 to {model.nframes - 1}")
    frame = model.frames[frame_id]
    return _hessian(model, data, frame.parentJoint, frame.placement, reference_frame)


def _hessian(model: Model, data: Data, joint: int, placement: SE3, reference_frame: ReferenceFrame) -> Array:
    if data._of_hessians is None:
        raise ValueError("computeJointKinematicHessians must be called before")
    if not 0 <= joint < model.njoints:
        raise ValueError(f"joint {joint}, where joints are 0 to {model.njoints - 1}")
    framed = model.native_with({_FRAME: (joint, placement)})
    reference: Any = _REFERENCES[ReferenceFrame(reference_frame)]
    by_coordinate = framed.hessian(data._of_hessians, _FRAME, reference)
    return np.moveaxis(by_coordinate, 0, 2)
