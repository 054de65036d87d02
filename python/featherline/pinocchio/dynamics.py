"""Inverse and forward dynamics, the mass matrix, energies, momenta and centres of mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Force, _centers, _composites
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import Convention, KinematicLevel
from featherline.pinocchio.kinematics import computeJointJacobians, forwardKinematics
from featherline.pinocchio.model import Model

Array = np.ndarray


def _forces(model: Model, fext: Any) -> Array | None:
    if fext is None:
        return None
    if len(fext) != model.njoints:
        raise ValueError(f"fext has {len(fext)} forces, where {model.njoints} are expected")
    return np.array([np.asarray(force) for force in fext[1:]])


def rnea(model: Model, data: Data, q: Any, v: Any, a: Any, fext: Any = None) -> Array:
    """Inverse dynamics (nv,), in data.tau too."""
    data.tau = model.native().rnea(q, v, a, _forces(model, fext))
    return data.tau


def nonLinearEffects(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The bias force (nv,), in data.nle too."""
    data.nle = model.native().bias(q, v)
    return data.nle


nle = nonLinearEffects


def aba(model: Model, data: Data, q: Any, v: Any, tau: Any, *rest: Any, fext: Any = None) -> Array:
    """Forward dynamics (nv,), in data.ddq too: (model, data, q, v, tau[, fext[, convention]])."""
    for argument in rest:
        if not isinstance(argument, Convention):
            fext = argument
    data.ddq = model.native().aba(data._configuration((q,), ""), v, tau, _forces(model, fext))
    return data.ddq


def crba(model: Model, data: Data, q: Any, convention: Convention = Convention.LOCAL) -> Array:
    """The mass matrix (nv, nv), in data.M too."""
    data.M = model.native().crba(q)
    return data.M


def computeMinverse(model: Model, data: Data, *q: Any) -> Array:
    """The inverse of the mass matrix (nv, nv), in data.Minv too: (model, data[, q]); without, after aba."""
    data.Minv = model.native().mass_matrix_inverse(data._configuration(q, "aba"))
    return data.Minv


def computeGeneralizedGravity(model: Model, data: Data, q: Any) -> Array:
    """The joint forces of gravity (nv,), in data.g too."""
    data.g = model.native().gravity_torque(q)
    return data.g


def computeStaticTorque(model: Model, data: Data, q: Any, fext: Any) -> Array:
    """The joint forces (nv,) that hold the robot against gravity and external forces, in data.tau too."""
    forces: Any = _forces(model, fext)
    data.tau = model.native().static_torque(q, forces)
    return data.tau


def computeCoriolisMatrix(model: Model, data: Data, q: Any, v: Any) -> Array:
    """A Coriolis matrix (nv, nv), in data.C too."""
    data.C = model.native().coriolis_matrix(q, v)
    return data.C


def computeKineticEnergy(model: Model, data: Data, *state: Any) -> float:
    """The kinetic energy in J: (model, data[, q, v]); without, that of data.v, without armature's part."""
    if state:
        forwardKinematics(model, data, *state)
        data.kinetic_energy = float(model.native().kinetic_energy(*state))
    else:
        pairs = zip(model._inertias[1:], data.v[1:], strict=True)
        data.kinetic_energy = sum(inertia.vtiv(v) for inertia, v in pairs) / 2
    return data.kinetic_energy


def computePotentialEnergy(model: Model, data: Data, *q: Any) -> float:
    """The potential energy of gravity in J: (model, data[, q])."""
    if q:
        forwardKinematics(model, data, q[0])
        data.potential_energy = float(model.native().potential_energy(q[0]))
    else:
        pairs = zip(model._inertias[1:], data.oMi[1:], strict=True)
        gravity = model._gravity.linear
        data.potential_energy = -sum(Y.mass * float(gravity @ M.act(Y.lever)) for Y, M in pairs)
    return data.potential_energy


def computeMechanicalEnergy(model: Model, data: Data, *state: Any) -> float:
    """Kinetic and potential energy in J: (model, data[, q, v])."""
    kinetic = computeKineticEnergy(model, data, *state)
    data.mechanical_energy = kinetic + computePotentialEnergy(model, data, *state[:1])
    return data.mechanical_energy


# Centres of mass.


def computeSubtreeMasses(model: Model, data: Data) -> None:
    """Masses of subtrees in data.mass."""
    for i, subtree in enumerate(model.subtrees):
        data.mass[i] = sum(model._inertias[j].mass for j in subtree)


def computeTotalMass(model: Model, data: Data | None = None) -> float:
    """The mass of all moving bodies in kg."""
    mass = float(sum(inertia.mass for inertia in model._inertias[1:]))
    if data is not None:
        data.mass[0] = mass
    return mass


def centerOfMass(model: Model, data: Data, *state: Any, compute_subtree_coms: bool = True) -> Array:
    """The centre of mass (3,): (model, data, q[, v[, a]][, compute_subtree_coms])."""
    if state and isinstance(state[-1], (bool, np.bool_)):
        state, compute_subtree_coms = state[:-1], bool(state[-1])
    level = 2
    if state and isinstance(state[0], KinematicLevel):
        level, state = int(state[0]), ()
    if state:
        level = len(state) - 1
        forwardKinematics(model, data, *state)
    centers = [data.com, data.vcom, data.acom][: level + 1]
    _centers(model._inertias, model.parents, data.oMi, data.v, data.a, compute_subtree_coms, data.mass, centers)
    return data.com[0]


