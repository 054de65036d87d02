"""Dynamics under rows of constraints: accelerations, impulses, and the matrix of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import Model, as_array, as_vector, of_model
from featherline.pinocchio.native import computeAllTerms, crba
from featherline.pinocchio.rigid_constraints import RigidConstraintModel, impulse_of_models

__all__ = [
    "computeKKTContactDynamicMatrixInverse", "forwardDynamics", "getKKTContactDynamicMatrixInverse",
    "impulseDynamics",
]  # fmt: skip

Array = np.ndarray


def _is_model(value: Any) -> bool:
    return isinstance(value, RigidConstraintModel)


def _rows(model: Model, jacobian: Any) -> Array:
    rows = as_array("constraint_jacobian", jacobian)
    if rows.ndim != 2 or rows.shape[1] != model.nv:
        raise ValueError(f"constraint_jacobian has shape {rows.shape}, where (n, {model.nv}) is expected")
    return rows


def _number(name: str, value: Any) -> float:
    if isinstance(value, str):
        raise TypeError(f"{name} must be a number")
    return float(value)


def _solve(data: Data, J: Array, damping: float) -> tuple[Array, Array]:
    """M⁻¹ Jᵀ and J M⁻¹ Jᵀ + damping."""
    responses: Array = np.linalg.solve(data.M, J.T)
    data._kkt = J, damping
    return responses, J @ responses + damping * np.eye(len(J))


@of_model
def forwardDynamics(model: Model, data: Data, *arguments: Any, damping: float = 0.0, **named: Any) -> Array:
    """Accelerations (nv,) under J a + drift = 0, in data.ddq too; the constraint forces are data.lambda_c.

    (model, data[, q, v], tau, constraint_jacobian, constraint_drift[, damping]); without q and v,
    after computeAllTerms.
    """
    if named:
        forms = ("tau constraint_jacobian constraint_drift", "q v tau constraint_jacobian constraint_drift")
        arguments = in_order("forwardDynamics", forms, arguments, named)
    if len(arguments) > 4:
        q, v, *rest = arguments
        computeAllTerms(model, data, q, v)
    else:
        rest = list(arguments)
    tau, jacobian, drift, *rest = rest
    damping = _number("damping", rest[0]) if rest else damping
    J = _rows(model, jacobian)
    tau, drift = as_vector("tau", tau, model.nv), as_vector("constraint_drift", drift, len(J))
    responses, delassus = _solve(data, J, damping)
    free = np.linalg.solve(data.M, tau - data.nle)
    data.lambda_c = np.linalg.solve(delassus, -(J @ free + drift))
    data.ddq = free + responses @ data.lambda_c
    ddq: Array = data.ddq
    return ddq


@of_model
def impulseDynamics(
    model: Model, data: Data, *arguments: Any, restitution_coefficient: float = 0.0, damping: float = 0.0, **named: Any
) -> Array:
    """Velocities (nv,) after an impact, in data.dq_after too; the impulses are data.impulse_c.

    (model, data[, q], v_before, constraint_jacobian[, restitution_coefficient[, damping]]); without
    q, after crba. Of contact models: (model, data, q, v, contact_models, contact_datas[, r_coeff[,
    prox_settings]]), which writes the impulses to the contact datas, too.
    """
    third = arguments[2] if len(arguments) > 2 else None
    if "contact_models" in named or isinstance(third, list) and all(_is_model(one) for one in third):
        return impulse_of_models(model, data, *arguments, **named)
    if named:
        forms = ("q v_before constraint_jacobian", "v_before constraint_jacobian")
        arguments = in_order("impulseDynamics", forms, arguments, named)
    if len(arguments) > 2 and np.ndim(arguments[2]) == 2:
        q, *rest = arguments
        crba(model, data, q)
    else:
        rest = list(arguments)
    v_before, jacobian, *rest = rest
    restitution_coefficient = _number("restitution_coefficient", rest[0]) if rest else restitution_coefficient
    damping = _number("damping", rest[1]) if len(rest) > 1 else damping
    J, v = _rows(model, jacobian), as_vector("v_before", v_before, model.nv)
    responses, delassus = _solve(data, J, damping)
    data.impulse_c = np.linalg.solve(delassus, -(1.0 + restitution_coefficient) * (J @ v))
    data.dq_after = v + responses @ data.impulse_c
    return data.dq_after


def _inverse(data: Data, J: Array, damping: float) -> Array:
    corner = -damping * np.eye(len(J))
    matrix: Array = np.linalg.inv(np.block([[data.M, J.T], [J, corner]]))
    return matrix


@of_model
def computeKKTContactDynamicMatrixInverse(
    model: Model, data: Data, q: Any, constraint_jacobian: Any, damping: float = 0.0
) -> Array:
    """The inverse of [[M, Jᵀ], [J, -damping]]."""
    J = _rows(model, constraint_jacobian)
    crba(model, data, q)
    return _inverse(data, J, _number("damping", damping))


@of_model
def getKKTContactDynamicMatrixInverse(model: Model, data: Data, constraint_jacobian: Any) -> Array:
    """The inverse of [[M, Jᵀ], [J, -damping]], after forwardDynamics or impulseDynamics."""
    J = _rows(model, constraint_jacobian)
    if data._kkt is None:
        raise ValueError("forwardDynamics or impulseDynamics must be called before")
    return _inverse(data, J, data._kkt[1])
