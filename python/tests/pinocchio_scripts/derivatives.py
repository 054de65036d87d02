"""Derivatives of dynamics, of kinematics and of the centre of mass, against differences."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
data = model.createData()
q = pin.integrate(model, pin.neutral(model), np.linspace(-0.6, 0.6, model.nv))
v, a = np.linspace(0.5, -0.5, model.nv), np.linspace(0.0, 1.0, model.nv)
pin.computeRNEADerivatives(model, data, q, v, a)
dtau_dq, dtau_dv, M = data.dtau_dq.copy(), data.dtau_dv.copy(), np.triu(data.M) + np.triu(data.M, 1).T
step = 1e-6
moved = pin.integrate(model, q, step * v)
difference = (pin.rnea(model, data, moved, v, a) - pin.rnea(model, data, q, v, a)) / step
print(np.allclose(dtau_dq @ v, difference, atol=1e-3), np.round(dtau_dq @ a, 5))
print(np.round(dtau_dv @ a, 5), np.round(M @ a, 5))
tau = pin.rnea(model, data, q, v, a)
pin.computeABADerivatives(model, data, q, v, tau)
print(np.allclose(data.ddq_dq, -np.linalg.solve(M, dtau_dq), atol=1e-6), np.round(data.ddq_dv @ v, 5))
print(np.allclose(data.Minv @ M, np.eye(model.nv), atol=1e-8))
pin.computeForwardKinematicsDerivatives(model, data, q, v, a)
joint = model.getJointId("larm_wrist2_joint")
for frame in (pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED):
    parts = pin.getJointAccelerationDerivatives(model, data, joint, frame)
    print(len(parts), [round(float(np.linalg.norm(part)), 5) for part in parts])
parts = pin.computeCentroidalDynamicsDerivatives(model, data, q, v, a)
print([round(float(np.linalg.norm(part)), 4) for part in parts])
pin.centerOfMass(model, data, q, v)
pin.computeForwardKinematicsDerivatives(model, data, q, v, a)
print(np.round(pin.getCenterOfMassVelocityDerivatives(model, data) @ v, 6))
