"""Joint data by Pinocchio's names: how a joint alone moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Motion
from featherline.pinocchio.absent import Absent
from featherline.pinocchio.joints import CLASSES, JointModel, JointModelMimic

Array = np.ndarray


class JointData:
    """The placement M, the motion subspace S (6, nv), the velocity v and the bias acceleration c of a joint.

    They are those of its output frame in its input frame, at its own entries joint_q and joint_v.
    """

    def __init__(self, other: JointData | None = None) -> None:
        self.joint_q = np.zeros(0)
        self.joint_v = np.zeros(0)
        self.S = np.zeros((6, 0))
        self.M, self.v, self.c = SE3(), Motion(), Motion()
        if other is not None:
            self.__class__ = other.__class__  # pyright: ignore[reportAttributeAccessIssue]
            self.__dict__.update(other.__dict__)

    def shortname(self) -> str:
        return type(self).__name__

    def extract(self) -> JointData:
        return self

    def __getattr__(self, name: str) -> Any:
        if name in ("U", "Dinv", "UDinv"):
            raise Absent(f"JointData.{name}: what Pinocchio's articulated-body algorithm works with")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"{self.shortname()}\n"


def _class(name: str) -> type[JointData]:
    return type(name, (JointData,), {"__module__": __name__, "__doc__": f"Pinocchio's {name}."})


# Pinocchio's name of the data of each joint model, which in one case is another.
_NAMES = {name: name.replace("Model", "Data") for name in (*CLASSES, "JointModelComposite", "JointModelMimic")}
_NAMES["JointModelRevoluteUnboundedUnaligned"] = "JointDataRevoluteUnboundedUnalignedTpl"
_CLASSES = {model: _class(name) for model, name in _NAMES.items()}
globals().update({one.__name__: one for one in _CLASSES.values()})


def create(joint: JointModel) -> JointData:
    """The data of a joint, at its neutral position."""
    data = _CLASSES.get(type(joint).__name__, JointData)()
    if joint.kind is not None:
        q = np.zeros(joint.nvExtended if joint.nq == 0 else joint.nq)
        if joint.unit is not None:
            # (cos, sin) of zero, or the quaternion of no rotation.
            q[joint.unit if joint.nq - joint.unit == 2 else -1] = 1.0
        _move(joint, data, q, np.zeros(joint.nvExtended))
    return data


def calc(joint: JointModel, data: JointData, q: Any, v: Any = None) -> None:
    """The data at a configuration (nq,) of the model, and at a velocity (nv,) of it."""
    n, numbers = joint.nvExtended if joint.nq == 0 else joint.nq, np.asarray(q, float).ravel()
    first, first_v = max(joint.idx_q, 0), max(joint.idx_v, 0)
    own_q = numbers[first : first + n]
    nv = joint.nvExtended
    velocities = np.zeros(first_v + nv) if v is None else np.asarray(v, float).ravel()
    own_v = velocities[first_v : first_v + nv]
    if len(own_q) != n or len(own_v) != nv:
        raise ValueError(
            f"{joint.shortname()}.calc: the joint's entries begin at {first} of q and {first_v} of v, "
            f"which have {numbers.size} and {velocities.size} entries"
        )
    _move(joint, data, own_q, own_v)


def _move(joint: JointModel, data: JointData, q: Array, v: Array) -> None:
    scaling, offset = (joint.scaling, joint.offset) if isinstance(joint, JointModelMimic) else (1.0, 0.0)
    data.joint_q, data.joint_v = scaling * q + offset, scaling * v
    motion = joint.alone().evaluate(data.joint_q, data.joint_v)
    data.M = SE3(motion.placement)
    data.S = scaling * motion.subspace
    data.v, data.c = Motion(motion.velocity), Motion(motion.bias)


__all__ = ["JointData", *(one.__name__ for one in _CLASSES.values())]
