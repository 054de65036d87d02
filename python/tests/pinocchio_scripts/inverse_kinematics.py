"""A damped least-squares solution of inverse kinematics."""

import numpy as np
import pinocchio

model = pinocchio.buildSampleModelManipulator()
data = model.createData()
JOINT_ID = 6
desired = pinocchio.SE3(pinocchio.rpy.rpyToMatrix(0.1, 0.4, -0.3), np.array([0.4, 0.1, 1.2]))
q = pinocchio.neutral(model) + 0.3
damping = 1e-6
for iteration in range(1000):
    pinocchio.forwardKinematics(model, data, q)
    error_placement = data.oMi[JOINT_ID].actInv(desired)
    error = pinocchio.log(error_placement).vector
    if np.linalg.norm(error) < 1e-8:
        break
    J = pinocchio.computeJointJacobian(model, data, q, JOINT_ID)
    J = -np.dot(pinocchio.Jlog6(error_placement.inverse()), J)
    v = -J.T.dot(np.linalg.solve(J.dot(J.T) + damping * np.eye(6), error))
    q = pinocchio.integrate(model, q, v * 0.5)
print(iteration < 999, np.round(np.linalg.norm(error), 7))
print(np.round(data.oMi[JOINT_ID].translation, 6))
