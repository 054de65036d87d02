"""Inertias as pseudo-inertias and as log-Cholesky parameters, whose formulas featherline.spatial has."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import (
    Inertia,
    log_cholesky_jacobian,
    log_cholesky_to_parameters,
    parameters_to_pseudo_inertia,
    pseudo_inertia_to_parameters,
)
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import as_array, as_vector

__all__ = ["LogCholeskyParameters", "PseudoInertia"]

Array = np.ndarray


class PseudoInertia:
    """The matrix [[sigma, h], [hᵀ, mass]] (4, 4) of a body, in the joint's frame: of (mass, h, sigma), or a copy.

    mass is in kg, h = mass · centre of mass (3,) in kg·m, and sigma = ∫ r rᵀ dm (3, 3) in kg·m².
    """

    def __init__(self, *parts: Any, **named: Any) -> None:
        parts = in_order("PseudoInertia", ("mass h sigma", "clone"), parts, named)
        if len(parts) == 1:
            parts = (parts[0].mass, parts[0].h, parts[0].sigma)
        self.mass = float(parts[0])
        self.h = as_vector("h", parts[1], 3).copy()
        self.sigma = _square("sigma", parts[2], 3).copy()

    @staticmethod
    def FromMatrix(pseudo_inertia_matrix: Any) -> PseudoInertia:
        """The pseudo-inertia of its matrix (4, 4)."""
        P = _square("pseudo_inertia_matrix", pseudo_inertia_matrix, 4)
        return PseudoInertia(P[3, 3], P[:3, 3], P[:3, :3])

    @staticmethod
    def FromDynamicParameters(dynamic_parameters: Any) -> PseudoInertia:
        """The pseudo-inertia of (m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        ten = as_vector("dynamic_parameters", dynamic_parameters, 10)
        return PseudoInertia.FromMatrix(parameters_to_pseudo_inertia(ten))

    @staticmethod
    def FromInertia(inertia: Inertia) -> PseudoInertia:
        """The pseudo-inertia of an Inertia."""
        return PseudoInertia.FromDynamicParameters(inertia.to_dynamic_parameters())

    def toMatrix(self) -> Array:
        """The matrix (4, 4)."""
        return np.block([[self.sigma, self.h[:, None]], [self.h, self.mass]])

    def toDynamicParameters(self) -> Array:
        """(m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        return pseudo_inertia_to_parameters(self.toMatrix())

    def toInertia(self) -> Inertia:
        return Inertia.from_dynamic_parameters(self.toDynamicParameters())

    def copy(self) -> PseudoInertia:
        return PseudoInertia(self)

    cast = __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PseudoInertia) and np.array_equal(self.toMatrix(), other.toMatrix())

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"  m = {self.mass:g}\n  h = {self.h}\n  sigma = \n{self.sigma}"


def _square(name: str, value: Any, size: int) -> Array:
    matrix = as_array(name, value)
    if matrix.shape != (size, size):
        raise ValueError(f"{name} has shape {matrix.shape}, where ({size}, {size}) is expected")
    return matrix


class LogCholeskyParameters:
    """The ten numbers (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3) of an inertia, or a copy."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        (given,) = in_order("LogCholeskyParameters", ("log_cholesky_parameters", "clone"), parts, named)
        ten = given._numbers if isinstance(given, LogCholeskyParameters) else given
        self._numbers: Array = as_vector("log_cholesky_parameters", ten, 10).copy()

    @property
    def parameters(self) -> Array:
        """The ten numbers."""
        return self._numbers.copy()

    def toPseudoInertia(self) -> PseudoInertia:
        return PseudoInertia.FromDynamicParameters(self.toDynamicParameters())

    def toDynamicParameters(self) -> Array:
        """(m, m·c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) about the joint's origin."""
        return log_cholesky_to_parameters(self._numbers)

    def toInertia(self) -> Inertia:
        return Inertia.from_dynamic_parameters(self.toDynamicParameters())

    def calculateJacobian(self) -> Array:
        """The derivative (10, 10) of the dynamic parameters by the ten numbers."""
        return log_cholesky_jacobian(self._numbers)

    def copy(self) -> LogCholeskyParameters:
        return LogCholeskyParameters(self)

    cast = __copy__ = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogCholeskyParameters) and np.array_equal(self._numbers, other._numbers)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        names = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
        return "\n".join(f"  {name}: {number:g}" for name, number in zip(names, self._numbers, strict=True))
