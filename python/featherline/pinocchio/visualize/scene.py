"""The scene of a `MeshcatVisualizer`: a tree of objects by path, as meshcat has, on the page of `featherline.view`.

The page shows each object as a free body, whose place the tree gives.
"""

from __future__ import annotations

import os
import tempfile
import warnings
import webbrowser
from html import escape
from typing import Any
from xml.etree import ElementTree

import numpy as np

from featherline._native import SE3, Viewer, load_robot, view
from featherline.pinocchio.spatial import SE3ToXYZQUAT
from featherline.pinocchio.visualize import image, mesh_files
from featherline.pinocchio.visualize.shapes import Shape, of_meshcat

Array = np.ndarray

# Where an object is that the page no longer shows: behind all that a camera sees.
_FAR = [0.0, 0.0, -1e6, 0.0, 0.0, 0.0, 1.0]

# Pixels of a picture that has no size.
_WIDTH, _HEIGHT = 960, 600

_BACKGROUND, _CAMERA = "/Background", "/Cameras/default"
_TOP, _BOTTOM = (0.98, 0.98, 0.98), (0.8, 0.8, 0.8)


class _Node:
    """What is at a path."""

    def __init__(self) -> None:
        self.shapes: tuple[Shape, ...] = ()
        self.transform = np.eye(4)
        self.visible = True


class _Tree:
    """The objects of a scene, its camera, and the page that shows it."""

    def __init__(self) -> None:
        self.nodes: dict[str, _Node] = {}
        self.properties: dict[tuple[str, str], Any] = {}
        self.target: Array | None = None
        self.position: Array | None = None
        #: How often objects have changed, by more than their places.
        self.version = 0
        self.page: Viewer | None = None
        self.page_version = 0
        self.page_paths: list[str] = []
        self.opens = False

    def drawn(self) -> list[tuple[str, _Node]]:
        """The objects that are seen."""
        return [(path, node) for path, node in self.nodes.items() if node.shapes and self.is_visible(path)]

    def _above(self, path: str) -> list[_Node]:
        """The nodes from the root to a path."""
        words = path.split("/")
        names = ("/".join(words[:k]) for k in range(2, len(words) + 1))
        return [self.nodes[name] for name in names if name in self.nodes]

    def is_visible(self, path: str) -> bool:
        return all(node.visible for node in self._above(path))

    def place(self, path: str) -> Array:
        """The transform of an object in the world (4, 4)."""
        placed = np.eye(4)
        for node in self._above(path):
            placed = placed @ node.transform
        return placed

    def node(self, path: str) -> _Node:
        return self.nodes.setdefault(path, _Node())

    def delete(self, path: str) -> None:
        inside = [name for name in self.nodes if name == path or name.startswith(path + "/")]
        for name in inside:
            del self.nodes[name]
        self.version += bool(inside)

    def parts(self) -> list[image.Part]:
        """What is seen as triangles in the world."""
        drawn = self.drawn()
        files = mesh_files.read(shape.path for _, node in drawn for shape in node.shapes if shape.path)
        parts = []
        for path, node in drawn:
            placed = self.place(path)
            for shape in node.shapes:
                vertices, faces = (shape.vertices, shape.faces)
                if shape.path:
                    vertices, faces = files[shape.path]
                    vertices = vertices * shape.scale
                parts.append(image.Part(vertices @ placed[:3, :3].T + placed[:3, 3], faces, shape.colour))
        return parts

    def camera(self, parts: list[image.Part], aspect: float) -> image.Camera:
        zoom = float(self.properties.get((f"{_CAMERA}/rotated/object", "zoom"), 1.0))
        pose = self.nodes[_CAMERA].transform if _CAMERA in self.nodes else None
        if pose is not None:
            # The camera looks along y of its pose, with z up.
            right, forward, up = pose[:3, :3].T
            return image.Camera(pose[:3, 3], np.array([right, up, -forward]), zoom)
        centre, radius = image.around(parts)
        if self.position is not None:
            target = np.zeros(3) if self.target is None else self.target
            return image.looking(self.position, target, zoom)
        target = centre if self.target is None else self.target
        return image.looking(image.start(target, radius, aspect), target, zoom)

    def made_page(self) -> Viewer:
        """The page of what is seen now; another one, if objects have changed since it was made."""
        if self.page is not None and self.page_version == self.version:
            return self.page
        drawn = self.drawn()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.xml")
            with open(path, "wb") as file:
                file.write(self._text(drawn))
            page = view(load_robot(path), open=False)
        if self.page is not None:
            self.page.close()
        self.page, self.page_version, self.page_paths = page, self.version, [path for path, _ in drawn]
        self.update_page()
        return page

    def _text(self, drawn: list[tuple[str, _Node]]) -> bytes:
        """An MJCF file of what is seen, with a free body for each object."""
        root = ElementTree.Element("mujoco", model="scene")
        assets, world = ElementTree.SubElement(root, "asset"), ElementTree.SubElement(root, "worldbody")
        for path, node in drawn:
            placed = self._pose(path)
            quaternion = placed[[6, 3, 4, 5]]
            pose = {"pos": _words(placed[:3]), "quat": _words(quaternion)}
            body = ElementTree.SubElement(world, "body", {"name": path, **pose})
            ElementTree.SubElement(body, "freejoint")
            ElementTree.SubElement(body, "inertial", mass="1", pos="0 0 0", diaginertia="1 1 1")
            for k, shape in enumerate(node.shapes):
                if not (shape.path or len(shape.faces)):
                    continue
                name = f"{path}#{k}"
                mesh = ElementTree.SubElement(assets, "mesh", name=name)
                scale = np.diag(self._scale(path))
                if shape.path:
                    mesh.set("file", os.path.abspath(shape.path))
                    mesh.set("scale", _words(np.multiply(shape.scale, np.diag(scale))))
                else:
                    mesh.set("vertex", _words(shape.vertices @ scale))
                    mesh.set("face", _words(shape.faces))
                looks = {"type": "mesh", "mesh": name, "rgba": _words(shape.colour), "contype": "0", "conaffinity": "0"}
                ElementTree.SubElement(body, "geom", looks)
        return ElementTree.tostring(root)

    def _scale(self, path: str) -> Array:
        """The lengths of the columns of an object's transform."""
        lengths = np.sqrt(_squares(self.place(path)))
        return np.where(lengths > 0.0, lengths, 1.0)

    def _pose(self, path: str) -> Array:
        """The place of an object as a free joint has it."""
        placed = self.place(path)
        return np.asarray(SE3ToXYZQUAT(SE3(placed[:3, :3] / self._scale(path), placed[:3, 3])))

    def update_page(self) -> None:
        """Move the objects of the page, if there is one, to where they are."""
        if self.page is None:
            return
        seen = {path for path, _ in self.drawn()}
        q = [self._pose(path) if path in seen else np.array(_FAR) for path in self.page_paths]
        self.page.show(np.concatenate([*q, np.zeros(0)]))

    def open_page(self) -> None:
        webbrowser.open(self.made_page().address)


