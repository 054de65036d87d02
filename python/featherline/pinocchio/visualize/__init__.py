"""Pinocchio's viewers: `MeshcatVisualizer` draws with the viewer of featherline.

>>> import featherline.pinocchio as pin
>>> from featherline.pinocchio.visualize import MeshcatVisualizer
>>> model = pin.buildSampleModelManipulator()
>>> viz = MeshcatVisualizer(model, pin.GeometryModel(), pin.GeometryModel())
>>> viz.initViewer(loadModel=True)
>>> viz.displayFrames(True)
>>> viz.display(pin.neutral(model))
>>> viz.captureImage(w=320, h=200).shape
(200, 320, 3)
"""

from featherline.pinocchio.visualize.base_visualizer import BaseVisualizer as BaseVisualizer
from featherline.pinocchio.visualize.meshcat_visualizer import MeshcatVisualizer as MeshcatVisualizer
from featherline.pinocchio.visualize.other_visualizers import (
    GepettoVisualizer as GepettoVisualizer,
    Panda3dVisualizer as Panda3dVisualizer,
    RVizVisualizer as RVizVisualizer,
    ViserVisualizer as ViserVisualizer,
)
from featherline.pinocchio.visualize.visualizers import Visualizer as Visualizer
