"""Placements of all joints and frames."""

import numpy as np
import pinocchio

model = pinocchio.buildSampleModelHumanoid()
data = model.createData()
q = pinocchio.integrate(model, pinocchio.neutral(model), np.linspace(-1.0, 1.0, model.nv))
pinocchio.forwardKinematics(model, data, q)
for name, oMi in zip(model.names, data.oMi):
    print("{:<24} : {: .4f} {: .4f} {: .4f}".format(name, *oMi.translation.T.flat))
pinocchio.updateFramePlacements(model, data)
for frame, oMf in zip(model.frames, data.oMf):
    print(frame.name, np.round(oMf.rotation.T @ oMf.translation, 6))
