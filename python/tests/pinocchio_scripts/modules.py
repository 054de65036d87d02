"""Modules that programs import functions from."""

import numpy as np

import pinocchio as pin
from pinocchio.explog import exp, log
from pinocchio.robot_wrapper import RobotWrapper

model = pin.buildSampleModelManipulator()
data = model.createData()
q = np.linspace(-0.5, 0.5, model.nq)
placement = exp(np.array([0.1, 0.2, 0.3, -0.3, 0.2, 0.1]))
print(log(placement).vector, log(placement.rotation), log(placement.homogeneous).vector)
pin.crba(model, data, q)
print(pin.cholesky.decompose(model, data)[0])
print(pin.cholesky.solve(model, data, q))
print(pin.cholesky.computeMinv(model, data)[2])
robot = RobotWrapper(model)
momentum, momentum_map, inertia = robot.centroidal(q, q)
print(momentum.vector, momentum_map[0], inertia.mass)
print(pin.shortcuts.nle(model, data, q, q))
