"""Whole-body inverse kinematics: feet that stay, a pelvis and a hand that move, with limits of joints and of the base."""

import sys
from pathlib import Path

import numpy as np
import pink
import pinocchio as pin
from pink.limits import ConfigurationLimit, FloatingBaseVelocityLimit, VelocityLimit
from pink.tasks import ComTask, DampingTask, FrameTask, PostureTask

file = Path(sys.argv[1]) / "humanoid.urdf"
robot = pin.RobotWrapper.BuildFromURDF(str(file), sys.argv[1], pin.JointModelFreeFlyer())
q0 = pin.neutral(robot.model)
knees = [robot.model.joints[robot.model.getJointId(f"{side}_knee")].idx_q for side in ("left", "right")]
q0[knees] = 0.4
configuration = pink.Configuration(robot.model, robot.data, q0)
feet = [FrameTask(f"{side}_foot", position_cost=1.0, orientation_cost=1.0) for side in ("left", "right")]
hand = FrameTask("left_hand", position_cost=1.0, orientation_cost=0.0, lm_damping=0.1)
com = ComTask(cost=1.0)
posture = PostureTask(cost=1e-2)
tasks = [*feet, hand, com, posture, DampingTask(cost=1e-3)]
for task in tasks[:-1]:
    task.set_target_from_configuration(configuration)
hand.transform_target_to_world.translation += np.array([0.1, 0.05, 0.1])
com.set_target(com.target_com - np.array([0.0, 0.0, 0.03]))
limits = [
    ConfigurationLimit(robot.model),
    VelocityLimit(robot.model),
    FloatingBaseVelocityLimit(robot.model, "root_joint", [0.5, 0.5, 0.5], [1.0, 1.0, 1.0]),
]
for _ in range(40):
    velocity = pink.solve_ik(configuration, tasks, 0.02, solver="quadprog", limits=limits)
    configuration.integrate_inplace(velocity, 0.02)
print(np.round(configuration.q, 7) + 0.0)
print(np.round(velocity, 6) + 0.0)
for task in tasks[:-1]:
    print(np.round(np.linalg.norm(task.compute_error(configuration)), 6))
print(np.round(configuration.get_transform("left_foot", "right_foot").homogeneous, 6) + 0.0)
