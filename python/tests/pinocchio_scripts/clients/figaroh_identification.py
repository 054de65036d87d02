"""The parameters of an arm that torques can tell: their regressor, its base, and their values."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
from figaroh.tools.qrdecomposition import get_baseParams
from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced, get_index_eliminate

model = pin.buildModelFromUrdf(str(Path(sys.argv[1]) / "ur5.urdf"))
robot = SimpleNamespace(model=model, data=model.createData())
random = np.random.default_rng(1)
q, v, a = random.uniform(-2.0, 2.0, (3, 30, model.nv))
config = {"is_joint_torques": True, "act_idxv": list(range(model.nv)), "has_actuator_inertia": False}
W = build_regressor_basic(robot, q, v, a, {**config, "has_friction": True, "has_joint_offset": True})
print(W.shape, np.round(np.linalg.norm(W, axis=0), 5))
W = build_regressor_basic(robot, q, v, a, {**config, "has_friction": False, "has_joint_offset": False})
names = [f"joint{i}_{k}" for i in range(1, model.njoints) for k in range(10)]
values = np.concatenate([model.inertias[i].toDynamicParameters() for i in range(1, model.njoints)])
left_out, kept = get_index_eliminate(W, dict(zip(names, values)), 1e-6)
reduced = build_regressor_reduced(W, left_out)
print(len(left_out), len(kept), reduced.shape)
tau = np.concatenate([pin.rnea(model, robot.data, *sample) for sample in zip(q, v, a)]).reshape(30, -1).T.ravel()
print(np.abs(W @ values - tau).max() < 1e-9 * np.abs(tau).max())
base = get_baseParams(reduced, kept, dict(zip(names, values)))
print(len(base[1]), np.round(np.linalg.norm(base[0]), 4))
