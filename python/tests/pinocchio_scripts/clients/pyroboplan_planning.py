"""Plans between obstacles, by trees and by a roadmap, a path that is shortened, and differential inverse kinematics."""

import numpy as np
import pinocchio
from pyroboplan.core.utils import check_collisions_along_path, extract_cartesian_pose, get_path_length
from pyroboplan.ik.differential_ik import DifferentialIk, DifferentialIkOptions
from pyroboplan.models import panda, two_dof
from pyroboplan.planning.path_shortcutting import shortcut_path
from pyroboplan.planning.prm import PRMPlanner, PRMPlannerOptions
from pyroboplan.planning.rrt import RRTPlanner, RRTPlannerOptions

model, collision_model, visual_model = two_dof.load_models()
two_dof.add_object_collisions(model, collision_model, visual_model)
start, goal = np.array([0.0, 0.0]), np.array([1.0, 1.8])
for options in (RRTPlannerOptions(rng_seed=3), RRTPlannerOptions(rng_seed=3, rrt_connect=True, bidirectional_rrt=True)):
    path = RRTPlanner(model, collision_model, options=options).plan(start, goal)
    print(len(path), np.round(path, 6).ravel(), check_collisions_along_path(model, collision_model, path))
    short = shortcut_path(model, collision_model, path, max_iters=20, max_step_size=0.05)
    print(len(short), np.round(get_path_length(short), 5) <= np.round(get_path_length(path), 5))
ROADMAP = PRMPlannerOptions(max_construction_nodes=12, construction_timeout=100.0, max_neighbor_radius=3.0, rng_seed=4)
planner = PRMPlanner(model, collision_model, options=ROADMAP)
planner.construct_roadmap()
path = planner.plan(start, goal)
print(len(path), np.round(path, 6).ravel())

model, collision_model, visual_model = panda.load_models()
panda.add_self_collisions(model, collision_model)
q = np.array([0.0, 1.57, 0.0, 0.0, 1.57, 1.57, 0.0, 0.0, 0.0])
target = extract_cartesian_pose(model, "panda_hand", q)
target = pinocchio.SE3(target.rotation, target.translation + np.array([0.0, 0.0, 0.01]))
ik = DifferentialIk(model, collision_model=collision_model, options=DifferentialIkOptions(max_retries=1, rng_seed=5))
print(np.round(ik.solve("panda_hand", target, init_state=q, nullspace_components=[]), 6))
