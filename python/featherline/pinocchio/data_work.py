"""Fields of `Data` that Pinocchio's algorithms work with: computed when they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, skew
from featherline.pinocchio.lists import StdVec_int, StdVec_Matrix6

Array = np.ndarray


def _inertia_in(placement: SE3, inertia: Array) -> Array:
    """An inertia (6, 6) of a frame in the coordinates that its placement is in."""
    dual = placement.dual_action
    found: Array = dual @ inertia @ dual.T
    return found


def _turned(inertia: Array, velocity: Array) -> Array:
    """½ (v ×* I − I v× + (I v) ×̄*) of a body, as S. Echeandia and P. Wensing take it for the Coriolis matrix (2021).

    ×̄* is the product of a force with the motion that follows: (I v) ×̄* w = w ×* (I v).
    """
    linear, angular = skew(velocity[:3]), skew(velocity[3:])
    motion = np.block([[angular, linear], [np.zeros((3, 3)), angular]])
    momentum = inertia @ velocity
    force, moment = skew(momentum[:3]), skew(momentum[3:])
    swapped = np.block([[np.zeros((3, 3)), -force], [-force, -moment]])
    found: Array = 0.5 * (-motion.T @ inertia - inertia @ motion + swapped)
    return found


class WorkFields:
    """Those of the last configuration and velocities of bodies; zeros before."""

    _model: Any
    _q: Any
    _parents: list[int]
    _joints: list[Any]
    _held: Any
    oMi: Any
    ov: Any
    M: Any
    ddq: Any
    lambda_c: Any
    _rows: Any

    def _native(self, name: str) -> Any:
        """The native model, if an algorithm took a configuration."""
        if self._model is None:
            raise NotImplementedError(f"Data.{name} of data that were copied from a file or from another process")
        if self._model.mimicking_joints:
            raise NotImplementedError(f"Data.{name} of a model with mimic joints")
        return None if self._q is None else self._model.native()

    def _zeros(self) -> list[Array]:
        return [np.zeros((6, 6)) for _ in self._parents]

    @property
    def idx_vExtended_to_idx_v_fromRow(self) -> StdVec_int:
        """Of each column of J, the entry of v that moves it."""
        return StdVec_int(joint.idx_v + k for joint in self._joints[1:] for k in range(joint.nvExtended))

    @property
    def Yaba(self) -> StdVec_Matrix6:
        """Articulated-body inertias in joints' frames; of joints on others, less what their own motion gives way."""
        native, found = self._native("Yaba"), self._zeros()
        if native is None:
            return StdVec_Matrix6(found)
        still = np.zeros(native.nv)
        terms = native.aba_terms(self._q, still, still)
        for i, inertia in enumerate(terms.articulated_inertias[-len(found) + 1 :], 1):
            found[i] = np.array(inertia)
        for i, rows in self._rows():
            if self._parents[i]:
                own = slice(rows[0], rows[-1] + 1)
                U = terms.U[:, own]
                found[i] -= U @ np.linalg.solve(terms.D[own, own], U.T)
        return StdVec_Matrix6(found)

    @property
    def oYaba(self) -> StdVec_Matrix6:
        """Yaba in the world's coordinates."""
        return StdVec_Matrix6(_inertia_in(at, own) for at, own in zip(self.oMi.copy(), self.Yaba, strict=True))

    @property
    def B(self) -> StdVec_Matrix6:
        """Of each joint, the sum of ½ (v ×* I − I v× + (I v) ×̄*) of bodies that it carries, in the world's coordinates."""
        native, found = self._native("B"), self._zeros()
        if native is None:
            return StdVec_Matrix6(found)
        placements, velocities, inertias = self.oMi.copy(), self.ov, self._model.inertias
        for i in range(len(found) - 1, 0, -1):
            found[i] += _turned(_inertia_in(placements[i], inertias[i].matrix()), velocities[i].vector)
            if self._parents[i]:
                found[self._parents[i]] += found[i]
        return StdVec_Matrix6(found)

    @property
    def dac_da(self) -> Array:
        """The rows (m, nv) of the constraints of constraintDynamics."""
        native = self._native("dac_da")
        return np.zeros((0, 0)) if self._held is None else native.constraint_jacobian(self._q, self._held)

    @property
    def osim(self) -> Array:
        """(J M⁻¹ Jᵀ)⁻¹ of the constraints of constraintDynamics."""
        rows = self.dac_da
        return np.linalg.inv(rows @ np.linalg.solve(self.M, rows.T)) if rows.size else np.zeros((0, 0))

    @property
    def constraint_chol(self) -> Any:
        """The decomposition of the mass matrix with the constraints of constraintDynamics."""
        from featherline.pinocchio.constraint_cholesky import ConstraintCholeskyDecomposition

        if self._held is None:
            return ConstraintCholeskyDecomposition()
        return ConstraintCholeskyDecomposition.of_matrices(self.M, self.dac_da)

    # Pinocchio 4.1 leaves it empty, versions before it filled it.
    contact_chol = constraint_chol

    @property
    def lambda_c_prox(self) -> Array:
        """The forces lambda_c: solutions are direct."""
        return np.array(self.lambda_c)

    @property
    def primal_dual_contact_solution(self) -> Array:
        """−lambda_c and ddq, which solve the equations of constraintDynamics."""
        return np.zeros(0) if self._held is None else np.concatenate([-self.lambda_c, self.ddq])

    @property
    def primal_rhs_contact(self) -> Array:
        """The accelerations J ddq that constraintDynamics asks for."""
        found: Array = np.zeros(0) if self._held is None else self.dac_da @ self.ddq
        return found
