"""Velocities, accelerations and Jacobians of a frame in all coordinates."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
tool = pin.Frame("tool", model.getJointId("rarm_wrist2_joint"), 0, pin.SE3(np.eye(3), np.array([0.0, 0.1, 0.2])), pin.FrameType.OP_FRAME)
index = model.addFrame(tool, False)
data = model.createData()
q = pin.integrate(model, pin.neutral(model), np.linspace(-1.0, 1.0, model.nv))
v, a = np.ones(model.nv), np.linspace(0.0, 1.0, model.nv)
pin.forwardKinematics(model, data, q, v, a)
pin.computeJointJacobians(model, data, q)
pin.updateFramePlacement(model, data, index)
for reference in (pin.LOCAL, pin.WORLD, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED):
    J = pin.getFrameJacobian(model, data, index, reference)
    velocity = pin.getFrameVelocity(model, data, index, reference)
    print(np.allclose(J @ v, velocity.vector), np.round(velocity.vector, 6))
    print(np.round(pin.getFrameAcceleration(model, data, index, reference).vector, 6))
    print(np.round(pin.getFrameClassicalAcceleration(model, data, index, reference).linear, 6))
print(np.round(data.oMf[index].homogeneous, 6))
print(np.round((data.oMi[1].inverse() * data.oMf[index]).translation, 6))
