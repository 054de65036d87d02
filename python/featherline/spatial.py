"""Rotations, placements and spatial vectors.

>>> from featherline.spatial import exp6, log6
>>> log6(exp6([0.1, 0.2, 0.3, 0.0, 0.0, 0.5])).is_close(Motion([0.1, 0.2, 0.3, 0.0, 0.0, 0.5]))
True
"""

from featherline._native import (
    SE3,
    Force,
    Inertia,
    Jexp3,
    Jexp6,
    Jlog3,
    Jlog6,
    Motion,
    consistency_fault,
    exp3,
    exp6,
    log3,
    log6,
    log_cholesky_jacobian,
    log_cholesky_to_parameters,
    matrix_to_rpy,
    parameters_to_log_cholesky,
    parameters_to_pseudo_inertia,
    pseudo_inertia_to_parameters,
    rpy_to_matrix,
    skew,
    swap_linear_angular,
    unskew,
)

__all__ = [
    "SE3", "Force", "Inertia", "Jexp3", "Jexp6", "Jlog3", "Jlog6", "Motion", "consistency_fault", "exp3", "exp6", "log3", "log6",
    "log_cholesky_jacobian", "log_cholesky_to_parameters", "matrix_to_rpy", "parameters_to_log_cholesky",
    "parameters_to_pseudo_inertia", "pseudo_inertia_to_parameters", "rpy_to_matrix", "skew", "swap_linear_angular", "unskew",
]  # fmt: skip
