"""A closed chain of four bars: its configuration by Newton's steps on the KKT matrix, and its motion."""

import numpy as np
import pinocchio as pin

model = pin.Model()
parent, placement = 0, pin.SE3.Identity()
for name, length in (("crank", 0.3), ("coupler", 0.8), ("rocker", 0.6)):
    parent = model.addJoint(parent, pin.JointModelRY(), placement, name)
    middle = pin.SE3(np.eye(3), np.array([length / 2, 0.0, 0.0]))
    model.appendBodyToJoint(parent, pin.Inertia.FromBox(2.0 * length, length, 0.02, 0.02), middle)
    placement = pin.SE3(np.eye(3), np.array([length, 0.0, 0.0]))
ground = pin.SE3(np.eye(3), np.array([0.7, 0.0, 0.0]))
constraint = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, parent, placement, 0, ground)
data, own = model.createData(), constraint.createData()
data.M = np.eye(model.nv) * 1e-8
kkt = pin.ConstraintCholeskyDecomposition(model, data, [constraint], [own])
q = np.array([-1.0, 0.7, 1.8])
for iteration in range(60):
    pin.computeJointJacobians(model, data, q)
    data.q_in = q
    constraint.calc(model, data, own)
    error = own.c1Mc2.translation
    if np.linalg.norm(error) < 1e-12:
        break
    kkt.compute(model, data, [constraint], [own], 1e-9)
    q = pin.integrate(model, q, -kkt.solve(np.concatenate([-error, np.zeros(model.nv)]))[3:])
print(np.linalg.norm(error) < 1e-9, np.round(q, 5))
constraint.m_baumgarte_parameters.Kp, constraint.m_baumgarte_parameters.Kd = 100.0, 20.0
pin.initConstraintDynamics(model, data, [constraint], [own])
v, dt = np.zeros(model.nv), 1e-3
for step in range(300):
    settings = pin.ProximalSettings(1e-12, 1e-10, 10)
    acceleration = pin.constraintDynamics(model, data, q, v, np.zeros(3), [constraint], [own], settings)
    v += acceleration * dt
    q = pin.integrate(model, q, v * dt)
print(np.round(q, 4), np.round(v, 4), np.round(acceleration, 3))
print(np.round(np.linalg.norm(own.c1Mc2.translation), 5))
