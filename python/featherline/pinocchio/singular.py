"""Pinocchio's answers at configurations that the native functions refuse: quaternions of length zero, and infinity.

The native functions call these where they refuse a configuration. None means that it is to be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from featherline._native import _pinocchio

Array = np.ndarray

# Entries of q from here on are no configuration.
_UNLIMITED = 1e150
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


def difference(model: Any, q1: Any, q2: Any) -> Array | None:
    """The difference with NaN for joints where it is not finite."""
    read = _read(model, q1, q2)
    if read is None:
        return None
    known, neutral = [], model.native().neutral()
    for joint, own, _ in _joints(model):
        rows = _singular_rows(joint, *(q[own] for q in read))
        if rows is not None:
            known.append((joint, rows))
            for q in read:
                q[own] = neutral[own]
    if not known:
        return None
    result: Array = _pinocchio.difference(model, *read)
    for joint, rows in known:
        result[joint.idx_v :][: joint.nv] = rows
    return result


def _singular_rows(joint: Any, first: Array, second: Array) -> Any:
    """The difference of one joint's entries of q where the native function refuses them; None where it answers."""
    # Limits that are none are the largest number there is: what it is computed with overflows.
    is_finite = (np.abs([first, second]) < _UNLIMITED).all()
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


def distance(model: Any, q1: Any, q2: Any) -> float | None:
    """The distance, NaN where that of a joint is."""
    rows = difference(model, q1, q2)
    with np.errstate(over="ignore"):
        return None if rows is None else float(np.sqrt(np.square(rows).sum()))


def interpolate(model: Any, q1: Any, q2: Any, alpha: float) -> Array | None:
    """The configuration on the way, with NaN for joints that have a quaternion of length zero."""
    read = _read(model, q1, q2)
    zeros = [] if read is None else [found for q in read for found in _with_identities(model, q, (4,))]
    if read is None or not zeros:
        return None
    found: Array = _pinocchio.interpolate(model, *read, alpha)
    for joint, _ in zeros:
        found[joint.idx_q :][: joint.nq] = np.nan
    return found


def normalize(model: Any, q: Any) -> Array | None:
    """The configuration with quaternions and pairs of length zero as they are."""
    read = _read(model, q)
    zeros = [] if read is None else _with_identities(model, read[0], (4, 2))
    if read is None or not zeros:
        return None
    found: Array = _pinocchio.normalize(model, *read)
    for _, unit in zeros:
        found[unit] = 0.0
    return found


def integrate(model: Any, q: Any, v: Any) -> Array | None:
    """The configuration that is reached, with quaternions of length zero as they are."""
    read = _read(model, q)
    zeros = [] if read is None else _with_identities(model, read[0], (4, 2))
    if read is None or not zeros:
        return None
    moved: Array = _pinocchio.integrate(model, *read, v)
    for joint, unit in zeros:
        moved[unit] = 0.0
        if unit.stop - unit.start == 2:
            moved[joint.idx_q : unit.start] = read[0][joint.idx_q : unit.start]
    return moved