def jacobianCenterOfMass(model: Model, data: Data, *q: Any, compute_subtree_coms: bool = True) -> Array:
    """The Jacobian (3, nv) of the centre of mass, in data.Jcom too: (model, data[, q][, compute_subtree_coms])."""
    if q and isinstance(q[-1], (bool, np.bool_)):
        q, compute_subtree_coms = q[:-1], bool(q[-1])
    native = model.native()
    configuration = data._configuration(q, "forwardKinematics")
    computeJointJacobians(model, data, configuration)
    data.Jcom = native.center_of_mass_jacobian(configuration)
    if compute_subtree_coms:
        centers = native._subtree_centers(configuration)
        computeSubtreeMasses(model, data)
        for i in range(model.njoints):
            if data.mass[i] > 0:
                data.com[i] = centers[i]
    else:
        _centers(model._inertias, model.parents, data.oMi, data.v, data.a, False, data.mass, [data.com])
    return data.Jcom


def jacobianSubtreeCenterOfMass(model: Model, data: Data, q: Any, root_joint_id: int) -> Array:
    """The Jacobian (3, nv) of the centre of mass of a subtree."""
    computeJointJacobians(model, data, q)
    return model.native()._subtree_center_jacobian(q, root_joint_id)


def getJacobianSubtreeCenterOfMass(model: Model, data: Data, subtree_root_joint_id: int) -> Array:
    """The Jacobian (3, nv) of the centre of mass of a subtree, after jacobianCenterOfMass."""
    q = data._configuration((), "jacobianCenterOfMass")
    return model.native()._subtree_center_jacobian(q, subtree_root_joint_id)


# Momenta.


def _composite(model: Model, data: Data) -> None:
    """The inertias of subtrees in data.oYcrb, and data.Ig about the centre of mass."""
    _composites(model._inertias, model.parents, data.oMi, data.oYcrb)
    total = data.oYcrb[0]
    data.com[0] = total.lever.copy()
    data.mass[0] = total.mass
    data.Ig = SE3(np.eye(3), -data.com[0]) * total


def ccrba(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The centroidal momentum matrix (6, nv), in data.Ag too, and data.hg, data.Ig, data.com."""
    native = model.native()
    computeJointJacobians(model, data, q)
    _composite(model, data)
    data.Ag = native.centroidal_map(q)
    data.hg = Force(data.Ag @ np.asarray(v, float).ravel())
    data.vcom[0] = data.hg.linear / data.mass[0]
    return data.Ag


def dccrba(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The rate (6, nv) of the centroidal momentum matrix, in data.dAg too, and what ccrba gives."""
    ccrba(model, data, q, v)
    forwardKinematics(model, data, q, v)
    data.dAg = model.native().centroidal_map_rate(q, v)
    return data.dAg


def computeCentroidalMap(model: Model, data: Data, q: Any) -> Array:
    """The centroidal momentum matrix (6, nv), in data.Ag too."""
    computeJointJacobians(model, data, q)
    _composite(model, data)
    data.Ag = model.native().centroidal_map(q)
    return data.Ag


def computeCentroidalMapTimeVariation(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The rate (6, nv) of the centroidal momentum matrix, in data.dAg too."""
    return dccrba(model, data, q, v)


def _about_center(model: Model, data: Data, forces: list[Force]) -> Force:
    """Forces of joints' frames, summed about the centre of mass in the world's axes."""
    total = Force()
    for M, force in zip(data.oMi[1:], forces, strict=True):
        total = total + M.act(force)
    return SE3(np.eye(3), data.com[0]).act_inv(total)


def computeCentroidalMomentum(model: Model, data: Data, *state: Any) -> Force:
    """The centroidal momentum, in data.hg too: (model, data[, q, v])."""
    if state:
        forwardKinematics(model, data, *state)
    _composite(model, data)
    momenta = [inertia * v for inertia, v in zip(model._inertias[1:], data.v[1:], strict=True)]
    data.hg = _about_center(model, data, momenta)
    data.vcom[0] = data.hg.linear / data.mass[0]
    return data.hg


def computeCentroidalMomentumTimeVariation(model: Model, data: Data, *state: Any) -> Force:
    """The rate of the centroidal momentum, in data.dhg too: (model, data[, q, v, a])."""
    computeCentroidalMomentum(model, data, *state[:2])
    if state:
        forwardKinematics(model, data, *state)
    bodies = zip(model._inertias[1:], data.v[1:], data.a[1:], strict=True)
    data.dhg = _about_center(model, data, [Y * a + Y.velocity_force(v) for Y, v, a in bodies])
    return data.dhg


def computeAllTerms(model: Model, data: Data, q: Any, v: Any) -> None:
    """Everything that a controller asks for: M, nle, g, J, Ag, hg, com, vcom, Jcom, energies, oMi, v."""
    crba(model, data, q)
    nonLinearEffects(model, data, q, v)
    computeGeneralizedGravity(model, data, q)
    ccrba(model, data, q, v)
    jacobianCenterOfMass(model, data, q, False)
    computeMechanicalEnergy(model, data, q, v)
    centerOfMass(model, data, q, v, False)
