"""Two arms and a pole of shapes made into one robot, with joints that are locked afterwards."""

import numpy as np
import pinocchio as pin

left, right = pin.buildSampleModelManipulator(), pin.buildSampleModelManipulator()
for prefix, arm in (("left_", left), ("right_", right)):
    for i in range(1, arm.njoints):
        arm.names[i] = prefix + arm.names[i]
    for frame in arm.frames:
        frame.name = prefix + frame.name
pole, shapes = pin.Model(), pin.GeometryModel()
base = pole.addJoint(0, pin.JointModelPlanar(), pin.SE3.Identity(), "base")
pole.appendBodyToJoint(base, pin.Inertia.FromCylinder(5.0, 0.2, 1.0), pin.SE3.Identity())
top = pole.addFrame(pin.Frame("top", base, 0, pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.5])), pin.FrameType.OP_FRAME))
shapes.addGeometryObject(pin.GeometryObject("pole", base, pin.SE3.Identity(), pin.hppfcl.Cylinder(0.2, 1.0)))
turned = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, np.pi), np.array([0.0, -0.2, 0.0]))
robot, shapes = pin.appendModel(pole, left, shapes, pin.GeometryModel(), top, pin.SE3.Identity())
robot, shapes = pin.appendModel(robot, right, shapes, pin.GeometryModel(), robot.getFrameId("top"), turned)
print(robot.nq, robot.nv, list(robot.names), shapes.ngeoms)
data = robot.createData()
q = pin.integrate(robot, pin.neutral(robot), np.linspace(-0.5, 0.5, robot.nv))
pin.framesForwardKinematics(robot, data, q)
print(np.round(data.oMf[robot.getFrameId("right_effector_body")].homogeneous, 6))
print(np.round(pin.centerOfMass(robot, data, q), 6), round(pin.computeTotalMass(robot), 6))
locked = [robot.getJointId(name) for name in robot.names if name.startswith("left")]
reduced = pin.buildReducedModel(robot, locked, q)
print(reduced.nv, list(reduced.names))
print(np.round(pin.crba(reduced, reduced.createData(), pin.neutral(reduced)).diagonal(), 5))
