# Inverse kinematics towards a target that the viewer shows, at a fixed rate.
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from pinocchio.visualize import MeshcatVisualizer

robot = pin.RobotWrapper.BuildFromURDF(str(Path(sys.argv[1]) / "ur5.urdf"), package_dirs=[sys.argv[1]])
visualizer = MeshcatVisualizer(robot.model, robot.collision_model, robot.visual_model)
robot.setVisualizer(visualizer, init=False)
visualizer.initViewer(open=False)
visualizer.loadViewerModel(visual_color=[0.2, 0.4, 0.8, 0.5])
viewer = visualizer.viewer

frame = robot.model.getFrameId("wrist_3_joint")
q = np.full(robot.nq, 0.4)
start = robot.framePlacement(q, frame).copy()
target = start * pin.SE3(np.eye(3), np.array([0.05, 0.02, -0.03]))
viewer["end_effector_target"].set_transform(target.np)
viewer["end_effector"].set_transform(start.homogeneous)
for step in range(100):
    error = pin.log6(robot.framePlacement(q, frame).actInv(target)).vector
    if np.linalg.norm(error) < 1e-8:
        break
    J = robot.computeFrameJacobian(q, frame)
    q = pin.integrate(robot.model, q, np.linalg.solve(J.T @ J + 1e-9 * np.eye(robot.nv), J.T @ error))
    viewer["end_effector"].set_transform(robot.data.oMf[frame].np)
    visualizer.display(q)
print("reached", step < 20, np.round(np.linalg.norm(error), 6))
visualizer.clean()
