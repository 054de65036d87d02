"""Configurations: how they move, differ and are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio import randomness
from featherline.pinocchio.enums import ARG0, ARG1, ArgumentPosition
from featherline.pinocchio.model import Model

Array = np.ndarray
_HUGE = np.finfo(float).max


def integrate(model: Model, q: Any, v: Any) -> Array:
    """The configuration (nq,) that is reached from q with v in one second."""
    return model.native().integrate(q, v)


def difference(model: Model, q1: Any, q2: Any) -> Array:
    """The velocity (nv,) that leads from q1 to q2 in one second."""
    return model.native().difference(q1, q2)


def interpolate(model: Model, q1: Any, q2: Any, alpha: float) -> Array:
    """The configuration (nq,) on the shortest way from q1 (alpha = 0) to q2 (alpha = 1)."""
    return model.native().interpolate(q1, q2, alpha)


def neutral(model: Model) -> Array:
    """The neutral configuration (nq,)."""
    return model.native().neutral()


def distance(model: Model, q1: Any, q2: Any) -> float:
    """The norm of the difference."""
    return float(model.native().distance(q1, q2))


def squaredDistance(model: Model, q1: Any, q2: Any) -> Array:
    """The squared norm of each joint's part of the difference (njoints - 1,)."""
    d = difference(model, q1, q2)
    joints = model.joints[1:]
    return np.array([d[j.idx_v : j.idx_v + j.nv] @ d[j.idx_v : j.idx_v + j.nv] for j in joints])


def normalize(model: Model, q: Any) -> Array:
    """The configuration with quaternions and pairs (cos, sin) of length one."""
    return model.native().normalise(q)


def _units(model: Model) -> list[slice]:
    """The entries of q that have length one together."""
    joints = [joint for joint in model.joints if joint.unit is not None]
    return [slice(joint.idx_q + (joint.unit or 0), joint.idx_q + joint.nq) for joint in joints]


def isNormalized(model: Model, q: Any, prec: float = 1e-12) -> bool:
    """Whether quaternions and pairs (cos, sin) have length one."""
    q = np.asarray(q, float).ravel()
    return all(abs(np.linalg.norm(q[unit]) - 1) <= prec for unit in _units(model))


def isSameConfiguration(model: Model, q1: Any, q2: Any, prec: float = 1e-12) -> bool:
    """Whether two configurations place the robot alike."""
    q1, q2 = np.asarray(q1, float).ravel(), np.asarray(q2, float).ravel()
    d = difference(model, q1, q2)
    scale = max(1.0, min(float(np.abs(q1).max(initial=0)), float(np.abs(q2).max(initial=0))))
    return bool(np.all(np.abs(d) <= prec * scale))


def randomConfiguration(model: Model, lower_bound: Any = None, upper_bound: Any = None) -> Array:
    """A random configuration within the limits of the model, or within those given."""
    lower = np.array(model.lowerPositionLimit if lower_bound is None else lower_bound, float).ravel()
    upper = np.array(model.upperPositionLimit if upper_bound is None else upper_bound, float).ravel()
    for unit in _units(model):
        lower[unit], upper[unit] = -1.0, 1.0
    for i in np.flatnonzero((lower <= -_HUGE) | (upper >= _HUGE)):
        raise ValueError(f"non bounded limit. Cannot uniformly sample joint at rank {i}")
    q = randomness.uniform(lower, upper)
    for unit in _units(model):
        direction = randomness.numbers.normal(size=unit.stop - unit.start)
        q[unit] = direction / np.linalg.norm(direction)
    return q


def dIntegrate(model: Model, q: Any, v: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """The derivatives (nv, nv) of integrate along q and v, or one of them."""
    native = model.native()
    if argument_position is None:
        return native.d_integrate_dq(v), native.d_integrate_dv(v)
    if argument_position not in (ARG0, ARG1):
        raise ValueError("argument_position must be ARG0 or ARG1")
    return native.d_integrate_dq(v) if argument_position == ARG0 else native.d_integrate_dv(v)


def dDifference(model: Model, q1: Any, q2: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """The derivatives (nv, nv) of difference along q1 and q2, or one of them."""
    native = model.native()
    if argument_position is None:
        return native.d_difference_dq0(q1, q2), native.d_difference_dq1(q1, q2)
    if argument_position not in (ARG0, ARG1):
        raise ValueError("argument_position must be ARG0 or ARG1")
    return native.d_difference_dq0(q1, q2) if argument_position == ARG0 else native.d_difference_dq1(q1, q2)


def dIntegrateTransport(model: Model, q: Any, v: Any, Jin: Any, argument_position: ArgumentPosition) -> Array:
    """Rows of Jin, which are tangent at the reached configuration, taken to q (ARG0) or v (ARG1) and back."""
    Jin = np.asarray(Jin, float)
    if Jin.shape[0] != model.nv:
        raise ValueError(f"Jin has {Jin.shape[0]} rows, where {model.nv} are expected")
    product: Array = dIntegrate(model, q, v, argument_position) @ Jin
    return product
