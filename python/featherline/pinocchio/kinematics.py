"""Placements, velocities, accelerations and Jacobians of joints and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Motion, _jacobian_at, _place_frames
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, ReferenceFrame
from featherline.pinocchio.model import Model

Array = np.ndarray
_WORDS = ("world", "local", "local_world_aligned")


def forwardKinematics(model: Model, data: Data, q: Any, v: Any = None, a: Any = None) -> None:
    """Placements of joints in data.oMi; with v velocities in data.v; with a accelerations in data.a."""
    model.native()._move_joints(data._configuration((q,), ""), v, a, data.oMi, data.v, data.a)


def updateGlobalPlacements(model: Model, data: Data) -> None:
    """Nothing: data.oMi is always up to date."""


def updateFramePlacements(model: Model, data: Data) -> None:
    """Placements of frames in data.oMf from those of joints."""
    _place_frames(data.oMi, *model.carried_frames(), data.oMf)


def updateFramePlacement(model: Model, data: Data, frame_id: int) -> SE3:
    """The placement of one frame, in data.oMf too."""
    frame = _frame(model, frame_id)
    placed = data.oMf[frame_id]
    _place_frames(data.oMi, [frame.parentJoint], [frame.placement], [placed])
    return placed


def framesForwardKinematics(model: Model, data: Data, q: Any) -> None:
    """forwardKinematics and updateFramePlacements."""
    forwardKinematics(model, data, q)
    updateFramePlacements(model, data)


def _frame(model: Model, frame_id: int) -> Any:
    if not 0 <= frame_id < model.nframes:
        raise IndexError(f"Frame index greater or equal to the number of frames: {frame_id} of {model.nframes}")
    return model.frames[frame_id]


def _joint(model: Model, joint_id: int) -> int:
    if not 0 <= joint_id < model.njoints:
        raise IndexError(f"joint {joint_id} of {model.njoints}")
    return joint_id


def _turned(R: Array, motion: Motion) -> Motion:
    return Motion(R @ motion.linear, R @ motion.angular)


def _expressed(local: Motion, placement: SE3, reference: int) -> Motion:
    if reference == LOCAL:
        return local
    if reference == WORLD:
        return placement.act(local)
    return _turned(placement.rotation, local)


def getVelocity(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The velocity of a joint's frame."""
    return _expressed(data.v[_joint(model, joint_id)].copy(), data.oMi[joint_id], reference_frame)


