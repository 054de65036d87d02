"""Centre of mass, and centroidal momentum."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
data = model.createData()
q = pin.integrate(model, pin.neutral(model), np.linspace(-1.0, 1.0, model.nv))
v, a = np.linspace(1.0, -1.0, model.nv), np.ones(model.nv)
com = pin.centerOfMass(model, data, q, v, a)
print(np.round(com, 6), np.round(data.vcom[0], 6), np.round(data.acom[0], 6))
Jcom = pin.jacobianCenterOfMass(model, data, q)
print(np.allclose(Jcom @ v, data.vcom[0]), round(data.mass[0], 6))
Ag = pin.ccrba(model, data, q, v)
print(np.round(data.hg.vector, 6), np.round(Ag @ v - data.hg.vector, 6) + 0.0)
print(np.round(data.Ig.inertia, 6), round(data.Ig.mass, 6))
dhg = pin.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
print(np.round(dhg.vector, 6))
print(np.round(pin.computeCentroidalMap(model, data, q)[:, :6], 6))
pin.computeAllTerms(model, data, q, v)
print(np.round(data.nle, 5), np.round(data.com[0], 6), round(data.kinetic_energy + data.potential_energy, 5))
