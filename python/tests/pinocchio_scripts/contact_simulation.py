"""A humanoid whose feet are held while it is pushed, with the forces on its feet, and an impact."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
data = model.createData()
q = pin.integrate(model, pin.neutral(model), np.linspace(0.1, 0.4, model.nv))
feet = [model.getJointId(f"{side}leg_wrist2_joint") for side in "rl"]
contacts = [pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, foot, pin.SE3.Identity(), pin.LOCAL) for foot in feet]
datas = [contact.createData() for contact in contacts]
pin.initConstraintDynamics(model, data, contacts, datas)
v, dt = np.zeros(model.nv), 1e-3
tau = np.concatenate([np.zeros(6), np.linspace(-1.0, 1.0, model.nv - 6)])
for step in range(50):
    settings = pin.ProximalSettings(1e-14, 1e-10, 20)
    a = pin.constraintDynamics(model, data, q, v, tau, contacts, datas, settings)
    v = v + dt * a
    q = pin.integrate(model, q, dt * v)
print(np.round(q[:7], 5), np.round(v[6:12], 4))
for contact in datas:
    print(np.round(contact.contact_force.vector, 2))
J = pin.getConstraintsJacobian(model, data, contacts, datas)
print(J.shape, np.abs(J @ a).max() < 0.1)
falling = np.linspace(-0.5, 0.5, model.nv)
after = pin.impulseDynamics(model, data, q, falling, contacts, datas, 0.0, pin.ProximalSettings(1e-14, 1e-10, 20))
print(np.round(after, 4), np.round(np.abs(pin.getConstraintsJacobian(model, data, contacts, datas) @ after).max(), 4))
