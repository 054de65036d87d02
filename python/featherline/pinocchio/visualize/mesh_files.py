"""The triangles of mesh files, as the viewer reads them."""

from __future__ import annotations

import base64
import gzip
import json
import os
import tempfile
from collections.abc import Iterable
from xml.etree import ElementTree

import numpy as np

from featherline._native import load_robot, view

Array = np.ndarray

# By path and time of change.
_known: dict[tuple[str, int], tuple[Array, Array]] = {}

# Behind the letters FLSC and the length of the text.
_HEAD = 8


def read(paths: Iterable[str]) -> dict[str, tuple[Array, Array]]:
    """The vertices (n, 3) and faces (m, 3) of files; each is read once."""
    keys = {path: (os.path.abspath(path), os.stat(path).st_mtime_ns) for path in paths}
    missing = sorted({key[0] for key in keys.values() if key not in _known})
    if missing:
        read_now = dict(zip(missing, _read(missing), strict=True))
        _known.update({key: read_now[key[0]] for key in keys.values() if key not in _known})
    return {path: _known[key] for path, key in keys.items()}


def _read(paths: list[str]) -> list[tuple[Array, Array]]:
    """Files in the scene of the viewer, which is in its page."""
    root = ElementTree.Element("mujoco")
    assets, world = ElementTree.SubElement(root, "asset"), ElementTree.SubElement(root, "worldbody")
    for k, path in enumerate(paths):
        ElementTree.SubElement(assets, "mesh", name=str(k), file=path)
        ElementTree.SubElement(world, "geom", name=str(k), type="mesh", mesh=str(k), contype="0", conaffinity="0")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "meshes.xml")
        with open(path, "wb") as file:
            file.write(ElementTree.tostring(root))
        with view(load_robot(path), open=False) as page:
            html = page.html()
    start = html.index(">", html.index('<script id="scene"')) + 1
    scene = gzip.decompress(base64.b64decode(html[start : html.index("<", start)]))
    length = int.from_bytes(scene[4:_HEAD], "little")
    document = json.loads(scene[_HEAD : _HEAD + length])
    meshes = {shape["name"]: document["meshes"][shape["form"]["mesh"]] for shape in document["shapes"]}
    unread = [path for k, path in enumerate(paths) if str(k) not in meshes]
    if unread:
        reasons = "; ".join(warning["message"] for warning in document["warnings"])
        raise ValueError(f"{', '.join(unread)}: the mesh can't be read: {reasons}")
    numbers = memoryview(scene)[_HEAD + length :]

    def array(place: dict[str, int], kind: str) -> Array:
        return np.frombuffer(numbers, kind, place["count"], place["offset"]).reshape(-1, 3)

    found = [meshes[str(k)] for k in range(len(paths))]
    return [(array(mesh["vertices"], "<f4").astype(float), array(mesh["faces"], "<u4").astype(int)) for mesh in found]
