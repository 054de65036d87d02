"""The matrix of a tree with held frames, decomposed: [[-μ, J], [Jᵀ, M]] = U D Uᵀ."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline.pinocchio.absent import Absent
from featherline.pinocchio.data import Data
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import Model, as_array, as_vector
from featherline.pinocchio.rigid_constraints import RigidConstraintModel, getConstraintsJacobian

__all__ = [
    "ConstraintCholeskyDecomposition", "ContactCholeskyDecomposition", "DelassusCholeskyExpression",
    "DelassusOperatorCholeskyExpression",
]  # fmt: skip

Array = np.ndarray
_OF_MODEL = (
    "",
    "[model] [data] [contact_models] [contact_datas]",
    "model data constraint_models constraint_datas",
    "model contact_models",
)
_COMPUTE = (
    "model data contact_models contact_datas [mu]",
    "model data contact_models contact_datas mus",
    "model data constraint_models constraint_datas [mu]",
    "model data constraint_models constraint_datas mus",
)


def _factors(matrix: Array) -> tuple[Array, Array]:
    """U, upper triangular with ones on its diagonal, and the diagonal D of a positive definite U D Uᵀ."""
    factor = np.linalg.cholesky(matrix[::-1, ::-1])[::-1, ::-1]
    diagonal = np.diag(factor)
    return factor / diagonal, diagonal**2


class ConstraintCholeskyDecomposition:
    """U and D of [[-μ, J], [Jᵀ, M]] = U D Uᵀ: rows J of constraints, M of data.M, and μ on a diagonal.

    U has ones on its diagonal, and zeros below. The entries of D are negative for the constraints.
    """

    def __init__(self, *parts: Any, **named: Any) -> None:
        """Of (model, data, contact_models, contact_datas), or of (model, contact_models) as in Pinocchio 3."""
        model, *more = in_order("ConstraintCholeskyDecomposition", _OF_MODEL, parts, named) or (None,)
        models = more[1 if isinstance(more[0], Data) else 0 :][:1] if more else []
        nv = 0 if model is None else model.nv
        for one in (one for of_model in models for one in of_model):
            if not isinstance(one, RigidConstraintModel):
                raise TypeError(f"ConstraintCholeskyDecomposition of a {type(one).__name__}: only RigidConstraintModel is here")
        rows = sum(one.residualSize() for of_model in models for one in of_model)
        self._M, self._J, self._damping = np.zeros((nv, nv)), np.zeros((rows, nv)), np.zeros(rows)
        self._delassus = np.zeros((rows, rows))
        self.U, self.D = np.eye(rows + nv), np.zeros(rows + nv)

    @staticmethod
    def of_matrices(mass: Array, rows: Array) -> ConstraintCholeskyDecomposition:
        """The decomposition of a mass matrix with rows of constraints, without μ."""
        made = ConstraintCholeskyDecomposition()
        made._take(mass, rows)
        return made

    def _take(self, mass: Array, rows: Array, mu: Any = 0.0) -> None:
        upper = np.triu(mass)
        self._M, self._J = upper + np.triu(upper, 1).T, rows
        self._delassus = rows @ np.linalg.solve(self._M, rows.T)
        self.updateDamping(mu)

    def rebuild(self, model: Model, data: Data, constraint_models: Any, constraint_datas: Any) -> None:
        """Take other constraints, of which `compute` is then to be called."""
        vars(self).update(vars(ConstraintCholeskyDecomposition(model, data, constraint_models, constraint_datas)))

    def compute(self, *parts: Any, **named: Any) -> None:
        """Decompose the matrix of data.M, and of J at the last algorithm's q.

        Arguments are model, data, contact_models, contact_datas and mu, zero, a number or one for each row.
        """
        model, data, models, datas, *mu = in_order("compute", _COMPUTE, parts, named)
        self._take(data.M, getConstraintsJacobian(model, data, models, datas), *mu)

    def updateDamping(self, *mu: Any, **named: Any) -> None:
        """Set μ: a number `mu`, or `mus`, one for each row."""
        rows = self.constraintDim()
        numbers = as_array("mu", *in_order("updateDamping", ("mu", "mus"), mu, named))
        self._damping = np.full(rows, float(numbers)) if numbers.ndim == 0 else as_vector("mu", numbers, rows).copy()
        self._factorize()

    def _factorize(self) -> None:
        rows = self.constraintDim()
        try:
            of_mass, by_mass = _factors(self._M)
            of_rows, by_rows = _factors(self.getInverseOperationalSpaceInertiaMatrix())
        except np.linalg.LinAlgError as reason:
            raise ValueError(
                "the matrix cannot be decomposed: data.M must be a mass matrix, as crba leaves it, and mu positive "
                "where constraints are redundant"
            ) from reason
        self.U, self.D = np.eye(self.size()), np.concatenate([-by_rows, by_mass])
        self.U[:rows, :rows], self.U[rows:, rows:] = of_rows, of_mass
        self.U[:rows, rows:] = np.linalg.solve(of_mass, self._J.T).T / by_mass

    @property
    def Dinv(self) -> Array:
        """The inverse of each entry of D."""
        return 1.0 / self.D

    def size(self) -> int:
        """The number of rows of the matrix."""
        return len(self._J) + len(self._M)

    def constraintDim(self) -> int:
        """The number of rows of constraints."""
        return len(self._J)

    def getDamping(self) -> Array:
        """μ, as a diagonal matrix."""
        return np.diag(self._damping)

    def matrix(self) -> Array:
        """The matrix itself."""
        return np.block([[-self.getDamping(), self._J], [self._J.T, self._M]])

    def solve(self, matrix: Any) -> Array:
        """The solution of the matrix for a vector, or for the columns of a matrix."""
        right = as_array("matrix", matrix)
        if right.ndim not in (1, 2) or len(right) != self.size():
            raise ValueError(f"matrix has shape {right.shape}, where {self.size()} rows are expected")
        inner = np.linalg.solve(self.U, right)
        found: Array = np.linalg.solve(self.U.T, (inner.T / self.D).T)
        return found

    def inverse(self) -> Array:
        """The inverse of the matrix."""
        return self.solve(np.eye(self.size()))

    def getInverseMassMatrix(self) -> Array:
        """M⁻¹."""
        return np.linalg.inv(self._M)

    def getInverseOperationalSpaceInertiaMatrix(self, enforce_symmetry: bool = False) -> Array:
        """J M⁻¹ Jᵀ + μ, of the constraints alone."""
        del enforce_symmetry
        found: Array = 0.5 * (self._delassus + self._delassus.T) + self.getDamping()
        return found

    def getOperationalSpaceInertiaMatrix(self) -> Array:
        """The inverse of J M⁻¹ Jᵀ + μ."""
        return np.linalg.inv(self.getInverseOperationalSpaceInertiaMatrix())

    def getMassMatrixChoeslkyDecomposition(self, model: Model, data: Data) -> ConstraintCholeskyDecomposition:
        """The decomposition of M alone."""
        alone = ConstraintCholeskyDecomposition(model, data)
        alone._M = self._M.copy()
        alone._factorize()
        return alone

    def getDelassusOperatorCholeskyExpression(self) -> DelassusCholeskyExpression:
        """J M⁻¹ Jᵀ + μ, which follows this decomposition."""
        return DelassusCholeskyExpression(self)

    getDelassusCholeskyExpression = getDelassusOperatorCholeskyExpression

    def copy(self) -> ConstraintCholeskyDecomposition:
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstraintCholeskyDecomposition):
            return NotImplemented
        return np.array_equal(self.matrix(), other.matrix()) and np.array_equal(self.D, other.D)

    __hash__ = object.__hash__


ContactCholeskyDecomposition = ConstraintCholeskyDecomposition


class DelassusCholeskyExpression:
    """J M⁻¹ Jᵀ + μ of a decomposition."""

    def __init__(self, cholesky_decomposition: ConstraintCholeskyDecomposition) -> None:
        self._of = cholesky_decomposition

    def cholesky(self) -> ConstraintCholeskyDecomposition:
        """The decomposition."""
        return self._of

    def size(self) -> int:
        return self._of.constraintDim()

    rows = cols = size

    def matrix(self, enforce_symmetry: bool = False, with_damping: bool = True) -> Array:
        """The matrix, with μ or without it."""
        found = self._of.getInverseOperationalSpaceInertiaMatrix(enforce_symmetry)
        return found if with_damping else found - self.getDamping()

    def inverse(self) -> Array:
        """The inverse of the matrix with μ."""
        return self._of.getOperationalSpaceInertiaMatrix()

    def solve(self, mat: Any) -> Array:
        """The solution of the matrix with μ for a vector, or for the columns of a matrix."""
        return np.linalg.solve(self.matrix(), as_array("mat", mat))

    def getDamping(self) -> Array:
        """μ, as a diagonal matrix."""
        return self._of.getDamping()

    def updateDamping(self, *mu: Any, **named: Any) -> None:
        """Set μ of the decomposition: a number `mu`, or `mus`, one for each row."""
        self._of.updateDamping(*mu, **named)

    def __getattr__(self, name: str) -> Any:
        if name in ("getCompliance", "updateCompliance"):
            raise Absent(f"DelassusCholeskyExpression.{name}: constraints are rigid here")
        raise AttributeError(f"'DelassusCholeskyExpression' object has no attribute '{name}'")


DelassusOperatorCholeskyExpression = DelassusCholeskyExpression
