# Viewers as programs extend them: with marks of their own, and for whichever viewer is there.
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
from pinocchio.visualize import (
    BaseVisualizer,
    GepettoVisualizer,
    MeshcatVisualizer,
    Panda3dVisualizer,
    RVizVisualizer,
    ViserVisualizer,
)
from pinocchio.visualize.meshcat_visualizer import COLOR_PRESETS


class Marked(MeshcatVisualizer):
    """A viewer with the centre of mass."""

    def initViewer(self, *args, **kwargs):
        super().initViewer(*args, **kwargs)
        self.shown = 0

    def display(self, q=None):
        super().display(q)
        self.shown += 1
        mark = np.eye(4)
        mark[:3, 3] = pin.centerOfMass(self.model, self.data)
        self.viewer["com"].set_transform(mark)


class Silent(BaseVisualizer):
    """A viewer that keeps configurations."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.kept = []

    def display(self, q=None):
        self.kept.append(q)

    def nothing(self, *args, **kwargs):
        pass

    displayCollisions = displayVisuals = setBackgroundColor = setCameraTarget = setCameraPosition = nothing
    setCameraZoom = setCameraPose = captureImage = disableCameraControl = enableCameraControl = nothing
    drawFrameVelocities = nothing


model, collision_model, visual_model = pin.buildModelsFromUrdf(str(Path(sys.argv[1]) / "panda.urdf"))
marked = Marked(model, collision_model, visual_model)
marked.initViewer(open=False, loadModel=True)
marked.setBackgroundColor("white")
marked.setCameraPreset("preset1")
marked.setCameraZoom(1.5)
pin.forwardKinematics(model, marked.data, pin.neutral(model), np.ones(model.nv))
marked.drawFrameVelocities(model.nframes - 1)
silent = Silent(model, collision_model, visual_model, copy_models=True)
for viewer in (marked, silent):
    viewer.play([pin.neutral(model)] * 3, dt=0.001, callback=lambda i, offset: None, offset=2)
print("shown", marked.shown, len(silent.kept), sorted(COLOR_PRESETS))
print("copied", silent.model is not model, silent.visual_model is not visual_model)
for kind in (GepettoVisualizer, Panda3dVisualizer, RVizVisualizer, ViserVisualizer):
    extended = type("Mine", (kind,), {})
    try:
        extended(model, collision_model, visual_model).initViewer()
    except ImportError as error:
        print("not there", kind.__name__, len(str(error)) > 20)
