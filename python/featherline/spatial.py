"""Rotations, placements and spatial vectors.

>>> from featherline.spatial import exp6, log6
>>> log6(exp6([0.1, 0.2, 0.3, 0.0, 0.0, 0.5])).is_close(Motion([0.1, 0.2, 0.3, 0.0, 0.0, 0.5]))
True
"""

from typing import Any

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


def _on_arrays(self: Any, function: Any, method: str, *inputs: Any, **named: Any) -> Any:
    """Numpy's functions take the entries. Only a number scales a Motion or a Force, as by its own `*` and `/`."""
    # The program has numpy, which this package is imported without.
    import numpy as np

    if method == "__call__" and len(inputs) == 2 and not named and isinstance(self, (Motion, Force)):
        one, other = inputs
        if function is np.multiply and isinstance(one, np.generic):
            return other * float(one)
        if function is np.multiply and isinstance(other, np.generic):
            return one * float(other)
        if function is np.divide and isinstance(other, np.generic):
            return one / float(other)
    arrays = (np.asarray(x) if isinstance(x, (SE3, Motion, Force, Inertia)) else x for x in inputs)
    return getattr(function, method)(*arrays, **named)


for _kind in (SE3, Motion, Force, Inertia):
    setattr(_kind, "__array_ufunc__", _on_arrays)
