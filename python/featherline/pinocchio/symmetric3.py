"""`Symmetric3`: symmetric matrices of three rows, as six numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import skew
from featherline.pinocchio.model import as_vector
from featherline.pinocchio.randomness import uniform

__all__ = ["Symmetric3"]

Array = np.ndarray
# The rows and columns of xx, xy, yy, xz, yz, zz.
_ROWS, _COLUMNS = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]


class Symmetric3:
    """A symmetric matrix (3, 3) of xx, xy, yy, xz, yz, zz: Symmetric3(matrix), of six numbers or of another."""

    def __init__(self, *parts: Any) -> None:
        if not parts:
            self._data = np.zeros(6)
        elif len(parts) == 1 and isinstance(parts[0], Symmetric3):
            self._data = parts[0]._data.copy()
        elif len(parts) == 1 and np.shape(parts[0]) == (3, 3):
            self._data = _six(parts[0])
        else:
            self._data = as_vector("I", parts[0] if len(parts) == 1 else parts, 6).copy()

    @staticmethod
    def Zero() -> Symmetric3:
        return Symmetric3()

    @staticmethod
    def Identity() -> Symmetric3:
        return Symmetric3(np.eye(3))

    @staticmethod
    def Random() -> Symmetric3:
        """Of numbers from -1 to 1."""
        return Symmetric3(uniform(np.full(6, -1.0), np.ones(6)))

    @property
    def data(self) -> Array:
        """The six numbers; writing to the array changes the matrix."""
        return self._data

    @data.setter
    def data(self, numbers: Any) -> None:
        self._data = as_vector("data", numbers, 6).copy()

    def matrix(self) -> Array:
        """The matrix (3, 3)."""
        full = np.empty((3, 3))
        full[_ROWS, _COLUMNS] = full[_COLUMNS, _ROWS] = self._data
        return full

    def setZero(self) -> None:
        self._data[:] = 0.0

    def setIdentity(self) -> None:
        self._data[:] = Symmetric3.Identity()._data

    def setRandom(self) -> None:
        self._data[:] = Symmetric3.Random()._data

    def setDiagonal(self, diag: Any) -> None:
        """Set the entries xx, yy, zz."""
        self._data[[0, 2, 5]] = as_vector("diag", diag, 3)

    def fill(self, value: float) -> None:
        """Set all entries to one number."""
        self._data[:] = value

    def isZero(self, prec: float = 1e-12) -> bool:
        return bool(np.all(np.abs(self._data) <= prec))

    def isApprox(self, other: Symmetric3, prec: float = 1e-12) -> bool:
        """Whether the numbers differ by no more than prec times the shorter of both vectors."""
        scale = min(float(np.linalg.norm(self._data)), float(np.linalg.norm(other._data)))
        return bool(np.linalg.norm(self._data - other._data) <= prec * scale)

    def inverse(self, res: Array) -> None:
        """Write the inverse (3, 3) to res."""
        res[...] = np.linalg.inv(self.matrix())

    def rhsMult(self, vin: Any, vout: Array) -> None:
        """Write the product with a vector (3,) to vout."""
        vout[...] = (self * vin).reshape(vout.shape)

    def vtiv(self, v: Any) -> float:
        """v · S v."""
        return float(as_vector("v", v, 3) @ (self * v))

    def vxs(self, S3: Any) -> Array:
        """[v]× S of a vector v = S3 (3,): Pinocchio names it so."""
        rows: Array = skew(as_vector("v", S3, 3)) @ self.matrix()
        return rows

    # Pinocchio's svx is its vxs.
    svx = vxs

    def rotate(self, R: Any) -> Symmetric3:
        """R S Rᵀ of a rotation (3, 3)."""
        R = np.asarray(R, float)
        return Symmetric3(R @ self.matrix() @ R.T)

    def copy(self) -> Symmetric3:
        return Symmetric3(self)

    cast = __copy__ = copy

    def __add__(self, other: Any) -> Symmetric3:
        return Symmetric3(self._data + _numbers(other))

    def __sub__(self, other: Any) -> Symmetric3:
        return Symmetric3(self._data - _numbers(other))

    def __iadd__(self, other: Any) -> Symmetric3:
        self._data += _numbers(other)
        return self

    def __isub__(self, other: Any) -> Symmetric3:
        self._data -= _numbers(other)
        return self

    def __mul__(self, v: Any) -> Array:
        """The product with a vector (3,)."""
        product: Array = self.matrix() @ as_vector("v", v, 3)
        return product

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symmetric3) and np.array_equal(self._data, other._data)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "m_data: " + " ".join(f"{x:g}" for x in self._data) + "\n"


def _six(matrix: Any) -> Array:
    rows = np.asarray(matrix, float)
    if not np.allclose(rows, rows.T, 1e-9, 1e-12):
        raise ValueError(f"Symmetric3: the matrix is not symmetric: {rows.tolist()}")
    return rows[_ROWS, _COLUMNS]


def _numbers(other: Any) -> Array:
    if isinstance(other, Symmetric3):
        return other._data
    if np.shape(other) != (3, 3):
        raise TypeError(f"a Symmetric3 or a matrix (3, 3) is expected, not a {type(other).__name__} of {np.shape(other)}")
    return _six(other)
