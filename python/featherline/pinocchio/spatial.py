"""SE3, Motion, Force and Inertia by Pinocchio's names, exponentials and logarithms.

The types are the native ones; importing this module gives them Pinocchio's names of methods.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherline._native import SE3, Force, Inertia, Motion
from featherline.pinocchio.model import as_vector
from featherline.pinocchio.native import (
    Jexp3,
    Jexp6,
    Jlog3,
    Jlog6,
    XYZQUATToSE3,
    exp3,
    exp6,
    log3,
    log6,
    skew,
    unSkew,
)
from featherline.pinocchio.pseudo_inertia import PseudoInertia
from featherline.pinocchio.quaternion import Quaternion
from featherline.pinocchio.randomness import next_seed

Array = np.ndarray


def _is_approx(self: Any, other: Any, prec: float = 1e-12) -> bool:
    return bool(self.is_close(other, prec))


def _cast(self: Any) -> Any:
    return self.copy()


def _add(kind: Any, **methods: Any) -> None:
    for name, method in methods.items():
        setattr(kind, name, method)


def _set_placement(self: SE3, other: SE3) -> SE3:
    self.rotation, self.translation = other.rotation, other.translation
    return self


def _set_vector(self: Any, other: Any) -> Any:
    self.vector = other.vector
    return self


def _set_inertia(self: Inertia, other: Inertia) -> Inertia:
    self.mass, self.lever, self.inertia = other.mass, other.lever, other.inertia
    return self


def _interpolate(A: SE3, B: SE3, alpha: float) -> SE3:
    """The placement on the way from A to B, at a constant velocity."""
    return A * exp6(log6(A.act_inv(B)) * alpha)


_add(
    SE3,
    Identity=staticmethod(SE3.identity),
    Random=staticmethod(lambda: SE3.random(next_seed())),
    Interpolate=staticmethod(_interpolate),
    actInv=SE3.act_inv,
    actionInverse=SE3.action_inverse,
    dualAction=SE3.dual_action,
    isApprox=_is_approx,
    __invert__=lambda self: self.inverse(),
    isIdentity=lambda self, prec=1e-12: self.is_close(SE3(), prec),
    setIdentity=lambda self: _set_placement(self, SE3()),
    setRandom=lambda self: _set_placement(self, SE3.random(next_seed())),
    toActionMatrix=lambda self: self.action,
    toActionMatrixInverse=lambda self: self.action_inverse,
    toDualActionMatrix=lambda self: self.dual_action,
    np=property(lambda self: self.homogeneous),
    cast=_cast,
)

for _kind in (Motion, Force):
    _add(
        _kind,
        Zero=staticmethod(_kind.zero),
        Random=staticmethod(lambda kind=_kind: kind.random(next_seed())),
        isApprox=_is_approx,
        isZero=lambda self, prec=1e-12: bool(np.all(np.abs(self.vector) <= prec)),
        setZero=lambda self, kind=_kind: _set_vector(self, kind()),
        setRandom=lambda self, kind=_kind: _set_vector(self, kind.random(next_seed())),
        se3Action=lambda self, M: M.act(self),
        se3ActionInverse=lambda self, M: M.act_inv(self),
        np=property(lambda self: self.vector),
        cast=_cast,
    )


def _motion_matrix(self: Motion) -> Array:
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = skew(self.angular), self.linear
    return matrix


_add(Motion, dualAction=Motion.dual_action, homogeneous=property(_motion_matrix))


def _box(mass: float, length_x: float, length_y: float, length_z: float) -> Inertia:
    """The inertia of a box of these sides."""
    x, y, z = length_x, length_y, length_z
    return Inertia(mass, np.zeros(3), np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * (mass / 12))


def _ellipsoid(mass: float, length_x: float, length_y: float, length_z: float) -> Inertia:
    """The inertia of an ellipsoid of these semi-axes."""
    x, y, z = length_x, length_y, length_z
    return Inertia(mass, np.zeros(3), np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * (mass / 5))


def _cylinder(mass: float, radius: float, length: float) -> Inertia:
    """The inertia of a cylinder along z."""
    across = mass * (radius * radius / 4 + length * length / 12)
    return Inertia(mass, np.zeros(3), np.diag([across, across, mass * radius * radius / 2]))


def _capsule(mass: float, radius: float, height: float) -> Inertia:
    """The inertia of a capsule along z, of which `height` is the cylinder's."""
    cylinder, ball = math.pi * radius**2 * height, 4 / 3 * math.pi * radius**3
    m_c, m_b = mass * cylinder / (cylinder + ball), mass * ball / (cylinder + ball)
    across = m_c * (height**2 / 12 + radius**2 / 4)
    across += m_b * (2 / 5 * radius**2 + height**2 / 4 + 3 / 8 * height * radius)
    along = m_c * radius**2 / 2 + m_b * 2 / 5 * radius**2
    return Inertia(mass, np.zeros(3), np.diag([across, across, along]))


def _variation(self: Inertia, v: Motion) -> Array:
    """The rate (6, 6) of the inertia of a body that moves with v, in fixed coordinates."""
    return v.dual_action @ self.matrix() - self.matrix() @ v.action


