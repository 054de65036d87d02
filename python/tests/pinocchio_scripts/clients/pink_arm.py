"""An arm that is stopped by barriers: before a plane, and before it touches itself."""

import sys
from pathlib import Path

import numpy as np
import pink
import pinocchio as pin
from pink.barriers import PositionBarrier, SelfCollisionBarrier
from pink.tasks import FrameTask, JointVelocityTask, LowAccelerationTask, PostureTask

robot = pin.RobotWrapper.BuildFromURDF(str(Path(sys.argv[1]) / "ur5.urdf"), sys.argv[1])
shapes = pin.GeometryModel()
for name, radius in (("shoulder_pan_joint", 0.1), ("wrist_2_joint", 0.06), ("wrist_3_joint", 0.05)):
    joint = robot.model.getJointId(name)
    shapes.addGeometryObject(pin.GeometryObject(name, joint, pin.SE3.Identity(), pin.hppfcl.Sphere(radius)))
shapes.addCollisionPair(pin.CollisionPair(0, 1))
shapes.addCollisionPair(pin.CollisionPair(0, 2))
q0 = np.array([0.2, -1.2, 1.4, -0.4, 0.3, 0.1])
configuration = pink.Configuration(
    robot.model, robot.data, q0, collision_model=shapes, collision_data=pin.GeometryData(shapes)
)
frame = robot.model.frames[-1].name
end = FrameTask(frame, position_cost=50.0, orientation_cost=1.0)
end.set_target_from_configuration(configuration)
end.transform_target_to_world.translation -= np.array([0.4, 0.3, 0.2])
posture = PostureTask(cost=1e-3)
posture.set_target(q0)
barriers = [
    PositionBarrier(frame, indices=[2], p_min=np.array([0.1]), gain=np.array([50.0]), safe_displacement_gain=1.0),
    SelfCollisionBarrier(n_collision_pairs=2, gain=10.0, safe_displacement_gain=1.0, d_min=0.02),
]
smooth = LowAccelerationTask(cost=1e-3)
for step in range(60):
    velocity = pink.solve_ik(configuration, [end, posture, smooth], 0.01, solver="quadprog", barriers=barriers)
    smooth.set_last_integration(velocity, 0.01)
    configuration.integrate_inplace(velocity, 0.01)
    if step % 20 == 19:
        print(np.round(configuration.q, 6), np.round(barriers[0].compute_barrier(configuration), 6))
        print(np.round(barriers[1].compute_barrier(configuration), 5))
steady = JointVelocityTask(cost=1.0)
steady.set_target(np.linspace(-0.1, 0.1, robot.nv), 0.01)
print(np.round(pink.solve_ik(configuration, [steady], 0.01, solver="quadprog"), 7))