def _words(numbers: Any) -> str:
    return " ".join(repr(x) for x in np.asarray(numbers).ravel().tolist())


class Cell:
    """What a notebook shows."""

    def __init__(self, html: str) -> None:
        self.data = html

    def _repr_html_(self) -> str:
        return self.data


class Scene:
    """A scene, or the part of it below a path, with the methods of `meshcat.Visualizer`.

    `scene["robot/arm"]` is the part below that path, and `scene["/path"]` one from the root. Paths in a scene are
    those of meshcat: `scene["a"]` is at /meshcat/a.
    """

    def __init__(self, tree: _Tree | None = None, path: str = "/meshcat") -> None:
        self._tree = _Tree() if tree is None else tree
        self.path = path

    def __getitem__(self, path: str) -> Scene:
        return Scene(self._tree, path.rstrip("/") if path.startswith("/") else f"{self.path}/{path}".rstrip("/"))

    def set_object(self, geometry: Any, material: Any = None) -> None:
        """Show an object or a geometry of `meshcat.geometry` here."""
        self._set_shapes(of_meshcat(geometry, material))

    def _set_shapes(self, shapes: tuple[Shape, ...]) -> None:
        self._tree.node(self.path).shapes = shapes
        self._tree.version += 1

    def set_transform(self, matrix: Any = None) -> None:
        """Place what is here in what is above it, by a homogeneous matrix (4, 4)."""
        self._set_transform(np.eye(4) if matrix is None else matrix)
        self._tree.update_page()

    def _set_transform(self, matrix: Any) -> None:
        transform = np.array(matrix, float)
        if transform.shape != (4, 4) or not np.isfinite(transform).all():
            raise ValueError(f"the transform of {self.path} must be 4 x 4 finite numbers; it is {transform.shape}")
        node = self._tree.node(self.path)
        # The page has objects in their scale.
        self._tree.version += not np.allclose(_squares(transform), _squares(node.transform))
        node.transform = transform

    def set_property(self, key: str, value: Any) -> None:
        """Set "visible", "color" (red, green, blue, opacity) or "opacity" of what is here.

        Others are kept; of these, the background's colours and the camera's zoom are used.
        """
        tree = self._tree
        if key == "visible":
            node = tree.node(self.path)
            tree.version += node.visible != bool(value)
            node.visible = bool(value)
        elif key in ("color", "opacity") and self.path in tree.nodes:
            numbers = np.atleast_1d(np.array(value, float))
            node = tree.nodes[self.path]
            kept = slice(0, len(numbers)) if key == "color" else slice(3, 4)
            for shape in node.shapes:
                shape.colour[kept] = numbers
            tree.version += 1
        else:
            tree.properties[self.path, key] = value

    def delete(self) -> None:
        """Remove what is here, and all below it."""
        self._tree.delete(self.path)

    def set_cam_target(self, value: Any) -> None:
        """The point that pictures look at, in the world."""
        self._tree.target = np.array(value, float).reshape(3)

    def set_cam_pos(self, value: Any) -> None:
        """Where the camera of pictures is, in the world."""
        self._tree.position = np.array(value, float).reshape(3)
        self._tree.delete(_CAMERA)

    def set_animation(self, animation: Any, play: bool = True, repetitions: int = 1) -> None:
        raise NotImplementedError("set_animation: the page plays no animation of meshcat; call play of the visualizer")

    def get_image(self, w: int | None = None, h: int | None = None) -> Array:
        """A picture (h, w, 3) of uint8, 600 x 960 unless said; it needs neither a browser nor a display."""
        if w is None:
            w = _WIDTH if h is None else round(h * _WIDTH / _HEIGHT)
        if h is None:
            h = round(w * _HEIGHT / _WIDTH)
        if not (1 <= w <= 8192 and 1 <= h <= 8192):
            raise ValueError(f"a picture has 1 to 8192 pixels along each side: w = {w}, h = {h}")
        parts = self._tree.parts()
        colours = self._tree.properties
        top = np.array(colours.get((_BACKGROUND, "top_color"), _TOP), float)
        bottom = np.array(colours.get((_BACKGROUND, "bottom_color"), _BOTTOM), float)
        return image.draw(parts, self._tree.camera(parts, w / h), (w, h), top, bottom)

    def url(self) -> str:
        """The address of the page."""
        return self._tree.made_page().address

    def open(self) -> Scene:
        """Open the page in the browser; of an empty scene, at the next `display`."""
        if self._tree.drawn():
            self._tree.open_page()
        else:
            self._tree.opens = True
        return self

    def wait(self) -> None:
        """Nothing: the page shows the latest state whenever it is opened."""

    def close(self) -> None:
        """End the page."""
        if self._tree.page is not None:
            self._tree.page.close()
            self._tree.page = None

    def static_html(self) -> str:
        """The page as the text of one HTML file."""
        return self._tree.made_page().html()

    def jupyter_cell(self, height: int = 400) -> Cell:
        """The page in a notebook, where it is the value of a cell."""
        return Cell(_frame(f'src="{escape(self.url())}"', height))

    def render_static(self, height: int = 400) -> Cell:
        """The page as it is now in a notebook, which needs no server."""
        return Cell(_frame(f'srcdoc="{escape(self.static_html())}"', height))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise NotImplementedError(f"viewer.{name}: of meshcat's viewer only objects, page and pictures are there")

    def __repr__(self) -> str:
        return f"<Scene at path: {self.path}>"


def _squares(transform: Array) -> Array:
    """The squared lengths of the axes of a transform."""
    lengths: Array = (transform[:3, :3] ** 2).sum(axis=0)
    return lengths


def _frame(source: str, height: int) -> str:
    return f'<iframe {source} title="featherline" style="width:100%;height:{height}px;border:0"></iframe>'


def warn_of_page(tree: _Tree) -> None:
    """Say that the page lacks what was added to the scene after it was opened."""
    if tree.page is not None and tree.page_version != tree.version:
        text = "objects have changed since the page was made: viewer.open() opens one with them"
        warnings.warn(text, UserWarning, stacklevel=3)
