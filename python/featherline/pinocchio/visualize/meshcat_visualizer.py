"""`MeshcatVisualizer` over the viewer of featherline."""

from __future__ import annotations

import os
import warnings
from typing import Any, ClassVar

import numpy as np

from featherline._native import SE3
from featherline.pinocchio import native
from featherline.pinocchio.enums import LOCAL_WORLD_ALIGNED, GeometryType
from featherline.pinocchio.geometry import GeometryObject, updateGeometryPlacements
from featherline.pinocchio.visualize import shapes
from featherline.pinocchio.visualize.base_visualizer import BaseVisualizer
from featherline.pinocchio.visualize.scene import Scene, warn_of_page

DEFAULT_COLOR_PROFILES = {
    "gray": ([0.98, 0.98, 0.98], [0.8, 0.8, 0.8]),
    "white": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
}
COLOR_PRESETS = DEFAULT_COLOR_PROFILES.copy()

# Half the width of a line of 1 pixel, in m.
_HALF_WIDTH = 0.002

_RED_GREEN_BLUE = np.column_stack([np.eye(3), np.ones(3)])


class MeshcatVisualizer(BaseVisualizer):
    """A display of a model on the page of `featherline.view`.

    The page opens with `initViewer(open=True)` at the next `display`, by `viewer.open()`, or in a notebook by
    `viewer.jupyter_cell()`. `captureImage` needs no browser.
    """

    FORCE_SCALE = 0.06
    FRAME_VEL_COLOR = 0x00FF00
    #: The target of the camera and its place, in m.
    CAMERA_PRESETS: ClassVar[dict[str, list[Any]]] = {
        "preset0": [np.zeros(3), [3.0, 0.0, 1.0]],
        "preset1": [np.zeros(3), [1.0, 1.0, 1.0]],
        "preset2": [[0.0, 0.0, 0.6], [0.8, 1.0, 1.2]],
        "acrobot": [[0.0, 0.1, 0.0], [0.5, 0.0, 0.2]],
        "cam_ur": [[0.4, 0.6, -0.2], [1.0, 0.4, 1.2]],
        "cam_ur2": [[0.4, 0.3, 0.0], [0.5, 0.1, 1.4]],
        "cam_ur3": [[0.4, 0.3, 0.0], [0.6, 1.3, 0.3]],
        "cam_ur4": [[-1.0, 0.3, 0.0], [1.3, 0.1, 1.2]],
        "cam_ur5": [[-1.0, 0.3, 0.0], [-0.05, 1.5, 1.2]],
        "talos": [[0.0, 1.2, 0.0], [1.5, 0.3, 1.5]],
        "talos2": [[0.0, 1.1, 0.0], [1.2, 0.6, 1.5]],
    }

    viewer: Scene

    def __init__(
        self,
        model: Any = None,
        collision_model: Any = None,
        visual_model: Any = None,
        copy_models: bool = False,
        data: Any = None,
        collision_data: Any = None,
        visual_data: Any = None,
    ) -> None:
        super().__init__(model, collision_model, visual_model, copy_models, data, collision_data, visual_data)
        self.static_objects: list[GeometryObject] = []
        self.frame_ids: list[int] = []
        self.display_collisions = self.display_visuals = self.display_frames = False

    def getViewerNodeName(self, geometry_object: Any, geometry_type: Any) -> str:
        """The path of an object in the viewer."""
        is_visual = GeometryType(geometry_type) == GeometryType.VISUAL
        return f"{self.viewerVisualGroupName if is_visual else self.viewerCollisionGroupName}/{geometry_object.name}"

    def initViewer(
        self, viewer: Any = None, open: bool = False, loadModel: bool = False, zmq_url: str | None = None
    ) -> None:
        """Start the viewer, or take that of another visualizer. With `open` the browser opens at the next `display`."""
        if zmq_url is not None:
            raise NotImplementedError("initViewer(zmq_url=…): no server of meshcat is used; leave it out")
        if viewer is not None and not isinstance(viewer, Scene):
            raise TypeError(
                f"initViewer: viewer is a {type(viewer).__name__}, where the `viewer` of another MeshcatVisualizer is "
                "expected; leave it out for a new one"
            )
        self.viewer = Scene() if viewer is None else viewer
        self.static_objects = []
        self.viewer._tree.opens |= open
        if loadModel:
            self.loadViewerModel()

    def loadViewerModel(
        self, rootNodeName: str = "pinocchio", color: Any = None, collision_color: Any = None, visual_color: Any = None
    ) -> None:
        """Add the robot's shapes to the viewer below a path, in their colours or in others: red, green, blue, opacity.

        Visual shapes are shown, collision shapes and frames are hidden. `color` is that of both kinds, and deprecated.
        """
        if color is not None:
            text = "'color' is deprecated: take 'collision_color' and 'visual_color'"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
            collision_color = visual_color = color
        self.viewerRootNodeName = rootNodeName
        self.viewerCollisionGroupName = f"{rootNodeName}/collisions"
        self.viewerVisualGroupName = f"{rootNodeName}/visuals"
        self.viewerFramesGroupName = f"{rootNodeName}/frames"
        kinds = (
            (GeometryType.COLLISION, self.collision_model, collision_color),
            (GeometryType.VISUAL, self.visual_model, visual_color),
        )
        for kind, geometry_model, own_color in kinds:
            for one in [] if geometry_model is None else geometry_model.geometryObjects:
                self.loadViewerGeometryObject(one, kind, own_color)
        self.displayCollisions(False)
        self.displayVisuals(True)
        self.displayFrames(False)
        if self.visual_model is not None and all(placement == SE3() for placement in self.data.oMi):
            # Nothing was displayed yet: a page that is made now sees the robot at its neutral configuration.
            start, placed = self.model.createData(), self.visual_model.createData()
            updateGeometryPlacements(self.model, start, self.visual_model, placed, native.neutral(self.model))
            self._place_all(self.visual_model.geometryObjects, placed.oMg, GeometryType.VISUAL)

    def loadViewerGeometryObject(self, geometry_object: Any, geometry_type: Any, color: Any = None) -> None:
        """Add a shape to the viewer; one that can't be drawn is a warning."""
        try:
            shape = shapes.of_object(geometry_object, color)
        except shapes.Unsupported as reason:
            warnings.warn(f"the object {geometry_object.name} is not shown: {reason}", UserWarning, stacklevel=2)
            return
        if shape.path and not os.path.isfile(shape.path):
            text = f"the object {geometry_object.name} is not shown: {shape.path} was not found"
            warnings.warn(text, UserWarning, stacklevel=2)
            return
        self.viewer[self.getViewerNodeName(geometry_object, geometry_type)]._set_shapes((shape,))

    def addGeometryObject(self, obj: Any, color: Any = None) -> None:
        """Add a shape that stays where it is, in its colour or in another one."""
        self.loadViewerGeometryObject(obj, GeometryType.VISUAL, color)
        self.static_objects.append(obj)
        self._place_all([obj], [obj.placement], GeometryType.VISUAL)

    def reload(self, new_geometry_object: Any, geometry_type: Any = None) -> None:
        """Replace an object by one with the same name: a collision shape, unless it is said to be visual."""
        is_visual = geometry_type is not None and GeometryType(geometry_type) == GeometryType.VISUAL
        kind = GeometryType.VISUAL if is_visual else GeometryType.COLLISION
        geometry_model = self.visual_model if is_visual else self.collision_model
        geometry_model.geometryObjects[geometry_model.getGeometryId(new_geometry_object.name)] = new_geometry_object
        self.delete(new_geometry_object, kind)
        self.loadViewerGeometryObject(new_geometry_object, kind)

    def delete(self, geometry_object: Any, geometry_type: Any) -> None:
        """Remove an object from the viewer."""
        self.viewer[self.getViewerNodeName(geometry_object, geometry_type)].delete()

    def clean(self) -> None:
        """Remove all objects from the viewer."""
        self.viewer.delete()

    def reset(self) -> None:
        """Remove all objects from the viewer, and forget those that stay where they are."""
        self.viewer.delete()
        self.static_objects = []

    def display(self, q: Any = None) -> None:
        """Show the robot at q, or as data has its joints."""
        if q is not None:
            native.forwardKinematics(self.model, self.data, q)
        if self.display_collisions:
            self._update(GeometryType.COLLISION)
        if self.display_visuals:
            self._update(GeometryType.VISUAL)
        if self.display_frames:
            self.updateFrames()
        tree = self.viewer._tree
        if tree.opens:
            tree.opens = False
            tree.open_page()
        else:
            warn_of_page(tree)
            tree.update_page()

    def updatePlacements(self, geometry_type: Any) -> None:
        """Move the shapes of a kind to where data has their joints."""
        self._update(geometry_type)
        self.viewer._tree.update_page()

    def _update(self, geometry_type: Any) -> None:
        is_visual = GeometryType(geometry_type) == GeometryType.VISUAL
        geometry_model = self.visual_model if is_visual else self.collision_model
        data = self.visual_data if is_visual else self.collision_data
        updateGeometryPlacements(self.model, self.data, geometry_model, data)
        self._place_all(geometry_model.geometryObjects, data.oMg, geometry_type)
        if is_visual:
            self._place_all(self.static_objects, [one.placement for one in self.static_objects], geometry_type)

    def _place_all(self, objects: Any, placements: Any, geometry_type: Any) -> None:
        for one, placement in zip(objects, placements, strict=True):
            self.viewer[self.getViewerNodeName(one, geometry_type)]._set_transform(placement.homogeneous)

    def displayCollisions(self, visibility: bool) -> None:
        """Show the collision shapes, or hide them."""
        self.display_collisions = visibility and self.collision_model is not None
        self.viewer[self.viewerCollisionGroupName].set_property("visible", visibility)
        if self.display_collisions:
            self.updatePlacements(GeometryType.COLLISION)

    def displayVisuals(self, visibility: bool) -> None:
        """Show the visual shapes, or hide them."""
        self.display_visuals = visibility and self.visual_model is not None
        self.viewer[self.viewerVisualGroupName].set_property("visible", visibility)
        if self.display_visuals:
            self.updatePlacements(GeometryType.VISUAL)

    def displayFrames(
        self, visibility: bool, frame_ids: Any = None, axis_length: float = 0.2, axis_width: float = 2
    ) -> None:
        """Show the axes of all frames, or of some: x red, y green, z blue, in m; a width of 1 is 4 mm."""
        self.display_frames = visibility
        if visibility:
            self.initializeFrames(frame_ids, axis_length, axis_width)
        self.viewer[self.viewerFramesGroupName].set_property("visible", visibility)

    def initializeFrames(self, frame_ids: Any = None, axis_length: float = 0.2, axis_width: float = 2) -> None:
        """Add the axes of frames to the viewer, where data has the frames."""
        self.viewer[self.viewerFramesGroupName].delete()
        self.frame_ids = [i for i in range(self.model.nframes) if frame_ids is None or i in frame_ids]
        bars = [shapes.lines([[np.zeros(3), axis_length * axis]], _HALF_WIDTH * axis_width) for axis in np.eye(3)]
        for i in self.frame_ids:
            axes = tuple(shapes.Shape(*bar, colour.copy()) for bar, colour in zip(bars, _RED_GREEN_BLUE, strict=True))
            self._frame(i)._set_shapes(axes)
        self.updateFrames()

    def _frame(self, index: int) -> Scene:
        return self.viewer[f"{self.viewerFramesGroupName}/{self.model.frames[index].name}"]

    def updateFrames(self) -> None:
        """Move the axes to where data has the joints."""
        native.updateFramePlacements(self.model, self.data)
        for i in self.frame_ids:
            self._frame(i)._set_transform(self.data.oMf[i].homogeneous)

    def drawFrameVelocities(self, frame_id: int, v_scale: float = 0.2, color: int = FRAME_VEL_COLOR) -> None:
        """Draw the linear velocity of a frame as a line, `v_scale` in m for 1 m/s."""
        native.updateFramePlacement(self.model, self.data, frame_id)
        velocity = native.getFrameVelocity(self.model, self.data, frame_id, LOCAL_WORLD_ALIGNED)
        self._draw_vectors_from_frame([v_scale * velocity.linear], [frame_id], [f"ee_vel/{frame_id}"], [color])

    def _draw_vectors_from_frame(self, vecs: Any, frame_ids: Any, vec_names: Any, colors: Any) -> None:
        """Draw vectors from frames as lines."""
        if not len(vecs) == len(frame_ids) == len(vec_names) == len(colors):
            raise ValueError("there must be as many vectors as frames, names and colours")
        for vector, frame_id, name, color in zip(vecs, frame_ids, vec_names, colors, strict=True):
            start = self.data.oMf[frame_id].translation
            vertices, faces = shapes.lines([[start, start + vector]], _HALF_WIDTH)
            shape = shapes.Shape(vertices, faces, np.append(shapes.rgb(color), 1.0))
            self.viewer[f"{self.viewerVisualGroupName}/lines/{name}"]._set_shapes((shape,))

    def setBackgroundColor(self, preset_name: str = "gray", col_top: Any = None, col_bot: Any = None) -> None:
        """Set the background of pictures: a preset, or the colours of its top and its bottom."""
        if col_top is None:
            if preset_name not in COLOR_PRESETS:
                raise ValueError(f"there is no preset '{preset_name}' of colours; there are {', '.join(COLOR_PRESETS)}")
            col_top, col_bot = COLOR_PRESETS[preset_name]
        for side, colour in (("top", col_top), ("bottom", col_top if col_bot is None else col_bot)):
            self.viewer["/Background"].set_property(f"{side}_color", colour)

    def setCameraTarget(self, target: Any) -> None:
        """Set the point that pictures look at, in the world."""
        self.viewer.set_cam_target(target)

    def setCameraPosition(self, position: Any) -> None:
        """Set the place of the camera of pictures, in the world."""
        self.viewer.set_cam_pos(position)

    def setCameraPreset(self, preset_key: str) -> None:
        """Set the target and the place of the camera by a name of CAMERA_PRESETS."""
        if preset_key not in self.CAMERA_PRESETS:
            raise ValueError(f"there is no camera '{preset_key}'; there are {', '.join(self.CAMERA_PRESETS)}")
        target, position = self.CAMERA_PRESETS[preset_key]
        self.setCameraTarget(target)
        self.setCameraPosition(position)

    def setCameraZoom(self, zoom: float) -> None:
        """Set the zoom of pictures: 2 doubles all lengths."""
        self.viewer["/Cameras/default/rotated/object"].set_property("zoom", zoom)

    def setCameraPose(self, pose: Any = np.eye(4)) -> None:
        """Set the pose of the camera of pictures (4, 4): it looks along y, with z up."""
        self.viewer["/Cameras/default"].set_transform(pose.homogeneous if isinstance(pose, SE3) else pose)

    def disableCameraControl(self) -> None:
        """Put the camera of pictures at the origin, as meshcat does."""
        self.setCameraPosition([0, 0, 0])

    def enableCameraControl(self) -> None:
        """Put the camera of pictures at (3, 0, 1), as meshcat does."""
        self.setCameraPosition([3, 0, 1])

    def captureImage(self, w: int | None = None, h: int | None = None) -> np.ndarray:
        """A picture (h, w, 3) of uint8 of what is shown; it needs neither a browser nor a display."""
        return self.viewer.get_image(w, h)


__all__ = ["MeshcatVisualizer"]
