"""Models of which a joint moves with another, and the functions that work otherwise with them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from featherline.pinocchio import native
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import LOCAL
from featherline.pinocchio.joints import JointModelMimic, of_kind
from featherline.pinocchio.model import OF_Q, OF_V, Model, of_model

__all__ = [
    "computeCentroidalDynamicsDerivatives", "computeForwardKinematicsDerivatives", "computeFrameJacobian",
    "computeJointJacobian", "computeJointJacobians", "computeJointJacobiansTimeVariation", "getFrameJacobian",
    "getFrameJacobianTimeVariation", "getJointJacobian", "getJointJacobianTimeVariation", "transformJointIntoMimic",
]  # fmt: skip

Array = np.ndarray


@of_model
def transformJointIntoMimic(
    input_model: Model, index_mimicked: int, index_mimicking: int, scaling: float, offset: float
) -> Model:
    """The model of which joint `index_mimicking` is at scaling · q + offset of joint `index_mimicked`."""
    if not 0 < index_mimicked < index_mimicking < input_model.njoints:
        raise ValueError(
            f"joint {index_mimicking} cannot mimic joint {index_mimicked}: of {input_model.njoints} joints, "
            "the one that is mimicked comes first, after the universe"
        )
    model = input_model.copy()
    replaced, source = model.joints[index_mimicking], model.joints[index_mimicked]
    for joint in (replaced, source):
        if isinstance(joint, JointModelMimic):
            raise ValueError(f"joint '{model.names[joint.id]}' is a mimic joint already")
    if (replaced.nq, replaced.nv) != (source.nq, source.nv):
        raise ValueError(
            f"joint '{model.names[index_mimicking]}' has {replaced.nq} entries of q, and joint "
            f"'{model.names[index_mimicked]}' {source.nq}: mimic joints are like those that they mimic"
        )
    entries = dict.fromkeys(OF_Q, slice(replaced.idx_q, replaced.idx_q + replaced.nq))
    entries |= dict.fromkeys(OF_V, slice(replaced.idx_v, replaced.idx_v + replaced.nv))
    for field, own in entries.items():
        numbers = getattr(model, field).tolist()
        del numbers[own]
        setattr(model, field, numbers)
    for name, q in model.referenceConfigurations.items():
        model.referenceConfigurations[name] = np.delete(q, range(replaced.idx_q, replaced.idx_q + replaced.nq))
    mimic = JointModelMimic(replaced, scaling, offset)
    mimic.mimicked = index_mimicked
    model.joints[index_mimicking] = mimic
    model._index()
    return model


class _Freed:
    """The model without the coupling of its mimic joints: its configuration is G q + offset, its velocity G v."""

    def __init__(self, model: Model) -> None:
        self.made_of = model.native()
        self.model = Model()
        self.model.name, self.model._gravity = model.name, model._gravity.copy()
        rows = []
        for i in range(1, model.njoints):
            joint = model.joints[i]
            free, scaling, offset = joint, 1.0, 0.0
            if isinstance(joint, JointModelMimic):
                free = of_kind(joint.kind, joint.nvExtended, joint.nvExtended)
                scaling, offset = joint.scaling, joint.offset
            self.model.addJoint(model.parents[i], free, model._jointPlacements[i], model.names[i])
            self.model._inertias[i] = model._inertias[i].copy()
            rows.append((joint, free, scaling, offset))
        self.model.frames = model.frames
        self.G = np.zeros((self.model.nv, model.nv))
        self._of_q = np.zeros((self.model.nq, model.nq))
        self._offset = np.zeros(self.model.nq)
        q = v = 0
        for joint, free, scaling, offset in rows:
            np.fill_diagonal(self._of_q[q : q + free.nq, joint.idx_q : joint.idx_q + free.nq], scaling)
            np.fill_diagonal(self.G[v : v + free.nv, joint.idx_v : joint.idx_v + free.nv], scaling)
            self._offset[q : q + free.nq] = offset
            q, v = q + free.nq, v + free.nv
        self.scalings = self.G.sum(axis=1)
        self.data = Data(self.model)

    def place(self, q: Array, v: Array | None = None) -> None:
        """Compute the Jacobians, and with v their rates."""
        q_free = self._of_q @ q + self._offset
        if v is None:
            native.computeJointJacobians(self.model, self.data, q_free)
        else:
            native.computeJointJacobiansTimeVariation(self.model, self.data, q_free, self.G @ v)
        native.updateFramePlacements(self.model, self.data)


def _freed(model: Model, data: Data) -> _Freed:
    """Made once for a native model."""
    if data._freed is None or data._freed.made_of is not model.native():
        data._freed = _Freed(model)
    freed: _Freed = data._freed
    return freed


def _columns(function: Callable[..., Array], rate: bool, model: Model, data: Data, *arguments: Any, **named: Any) -> Array:
    """What a function that reads columns of the Jacobians finds with mimic joints: with those of the free joints."""
    freed = _freed(model, data)
    freed.place(data._q, data._mimic_v if rate else None)
    matrix: Array = function(freed.model, freed.data, *arguments, **named) @ freed.G
    return matrix


# The arguments one by one: packed ones take as long as the function.
_joint, _frame = native.getJointJacobian, native.getFrameJacobian
_joint_rate, _frame_rate = native.getJointJacobianTimeVariation, native.getFrameJacobianTimeVariation
_all = native.computeJointJacobians


def getJointJacobian(model: Model, data: Data, joint_id: int, reference_frame: Any) -> Array:
    """The Jacobian (6, nv) of a joint, after computeJointJacobians."""
    if model.mimicking_joints:
        return _columns(_joint, False, model, data, joint_id, reference_frame)
    return _joint(model, data, joint_id, reference_frame)


def getFrameJacobian(
    model: Model, data: Data, frame_id: Any = None, reference_frame: Any = None, *of_placement: Any, **named: Any
) -> Array:
    """The Jacobian (6, nv) of a frame, or of (joint_id, placement, reference_frame), after computeJointJacobians."""
    if not (frame_id is None or of_placement or named or model.mimicking_joints):
        return _frame(model, data, frame_id, reference_frame)
    first = () if frame_id is None else (frame_id,)
    if of_placement:
        first = (*first, reference_frame, *of_placement)
    elif reference_frame is not None:
        named["reference_frame"] = reference_frame
    if model.mimicking_joints:
        return _columns(_frame, False, model, data, *first, **named)
    return _frame(model, data, *first, **named)


def getJointJacobianTimeVariation(model: Model, data: Data, joint_id: int, reference_frame: Any) -> Array:
    """The rate (6, nv) of a joint's Jacobian, after computeJointJacobiansTimeVariation."""
    if model.mimicking_joints:
        return _columns(_joint_rate, True, model, data, joint_id, reference_frame)
    return _joint_rate(model, data, joint_id, reference_frame)