_add(
    Inertia,
    Identity=staticmethod(Inertia.identity),
    Zero=staticmethod(Inertia.zero),
    Random=staticmethod(lambda: Inertia.random(next_seed())),
    FromBox=staticmethod(_box),
    FromCapsule=staticmethod(_capsule),
    FromCylinder=staticmethod(_cylinder),
    FromEllipsoid=staticmethod(_ellipsoid),
    FromSphere=staticmethod(lambda mass, radius: _ellipsoid(mass, radius, radius, radius)),
    FromDynamicParameters=staticmethod(Inertia.from_dynamic_parameters),
    FromPseudoInertia=staticmethod(lambda pseudo_inertia: pseudo_inertia.toInertia()),
    FromLogCholeskyParameters=staticmethod(lambda log_cholesky_parameters: log_cholesky_parameters.toInertia()),
    toPseudoInertia=PseudoInertia.FromInertia,
    toDynamicParameters=Inertia.to_dynamic_parameters,
    inverse=lambda self: np.linalg.inv(self.matrix()),
    isApprox=_is_approx,
    isZero=lambda self, prec=1e-12: self.is_close(Inertia(), prec),
    setIdentity=lambda self: _set_inertia(self, Inertia.identity()),
    setRandom=lambda self: _set_inertia(self, Inertia.random(next_seed())),
    setZero=lambda self: _set_inertia(self, Inertia()),
    se3Action=lambda self, M: M.act(self),
    se3ActionInverse=lambda self, M: M.act_inv(self),
    variation=_variation,
    vxiv=Inertia.velocity_force,
    vxi=lambda self, v: v.dual_action @ self.matrix(),
    ivx=lambda self, v: self.matrix() @ v.action,
    np=property(lambda self: self.matrix()),
    cast=_cast,
)


def SE3ToXYZQUAT(M: SE3) -> Array:
    """Translation and unit quaternion (x, y, z, qx, qy, qz, qw) of a placement."""
    return np.concatenate([M.translation, Quaternion(M.rotation).coeffs()])


def SE3ToXYZQUATtuple(M: SE3) -> tuple[float, ...]:
    """SE3ToXYZQUAT as a tuple."""
    return tuple(SE3ToXYZQUAT(M).tolist())


def exp(x: Any) -> Any:
    """exp6 of a Motion or six numbers, exp3 of three."""
    if isinstance(x, Motion):
        return exp6(x)
    size = np.size(x)
    if size == 3:
        return exp3(x)
    if size == 6:
        return exp6(x)
    if size == 1:
        return math.exp(float(np.asarray(x).ravel()[0]))
    raise ValueError("Error only 3 and 6 vectors are allowed.")


def Hlog3(R: Any, v: Any) -> Array:
    """The rate (3, 3) of Jlog3(R) where R turns with v (3,) in its own axes."""
    w = log3(R)
    rate, angle = Jlog3(R) @ as_vector("v", v, 3), float(np.linalg.norm(w))
    # Jlog3 = 1 + [w]/2 + c [w]², where c = 1/θ² − cot(θ/2)/(2θ) and its derivative by w is slope · w.
    if angle < 1e-2:
        c, slope = 1 / 12 + angle**2 / 720, 1 / 360 + angle**2 / 7560
    else:
        half = angle / 2
        c = 1 / angle**2 - 1 / (2 * angle * math.tan(half))
        slope = (-2 / angle**2 + 1 / (2 * angle * math.tan(half)) + 1 / (4 * math.sin(half) ** 2)) / angle**2
    W, dW = skew(w), skew(rate)
    derivative: Array = dW / 2 + c * (dW @ W + W @ dW) + slope * (w @ rate) * (W @ W)
    return derivative


def log(x: Any) -> Any:
    """log6 of an SE3 or a homogeneous matrix, log3 of a rotation."""
    if isinstance(x, SE3):
        return log6(x)
    shape = np.shape(x)
    if shape == (3, 3):
        return log3(x)
    if shape == (4, 4):
        return log6(x)
    if shape == ():
        return math.log(x)
    raise ValueError("Error only 3 and 4 matrices are allowed.")


def exp3_quat(w: Any) -> Array:
    """The unit quaternion (x, y, z, w) of a rotation vector."""
    return Quaternion(exp3(w)).coeffs()


def exp6_quat(v: Any) -> Array:
    """exp6 as translation and unit quaternion (7,)."""
    return SE3ToXYZQUAT(exp6(v))


def log6_quat(q: Any) -> Motion:
    """log6 of a translation and a unit quaternion (7,)."""
    return log6(XYZQUATToSE3(q))


def skewSquare(u: Any, v: Any) -> Array:
    """skew(u) @ skew(v)."""
    product: Array = skew(u) @ skew(v)
    return product


def classicAcceleration(spatial_velocity: Motion, spatial_acceleration: Motion, placement: SE3 | None = None) -> Array:
    """The acceleration (3,) of a point that the motion carries along."""
    v, a = spatial_velocity, spatial_acceleration
    if placement is None:
        return a.linear + np.cross(v.angular, v.linear)
    v, a = placement.act_inv(v), placement.act_inv(a)
    return placement.rotation @ (a.linear + np.cross(v.angular, v.linear))


__all__ = [
    "SE3", "Force", "Hlog3", "Inertia", "Jexp3", "Jexp6", "Jlog3", "Jlog6", "Motion", "Quaternion", "SE3ToXYZQUAT",
    "SE3ToXYZQUATtuple", "XYZQUATToSE3", "classicAcceleration", "exp", "exp3", "exp3_quat", "exp6", "exp6_quat",
    "log", "log3", "log6", "log6_quat", "skew", "skewSquare", "unSkew",
]  # fmt: skip
