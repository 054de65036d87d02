# A robot with its viewer, by RobotWrapper: the visualizer is made by the robot, or given to it.
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from pinocchio.robot_wrapper import RobotWrapper
from pinocchio.visualize import GepettoVisualizer, MeshcatVisualizer

VISUALIZER = MeshcatVisualizer
assert issubclass(GepettoVisualizer, pin.visualize.BaseVisualizer)

robot = RobotWrapper.BuildFromURDF(str(Path(sys.argv[1]) / "humanoid.urdf"), sys.argv[1], pin.JointModelFreeFlyer())
robot.setVisualizer(VISUALIZER())
robot.initViewer()
robot.loadViewerModel("pinocchio")
q0 = pin.neutral(robot.model)
robot.display(q0)
robot.viz.displayFrames(True, frame_ids=[robot.model.getFrameId("universe")], axis_length=0.5)
robot.displayVisuals(False)
robot.displayCollisions(True)
collisions = robot.viz.captureImage(200, 150)
robot.displayVisuals(True)
robot.displayCollisions(False)
visuals = robot.viz.captureImage(200, 150)
print("shapes", collisions.shape, visuals.shape)

# One that shares the data of the robot.
other = RobotWrapper(robot.model, robot.collision_model, robot.visual_model)
other.initViewer(loadModel=True)
q = q0.copy()
q[2] = 1.0
other.display(q)
print("shared", other.viz.data is other.data, np.round(other.data.oMi[1].translation, 6).tolist())
other.play([q0, q], 0.001)
other.viewer["ground"].delete()
other.rebuildData()
print("rebuilt", other.viz.data is other.data)
