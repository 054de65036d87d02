"""Inertias as pseudo-inertias and as log-Cholesky parameters.

C. Rucker and P. Wensing, "Smooth Parameterization of Rigid-Body Inertia", IEEE RA-L 2022: each ten numbers are the
parameters of an inertia that a body can have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import Inertia
from featherline.pinocchio.model import as_vector

__all__ = ["LogCholeskyParameters", "PseudoInertia"]

Array = np.ndarray


class PseudoInertia:
    """The matrix [[sigma, h], [hᵀ, mass]] (4, 4) of a body, in the joint's frame.

    mass is in kg, h = mass · centre of mass (3,) in kg·m, and sigma = ∫ r rᵀ dm (3, 3) in kg·m².
    """

    def __init__(self, mass: Any, h: Any = None, sigma: Any = None) -> None:
        if isinstance(mass, PseudoInertia):
            P: Array = mass.toMatrix()
            mass, h, sigma = P[3, 3], P[:3, 3], P[:3, :3]
        self.mass: float = float(mass)
        self.h: Array = as_vector("h", h, 3).copy()
        self.sigma: Array = np.array(sigma, float)
        if self.sigma.shape != (3, 3):
            raise ValueError(f"sigma has shape {self.sigma.shape}, where (3, 3) is expected")

    @staticmethod
    def FromMatrix(pseudo_inertia_matrix: Any) -> PseudoInertia:
        """The pseudo-inertia of its matrix (4, 4)."""
        P = np.asarray(pseudo_inertia_matrix, float)
        if P.shape != (4, 4):
            raise ValueError(f"pseudo_inertia_matrix has shape {P.shape}, where (4, 4) is expected")
        return PseudoInertia(P[3, 3], P[:3, 3], P[:3, :3])

    @staticmethod
    def FromDynamicParameters(dynamic_parameters: Any) -> PseudoInertia:
        """The pseudo-inertia of (m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        m, hx, hy, hz, xx, xy, yy, xz, yz, zz = as_vector("dynamic_parameters", dynamic_parameters, 10)
        rotational = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        # sigma = tr(I)/2 · 1 − I
        return PseudoInertia(m, [hx, hy, hz], (xx + yy + zz) / 2 * np.eye(3) - rotational)

    @staticmethod
    def FromInertia(inertia: Inertia) -> PseudoInertia:
        """The pseudo-inertia of an Inertia."""
        return PseudoInertia.FromDynamicParameters(inertia.to_dynamic_parameters())

    def toMatrix(self) -> Array:
        """The matrix (4, 4)."""
        return np.block([[self.sigma, self.h[:, None]], [self.h, self.mass]])

    def toDynamicParameters(self) -> Array:
        """(m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        return _parameters(self.toMatrix())

    def toInertia(self) -> Inertia:
        return Inertia.from_dynamic_parameters(self.toDynamicParameters())

    def copy(self) -> PseudoInertia:
        return PseudoInertia(self)

    cast = __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PseudoInertia) and np.array_equal(self.toMatrix(), other.toMatrix())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"  m = {self.mass:g}\n  h = {self.h}\n  sigma = \n{self.sigma}"


def _parameters(P: Array) -> Array:
    """The dynamic parameters (10,) of a pseudo-inertia's matrix (4, 4): they are linear in it."""
    # I = tr(sigma) · 1 − sigma
    sigma = P[:3, :3]
    rows = np.trace(sigma) * np.eye(3) - sigma
    return np.array([P[3, 3], *P[:3, 3], rows[0, 0], rows[0, 1], rows[1, 1], rows[0, 2], rows[1, 2], rows[2, 2]])


# The entries of U that s12, s23, s13, t1, t2 and t3 are.
_OFF_DIAGONAL = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]


class LogCholeskyParameters:
    """The ten numbers (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3) of an inertia.

    Its pseudo-inertia is U Uᵀ of U = exp(alpha) [[exp(d1), s12, s13, t1], [0, exp(d2), s23, t2], [0, 0, exp(d3), t3],
    [0, 0, 0, 1]].
    """

    _numbers: Array

    def __init__(self, log_cholesky_parameters: Any) -> None:
        if isinstance(log_cholesky_parameters, LogCholeskyParameters):
            log_cholesky_parameters = log_cholesky_parameters._numbers
        self._numbers = as_vector("log_cholesky_parameters", log_cholesky_parameters, 10).copy()

    @property
    def parameters(self) -> Array:
        """The ten numbers."""
        return self._numbers.copy()

    def _factor(self) -> Array:
        alpha, d, rest = self._numbers[0], self._numbers[1:4], self._numbers[4:]
        U = np.diag([*np.exp(d), 1.0])
        for entry, number in zip(_OFF_DIAGONAL, rest, strict=True):
            U[entry] = number
        factor: Array = np.exp(alpha) * U
        return factor

    def toPseudoInertia(self) -> PseudoInertia:
        U = self._factor()
        return PseudoInertia.FromMatrix(U @ U.T)

    def toDynamicParameters(self) -> Array:
        """(m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        return self.toPseudoInertia().toDynamicParameters()

    def toInertia(self) -> Inertia:
        return self.toPseudoInertia().toInertia()

    def calculateJacobian(self) -> Array:
        """The derivative (10, 10) of the dynamic parameters by the ten numbers."""
        U, scale = self._factor(), np.exp(self._numbers[0])
        jacobian = np.empty((10, 10))
        for k in range(10):
            # dU by alpha is U; by another number it has one entry.
            dU = U
            if k > 0:
                entry = (k - 1, k - 1) if k < 4 else _OFF_DIAGONAL[k - 4]
                dU = np.zeros((4, 4))
                dU[entry] = U[entry] if k < 4 else scale
            jacobian[:, k] = _parameters(dU @ U.T + U @ dU.T)
        return jacobian

    def copy(self) -> LogCholeskyParameters:
        return LogCholeskyParameters(self)

    cast = __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogCholeskyParameters) and np.array_equal(self._numbers, other._numbers)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
        return "\n".join(f"  {name}: {number:g}" for name, number in zip(names, self._numbers, strict=True))