def getFrameJacobianTimeVariation(model: Model, data: Data, frame_id: int, reference_frame: Any) -> Array:
    """The rate (6, nv) of a frame's Jacobian, after computeJointJacobiansTimeVariation."""
    if model.mimicking_joints:
        return _columns(_frame_rate, True, model, data, frame_id, reference_frame)
    return _frame_rate(model, data, frame_id, reference_frame)


def computeJointJacobians(model: Model, data: Data, q: Any = None) -> Array:
    """All columns (6, nvExtended) of all Jacobians in the world's coordinates: (model, data[, q])."""
    jacobians = _all(model, data) if q is None else _all(model, data, q)
    if not model.mimicking_joints:
        return jacobians
    freed = _freed(model, data)
    freed.place(data._q)
    columns: Array = freed.data.J * freed.scalings
    return columns


def computeJointJacobiansTimeVariation(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The rates (6, nvExtended) of all columns of all Jacobians in the world's coordinates."""
    rates = native.computeJointJacobiansTimeVariation(model, data, q, v)
    if not model.mimicking_joints:
        return rates
    freed = _freed(model, data)
    data._mimic_v = np.array(v, float).ravel()
    freed.place(data._q, data._mimic_v)
    columns: Array = freed.data.dJ * freed.scalings
    return columns


def computeJointJacobian(model: Model, data: Data, q: Any, joint_id: int) -> Array:
    """The Jacobian (6, nv) of a joint in its own frame."""
    jacobian = native.computeJointJacobian(model, data, q, joint_id)
    return getJointJacobian(model, data, joint_id, LOCAL) if model.mimicking_joints else jacobian


def computeFrameJacobian(model: Model, data: Data, q: Any, frame_id: int, reference_frame: Any = LOCAL) -> Array:
    """The Jacobian (6, nv) of a frame, in its own coordinates where no reference is given."""
    jacobian = native.computeFrameJacobian(model, data, q, frame_id, reference_frame)
    if not model.mimicking_joints:
        return jacobian
    reduced: Array = getFrameJacobian(model, data, frame_id, reference_frame)
    return reduced


def _refused(function: Callable[..., Any]) -> Any:
    """A function that Pinocchio refuses with mimic joints, too."""

    @functools.wraps(function)
    def checked(model: Model, data: Data, *arguments: Any, **named: Any) -> Any:
        if getattr(model, "mimicking_joints", None):
            raise RuntimeError(f"{function.__name__} does not support mimic joints")
        return function(model, data, *arguments, **named)

    return checked


computeForwardKinematicsDerivatives = _refused(native.computeForwardKinematicsDerivatives)
computeCentroidalDynamicsDerivatives = _refused(native.computeCentroidalDynamicsDerivatives)
