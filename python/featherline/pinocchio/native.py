"""The native functions with Pinocchio's names, and the classes that `Model`, `Data` and `Frame` extend."""

from __future__ import annotations

from featherline._native import _pinocchio

ModelBase = _pinocchio._ModelBase
DataBase = _pinocchio._DataBase
FrameBase = _pinocchio._FrameBase
same_parts = _pinocchio._same_parts

aba = _pinocchio.aba
bodyRegressor = _pinocchio.bodyRegressor
ccrba = _pinocchio.ccrba
centerOfMass = _pinocchio.centerOfMass
computeAllTerms = _pinocchio.computeAllTerms
computeCentroidalMap = _pinocchio.computeCentroidalMap
computeCentroidalMomentum = _pinocchio.computeCentroidalMomentum
computeCentroidalMomentumTimeVariation = _pinocchio.computeCentroidalMomentumTimeVariation
computeCoriolisMatrix = _pinocchio.computeCoriolisMatrix
computeFrameJacobian = _pinocchio.computeFrameJacobian
computeFrameKinematicRegressor = _pinocchio.computeFrameKinematicRegressor
computeGeneralizedGravity = _pinocchio.computeGeneralizedGravity
computeJointJacobian = _pinocchio.computeJointJacobian
computeJointJacobians = _pinocchio.computeJointJacobians
computeJointJacobiansTimeVariation = _pinocchio.computeJointJacobiansTimeVariation
computeJointKinematicRegressor = _pinocchio.computeJointKinematicRegressor
computeJointTorqueRegressor = _pinocchio.computeJointTorqueRegressor
computeKineticEnergy = _pinocchio.computeKineticEnergy
computeKineticEnergyRegressor = _pinocchio.computeKineticEnergyRegressor
computeMechanicalEnergy = _pinocchio.computeMechanicalEnergy
computeMinverse = _pinocchio.computeMinverse
computePotentialEnergy = _pinocchio.computePotentialEnergy
computePotentialEnergyRegressor = _pinocchio.computePotentialEnergyRegressor
computeStaticRegressor = _pinocchio.computeStaticRegressor
computeStaticTorque = _pinocchio.computeStaticTorque
crba = _pinocchio.crba
dccrba = _pinocchio.dccrba
difference = _pinocchio.difference
distance = _pinocchio.distance
forwardKinematics = _pinocchio.forwardKinematics
frameBodyRegressor = _pinocchio.frameBodyRegressor
framesForwardKinematics = _pinocchio.framesForwardKinematics
getAcceleration = _pinocchio.getAcceleration
getClassicalAcceleration = _pinocchio.getClassicalAcceleration
getFrameAcceleration = _pinocchio.getFrameAcceleration
getFrameClassicalAcceleration = _pinocchio.getFrameClassicalAcceleration
getFrameJacobian = _pinocchio.getFrameJacobian
getFrameJacobianTimeVariation = _pinocchio.getFrameJacobianTimeVariation
getFrameVelocity = _pinocchio.getFrameVelocity
getJacobianSubtreeCenterOfMass = _pinocchio.getJacobianSubtreeCenterOfMass
getJointJacobian = _pinocchio.getJointJacobian
getJointJacobianTimeVariation = _pinocchio.getJointJacobianTimeVariation
getVelocity = _pinocchio.getVelocity
integrate = _pinocchio.integrate
interpolate = _pinocchio.interpolate
jacobianCenterOfMass = _pinocchio.jacobianCenterOfMass
jacobianSubtreeCenterOfMass = _pinocchio.jacobianSubtreeCenterOfMass
jointBodyRegressor = _pinocchio.jointBodyRegressor
neutral = _pinocchio.neutral
nonLinearEffects = _pinocchio.nonLinearEffects
normalize = _pinocchio.normalize
rnea = _pinocchio.rnea
squaredDistance = _pinocchio.squaredDistance
updateFramePlacement = _pinocchio.updateFramePlacement
updateFramePlacements = _pinocchio.updateFramePlacements

__all__ = [name for name in dir(_pinocchio) if not name.startswith("_")]
