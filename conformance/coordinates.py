"""The map from the coordinates under test to those of an expanded model.

Pinocchio has no mimic joints in most algorithms, and drops the time derivative of the motion subspace of universal,
spherical ZYX, ellipsoid and composite joints in Jacobian derivatives, Coriolis matrices and Hessians. Both are avoided
by an *expanded* model whose joints all have constant motion subspaces and no mimics, together with the map

    q_full = phi(q),   v_full = G(q) v,   a_full = G a + dG/dt v.

Every quantity of the model under test follows from the expanded one by the chain rule. Each block below is the map of
one joint (or of a run of joints mapped one to one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Slots:
    """Where a block reads (q, v of the model under test) and writes (q, v of the expanded model)."""

    q: int
    v: int
    full_q: int
    full_v: int


class Block(Protocol):
    """One part of the map; `slots` says where it stands."""

    slots: Slots

    def configuration(self, q: Array, q_full: Array) -> None:
        """Write this block's part of phi(q) into `q_full`."""

    def tangent(self, q: Array, gradient: Array) -> None:
        """Write this block's entries of G(q), of shape (nv_full, nv)."""

    def second(self, q: Array, hessian: Array) -> None:
        """Write the derivative of G along each tangent direction, shape (nv_full, nv, nv)."""


@dataclass(frozen=True)
class Copy:
    """`nq` and `nv` coordinates that are the same on both sides."""

    slots: Slots
    nq: int
    nv: int

    def configuration(self, q: Array, q_full: Array) -> None:
        """Copy the coordinates."""
        s = self.slots
        q_full[s.full_q : s.full_q + self.nq] = q[s.q : s.q + self.nq]

    def tangent(self, q: Array, gradient: Array) -> None:
        """Write an identity."""
        s = self.slots
        gradient[s.full_v : s.full_v + self.nv, s.v : s.v + self.nv] = np.eye(self.nv)

    def second(self, q: Array, hessian: Array) -> None:
        """Leave zeros: the map is linear."""


@dataclass(frozen=True)
class Affine:
    """A mimic joint: coordinate = ratio * master + offset, either side an angle, a length or a (cos, sin) pair."""

    slots: Slots
    ratio: float
    offset: float
    master_on_circle: bool
    on_circle: bool

    def configuration(self, q: Array, q_full: Array) -> None:
        """Write ratio * master + offset in the mimic's own representation."""
        s = self.slots
        master = np.arctan2(q[s.q + 1], q[s.q]) if self.master_on_circle else q[s.q]
        value = self.ratio * master + self.offset
        if self.on_circle:
            q_full[s.full_q : s.full_q + 2] = np.cos(value), np.sin(value)
        else:
            q_full[s.full_q] = value

    def tangent(self, q: Array, gradient: Array) -> None:
        """Write the ratio."""
        gradient[self.slots.full_v, self.slots.v] = self.ratio

    def second(self, q: Array, hessian: Array) -> None:
        """Leave zeros: the map is affine."""


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid joint as a translation p(q) followed by rotations about x, y, z.

    p = (a sin q1, -b sin q0 cos q1, c cos q0 cos q1) (Seth, Sherman, Eastman and Delp, 2010).
    """

    slots: Slots
    radii: tuple[float, float, float]

    def configuration(self, q: Array, q_full: Array) -> None:
        """Write p(q) and the three angles."""
        s = self.slots
        q0, q1, q2 = q[s.q : s.q + 3]
        a, b, c = self.radii
        q_full[s.full_q : s.full_q + 6] = (
            a * np.sin(q1),
            -b * np.sin(q0) * np.cos(q1),
            c * np.cos(q0) * np.cos(q1),
            q0,
            q1,
            q2,
        )

    def tangent(self, q: Array, gradient: Array) -> None:
        """Write dp/dq above an identity."""
        s = self.slots
        (s0, s1), (c0, c1) = np.sin(q[s.q : s.q + 2]), np.cos(q[s.q : s.q + 2])
        a, b, c = self.radii
        gradient[s.full_v : s.full_v + 3, s.v : s.v + 3] = [
            [0.0, a * c1, 0.0],
            [-b * c0 * c1, b * s0 * s1, 0.0],
            [-c * s0 * c1, -c * c0 * s1, 0.0],
        ]
        gradient[s.full_v + 3 : s.full_v + 6, s.v : s.v + 3] = np.eye(3)

    def second(self, q: Array, hessian: Array) -> None:
        """Write the second derivatives of p."""
        s = self.slots
        (s0, s1), (c0, c1) = np.sin(q[s.q : s.q + 2]), np.cos(q[s.q : s.q + 2])
        a, b, c = self.radii
        hessian[s.full_v, s.v + 1, s.v + 1] = -a * s1
        y = hessian[s.full_v + 1, s.v : s.v + 2, s.v : s.v + 2]
        y[...] = [[b * s0 * c1, b * c0 * s1], [b * c0 * s1, b * s0 * c1]]
        z = hessian[s.full_v + 2, s.v : s.v + 2, s.v : s.v + 2]
        z[...] = [[-c * c0 * c1, c * s0 * s1], [c * s0 * s1, -c * c0 * c1]]


@dataclass(frozen=True)
class Lifted:
    """A state in the coordinates of the expanded model, with the derivatives of the map.

    `gradient` is G; `gradient_rate` is dG/dt; `curvature[:, :, k]` is dG along tangent direction k. All three are
    `None` where the map is the identity.
    """

    q: Array
    v: Array
    a: Array
    gradient: Array | None
    gradient_rate: Array | None
    curvature: Array | None

    def pull(self, rows: Array) -> Array:
        """Turn columns over v_full into columns over v: A -> A G."""
        return rows if self.gradient is None else rows @ self.gradient

    def pull_rate(self, rows: Array, rows_rate: Array) -> Array:
        """Turn the time derivative of A into that of A G: dA/dt G + A dG/dt."""
        if self.gradient is None:
            return rows_rate
        return rows_rate @ self.gradient + rows @ self.gradient_rate

    def push(self, forces: Array) -> Array:
        """Turn generalized forces over v_full (rows) into those over v: f -> G^T f."""
        return forces if self.gradient is None else self.gradient.T @ forces


@dataclass(frozen=True)
class CoordinateMap:
    """The map of a whole model, made of blocks."""

    blocks: tuple[Block, ...]
    nq: int
    nv: int
    full_nq: int
    full_nv: int
    identity: bool

    def lift(self, q: Array, v: Array, a: Array) -> Lifted:
        """Express a state in the expanded model's coordinates."""
        if self.identity:
            return Lifted(q, v, a, None, None, None)
        q_full = np.zeros(self.full_nq)
        gradient = np.zeros((self.full_nv, self.nv))
        curvature = np.zeros((self.full_nv, self.nv, self.nv))
        for block in self.blocks:
            block.configuration(q, q_full)
            block.tangent(q, gradient)
            block.second(q, curvature)
        rate = curvature @ v
        return Lifted(q_full, gradient @ v, gradient @ a + rate @ v, gradient, rate, curvature)