def getAcceleration(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The spatial acceleration of a joint's frame."""
    return _expressed(data.a[_joint(model, joint_id)].copy(), data.oMi[joint_id], reference_frame)


def _classical(velocity: Motion, acceleration: Motion) -> Motion:
    linear = acceleration.linear + np.cross(velocity.angular, velocity.linear)
    return Motion(linear, acceleration.angular)


def getClassicalAcceleration(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The classical acceleration of a joint's frame."""
    acceleration = getAcceleration(model, data, joint_id, reference_frame)
    return _classical(getVelocity(model, data, joint_id, reference_frame), acceleration)


def _of_frame(model: Model, data: Data, motions: Any, args: tuple[Any, ...], reference: int) -> Motion:
    if len(args) == 2:
        joint, placement = args
    else:
        frame = _frame(model, args[0])
        joint, placement = frame.parentJoint, frame.placement
    local = placement.act_inv(motions[joint])
    return _expressed(local, data.oMi[joint] * placement, reference)


def _parts(args: tuple[Any, ...], reference_frame: int) -> tuple[tuple[Any, ...], int]:
    """(frame[, reference]) or (joint, placement[, reference])."""
    count = 2 if len(args) > 1 and isinstance(args[1], SE3) else 1
    return args[:count], (args[count] if len(args) > count else reference_frame)


def getFrameVelocity(model: Model, data: Data, *frame: Any, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The velocity of a frame: (model, data, frame_id or (joint_id, placement), reference_frame)."""
    frame, reference = _parts(frame, reference_frame)
    return _of_frame(model, data, data.v, frame, reference)


def getFrameAcceleration(model: Model, data: Data, *frame: Any, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The spatial acceleration of a frame."""
    frame, reference = _parts(frame, reference_frame)
    return _of_frame(model, data, data.a, frame, reference)


def getFrameClassicalAcceleration(model: Model, data: Data, *frame: Any, reference_frame: ReferenceFrame = LOCAL) -> Motion:
    """The classical acceleration of a frame."""
    frame, reference = _parts(frame, reference_frame)
    velocity = _of_frame(model, data, data.v, frame, reference)
    return _classical(velocity, _of_frame(model, data, data.a, frame, reference))


def computeJointJacobians(model: Model, data: Data, *q: Any) -> Array:
    """All columns of all Jacobians, in the world's coordinates, in data.J: (model, data[, q])."""
    configuration = data._configuration(q, "forwardKinematics")
    data.J = np.zeros((6, model.nv), order="F")
    model.native()._joint_jacobians(configuration, data.oMi, data.J)
    return data.J


def _at(J: Array, model: Model, joint: int, placement: SE3, reference: int) -> Array:
    return _jacobian_at(J, model.columns[joint], placement, _WORDS[reference])


def getJointJacobian(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame) -> Array:
    """The Jacobian (6, nv) of a joint's frame, from data.J."""
    return _at(data.J, model, _joint(model, joint_id), data.oMi[joint_id], reference_frame)


def computeJointJacobian(model: Model, data: Data, q: Any, joint_id: int) -> Array:
    """The Jacobian (6, nv) of a joint's frame, in it."""
    return getJointJacobian(model, _with_jacobians(model, data, q), _joint(model, joint_id), LOCAL)


def _with_jacobians(model: Model, data: Data, q: Any) -> Data:
    computeJointJacobians(model, data, q)
    return data


def getFrameJacobian(model: Model, data: Data, *frame: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The Jacobian (6, nv) of a frame from data.J: (model, data, frame_id or (joint_id, placement), reference_frame)."""
    parts, reference = _parts(frame, reference_frame)
    joint, placement = parts if len(parts) == 2 else _carried(model, parts[0])
    return _at(data.J, model, joint, data.oMi[joint] * placement, reference)


def _carried(model: Model, frame_id: int) -> tuple[int, SE3]:
    frame = _frame(model, frame_id)
    return frame.parentJoint, frame.placement


def computeFrameJacobian(model: Model, data: Data, q: Any, frame_id: int, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The Jacobian (6, nv) of a frame."""
    updated = _with_jacobians(model, data, q)
    updateFramePlacement(model, data, frame_id)
    return getFrameJacobian(model, updated, frame_id, reference_frame)


def computeJointJacobiansTimeVariation(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The rates of all columns of all Jacobians, in the world's coordinates, in data.dJ."""
    computeJointJacobians(model, data, q)
    forwardKinematics(model, data, q, v)
    data.dJ = np.zeros((6, model.nv), order="F")
    model.native()._joint_jacobian_rates(q, v, data.dJ)
    return data.dJ


def _rate_at(model: Model, data: Data, joint: int, placement: SE3, local: Motion, reference: int) -> Array:
    """X⁻¹ (dJ − v × J), where X takes the chosen coordinates into the world's and moves with them."""
    rate = _at(data.dJ, model, joint, placement, reference)
    if reference == WORLD:
        return rate
    J = _at(data.J, model, joint, placement, reference)
    velocity = local
    if reference == LOCAL_WORLD_ALIGNED:
        velocity = Motion(placement.rotation @ local.linear, np.zeros(3))
    return np.asfortranarray(rate - velocity.action @ J)


def getJointJacobianTimeVariation(model: Model, data: Data, joint_id: int, reference_frame: ReferenceFrame) -> Array:
    """The rate (6, nv) of a joint's Jacobian, from data.dJ."""
    placement = data.oMi[_joint(model, joint_id)]
    return _rate_at(model, data, joint_id, placement, data.v[joint_id], reference_frame)


def getFrameJacobianTimeVariation(model: Model, data: Data, frame_id: int, reference_frame: ReferenceFrame) -> Array:
    """The rate (6, nv) of a frame's Jacobian, from data.dJ."""
    joint, placement = _carried(model, frame_id)
    local = placement.act_inv(data.v[joint])
    return _rate_at(model, data, joint, data.oMi[joint] * placement, local, reference_frame)


def frameJacobianTimeVariation(
    model: Model, data: Data, q: Any, v: Any, frame_id: int, reference_frame: ReferenceFrame
) -> Array:
    """computeJointJacobiansTimeVariation and getFrameJacobianTimeVariation."""
    computeJointJacobiansTimeVariation(model, data, q, v)
    updateFramePlacements(model, data)
    return getFrameJacobianTimeVariation(model, data, frame_id, reference_frame)


def findCommonAncestor(model: Model, joint1_id: int, joint2_id: int) -> tuple[int, int, int]:
    """The last joint that carries both, and its positions in both supports."""
    one, two = model.supports[_joint(model, joint1_id)], model.supports[_joint(model, joint2_id)]
    k = max(i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a == b)
    return one[k], k, k
