"""The visualizers by name."""

from __future__ import annotations

import os
from enum import Enum

from featherline.pinocchio.visualize.base_visualizer import BaseVisualizer
from featherline.pinocchio.visualize.meshcat_visualizer import MeshcatVisualizer
from featherline.pinocchio.visualize.other_visualizers import (
    GepettoVisualizer,
    Panda3dVisualizer,
    RVizVisualizer,
    ViserVisualizer,
)


class Visualizer(Enum):
    """Pinocchio's visualizers."""

    BASE = BaseVisualizer
    GEPETTO = GepettoVisualizer
    MESHCAT = MeshcatVisualizer
    PANDA3D = Panda3dVisualizer
    RVIZ = RVizVisualizer
    VISER = ViserVisualizer

    @classmethod
    def default(cls) -> type[BaseVisualizer]:
        """That which the environment variable PINOCCHIO_VIEWER names, or MeshcatVisualizer."""
        name = os.environ.get("PINOCCHIO_VIEWER", "MESHCAT").upper()
        if name not in cls.__members__:
            raise ImportError(f"PINOCCHIO_VIEWER is '{name}', which is no visualizer: set it to meshcat, or unset it")
        chosen: type[BaseVisualizer] = cls[name].value
        return chosen
