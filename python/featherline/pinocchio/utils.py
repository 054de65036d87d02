"""Small functions of vectors, as in Pinocchio's `utils`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.linalg as npl

from featherline._native import SE3
from featherline.pinocchio.lists import StdVec_StdString
from featherline.pinocchio.rpy import matrixToRpy, rotate, rpyToMatrix
from featherline.pinocchio.spatial import SE3ToXYZQUAT as se3ToXYZQUAT
from featherline.pinocchio.spatial import XYZQUATToSE3

XYZQUATToSe3 = XYZQUATToSE3


def npToTTuple(M: Any) -> tuple[Any, ...]:
    return tuple(tuple(row) for row in np.asarray(M).tolist())


def npToTuple(M: Any) -> tuple[Any, ...]:
    """The entries of a vector, of one row or of one column; else the rows."""
    M = np.asarray(M)
    return tuple(M.ravel().tolist()) if M.size in M.shape else npToTTuple(M)


def eye(n: int) -> np.ndarray:
    return np.eye(n)


def zero(n: Any) -> np.ndarray:
    return np.zeros(n)


def rand(n: Any) -> np.ndarray:
    return np.random.rand(n) if isinstance(n, int) else np.random.rand(*n)


def isapprox(a: Any, b: Any, epsilon: float = 1e-6) -> bool:
    a, b = (x.np if hasattr(x, "np") else x for x in (a, b))
    if np.shape(a):
        return bool(np.allclose(a, b, epsilon))
    return bool(abs(a - b) < epsilon)


def mprint(M: Any, name: str = "ans", eps: float = 1e-15) -> None:
    """Print a matrix, six columns at a time; entries up to eps are 0."""
    rows = np.atleast_2d(M.homogeneous if isinstance(M, SE3) else np.asarray(M, float))
    sizes = np.abs(rows[rows != 0])
    wide = sizes.size and (sizes.min() < 1e-5 or sizes.max() > 1e6 or sizes.max() / sizes.min() > 1e3)
    print(f"{name} = \n")
    for first in range(0, rows.shape[1], 6):
        block = rows[:, first : first + 6]
        print(f"Columns {first} through {first + block.shape[1] - 1}\n")
        for row in block:
            entries = (0.0 if abs(x) <= eps else x for x in row)
            print("  " + "   ".join(f"{x:10.3e}" if wide and x else f"{x:10.5g}" for x in entries))
        print()


def fromListToVectorOfString(items: Any) -> StdVec_StdString:
    return StdVec_StdString(items)


def se3ToXYZRPY(M: SE3) -> list[float]:
    return [*M.translation.tolist(), *matrixToRpy(M.rotation).tolist()]


def XYZRPYToSE3(xyz_rpy: Any) -> SE3:
    return SE3(rpyToMatrix(*xyz_rpy[3:]), np.array(xyz_rpy[:3]))


def cross(a: Any, b: Any) -> np.ndarray:
    return np.cross(np.ravel(a), np.ravel(b))


__all__ = [
    "SE3", "XYZQUATToSE3", "XYZQUATToSe3", "XYZRPYToSE3", "cross", "eye", "fromListToVectorOfString", "isapprox",
    "matrixToRpy", "mprint", "npToTTuple", "npToTuple", "npl", "rand", "rotate", "rpyToMatrix", "se3ToXYZQUAT",
    "se3ToXYZRPY", "zero",
]  # fmt: skip
