"""Dynamics and energies as linear maps of the bodies' ten parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import Motion, skew
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import LOCAL
from featherline.pinocchio.kinematics import computeJointJacobians, forwardKinematics, getJointJacobian
from featherline.pinocchio.model import Model

Array = np.ndarray


def _inertia_map(w: Array) -> Array:
    """L(w) (3, 6), so that I w = L(w) (xx, xy, yy, xz, yz, zz)."""
    x, y, z = w
    return np.array([[x, y, 0, z, 0, 0], [0, x, y, 0, z, 0], [0, 0, 0, x, y, z]])


def bodyRegressor(velocity: Motion, acceleration: Motion) -> Array:
    """R (6, 10), so that I a + v x* I v = R times the ten parameters."""
    v, w = velocity.linear, velocity.angular
    acceleration_here, alpha = acceleration.linear + np.cross(w, v), acceleration.angular
    regressor = np.zeros((6, 10))
    regressor[:3, 0] = acceleration_here
    regressor[:3, 1:4] = skew(alpha) + skew(w) @ skew(w)
    regressor[3:, 1:4] = -skew(acceleration_here)
    regressor[3:, 4:] = _inertia_map(alpha) + skew(w) @ _inertia_map(w)
    return regressor


def computeJointTorqueRegressor(model: Model, data: Data, q: Any, v: Any, a: Any) -> Array:
    """R (nv, 10 bodies), so that rnea is R times all parameters; in data.jointTorqueRegressor too."""
    computeJointJacobians(model, data, q)
    forwardKinematics(model, data, q, v, a)
    weight = Motion([*(-model._gravity.linear), 0.0, 0.0, 0.0])
    regressor = np.zeros((model.nv, 10 * (model.njoints - 1)))
    for i in range(1, model.njoints):
        body = bodyRegressor(data.v[i], data.a[i] + data.oMi[i].act_inv(weight))
        regressor[:, 10 * (i - 1) : 10 * i] = getJointJacobian(model, data, i, LOCAL).T @ body
    data.jointTorqueRegressor = regressor
    return regressor


def computeKineticEnergyRegressor(model: Model, data: Data, q: Any, v: Any) -> Array:
    """r (10 bodies,), so that the kinetic energy is r times all parameters; in data.kineticEnergyRegressor too."""
    forwardKinematics(model, data, q, v)
    parts = []
    for velocity in data.v[1:]:
        u, w = velocity.linear, velocity.angular
        parts.append(np.concatenate([[u @ u / 2], np.cross(u, w), w @ _inertia_map(w) / 2]))
    data.kineticEnergyRegressor = np.concatenate(parts) if parts else np.zeros(0)
    return data.kineticEnergyRegressor


def computePotentialEnergyRegressor(model: Model, data: Data, q: Any) -> Array:
    """r (10 bodies,), so that the potential energy is r times all parameters; in data.potentialEnergyRegressor too."""
    forwardKinematics(model, data, q)
    gravity = model._gravity.linear
    parts = [np.concatenate([[-gravity @ M.translation], -M.rotation.T @ gravity, np.zeros(6)]) for M in data.oMi[1:]]
    data.potentialEnergyRegressor = np.concatenate(parts) if parts else np.zeros(0)
    return data.potentialEnergyRegressor


def _with_weight(model: Model, data: Data, joint: int) -> Motion:
    weight = Motion([*(-model._gravity.linear), 0.0, 0.0, 0.0])
    return data.a[joint] + data.oMi[joint].act_inv(weight)


def jointBodyRegressor(model: Model, data: Data, joint_id: int) -> Array:
    """bodyRegressor of a joint's body under gravity, after forwardKinematics or computeJointTorqueRegressor."""
    return bodyRegressor(data.v[joint_id], _with_weight(model, data, joint_id))


def frameBodyRegressor(model: Model, data: Data, frame_id: int) -> Array:
    """bodyRegressor of a body fixed in a frame, under gravity."""
    frame = model.frames[frame_id]
    acceleration = _with_weight(model, data, frame.parentJoint)
    placement = frame.placement
    return bodyRegressor(placement.act_inv(data.v[frame.parentJoint]), placement.act_inv(acceleration))


def computeStaticRegressor(model: Model, data: Data, q: Any) -> Array:
    """R (3, 4 bodies), so that the centre of mass is R times all masses and first moments; in data.staticRegressor too."""
    forwardKinematics(model, data, q)
    mass = sum(inertia.mass for inertia in model._inertias[1:])
    blocks = [np.column_stack([M.translation, M.rotation]) / mass for M in data.oMi[1:]]
    data.staticRegressor = np.hstack(blocks) if blocks else np.zeros((3, 0))
    return data.staticRegressor
