"""Pictures of triangles, drawn by numpy: they need neither a browser nor a display."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray

# Pixels along each side that are drawn for one of the picture.
_FINE = 2
# Pixels that are tested at once.
_BLOCK = 500_000
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
    right: Array = np.cross(up, back)
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
    eye: Array = target + distance * _DIRECTION / np.linalg.norm(_DIRECTION)
    return eye


def draw(parts: list[Part], camera: Camera, size: tuple[int, int], top: Array, bottom: Array) -> Array:
    """A picture (height, width, 3) of uint8; `size` is its width and its height, and the background goes from `top`
    to `bottom`. Parts that are not opaque show the opaque one behind them."""
    width, height = _FINE * size[0], _FINE * size[1]
    falling = np.linspace(top, bottom, height, dtype=np.float32)
    picture = np.repeat(falling, width, axis=0)
    near = np.zeros(width * height)
    for is_opaque in (True, False):
        chosen = [part for part in parts if (part.colour[3] >= 1.0) == is_opaque and len(part.faces)]
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
    mean = sum(fine[:, i, :, k] for i in range(_FINE) for k in range(_FINE)) / _FINE**2
    return np.asarray(np.rint(255.0 * np.clip(mean, 0.0, 1.0)).astype(np.uint8))


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
    whole = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])
    some = np.flatnonzero((counts > 0) & (whole != 0.0))
    x, y, inverse, whole, kept = x[some], y[some], inverse[some], whole[some], kept[some]
    left, above, columns, counts = left[some], above[some], columns[some], counts[some]
    # Barycentric coordinates are linear in the picture, and so is 1/depth: c + a column + b row.
    linear = []
    for i in range(3):
        (x1, y1), (x2, y2) = ((x[:, (i + k) % 3], y[:, (i + k) % 3]) for k in (1, 2))
        a, b = (y1 - y2) / whole, (x2 - x1) / whole
        linear.append((((x1 - left) * (y2 - above) - (x2 - left) * (y1 - above)) / whole, a, b))
    linear.append(tuple(sum(linear[i][k] * inverse[:, i] for i in range(3)) for k in range(3)))
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(kept):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _BLOCK, "right")))
        block, many = slice(begin, end), counts[begin:end]
        index = np.arange(many.sum()) - np.repeat(ends[block] - many - done, many)
        row, column = np.divmod(index, np.repeat(columns[block], many))
        chosen = np.repeat(np.arange(begin, end), many)
        begin = end
        for c, a, b in linear[:3]:
            inside = np.flatnonzero(c[chosen] + a[chosen] * column + b[chosen] * row >= 0.0)
            chosen, row, column = chosen[inside], row[inside], column[inside]
        c, a, b = linear[3]
        closeness = c[chosen] + a[chosen] * column + b[chosen] * row
        pixel = ((above[chosen] + row) * width + left[chosen] + column).astype(int)
        np.maximum.at(near, pixel, closeness)
        wins = closeness >= near[pixel]
        seen[pixel[wins]] = kept[chosen[wins]]
    return seen, lit
