"""Configurations: integration, difference, interpolation and their derivatives."""

import numpy as np
import pinocchio as pin

model = pin.Model()
joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
for kind in (pin.JointModelRUBZ(), pin.JointModelPlanar(), pin.JointModelSpherical(), pin.JointModelSphericalZYX()):
    joint = model.addJoint(joint, kind, pin.SE3.Identity(), kind.shortname())
print(list(model.names), model.nq, model.nv)
q0 = pin.neutral(model)
v = np.linspace(-0.4, 0.7, model.nv)
q1 = pin.integrate(model, q0, v)
print(np.round(q1, 6), np.allclose(pin.difference(model, q0, q1), v))
print(np.round(pin.interpolate(model, q0, q1, 0.25), 6), round(pin.distance(model, q0, q1), 6))
print(np.round(pin.squaredDistance(model, q0, q1), 6))
Jq, Jv = pin.dIntegrate(model, q1, v)
print(np.round(Jq[:6, :6], 6), np.round(np.trace(Jv), 6))
D = pin.dDifference(model, q0, q1, pin.ARG1)
print(np.round(np.trace(D), 6), pin.isNormalized(model, q1), pin.isSameConfiguration(model, q1, q1, 1e-9))
M = pin.exp6(pin.Motion(np.array([0.1, 0.2, 0.3, -0.3, 0.2, 0.1])))
print(np.round(M.homogeneous, 6), np.round(pin.log6(M).vector, 6), np.round(pin.Jlog6(M), 6))
