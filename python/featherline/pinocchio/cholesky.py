"""Solutions with the mass matrix that is in data.M, after crba."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.model import Model, as_vector, of_model


@of_model
def decompose(model: Model, data: Data) -> np.ndarray:
    """U of M = U D Uᵀ, D diagonal and U unit upper triangular; in data.U and data.D, too."""
    factor = np.linalg.cholesky(np.asarray(data.M)[::-1, ::-1])[::-1, ::-1]
    diagonal = np.diag(factor)
    unit: np.ndarray = factor / diagonal
    data.U, data.D = unit.copy(), diagonal**2
    return unit


@of_model
def solve(model: Model, data: Data, v: Any) -> np.ndarray:
    """M⁻¹ v."""
    return np.linalg.solve(data.M, as_vector("v", v, model.nv))


@of_model
def computeMinv(model: Model, data: Data) -> np.ndarray:
    """M⁻¹."""
    return np.linalg.inv(data.M)


__all__ = ["computeMinv", "decompose", "solve"]
