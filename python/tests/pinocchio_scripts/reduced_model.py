"""Joints that are locked."""

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelHumanoid()
names = ["rarm_elbow_joint", "larm_elbow_joint", "chest1_joint"]
locked = [model.getJointId(name) for name in names if model.existJointName(name)]
print(locked)
q = pin.integrate(model, pin.neutral(model), 0.1 * np.ones(model.nv))
reduced = pin.buildReducedModel(model, locked, q)
print(reduced.nq, reduced.nv, list(reduced.names))
data = reduced.createData()
q = pin.integrate(reduced, pin.neutral(reduced), 0.3 * np.ones(reduced.nv))
print(np.round(pin.rnea(reduced, data, q, np.ones(reduced.nv), np.ones(reduced.nv)), 6))
print(np.round(pin.centerOfMass(reduced, data, q), 6))
