"""The matrix [[-damping, J], [Jᵀ, M]] of rigid constraints, and its factors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import Model, as_array
from featherline.pinocchio.rigid_constraints import RigidConstraintModel, getConstraintsJacobian

__all__ = ["ConstraintCholeskyDecomposition", "ContactCholeskyDecomposition"]

Array = np.ndarray

_FORMS = ("model data contact_models contact_datas", "model data constraint_models constraint_datas")


class ConstraintCholeskyDecomposition:
    """U D Uᵀ of [[-damping, J], [Jᵀ, M]] with the Jacobian J (n, nv) of rigid constraints and the mass matrix M.

    `compute` takes M as crba left it in data, and joints as computeJointJacobians did.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        forms = ("", "model data", *_FORMS)
        self._rows = self._nv = 0
        self._matrix: Array = np.zeros((0, 0))
        self._factors: tuple[Array, Array] | None = None
        given = in_order("ConstraintCholeskyDecomposition", forms, arguments, named)
        if given:
            self.rebuild(*given)

    def rebuild(self, model: Model, data: Data, constraint_models: Any = (), constraint_datas: Any = ()) -> None:
        """Make room for a model and its constraints."""
        for one in constraint_models:
            if not isinstance(one, RigidConstraintModel):
                kind = type(one).__name__
                raise TypeError(f"ConstraintCholeskyDecomposition of a {kind}: only RigidConstraintModel is taken")
        self._rows, self._nv = sum(one.residualSize() for one in constraint_models), model.nv
        self._matrix = np.zeros((self.size(), self.size()))
        self._factors = None

    def compute(self, *arguments: Any, **named: Any) -> None:
        """Take the matrix with a damping of each row, or with one for all; it is factored where factors are read.

        (model, data, contact_models, contact_datas[, mu])
        """
        forms = tuple(f"{form} {mu}" for form in _FORMS for mu in ("[mu]", "mus"))
        model, data, models, datas, *mu = in_order("compute", forms, arguments, named)
        self.rebuild(model, data, models, datas)
        n = self._rows
        self._matrix[n:, n:] = data.M
        if n:
            J = getConstraintsJacobian(model, data, models, datas)
            self._matrix[:n, n:], self._matrix[n:, :n] = J, J.T
        self.updateDamping(*mu or (0.0,))

    def updateDamping(self, *mu: Any, **named: Any) -> None:
        """Take another damping of each row, or one for all."""
        (mu,) = in_order("updateDamping", ("mu", "mus"), mu, named)
        n = self._rows
        damping = as_array("mu", mu).ravel()
        if damping.size not in (1, n):
            raise ValueError(f"mu has {damping.size} entries, where {n} are expected")
        self._matrix[:n, :n] = -np.diag(np.broadcast_to(damping, n))
        self._factors = None

    def _factored(self) -> tuple[Array, Array]:
        """U and the diagonal of D, from the last column to the first."""
        if self._factors is None:
            left, size = self._matrix.copy(), self.size()
            U, D = np.eye(size), np.zeros(size)
            for k in reversed(range(size)):
                D[k] = left[k, k]
                if D[k] == 0.0:
                    reason = f"the matrix has no factors, since pivot {k} is zero"
                    raise ValueError(f"{reason}: take a damping above zero, and call crba before")
                U[:k, k] = left[:k, k] / D[k]
                left[:k, :k] -= np.outer(U[:k, k], left[:k, k])
            self._factors = U, D
        return self._factors

    U = property(lambda self: self._factored()[0])
    D = property(lambda self: self._factored()[1])
    Dinv = property(lambda self: 1.0 / self._factored()[1])

    def size(self) -> int:
        return self._rows + self._nv

    def constraintDim(self) -> int:
        return self._rows

    def matrix(self) -> Array:
        return self._matrix.copy()

    def inverse(self) -> Array:
        return np.linalg.inv(self._matrix)

    def solve(self, matrix: Any) -> Array:
        """x of `self.matrix() @ x = matrix`."""
        return np.linalg.solve(self._matrix, as_array("matrix", matrix))

    def getDamping(self) -> Array:
        return -self._matrix[: self._rows, : self._rows]

    def getInverseMassMatrix(self) -> Array:
        return np.linalg.inv(self._matrix[self._rows :, self._rows :])

    def getInverseOperationalSpaceInertiaMatrix(self, enforce_symmetry: bool = False) -> Array:
        """J M⁻¹ Jᵀ + damping."""
        n = self._rows
        J = self._matrix[:n, n:]
        inverse: Array = J @ np.linalg.solve(self._matrix[n:, n:], J.T) - self._matrix[:n, :n]
        return (inverse + inverse.T) / 2 if enforce_symmetry else inverse

    def getOperationalSpaceInertiaMatrix(self) -> Array:
        """The inverse of getInverseOperationalSpaceInertiaMatrix."""
        return np.linalg.inv(self.getInverseOperationalSpaceInertiaMatrix())

    def copy(self) -> ConstraintCholeskyDecomposition:
        return copy.deepcopy(self)


# Pinocchio's former name.
ContactCholeskyDecomposition = ConstraintCholeskyDecomposition
