"""Rotations: quaternions, angles and axes, roll, pitch and yaw."""

import numpy as np
import pinocchio as pin
from pinocchio.utils import rotate

R = rotate("z", 0.3) @ rotate("y", -0.2) @ rotate("x", 0.5)
quaternion = pin.Quaternion(R)
print(np.round(quaternion.coeffs(), 6), round(quaternion.norm(), 9))
print(np.round(quaternion.matrix() - R, 9) + 0.0)
print(np.round(pin.rpy.matrixToRpy(R), 6), np.round(pin.rpy.rpyToMatrix(0.5, -0.2, 0.3) - R, 9) + 0.0)
twice = quaternion * quaternion
print(np.round(twice.coeffs(), 6), np.round((twice * quaternion.inverse()).coeffs(), 6))
print(np.round(quaternion * np.array([1.0, 2.0, 3.0]), 6))
angle_axis = pin.AngleAxis(R)
print(round(angle_axis.angle, 6), np.round(angle_axis.axis, 6))
print(np.round(quaternion.slerp(0.5, twice).coeffs(), 6))
print(np.round(pin.log3(R), 6), np.round(pin.exp3(pin.log3(R)) - R, 9) + 0.0)
M = pin.XYZQUATToSE3([0.1, 0.2, 0.3, *quaternion.coeffs()])
print(np.round(pin.SE3ToXYZQUAT(M), 6), np.round(M.act(np.array([1.0, 0.0, 0.0])), 6))
print(np.round(M.toActionMatrix() @ np.arange(6.0), 6))
