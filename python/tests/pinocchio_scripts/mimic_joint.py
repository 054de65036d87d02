"""A wrist that moves with the joint before it, beside the same arm with a constraint on its velocities."""

import numpy as np
import pinocchio as pin

free, arm = pin.buildSampleModelManipulator(), pin.buildSampleModelManipulator(True)
print(free.nv, arm.nv, arm.nvExtended, arm.joints[6].shortname(), list(arm.mimicking_joints), list(arm.names))
made = pin.transformJointIntoMimic(free, 5, 6, 2.5, 0.75)
G = np.vstack([np.eye(5), [0.0, 0.0, 0.0, 0.0, 2.5]])
q, v, a = np.linspace(-0.5, 0.5, 5), np.linspace(1.0, 0.0, 5), np.ones(5)
for model in (arm, made):
    data = model.createData()
    tau = pin.rnea(model, data, q, v, a)
    M = pin.crba(model, data, q)
    print(np.round(tau, 6), np.round(np.triu(M).sum(), 6))
    print(np.round(pin.computeJointJacobian(model, data, q, 6), 5))
whole = G @ q + [0.0, 0.0, 0.0, 0.0, 0.0, 0.75]
print(np.allclose(G.T @ pin.rnea(free, free.createData(), whole, G @ v, G @ a), tau))
