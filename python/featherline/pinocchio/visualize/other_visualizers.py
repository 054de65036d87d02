"""Pinocchio's other visualizers: they can be imported and extended, and are not drawn."""

from __future__ import annotations

from typing import Any

from featherline.pinocchio.visualize.base_visualizer import BaseVisualizer


class _Other(BaseVisualizer):
    """A visualizer that can't be made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        name = next(one.__name__ for one in cls.__mro__ if one.__module__ == __name__)
        raise ImportError(f"{name} is not driven by featherline: use MeshcatVisualizer, which needs no other package")

    def display(self, q: Any = None) -> None: ...
    def displayCollisions(self, visibility: bool) -> None: ...
    def displayVisuals(self, visibility: bool) -> None: ...
    def setBackgroundColor(self, *args: Any, **kwargs: Any) -> None: ...
    def setCameraTarget(self, target: Any) -> None: ...
    def setCameraPosition(self, position: Any) -> None: ...
    def setCameraZoom(self, zoom: float) -> None: ...
    def setCameraPose(self, pose: Any = None) -> None: ...
    def captureImage(self, w: int | None = None, h: int | None = None) -> Any: ...
    def disableCameraControl(self) -> None: ...
    def enableCameraControl(self) -> None: ...
    def drawFrameVelocities(self, *args: Any, **kwargs: Any) -> None: ...


class GepettoVisualizer(_Other):
    """Pinocchio's display in gepetto-gui, which is not driven."""


class Panda3dVisualizer(_Other):
    """Pinocchio's display in Panda3D, which is not driven."""


class RVizVisualizer(_Other):
    """Pinocchio's display in RViz, which is not driven."""


class ViserVisualizer(_Other):
    """Pinocchio's display in Viser, which is not driven."""
