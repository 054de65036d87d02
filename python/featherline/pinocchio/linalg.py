"""Linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np


def inv(matrix: Any) -> np.ndarray:
    """The inverse of a matrix."""
    return np.linalg.inv(matrix)


def isOrthonormal(matrix: Any, prec: float = 1e-12) -> bool:
    """Whether the columns of a matrix are orthonormal."""
    matrix = np.asarray(matrix, float)
    return bool(np.allclose(matrix.T @ matrix, np.eye(matrix.shape[1]), 0, prec))


def orthogonalization(basis: Any, vec: np.ndarray, threshold: float = 0.0) -> None:
    """Take the parts along an orthonormal basis' columns off vec, in place."""
    for column in np.asarray(basis, float).T:
        part = column @ vec
        if abs(part) > threshold:
            vec -= part * column


def orthonormalization(matrix: np.ndarray, threshold: float = 0.0) -> None:
    """Make the columns of a matrix orthonormal by Gram and Schmidt, in place; columns of the others' span are zero."""
    for k in range(matrix.shape[1]):
        column = matrix[:, k]
        orthogonalization(matrix[:, :k], column, threshold)
        length = float(np.linalg.norm(column))
        if length > threshold:
            column /= length
        else:
            column[:] = 0.0


def computeLargestEigenvector(mat: Any, max_it: int = 10, rel_tol: float = 1e-8) -> np.ndarray:
    """The eigenvector (n,) of the largest eigenvalue of a symmetric matrix, by the power method; its length is that."""
    mat = np.asarray(mat, float)
    vector: np.ndarray = np.full(len(mat), 1 / np.sqrt(len(mat)))
    length = 0.0
    for _ in range(max_it):
        vector = mat @ (vector / np.linalg.norm(vector))
        before, length = length, float(np.linalg.norm(vector))
        if abs(length - before) <= rel_tol * max(length, before):
            break
    return vector


def retrieveLargestEigenvalue(eigenvector: Any) -> float:
    """The eigenvalue of what computeLargestEigenvector returns."""
    return float(np.linalg.norm(eigenvector))


__all__ = [
    "computeLargestEigenvector", "inv", "isOrthonormal", "orthogonalization", "orthonormalization",
    "retrieveLargestEigenvalue",
]  # fmt: skip
