"""Robots by the loader of robot_descriptions, of descriptions that are on disk."""

import sys
import types
from pathlib import Path

import numpy as np
import pinocchio as pin
from robot_descriptions.loaders.pinocchio import load_robot_description

for name in ("ur5", "panda", "humanoid", "quadruped"):
    description = types.ModuleType(f"robot_descriptions.{name}_description")
    description.URDF_PATH = str(Path(sys.argv[1]) / f"{name}.urdf")
    description.PACKAGE_PATH = description.REPOSITORY_PATH = sys.argv[1]
    sys.modules[description.__name__] = description
    for root_joint in (None, pin.JointModelFreeFlyer(), pin.JointModelPlanar()):
        robot = load_robot_description(f"{name}_description", root_joint=root_joint)
        q = pin.integrate(robot.model, robot.q0, np.linspace(-0.5, 0.5, robot.nv))
        print(name, robot.nq, robot.nv, len(robot.visual_model.geometryObjects), list(robot.model.names))
        print(np.round(robot.com(q), 6), np.round(robot.gravity(q), 5) + 0.0)
