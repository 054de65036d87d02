"""Pictures of triangles, drawn by numpy: they need neither a browser nor a display."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray

# Pixels along each side that are drawn for one of the picture.
_FINE = 2
# Pixels that are tested at once.
_BLOCK = 4_000_000
# The angle of view from the bottom of a picture to its top, and the direction of the camera from the target.
_VIEW = np.radians(40.0)
_DIRECTION = np.array([1.0, -0.75, 0.45])


class Part(NamedTuple):
    """Triangles in the world, of one colour."""

    vertices: Array  #: (n, 3), in m.
    faces: Array  #: (m, 3).
    colour: Array  #: Red, green, blue and opacity, from 0 to 1.


class Camera(NamedTuple):
    """A camera: where it is, its axes to the right, up and back as rows, and its zoom."""

    eye: Array
    axes: Array
    zoom: float = 1.0


def looking(eye: Array, target: Array, zoom: float = 1.0) -> Camera:
    """A camera at a point that looks at another one, with z up where it can be."""
    back = np.asarray(eye, float) - target
    distance = np.linalg.norm(back)
    back = np.array([0.0, -1.0, 0.0]) if distance == 0.0 else back / distance
    up = np.array([0.0, 0.0, 1.0]) if abs(back[2]) < 0.999999 else np.array([0.0, 1.0, 0.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return Camera(np.asarray(eye, float), np.array([right, np.cross(back, right), back]), zoom)


def around(parts: list[Part]) -> tuple[Array, float]:
    """The centre and the radius of a sphere around what is drawn."""
    points = [part.vertices for part in parts if len(part.vertices)]
    if not points:
        return np.zeros(3), 1.0
    low = np.min([one.min(axis=0) for one in points], axis=0)
    high = np.max([one.max(axis=0) for one in points], axis=0)
    return 0.5 * (low + high), max(0.5 * float(np.linalg.norm(high - low)), 0.02)


def start(target: Array, radius: float, aspect: float) -> Array:
    """Where a camera sees all of a sphere, from the direction that the page looks from."""
    distance = 1.05 * radius / np.sin(np.arctan(np.tan(0.5 * _VIEW) * min(1.0, aspect)))
    return target + distance * _DIRECTION / np.linalg.norm(_DIRECTION)


def draw(parts: list[Part], camera: Camera, size: tuple[int, int], top: Array, bottom: Array) -> Array:
    """A picture (height, width, 3) of uint8; `size` is its width and its height, and the background goes from `top`
    to `bottom`. Parts that are not opaque show the opaque one behind them."""
    width, height = _FINE * size[0], _FINE * size[1]
    falling = (np.arange(height) / max(height - 1, 1))[:, None, None]
    picture = np.broadcast_to(top + falling * (bottom - top), (height, width, 3)).reshape(-1, 3).copy()
    near = np.zeros(width * height)
    for is_opaque in (True, False):
        chosen = [part for part in parts if (part.colour[3] >= 1.0) == is_opaque and part.colour[3] > 0.0 and len(part.faces)]
        if not chosen:
            continue
        corners = np.concatenate([part.vertices[part.faces] for part in chosen])
        colours = np.repeat([part.colour for part in chosen], [len(part.faces) for part in chosen], axis=0)
        nearest = near.copy()
        seen, lit = _nearest(corners, camera, width, height, nearest)
        shown = np.flatnonzero(seen >= 0)
        triangle = seen[shown]
        opacity = colours[triangle, 3:]
        colour = colours[triangle, :3] * lit[triangle, None]
        picture[shown] = opacity * colour + (1.0 - opacity) * picture[shown]
        if is_opaque:
            near = nearest
    fine = picture.reshape(size[1], _FINE, size[0], _FINE, 3)
    return np.rint(255.0 * fine.mean(axis=(1, 3)).clip(0.0, 1.0)).astype(np.uint8)


def _nearest(corners: Array, camera: Camera, width: int, height: int, near: Array) -> tuple[Array, Array]:
    """The index of the triangle (n, 3, 3) that each pixel shows, -1 for none, and the light on each triangle.

    `near` has 1/depth of each pixel, and takes that of what is in front of it.
    """
    local = (corners - camera.eye) @ camera.axes.T
    normals = np.cross(local[:, 1] - local[:, 0], local[:, 2] - local[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    # The light is at the camera.
    to_camera = -local.mean(axis=1)
    to_camera /= np.linalg.norm(to_camera, axis=1, keepdims=True) + 1e-300
    lit = 0.35 + 0.65 * np.abs(np.einsum("ij,ij->i", normals, to_camera)) / (lengths + 1e-300)
    seen = np.full(width * height, -1)
    depth = -local[:, :, 2]
    # A triangle that reaches behind the camera is left out.
    kept = np.flatnonzero((depth > 1e-3).all(axis=1) & (lengths > 0.0))
    inverse = 1.0 / depth[kept]
    focal = 0.5 * height * camera.zoom / np.tan(0.5 * _VIEW)
    x = 0.5 * width + focal * local[kept, :, 0] * inverse - 0.5
    y = 0.5 * height - focal * local[kept, :, 1] * inverse - 0.5
    left, right = np.ceil(x.min(axis=1)).clip(0, width), np.floor(x.max(axis=1)).clip(-1, width - 1)
    above, below = np.ceil(y.min(axis=1)).clip(0, height), np.floor(y.max(axis=1)).clip(-1, height - 1)
    columns = (right - left + 1).clip(0).astype(int)
    counts = columns * (below - above + 1).clip(0).astype(int)
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(kept):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _BLOCK, "right")))
        chosen = np.repeat(np.arange(begin, end), counts[begin:end])
        index = np.arange(len(chosen)) - np.repeat(ends[begin:end] - counts[begin:end] - done, counts[begin:end])
        row, column = np.divmod(index, np.maximum(columns[chosen], 1))
        px, py = left[chosen] + column, above[chosen] + row
        begin = end
        # Twice the areas of the triangles that a pixel makes with each side.
        xs, ys = x[chosen], y[chosen]
        areas = np.stack(
            [
                (xs[:, (i + 1) % 3] - px) * (ys[:, (i + 2) % 3] - py) - (xs[:, (i + 2) % 3] - px) * (ys[:, (i + 1) % 3] - py)
                for i in range(3)
            ],
            axis=1,
        )
        whole = areas.sum(axis=1)
        inside = ((areas >= 0.0).all(axis=1) | (areas <= 0.0).all(axis=1)) & (whole != 0.0)
        areas, whole, chosen = areas[inside], whole[inside], chosen[inside]
        pixel = (py[inside] * width + px[inside]).astype(int)
        # 1/depth is linear in the picture.
        closeness = np.einsum("ij,ij->i", areas, inverse[chosen]) / whole
        np.maximum.at(near, pixel, closeness)
        wins = closeness >= near[pixel]
        seen[pixel[wins]] = kept[chosen[wins]]
    return seen, lit
