"""The native functions with Pinocchio's names, and the classes that `Model`, `Data` and `Frame` extend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherline._native import SE3, Force, Motion, _pinocchio

Array = np.ndarray

ModelBase = _pinocchio._ModelBase
DataBase = _pinocchio._DataBase
FrameBase = _pinocchio._FrameBase
same_parts = _pinocchio._same_parts

aba: Callable[..., Array] = _pinocchio.aba
bodyRegressor: Callable[..., Array] = _pinocchio.bodyRegressor
ccrba: Callable[..., Array] = _pinocchio.ccrba
centerOfMass: Callable[..., Array] = _pinocchio.centerOfMass
computeABADerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.computeABADerivatives
computeAllTerms: Callable[..., None] = _pinocchio.computeAllTerms
computeCentroidalDynamicsDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.computeCentroidalDynamicsDerivatives
computeCentroidalMap: Callable[..., Array] = _pinocchio.computeCentroidalMap
computeCentroidalMomentum: Callable[..., Force] = _pinocchio.computeCentroidalMomentum
computeCentroidalMomentumTimeVariation: Callable[..., Force] = _pinocchio.computeCentroidalMomentumTimeVariation
computeCoriolisMatrix: Callable[..., Array] = _pinocchio.computeCoriolisMatrix
computeForwardKinematicsDerivatives: Callable[..., None] = _pinocchio.computeForwardKinematicsDerivatives
computeFrameJacobian: Callable[..., Array] = _pinocchio.computeFrameJacobian
computeFrameKinematicRegressor: Callable[..., Array] = _pinocchio.computeFrameKinematicRegressor
computeGeneralizedGravity: Callable[..., Array] = _pinocchio.computeGeneralizedGravity
computeGeneralizedGravityDerivatives: Callable[..., Array] = _pinocchio.computeGeneralizedGravityDerivatives
computeJointJacobian: Callable[..., Array] = _pinocchio.computeJointJacobian
computeJointJacobians: Callable[..., Array] = _pinocchio.computeJointJacobians
computeJointJacobiansTimeVariation: Callable[..., Array] = _pinocchio.computeJointJacobiansTimeVariation
computeJointKinematicRegressor: Callable[..., Array] = _pinocchio.computeJointKinematicRegressor
computeJointTorqueRegressor: Callable[..., Array] = _pinocchio.computeJointTorqueRegressor
computeKineticEnergy: Callable[..., float] = _pinocchio.computeKineticEnergy
computeKineticEnergyRegressor: Callable[..., Array] = _pinocchio.computeKineticEnergyRegressor
computeMechanicalEnergy: Callable[..., float] = _pinocchio.computeMechanicalEnergy
computeMinverse: Callable[..., Array] = _pinocchio.computeMinverse
computePotentialEnergy: Callable[..., float] = _pinocchio.computePotentialEnergy
computePotentialEnergyRegressor: Callable[..., Array] = _pinocchio.computePotentialEnergyRegressor
computeRNEADerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.computeRNEADerivatives
computeStaticRegressor: Callable[..., Array] = _pinocchio.computeStaticRegressor
computeStaticTorque: Callable[..., Array] = _pinocchio.computeStaticTorque
computeStaticTorqueDerivatives: Callable[..., Array] = _pinocchio.computeStaticTorqueDerivatives
crba: Callable[..., Array] = _pinocchio.crba
dccrba: Callable[..., Array] = _pinocchio.dccrba
difference: Callable[..., Array] = _pinocchio.difference
distance: Callable[..., float] = _pinocchio.distance
exp3: Callable[..., Array] = _pinocchio.exp3
exp6: Callable[..., SE3] = _pinocchio.exp6
forwardKinematics: Callable[..., None] = _pinocchio.forwardKinematics
frameBodyRegressor: Callable[..., Array] = _pinocchio.frameBodyRegressor
framesForwardKinematics: Callable[..., None] = _pinocchio.framesForwardKinematics
getAcceleration: Callable[..., Motion] = _pinocchio.getAcceleration
getCenterOfMassVelocityDerivatives: Callable[..., Array] = _pinocchio.getCenterOfMassVelocityDerivatives
getCentroidalDynamicsDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getCentroidalDynamicsDerivatives
getClassicalAcceleration: Callable[..., Motion] = _pinocchio.getClassicalAcceleration
getCoriolisMatrix: Callable[..., Array] = _pinocchio.getCoriolisMatrix
getFrameAcceleration: Callable[..., Motion] = _pinocchio.getFrameAcceleration
getFrameAccelerationDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getFrameAccelerationDerivatives
getFrameClassicalAcceleration: Callable[..., Motion] = _pinocchio.getFrameClassicalAcceleration
getFrameJacobian: Callable[..., Array] = _pinocchio.getFrameJacobian
getFrameJacobianTimeVariation: Callable[..., Array] = _pinocchio.getFrameJacobianTimeVariation
getFrameVelocity: Callable[..., Motion] = _pinocchio.getFrameVelocity
getFrameVelocityDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getFrameVelocityDerivatives
getJacobianSubtreeCenterOfMass: Callable[..., Array] = _pinocchio.getJacobianSubtreeCenterOfMass
getJointAccelerationDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getJointAccelerationDerivatives
getJointJacobian: Callable[..., Array] = _pinocchio.getJointJacobian
getJointJacobianTimeVariation: Callable[..., Array] = _pinocchio.getJointJacobianTimeVariation
getJointVelocityDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getJointVelocityDerivatives
getPointClassicAccelerationDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getPointClassicAccelerationDerivatives
getPointVelocityDerivatives: Callable[..., tuple[Array, ...]] = _pinocchio.getPointVelocityDerivatives
getVelocity: Callable[..., Motion] = _pinocchio.getVelocity
integrate: Callable[..., Array] = _pinocchio.integrate
interpolate: Callable[..., Array] = _pinocchio.interpolate
jacobianCenterOfMass: Callable[..., Array] = _pinocchio.jacobianCenterOfMass
jacobianSubtreeCenterOfMass: Callable[..., Array] = _pinocchio.jacobianSubtreeCenterOfMass
Jexp3: Callable[..., Array] = _pinocchio.Jexp3
Jexp6: Callable[..., Array] = _pinocchio.Jexp6
Jlog3: Callable[..., Array] = _pinocchio.Jlog3
Jlog6: Callable[..., Array] = _pinocchio.Jlog6
jointBodyRegressor: Callable[..., Array] = _pinocchio.jointBodyRegressor
log3: Callable[..., Array] = _pinocchio.log3
log6: Callable[..., Motion] = _pinocchio.log6
neutral: Callable[..., Array] = _pinocchio.neutral
nonLinearEffects: Callable[..., Array] = _pinocchio.nonLinearEffects
normalize: Callable[..., Array] = _pinocchio.normalize
rnea: Callable[..., Array] = _pinocchio.rnea
skew: Callable[..., Array] = _pinocchio.skew
squaredDistance: Callable[..., Array] = _pinocchio.squaredDistance
tangentMap: Callable[..., Array] = _pinocchio.tangentMap
unSkew: Callable[..., Array] = _pinocchio.unSkew
XYZQUATToSE3: Callable[..., SE3] = _pinocchio.XYZQUATToSE3
updateFramePlacement: Callable[..., SE3] = _pinocchio.updateFramePlacement
updateFramePlacements: Callable[..., None] = _pinocchio.updateFramePlacements

__all__ = [name for name in dir(_pinocchio) if not name.startswith("_")]
