"""Quaternions and axes with angles as Pinocchio takes them from Eigen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherline._native import exp3, log3
from featherline.pinocchio.keywords import in_order

__all__ = ["AngleAxis", "Quaternion"]

Array = np.ndarray


def _from_rotation(R: Array) -> Array:
    """(x, y, z, w) of a rotation, as K. Shoemake takes it from the largest of the four."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace > 0:
        t = math.sqrt(trace + 1)
        w, t = t / 2, 0.5 / t
        return np.array([(R[2, 1] - R[1, 2]) * t, (R[0, 2] - R[2, 0]) * t, (R[1, 0] - R[0, 1]) * t, w])
    i = int(np.argmax(np.diag(R)))
    j, k = (i + 1) % 3, (i + 2) % 3
    t = math.sqrt(R[i, i] - R[j, j] - R[k, k] + 1)
    q = np.empty(4)
    q[i], t = t / 2, 0.5 / t
    q[3], q[j], q[k] = (R[k, j] - R[j, k]) * t, (R[j, i] + R[i, j]) * t, (R[k, i] + R[i, k]) * t
    return q


class Quaternion:
    """A quaternion: Quaternion(w, x, y, z), of (x, y, z, w), of a rotation or of another."""

    x: float
    y: float
    z: float
    w: float

    def __init__(self, *parts: Any, **named: Any) -> None:
        if named:
            parts = in_order("Quaternion", ("w x y z", "u v", "R", "aa", "quat", "vec4"), parts, named)
        if not parts:
            self._coeffs = np.array([0.0, 0.0, 0.0, 1.0])
        elif len(parts) == 4:
            w, x, y, z = parts
            self._coeffs = np.array([x, y, z, w], float)
        elif len(parts) == 2:
            self._coeffs = _between(*(np.asarray(v, float).ravel() for v in parts))
        elif isinstance(parts[0], Quaternion):
            self._coeffs = parts[0]._coeffs.copy()
        elif isinstance(parts[0], AngleAxis):
            half = parts[0].angle / 2
            self._coeffs = np.append(parts[0].axis * math.sin(half), math.cos(half))
        else:
            array = np.asarray(parts[0], float)
            if array.shape == (3, 3):
                self._coeffs = _from_rotation(array)
            elif array.size == 4:
                self._coeffs = array.ravel().copy()
            else:
                raise ValueError(f"a quaternion is made of (4,) or (3, 3), not {array.shape}")

    @staticmethod
    def Identity() -> Quaternion:
        return Quaternion()

    @staticmethod
    def FromTwoVectors(a: Any, b: Any) -> Quaternion:
        return Quaternion(a, b)

    def setFromTwoVectors(self, a: Any, b: Any) -> Quaternion:
        """Write the shortest rotation from a to b."""
        return self.assign(Quaternion(a, b))

    def assign(self, *other: Any, **named: Any) -> Quaternion:
        """Write another quaternion, or the rotation of an AngleAxis."""
        (given,) = in_order("assign", ("quat", "aa"), other, named)
        self._coeffs[:] = Quaternion(given)._coeffs
        return self

    def id(self) -> int:
        return id(self)

    def coeffs(self) -> Array:
        return self._coeffs.copy()

    def vec(self) -> Array:
        return self._coeffs[:3].copy()

    def norm(self) -> float:
        return float(np.linalg.norm(self._coeffs))

    def squaredNorm(self) -> float:
        return float(self._coeffs @ self._coeffs)

    def normalize(self) -> Quaternion:
        self._coeffs /= self.norm()
        return self

    def normalized(self) -> Quaternion:
        return Quaternion(self._coeffs).normalize()

    def conjugate(self) -> Quaternion:
        return Quaternion(self._coeffs * [-1, -1, -1, 1])

    def inverse(self) -> Quaternion:
        return Quaternion(self.conjugate()._coeffs / self.squaredNorm())

    def dot(self, other: Quaternion) -> float:
        return float(self._coeffs @ other._coeffs)

    def angularDistance(self, other: Quaternion) -> float:
        d = (self * other.conjugate())._coeffs
        return 2 * math.atan2(float(np.linalg.norm(d[:3])), abs(float(d[3])))

    def slerp(self, t: float, other: Quaternion) -> Quaternion:
        way = self.conjugate() * other
        if way.w < 0:
            way = Quaternion(-way._coeffs)
        part: Quaternion = self * Quaternion(exp3(t * log3(way.toRotationMatrix())))
        return part

    def toRotationMatrix(self) -> Array:
        x, y, z, w = self._coeffs
        return np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])  # fmt: skip

    matrix = toRotationMatrix

    def setIdentity(self) -> Quaternion:
        self._coeffs[:] = [0, 0, 0, 1]
        return self

    def isApprox(self, other: Quaternion, prec: float = 1e-12) -> bool:
        scale = min(self.norm(), other.norm())
        return bool(np.linalg.norm(self._coeffs - other._coeffs) <= prec * scale)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Quaternion):
            a, b = self._coeffs, other._coeffs
            vec = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
            return Quaternion(np.append(vec, a[3] * b[3] - a[:3] @ b[:3]))
        return self.toRotationMatrix() @ np.asarray(other, float)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quaternion) and bool(np.array_equal(self._coeffs, other._coeffs))

    __hash__ = object.__hash__

    def __getitem__(self, index: int) -> float:
        return float(self._coeffs[index])

    def __setitem__(self, index: int, value: float) -> None:
        self._coeffs[index] = value

    def __len__(self) -> int:
        return 4

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self._coeffs, dtype)

    def __str__(self) -> str:
        return f"(x,y,z,w) = {self.x:g} {self.y:g} {self.z:g} {self.w:g}\n"

    def __repr__(self) -> str:
        return f"Quaternion(w={self.w!r}, x={self.x!r}, y={self.y!r}, z={self.z!r})"


