# Two robots in one viewer, of a URDF file, with a trajectory that is played and captured.
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from pinocchio.visualize import MeshcatVisualizer

model, collision_model, visual_model = pin.buildModelsFromUrdf(
    Path(sys.argv[1]) / "ur5.urdf", package_dirs=sys.argv[1], root_joint=None
)
viz = MeshcatVisualizer(model, collision_model, visual_model)
try:
    viz.initViewer(open=False)
except ImportError as error:
    print("Error while initializing the viewer. It seems you should install Python meshcat", error)
    sys.exit(1)

viz.loadViewerModel()
viz.display(pin.neutral(model))
viz.displayVisuals(True)
viz.displayCollisions(False)

# A red copy of the robot, one metre aside.
red = visual_model.copy()
for one in red.geometryObjects:
    one.meshColor = np.array([1.0, 0.0, 0.0, 1.0])
other = MeshcatVisualizer(model, collision_model, red)
other.initViewer(viz.viewer)
other.loadViewerModel(rootNodeName="other")
q = pin.randomConfiguration(model)
q[:] = 0.5
other.display(q)

mesh = visual_model.geometryObjects[0]
viz.viewer["pinocchio/visuals"].set_property("visible", True)
print("node", viz.getViewerNodeName(mesh, pin.GeometryType.VISUAL) == "pinocchio/visuals/" + mesh.name)

# Standing still, then falling, at 100 Hz.
v, dt, trajectory = np.zeros(model.nv), 0.01, []
for step in range(20):
    a = pin.aba(model, viz.data, q, v, np.zeros(model.nv))
    v += a * dt
    q = pin.integrate(model, q, v * dt)
    trajectory.append(q)
images = viz.play(trajectory[::10], dt=dt, capture=True)
print("images", len(images), np.asarray(images[0]).dtype, np.asarray(images[0]).ndim)
print("differ", float(np.abs(images[0].astype(float) - images[-1]).max()) > 50)
viz.viewer.jupyter_cell()
