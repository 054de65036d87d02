"""Configurations: how they move, differ and are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio import randomness
from featherline.pinocchio.enums import ARG0, ARG1, ArgumentPosition
from featherline.pinocchio.lists import StdVec_int
from featherline.pinocchio.model import Model, as_array, as_vector, of_model
from featherline.pinocchio.native import difference, tangentMap

__all__ = [
    "compactTangentMap", "dDifference", "dIntegrate", "dIntegrateTransport",
    "getTangentToConfigurationSparsitySegment", "isNormalized", "isSameConfiguration", "randomConfiguration",
    "tangentMapProduct", "tangentMapTransposeProduct",
]  # fmt: skip

Array = np.ndarray
_HUGE = np.finfo(float).max


def _number(prec: Any) -> float:
    if isinstance(prec, str):
        raise TypeError("prec must be a number")
    return float(prec)


def _is_first(argument_position: Any) -> bool:
    """Whether an argument is ARG0; the other is ARG1."""
    if isinstance(argument_position, str):
        raise TypeError("argument_position must be ARG0 or ARG1")
    if argument_position not in (ARG0, ARG1):
        raise ValueError("argument_position must be ARG0 or ARG1")
    return bool(argument_position == ARG0)


def _units(model: Model) -> list[slice]:
    """The entries of q that have length one together."""
    if model.nq == model.nv:
        return []
    joints = [joint for joint in model.joints[1:] if joint.unit is not None]
    return [slice(joint.idx_q + (joint.unit or 0), joint.idx_q + joint.nq) for joint in joints]


@of_model
def isNormalized(model: Model, q: Any, prec: float = 1e-12) -> bool:
    """Whether quaternions and pairs (cos, sin) have length one."""
    q, prec = as_vector("q", q, model.nq), _number(prec)
    return all(abs(np.linalg.norm(q[unit]) - 1) <= prec for unit in _units(model))


@of_model
def isSameConfiguration(model: Model, q1: Any, q2: Any, prec: float = 1e-12) -> bool:
    """Whether two configurations place the robot alike."""
    q1, q2 = as_vector("q1", q1, model.nq), as_vector("q2", q2, model.nq)
    if np.array_equal(q1, q2):
        return True
    d = difference(model, q1, q2)
    scale = max(1.0, min(float(np.abs(q1).max(initial=0)), float(np.abs(q2).max(initial=0))))
    return bool(np.all(np.abs(d) <= _number(prec) * scale))


@of_model
def randomConfiguration(model: Model, lower_bound: Any = None, upper_bound: Any = None) -> Array:
    """A random configuration within the limits of the model, or within those given."""
    lower = np.array(model.lowerPositionLimit if lower_bound is None else lower_bound, float).ravel()
    upper = np.array(model.upperPositionLimit if upper_bound is None else upper_bound, float).ravel()
    units = _units(model)
    for unit in units:
        lower[unit], upper[unit] = -1.0, 1.0
    unbounded = (lower <= -_HUGE) | (upper >= _HUGE)
    if unbounded.any():
        i = int(unbounded.argmax())
        joint = next(name for name, of in zip(model.names[1:], model.joints[1:], strict=True) if of.idx_q <= i < of.idx_q + of.nq)
        raise ValueError(
            f"non bounded limit. Cannot uniformly sample joint at rank {i}, of {joint}: set model.lowerPositionLimit[{i}]"
            f" and model.upperPositionLimit[{i}], or pass lower and upper bounds"
        )
    q = randomness.uniform(lower, upper)
    for unit in units:
        direction = randomness.numbers().normal(size=unit.stop - unit.start)
        q[unit] = direction / np.linalg.norm(direction)
    return q


@of_model
def dIntegrate(model: Model, q: Any, v: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """The derivatives (nv, nv) of integrate along q and v, or one of them."""
    native = model.native()
    as_vector("q", q, model.nq)
    v = as_vector("v", v, model.nv)
    if argument_position is None:
        return native.d_integrate_dq(v), native.d_integrate_dv(v)
    return native.d_integrate_dq(v) if _is_first(argument_position) else native.d_integrate_dv(v)


@of_model
def dDifference(model: Model, q1: Any, q2: Any, argument_position: ArgumentPosition | None = None) -> Any:
    """The derivatives (nv, nv) of difference along q1 and q2, or one of them."""
    native = model.native()
    q1, q2 = as_vector("q1", q1, model.nq), as_vector("q2", q2, model.nq)
    if argument_position is None:
        return native.d_difference_dq0(q1, q2), native.d_difference_dq1(q1, q2)
    return native.d_difference_dq0(q1, q2) if _is_first(argument_position) else native.d_difference_dq1(q1, q2)


@of_model
def dIntegrateTransport(model: Model, q: Any, v: Any, Jin: Any, argument_position: ArgumentPosition) -> Array:
    """The Jacobian of integrate along q (ARG0) or v (ARG1) times Jin, a matrix of nv rows, without forming it."""
    native = model.native()
    as_vector("q", q, model.nq)
    v, Jin = as_vector("v", v, model.nv), as_array("Jin", Jin)
    if Jin.shape[0] != model.nv:
        raise ValueError(f"Jin has {Jin.shape[0]} rows, where {model.nv} are expected")
    multiply = native.d_integrate_dq_times if _is_first(argument_position) else native.d_integrate_dv_times
    product: Array = multiply(v, Jin.reshape(model.nv, -1))
    return product.reshape(Jin.shape)


def _tangent_segments(model: Model) -> tuple[list[int], list[int]]:
    nvs = [joint.nv for joint in model.joints[1:] for _ in range(joint.nq)]
    firsts = [joint.idx_v for joint in model.joints[1:] for _ in range(joint.nq)]
    return nvs, firsts


@of_model
def getTangentToConfigurationSparsitySegment(model: Model) -> tuple[StdVec_int, StdVec_int]:
    """Of each entry of q, how many entries of v its joint has, and where they begin."""
    nvs, firsts = _tangent_segments(model)
    return StdVec_int(nvs), StdVec_int(firsts)


@of_model
def compactTangentMap(model: Model, q: Any) -> Array:
    """The rows of tangentMap without what is zero by structure (nq, 6)."""
    full, compact = tangentMap(model, q), np.zeros((model.nq, 6))
    for row, (nv, first) in enumerate(zip(*_tangent_segments(model), strict=True)):
        compact[row, :nv] = full[row, first : first + nv]
    return compact


def _matrix(value: Any, rows: int) -> Array:
    matrix = as_array("mat_in", value)
    if matrix.shape[:1] != (rows,):
        raise ValueError(f"mat_in has shape {matrix.shape}, where {rows} rows are expected")
    return matrix


@of_model
def tangentMapProduct(model: Model, q: Any, mat_in: Any) -> Array:
    """tangentMap times a matrix of nv rows."""
    product: Array = tangentMap(model, q) @ _matrix(mat_in, model.nv)
    return product


@of_model
def tangentMapTransposeProduct(model: Model, q: Any, mat_in: Any) -> Array:
    """The transpose of tangentMap times a matrix of nq rows."""
    product: Array = tangentMap(model, q).T @ _matrix(mat_in, model.nq)
    return product