def _entry(index: int) -> property:
    def write(self: Quaternion, value: float) -> None:
        self._coeffs[index] = value

    return property(lambda self: float(self._coeffs[index]), write)


for _index, _name in enumerate("xyzw"):
    setattr(Quaternion, _name, _entry(_index))


def _between(u: Array, v: Array) -> Array:
    """The shortest rotation from one direction to another."""
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    w = 1 + u @ v
    if w < 1e-12:
        axis = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
        return np.append(axis / np.linalg.norm(axis), 0.0)
    q: Array = np.append(np.cross(u, v), w)
    q /= np.linalg.norm(q)
    return q


class AngleAxis:
    """A rotation by an angle about an axis."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        if named:
            parts = in_order("AngleAxis", ("angle axis", "R", "quaternion", "copy"), parts, named)
        if len(parts) == 2:
            self.angle, self.axis = float(parts[0]), np.asarray(parts[1], float).ravel()
            return
        if not parts:
            self.angle, self.axis = 0.0, np.array([1.0, 0.0, 0.0])
            return
        if isinstance(parts[0], AngleAxis):
            self.angle, self.axis = parts[0].angle, parts[0].axis.copy()
            return
        self.fromRotationMatrix(parts[0].toRotationMatrix() if isinstance(parts[0], Quaternion) else parts[0])

    def fromRotationMatrix(self, rotation: Any) -> AngleAxis:
        w = log3(rotation)
        self.angle = float(np.linalg.norm(w))
        self.axis = w / self.angle if self.angle > 0 else np.array([1.0, 0.0, 0.0])
        return self

    def id(self) -> int:
        return id(self)

    def isApprox(self, other: AngleAxis, prec: float = 1e-12) -> bool:
        scale = min(float(np.linalg.norm(self.axis)), float(np.linalg.norm(other.axis)))
        near = abs(self.angle - other.angle) <= prec * min(abs(self.angle), abs(other.angle))
        return near and bool(np.linalg.norm(self.axis - other.axis) <= prec * scale)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AngleAxis) and self.angle == other.angle and np.array_equal(self.axis, other.axis)

    __hash__ = object.__hash__

    def toRotationMatrix(self) -> Array:
        return exp3(self.angle * self.axis)

    matrix = toRotationMatrix

    def inverse(self) -> AngleAxis:
        return AngleAxis(-self.angle, self.axis)

    def __mul__(self, other: Any) -> Any:
        if hasattr(other, "toRotationMatrix"):
            return Quaternion(self.toRotationMatrix() @ other.toRotationMatrix())
        return self.toRotationMatrix() @ np.asarray(other, float)

    def __str__(self) -> str:
        return f"angle: {self.angle:g}\naxis: " + " ".join(f"{x:g}" for x in self.axis) + "\n"

    def __repr__(self) -> str:
        return f"AngleAxis(angle={self.angle!r}, axis={self.axis!r})"
