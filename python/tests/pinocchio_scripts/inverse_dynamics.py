"""Inverse and forward dynamics, with and without external forces."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
data = model.createData()
q = pin.integrate(model, pin.neutral(model), np.linspace(0.5, -0.5, model.nv))
v, a = np.sin(np.arange(model.nv)), np.cos(np.arange(model.nv))
tau = pin.rnea(model, data, q, v, a)
print(np.round(tau, 6))
print(np.allclose(pin.aba(model, data, q, v, tau), a), np.allclose(data.ddq, a))
fext = pin.StdVec_Force()
for _ in range(model.njoints):
    fext.append(pin.Force.Zero())
fext[model.njoints - 1] = pin.Force(np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3]))
tau = pin.rnea(model, data, q, v, a, fext)
print(np.round(tau, 6))
M = pin.crba(model, data, q)
M = np.triu(M) + np.triu(M, 1).T
nle = pin.nle(model, data, q, v)
print(np.round(M @ a + nle, 6))
print(np.round(pin.computeGeneralizedGravity(model, data, q), 6), np.round(data.g - data.tau, 6)[:3])
