"""A model that is built joint by joint, branch after branch."""

import numpy as np
import pinocchio as pin

model = pin.Model()
base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
model.appendBodyToJoint(base, pin.Inertia.FromBox(4.0, 0.4, 0.2, 0.1), pin.SE3.Identity())
model.addJointFrame(base, 0)
model.addBodyFrame("trunk", base, pin.SE3.Identity(), 1)
hips = []
for side, y in (("left", 0.1), ("right", -0.1)):
    hip = model.addJoint(base, pin.JointModelSpherical(), pin.SE3(np.eye(3), np.array([0.0, y, 0.0])), side + "_hip")
    hips.append((side, hip))
    model.appendBodyToJoint(hip, pin.Inertia.FromSphere(1.0, 0.05), pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.2])))
    max_effort, max_velocity = np.array([10.0]), np.array([5.0])
    knee = model.addJoint(
        hip, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.4])), side + "_knee",
        max_effort, max_velocity, np.array([0.0]), np.array([2.5]),
    )
    model.appendBodyToJoint(knee, pin.Inertia.FromCapsule(0.8, 0.04, 0.4), pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.2])))
    foot = pin.Frame(side + "_foot", knee, 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.4])), pin.FrameType.OP_FRAME)
    print(model.addFrame(foot))
data = model.createData()
print(model.nq, model.nv, list(model.names), list(model.parents), model.idx_qs.tolist(), model.idx_vs.tolist())
q = pin.integrate(model, pin.neutral(model), np.linspace(-0.5, 0.5, model.nv))
v = np.linspace(1.0, 2.0, model.nv)
print(np.round(q, 6))
print(np.round(pin.rnea(model, data, q, v, v), 6))
print(np.round(pin.aba(model, data, q, v, v), 6))
print(np.round(np.triu(pin.crba(model, data, q)), 5).tolist())
pin.framesForwardKinematics(model, data, q)
print([np.round(data.oMf[model.getFrameId(s + "_foot")].translation, 6).tolist() for s, _ in hips])
print(model.upperPositionLimit.tolist()[-1], model.effortLimit.tolist()[-1])
print(np.round(pin.computeFrameJacobian(model, data, q, model.getFrameId("left_foot"), pin.WORLD), 5).tolist())
print([np.round(x.translation, 5).tolist() for x in data.oMi])
print(np.round(pin.difference(model, pin.neutral(model), q), 6))
print(np.round(pin.jacobianCenterOfMass(model, data, q), 5).tolist(), np.round(pin.computeTotalMass(model), 6))
