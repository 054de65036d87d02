"""The dynamic parameters of an arm from its torques, and inertias by their parameters."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelManipulator()
data = model.createData()
random = np.random.default_rng(2)
rows, torques = [], []
for _ in range(40):
    q, v, a = random.uniform(-1.0, 1.0, (3, model.nv))
    rows.append(pin.computeJointTorqueRegressor(model, data, q, v, a).copy())
    torques.append(pin.rnea(model, data, q, v, a).copy())
W, tau = np.vstack(rows), np.concatenate(torques)
known = np.concatenate([inertia.toDynamicParameters() for inertia in list(model.inertias)[1:]])
print(W.shape, np.linalg.matrix_rank(W, tol=1e-8), np.allclose(W @ known, tau))
found = np.linalg.lstsq(W, tau, rcond=1e-10)[0]
print(np.allclose(W @ found, tau), np.round(np.linalg.norm(W, axis=0), 4))
body = pin.Inertia.FromBox(2.0, 0.1, 0.2, 0.3).se3Action(pin.SE3(pin.exp3(np.array([0.1, 0.2, 0.3])), np.array([0.1, 0.0, 0.2])))
parameters = body.toDynamicParameters()
print(np.round(parameters, 6) + 0.0, np.round(pin.Inertia.FromDynamicParameters(parameters).matrix(), 6) + 0.0)
print(np.round(body.toPseudoInertia().toMatrix(), 6) + 0.0)
print(np.round(pin.computeStaticRegressor(model, data, np.zeros(model.nq))[:, :8], 5) + 0.0)
print(np.round(pin.computeKineticEnergyRegressor(model, data, q, v), 4)[:20] + 0.0)
