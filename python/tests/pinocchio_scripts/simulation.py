"""A pendulum of five links that falls, with friction."""

import numpy as np
import pinocchio as pin

model = pin.Model()
parent = 0
length, mass, radius = 0.6, 1.5, 0.05
for k in range(5):
    placement = pin.SE3.Identity()
    placement.translation = np.array([0.0, 0.0, length if k else 0.0])
    parent = model.addJoint(parent, pin.JointModelRY() if k % 2 else pin.JointModelRX(), placement, f"joint_{k}")
    body = pin.SE3.Identity()
    body.translation[2] = length / 2
    model.appendBodyToJoint(parent, pin.Inertia.FromCylinder(mass, radius, length), body)
data = model.createData()
q, v = pin.neutral(model) + 0.2, np.zeros(model.nv)
dt = 0.002
for step in range(500):
    tau = -0.05 * v
    a = pin.aba(model, data, q, v, tau)
    v = v + a * dt
    q = pin.integrate(model, q, v * dt)
print(np.round(q, 6), np.round(v, 6))
print(round(pin.computeKineticEnergy(model, data, q, v), 6), round(pin.computePotentialEnergy(model, data, q), 6))
