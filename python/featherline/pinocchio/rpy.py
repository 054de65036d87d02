"""Roll, pitch and yaw: R = Rz(yaw) Ry(pitch) Rx(roll)."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from featherline._native import exp3, matrix_to_rpy, rpy_to_matrix
from featherline.pinocchio.enums import LOCAL, ReferenceFrame
from featherline.pinocchio.keywords import in_order

Array = np.ndarray


def rpyToMatrix(*angles: Any, **named: Any) -> Array:
    """The rotation (3, 3) of roll, pitch and yaw, or of an array rpy of them."""
    if named:
        angles = in_order("rpyToMatrix", ("roll pitch yaw", "rpy"), angles, named)
    return rpy_to_matrix(angles if len(angles) == 3 else angles[0])


def matrixToRpy(R: Any) -> Array:
    """Roll, pitch and yaw (3,) of a rotation."""
    return matrix_to_rpy(R)


def rotate(axis: str, angle: float) -> Array:
    """The rotation about the axis 'x', 'y' or 'z'."""
    if axis not in ("x", "y", "z"):
        raise ValueError(f"Invalid axis: {axis}")
    return exp3(angle * np.eye(3)["xyz".index(axis)])


def computeRpyJacobian(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """J (3, 3), so that the angular velocity is J times the rates of roll, pitch and yaw."""
    r, p, y = np.asarray(rpy, float).ravel()
    if reference_frame == LOCAL:
        return np.array([[1, 0, -sin(p)], [0, cos(r), sin(r) * cos(p)], [0, -sin(r), cos(r) * cos(p)]])
    return np.array([[cos(p) * cos(y), -sin(y), 0], [cos(p) * sin(y), cos(y), 0], [-sin(p), 0, 1]])


def computeRpyJacobianInverse(rpy: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The inverse of computeRpyJacobian."""
    return np.linalg.inv(computeRpyJacobian(rpy, reference_frame))


def computeRpyJacobianTimeDerivative(rpy: Any, rpydot: Any, reference_frame: ReferenceFrame = LOCAL) -> Array:
    """The rate (3, 3) of computeRpyJacobian."""
    r, p, y = np.asarray(rpy, float).ravel()
    dr, dp, dy = np.asarray(rpydot, float).ravel()
    if reference_frame == LOCAL:
        return np.array([
            [0, 0, -cos(p) * dp],
            [0, -sin(r) * dr, cos(r) * cos(p) * dr - sin(r) * sin(p) * dp],
            [0, -cos(r) * dr, -sin(r) * cos(p) * dr - cos(r) * sin(p) * dp],
        ])  # fmt: skip
    return np.array([
        [-sin(p) * cos(y) * dp - cos(p) * sin(y) * dy, -cos(y) * dy, 0],
        [-sin(p) * sin(y) * dp + cos(p) * cos(y) * dy, -sin(y) * dy, 0],
        [-cos(p) * dp, 0, 0],
    ])  # fmt: skip
