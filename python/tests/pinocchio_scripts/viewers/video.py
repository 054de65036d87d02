# A video of a motion, or a warning where nothing can write it.
import sys
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
from pinocchio.visualize import MeshcatVisualizer

warnings.simplefilter("ignore", UserWarning)
kinds = [pin.GeometryType.COLLISION, pin.GeometryType.VISUAL]
path = str(Path(sys.argv[1]) / "double_pendulum.urdf")
model, collision_model, visual_model = pin.buildModelsFromUrdf(path, geometry_types=kinds)
viz = MeshcatVisualizer(model, collision_model, visual_model)
viz.initViewer(loadModel=True)
viz.setCameraPose(pin.SE3(np.eye(3), np.array([0.0, -4.0, 0.0])).homogeneous)
q0 = np.array([0.3, -0.2])
with viz.create_video_ctx(sys.argv[2] if len(sys.argv) > 2 else None, fps=20):
    print("writer", viz.has_video_writer() in (True, False))
    viz.play([q0, 2 * q0, 3 * q0], dt=0.02)
print("frames", viz.captureImage(64, 48).shape)
viz.reset()
viz.viewer.close()
