"""The class that Pinocchio's visualizers extend."""

from __future__ import annotations

import abc
import contextlib
import importlib
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from featherline.pinocchio.model import Model


class BaseVisualizer(abc.ABC):
    """A display of a model with its shapes; visualizers override its methods.

    With `copy_models` the models are copied. Data are made where they are not given.
    """

    model: Any
    collision_model: Any
    visual_model: Any
    _video_writer: Any = None

    def __init__(
        self,
        model: Model | None = None,
        collision_model: Any = None,
        visual_model: Any = None,
        copy_models: bool = False,
        data: Any = None,
        collision_data: Any = None,
        visual_data: Any = None,
    ) -> None:
        models = [Model() if model is None else model, collision_model, visual_model]
        if copy_models:
            models = [None if one is None else one.copy() for one in models]
        self.model, self.collision_model, self.visual_model = models
        self.data = _data(self.model) if data is None else data
        self.collision_data = _data(collision_model) if collision_data is None else collision_data
        self.visual_data = _data(visual_model) if visual_data is None else visual_data

    def rebuildData(self) -> None:
        """Make the data anew, after changes of the models."""
        self.data = _data(self.model)
        self.collision_data, self.visual_data = _data(self.collision_model), _data(self.visual_model)

    def getViewerNodeName(self, geometry_object: Any, geometry_type: Any) -> Any:
        """The name of an object in the viewer."""

    def initViewer(self, *args: Any, **kwargs: Any) -> Any:
        """Start the viewer."""

    def loadViewerModel(self, *args: Any, **kwargs: Any) -> Any:
        """Add the robot's shapes to the viewer."""

    def reload(self, new_geometry_object: Any, geometry_type: Any = None) -> None:
        """Replace an object by one with the same name."""

    def clean(self) -> None:
        """Remove all objects from the viewer."""

    @abc.abstractmethod
    def display(self, q: Any = None) -> None:
        """Show the robot at q, or as data has its joints."""

    @abc.abstractmethod
    def displayCollisions(self, visibility: bool) -> None:
        """Show the collision shapes, or hide them."""

    @abc.abstractmethod
    def displayVisuals(self, visibility: bool) -> None:
        """Show the visual shapes, or hide them."""

    @abc.abstractmethod
    def setBackgroundColor(self, *args: Any, **kwargs: Any) -> None:
        """Set the colour of the background."""

    @abc.abstractmethod
    def setCameraTarget(self, target: Any) -> None:
        """Set the point that the camera looks at."""

    @abc.abstractmethod
    def setCameraPosition(self, position: Any) -> None:
        """Set the place of the camera."""

    @abc.abstractmethod
    def setCameraZoom(self, zoom: float) -> None:
        """Set the zoom of the camera."""

    @abc.abstractmethod
    def setCameraPose(self, pose: Any = np.eye(4)) -> None:
        """Set the pose of the camera, a homogeneous matrix (4, 4)."""

    @abc.abstractmethod
    def captureImage(self, w: int | None = None, h: int | None = None) -> Any:
        """A picture (h, w, 3)."""

    @abc.abstractmethod
    def disableCameraControl(self) -> None:
        """Let the mouse move the camera no more."""

    @abc.abstractmethod
    def enableCameraControl(self) -> None:
        """Let the mouse move the camera again."""

    @abc.abstractmethod
    def drawFrameVelocities(self, *args: Any, **kwargs: Any) -> None:
        """Draw the velocities of frames."""

    def sleep(self, dt: float) -> None:
        """Wait, in s."""
        time.sleep(dt)

    def has_video_writer(self) -> bool:
        return self._video_writer is not None

    def play(
        self,
        q_trajectory: Any,
        dt: float | None = None,
        callback: Callable[..., Any] | None = None,
        capture: bool = False,
        **kwargs: Any,
    ) -> list[Any] | None:
        """Display configurations one after the other, `dt` in s apart; `callback(i, **kwargs)` follows each.

        With `capture`, returns their pictures; inside `create_video_ctx` they go to the video.
        """
        pictures = []
        for i, q in enumerate(q_trajectory):
            begin = time.time()
            self.display(q)
            if callback is not None:
                callback(i, **kwargs)
            if self.has_video_writer():
                self._video_writer.append_data(self.captureImage())
            elif capture:
                pictures.append(self.captureImage())
            left = 0.0 if dt is None else dt - (time.time() - begin)
            if left > 0.0:
                self.sleep(left)
        return pictures if capture and not self.has_video_writer() else None

    def create_video_ctx(
        self, filename: Any = None, fps: int = 30, directory: Any = None, **kwargs: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """A block whose `play` writes a video by imageio: to a file, or to one in a folder, named by the time."""
        try:
            imageio = importlib.import_module("imageio")
        except ImportError:
            reason = "no video is written, since imageio is not installed: pip install imageio[ffmpeg]"
            warnings.warn(reason, UserWarning, stacklevel=2)
            return contextlib.nullcontext()
        if filename is None:
            filename = os.path.join(directory or tempfile.gettempdir(), time.strftime("%Y%m%d_%H%M%S.mp4"))
        return self._video(imageio.get_writer(filename, fps=fps, **kwargs))

    @contextlib.contextmanager
    def _video(self, writer: Any) -> Any:
        self._video_writer = writer
        try:
            yield
        finally:
            self._video_writer = None
            writer.close()


def _data(model: Any) -> Any:
    return None if model is None else model.createData()


__all__ = ["BaseVisualizer"]
