"""Pinocchio's answers at configurations that the native functions refuse: quaternions of length zero, and infinity.

The native function comes first. Only where it refuses a configuration are its joints looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray

# A quaternion of length zero rotates nothing: its rotation matrix is the identity.
_IDENTITY = {4: (0.0, 0.0, 0.0, 1.0), 2: (1.0, 0.0)}


def _read(model: Any, *configurations: Any) -> list[Array] | None:
    """The configurations as vectors; None if they are none of this model."""
    try:
        vectors = [np.array(q, float).ravel() for q in configurations]
    except (TypeError, ValueError):
        return None
    return vectors if all(q.size == model.nq for q in vectors) else None


def _joints(model: Any) -> Iterator[tuple[Any, slice, slice]]:
    """Joints with their entries of q and of the unit quaternion, or of the pair (cos, sin), in it."""
    for joint in model.joints[1:]:
        own = slice(joint.idx_q, joint.idx_q + joint.nq)
        yield joint, own, slice(own.stop if joint.unit is None else own.start + joint.unit, own.stop)


def _with_identities(model: Any, q: Array, lengths: tuple[int, ...]) -> list[tuple[Any, slice]]:
    """Put the identity where q has a quaternion, or a pair, of length zero; the joints with those entries."""
    found = []
    for joint, _, unit in _joints(model):
        count = unit.stop - unit.start
        if count in lengths and not q[unit].any():
            q[unit] = _IDENTITY[count]
            found.append((joint, unit))
    return found


def at_zero_quaternions(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of (model, data, q, …), which takes quaternions of length zero as no rotation."""

    @functools.wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except ValueError:
            given = dict(zip(("model", "data", "q"), arguments, strict=False)) | named
            read = _read(given["model"], given["q"]) if given.get("q") is not None else None
            if read is None or not _with_identities(given["model"], read[0], (4,)):
                raise
        if len(arguments) > 2:
            return function(*arguments[:2], *read, *arguments[3:], **named)
        return function(*arguments, **named | {"q": read[0]})

    return called


def difference_where_finite(function: Callable[..., Array]) -> Callable[..., Array]:
    """`difference`, with NaN for joints whose difference is not finite."""

    @functools.wraps(function)
    def difference(model: Any, q1: Any, q2: Any) -> Array:
        try:
            return function(model, q1, q2)
        except ValueError:
            read = _read(model, q1, q2)
            if read is None:
                raise
            known, neutral = [], model.native().neutral()
            for joint, own, _ in _joints(model):
                rows = _singular_rows(joint, *(q[own] for q in read))
                if rows is not None:
                    known.append((joint, rows))
                    for q in read:
                        q[own] = neutral[own]
            if not known:
                raise
        result = function(model, *read)
        for joint, rows in known:
            result[joint.idx_v :][: joint.nv] = rows
        return result

    return difference


def _singular_rows(joint: Any, first: Array, second: Array) -> Any:
    """The difference of one joint's entries of q where the native function refuses them; None where it answers."""
    is_finite = np.isfinite(first).all() and np.isfinite(second).all()
    if joint.unit is None:
        with np.errstate(invalid="ignore", over="ignore"):
            return None if is_finite else second - first
    with np.errstate(over="ignore"):
        lengths = [float(np.square(q[joint.unit :]).sum()) for q in (first, second)]
    if not is_finite or np.isinf(lengths).any():
        return np.nan
    if all(lengths):
        return None
    if joint.nq - joint.unit == 4:
        return np.nan
    # Of pairs (cos, sin) of length zero cos(angle) = 0.
    angle = np.pi / 2
    if joint.nv == 1:
        return angle
    c, s = first[2:]
    x, y = np.array([[c, s], [-s, c]]) @ (second[:2] - first[:2])
    return np.array([(x + y) * angle / 2, (y - x) * angle / 2, angle])


def squared_distance_of(function: Callable[..., Array], difference: Callable[..., Array]) -> Callable[..., Array]:
    """`squaredDistance`, with NaN for joints whose difference is not finite."""

    @functools.wraps(function)
    def squaredDistance(model: Any, q1: Any, q2: Any) -> Array:
        try:
            return function(model, q1, q2)
        except ValueError:
            rows = difference(model, q1, q2)
            return np.array([np.square(rows[joint.idx_v :][: joint.nv]).sum() for joint in model.joints[1:]])

    return squaredDistance


def distance_of(function: Callable[..., float], squared: Callable[..., Array]) -> Callable[..., float]:
    """`distance`, which is NaN where that of a joint is."""

    @functools.wraps(function)
    def distance(model: Any, q1: Any, q2: Any) -> float:
        try:
            return function(model, q1, q2)
        except ValueError:
            return float(np.sqrt(squared(model, q1, q2).sum()))

    return distance


def interpolate_with_nan(function: Callable[..., Array]) -> Callable[..., Array]:
    """`interpolate`, with NaN for joints that have a quaternion of length zero."""

    @functools.wraps(function)
    def interpolate(model: Any, q1: Any, q2: Any, alpha: float) -> Array:
        try:
            return function(model, q1, q2, alpha)
        except ValueError:
            read = _read(model, q1, q2)
            zeros = [] if read is None else [found for q in read for found in _with_identities(model, q, (4,))]
            if read is None or not zeros:
                raise
        found = function(model, *read, alpha)
        for joint, _ in zeros:
            found[joint.idx_q :][: joint.nq] = np.nan
        return found

    return interpolate


def normalize_with_zeros(function: Callable[..., Array]) -> Callable[..., Array]:
    """`normalize`, which leaves quaternions and pairs of length zero as they are."""

    @functools.wraps(function)
    def normalize(model: Any, q: Any) -> Array:
        try:
            return function(model, q)
        except ValueError:
            read = _read(model, q)
            zeros = [] if read is None else _with_identities(model, read[0], (4, 2))
            if read is None or not zeros:
                raise
        found = function(model, *read)
        for _, unit in zeros:
            found[unit] = 0.0
        return found

    return normalize


def integrate_as_pinocchio(function: Callable[..., Array]) -> Callable[..., Array]:
    """`integrate`: a free flyer's quaternion has the sign that is nearer to q's, and one of length zero stays zero."""

    @functools.wraps(function)
    def integrate(model: Any, q: Any, v: Any) -> Array:
        try:
            moved = function(model, q, v)
        except ValueError:
            read = _read(model, q)
            zeros = [] if read is None else _with_identities(model, read[0], (4, 2))
            if read is None or not zeros:
                raise
            moved = function(model, *read, v)
            for joint, unit in zeros:
                moved[unit] = 0.0
                if unit.stop - unit.start == 2:
                    moved[joint.idx_q : unit.start] = read[0][joint.idx_q : unit.start]
            return moved
        for at_q, at_v in model._free_flyers:
            # Only where it turns by more than π is the other sign nearer.
            x, y, z = (v if type(v) is Array and v.ndim == 1 else np.ravel(v))[at_v + 3 : at_v + 6].tolist()
            if x * x + y * y + z * z > 9.8:
                unit = slice(at_q + 3, at_q + 7)
                if np.ravel(q)[unit] @ moved[unit] < 0:
                    moved[unit] *= -1.0
        return moved

    return integrate
