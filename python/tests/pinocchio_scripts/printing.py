"""What programs print: placements, motions, inertias, frames, enumerations, quaternions."""

import numpy as np

import pinocchio as pin

placement = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([1.0, -2.5, 1e-7]))
print(placement)
print(pin.Motion(np.arange(6.0) * 123456.789), pin.Force(np.arange(6.0) * 1e-7))
print(pin.Inertia(2.0, np.array([0.0, 0.1, -0.2]), np.diag([1.0, 2.0, 2.5])))
model = pin.buildSampleModelManipulator()
for frame in model.frames:
    print(frame.name, frame.parentJoint, frame.type, f"{frame.type}")
print(model.frames[3])
print(pin.ReferenceFrame.LOCAL, pin.GeometryType.VISUAL, int(pin.FrameType.BODY))
print(pin.Quaternion(placement.rotation), pin.AngleAxis(1.0, np.array([0.0, 0.0, 1.0])))
print(model)
model.referenceConfigurations["home"] = pin.neutral(model)
for entry in model.referenceConfigurations:
    print(entry.key(), entry.data())
