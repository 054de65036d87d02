"""Shapes of geometry objects and of meshcat as triangles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray

# Corners of round shapes, around and from pole to pole.
_AROUND = 32
_ALONG = 16

# Half the side of a plane that is drawn, in m, and of a line with the width 1.
_PLANE = 5.0
_LINE = 0.002

_BOX = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


class Shape(NamedTuple):
    """Triangles of one colour: their own, or those of a file, which is read when a picture needs it."""

    vertices: Array  #: (n, 3), in m; empty of a file.
    faces: Array  #: (m, 3), indices of vertices.
    colour: Array  #: Red, green, blue and opacity, from 0 to 1.
    path: str = ""  #: The file of the mesh.
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  #: Factors of the coordinates.


class Unsupported(Exception):
    """A geometry that is not drawn."""


def box(sides: Any) -> tuple[Array, Array]:
    """A box around the origin."""
    return _BOX * np.asarray(sides, float), _BOX_FACES


def turned(radii: Any, heights: Any) -> tuple[Array, Array]:
    """The surface that a curve of radii (n,) at heights (n,) makes when it is turned about z."""
    angles = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rings = [np.column_stack([radius * circle, np.full(_AROUND, z)]) for radius, z in zip(radii, heights, strict=True)]
    first = np.arange(_AROUND)
    second = (first + 1) % _AROUND
    faces = []
    for ring in range(len(rings) - 1):
        a, b = ring * _AROUND, (ring + 1) * _AROUND
        # A ring without radius is a point, and has triangles on one side only.
        if radii[ring + 1] > 0.0:
            faces.append(np.stack([a + first, b + second, b + first], axis=1))
        if radii[ring] > 0.0:
            faces.append(np.stack([a + first, a + second, b + second], axis=1))
    return np.concatenate(rings), np.concatenate(faces)


def sphere(radius: float) -> tuple[Array, Array]:
    return capsule(radius, 0.0)


def capsule(radius: float, length: float) -> tuple[Array, Array]:
    """A capsule along z; the length is that between the centres of its ends."""
    angles = np.linspace(-np.pi / 2.0, np.pi / 2.0, _ALONG)
    radii = radius * np.cos(angles)
    radii[[0, -1]] = 0.0
    return turned(radii, radius * np.sin(angles) + np.where(angles < 0.0, -length / 2.0, length / 2.0))


def ellipsoid(radii: Any) -> tuple[Array, Array]:
    vertices, faces = sphere(1.0)
    return vertices * np.asarray(radii, float), faces


def cylinder(radius: float, length: float, upper_radius: float | None = None) -> tuple[Array, Array]:
    """A cylinder along z, or a cone with another radius at its upper end."""
    upper = radius if upper_radius is None else upper_radius
    return turned([0.0, radius, upper, 0.0], [-length / 2.0, -length / 2.0, length / 2.0, length / 2.0])


def plane(
    normal: Any = (0.0, 0.0, 1.0), offset: float = 0.0, sides: tuple[float, float] = (2 * _PLANE, 2 * _PLANE)
) -> tuple[Array, Array]:
    """A rectangle about the point of a plane that is nearest to the origin."""
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    x = np.cross(n, np.eye(3)[np.argmin(np.abs(n))]) if abs(n[2]) < 1.0 else np.array([1.0, 0.0, 0.0])
    x = 0.5 * sides[0] * x / np.linalg.norm(x)
    y = 0.5 * sides[1] * np.cross(n, x) / np.linalg.norm(x)
    return offset * n + np.array([-x - y, x - y, x + y, y - x]), np.array([[0, 1, 2], [0, 2, 3]])


def lines(ends: Any, half_width: float) -> tuple[Array, Array]:
    """Segments (n, 2, 3) as square bars."""
    ends = np.asarray(ends, float).reshape(-1, 2, 3)
    along = ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    ends, along, lengths = (part[lengths > 0.0] for part in (ends, along, lengths))
    z = along / lengths[:, None]
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z), axis=1)])
    x /= np.linalg.norm(x, axis=1)[:, None]
    sides = np.stack([x, np.cross(z, x), z], axis=1)
    sides *= np.column_stack([np.full((len(z), 2), 2.0 * half_width), lengths])[:, :, None]
    vertices = _BOX @ sides + ends.mean(axis=1)[:, None]
    return vertices.reshape(-1, 3), _boxes(len(z))


def _boxes(count: int) -> Array:
    """The triangles of boxes whose corners come one box after the other."""
    corners: Array = 8 * np.arange(count)[:, None, None] + _BOX_FACES
    return corners.reshape(-1, 3)


def _of_file(kind: str, sizes: tuple[float, ...]) -> tuple[Array, Array]:
    """A shape as a file states it."""
    match kind:
        case "box":
            return box(sizes)
        case "sphere":
            return sphere(sizes[0])
        case "cylinder":
            return cylinder(*sizes)
        case "capsule":
            return capsule(*sizes)
        case "cone":
            return cylinder(sizes[0], sizes[1], 0.0)
        case "ellipsoid":
            return ellipsoid(sizes)
        case "plane":
            return plane()
    raise Unsupported(f"a shape of the kind '{kind}' is not drawn")


def _of_coal(shape: Any) -> tuple[Array, Array]:
    """A shape of coal, by the name of its class."""
    match type(shape).__name__:
        case "Box":
            return box(2.0 * np.asarray(shape.halfSide, float))
        case "Sphere":
            return sphere(shape.radius)
        case "Capsule":
            return capsule(shape.radius, 2.0 * shape.halfLength)
        case "Cylinder":
            return cylinder(shape.radius, 2.0 * shape.halfLength)
        case "Cone":
            return cylinder(shape.radius, 2.0 * shape.halfLength, 0.0)
        case "Ellipsoid":
            return ellipsoid(shape.radii)
        case "Plane" | "Halfspace":
            return plane(shape.n, shape.d)
    if hasattr(shape, "tri_indices"):
        return np.array(shape.vertices()), _triangles(shape.tri_indices, shape.num_tris)
    if hasattr(shape, "polygons"):
        return np.array(shape.points()), _triangles(shape.polygons, shape.num_polygons)
    raise Unsupported(f"{type(shape).__name__} is not drawn")


def _triangles(triangle: Any, count: int) -> Array:
    return np.array([[triangle(k)[i] for i in range(3)] for k in range(count)], int).reshape(-1, 3)


def of_object(one: Any, colour: Any = None) -> Shape:
    """The shape of a GeometryObject, in its colour or in another one."""
    rgba = np.array(one.meshColor if colour is None else colour, float)
    if rgba.shape != (4,):
        raise ValueError(f"a colour has red, green, blue and opacity: {rgba.tolist()}")
    geometry = one.geometry
    scale = (float(one.meshScale[0]), float(one.meshScale[1]), float(one.meshScale[2]))
    kind = getattr(geometry, "shape", None)
    if kind == "mesh" and not one.meshPath and geometry.mesh is not None and geometry.mesh.path is not None:
        # A shape of another object's mesh, as `convex` is.
        x, y, z = np.multiply(scale, geometry.mesh.scale)
        return Shape(np.zeros((0, 3)), np.zeros((0, 3), int), rgba, geometry.mesh.path, (float(x), float(y), float(z)))
    if kind == "mesh" or (kind is None and one.meshPath.lower().endswith((".dae", ".obj", ".stl"))):
        return Shape(np.zeros((0, 3)), np.zeros((0, 3), int), rgba, one.meshPath, scale)
    vertices, faces = _of_coal(geometry) if kind in (None, "plane") else _of_file(kind, geometry.sizes)
    return Shape(vertices * scale, faces, rgba)


def _of_meshcat(geometry: Any) -> tuple[Array, Array]:
    """A geometry of meshcat, whose cylinders lie along y."""
    match type(geometry).__name__:
        case "Box":
            return box(geometry.lengths)
        case "Sphere" | "Ellipsoid":
            # An ellipsoid of meshcat is a sphere with a transform.
            return sphere(geometry.radius)
        case "Plane":
            return plane(sides=(geometry.width, geometry.height))
        case "TriangularMeshGeometry":
            return np.array(geometry.vertices, float), np.array(geometry.faces, int)
    if hasattr(geometry, "radiusTop"):
        vertices, faces = cylinder(geometry.radiusBottom, geometry.height, geometry.radiusTop)
        return vertices[:, [1, 2, 0]], faces
    raise NotImplementedError(
        f"set_object of meshcat's {type(geometry).__name__}: boxes, spheres, ellipsoids, cylinders, planes, "
        "triangular meshes, lines and points are drawn; add a mesh file by addGeometryObject of a GeometryObject"
    )


def rgb(number: int) -> Array:
    """Red, green and blue of 0xRRGGBB, from 0 to 1."""
    return np.array([number >> 16 & 255, number >> 8 & 255, number & 255]) / 255.0


def _colour_of(material: Any) -> Array:
    opacity = getattr(material, "opacity", None)
    return np.append(rgb(int(getattr(material, "color", 0xFFFFFF))), 1.0 if opacity is None else opacity)


def _of_lines(one: Any) -> tuple[Shape, ...]:
    """Lines of meshcat: those of one colour are one shape."""
    points = np.array(one.geometry.position, float).T
    if type(one).__name__ == "LineSegments":
        first = np.arange(0, len(points) - 1, 2)
    else:
        first = np.arange(len(points) - (type(one).__name__ == "Line"))
    ends = np.stack([points[first], points[(first + 1) % len(points)]], axis=1)
    half_width = _LINE * float(getattr(one.material, "linewidth", 1.0) or 1.0)
    colours = getattr(one.geometry, "color", None)
    if colours is None or not getattr(one.material, "vertexColors", False):
        return (Shape(*lines(ends, half_width), _colour_of(one.material)),)
    groups = _by_colour(np.array(colours, float).T[first])
    return tuple(Shape(*lines(ends[chosen], half_width), colour) for colour, chosen in groups)


def _of_points(one: Any) -> tuple[Shape, ...]:
    """Points of meshcat as cubes."""
    points = np.array(one.geometry.position, float).T
    colours = getattr(one.geometry, "color", None)
    of_all = np.broadcast_to(rgb(int(one.material.color)), points.shape)
    groups = _by_colour(of_all if colours is None else np.array(colours, float).T)
    return tuple(Shape(*_cubes(points[chosen], float(one.material.size)), colour) for colour, chosen in groups)


def _cubes(points: Array, side: float) -> tuple[Array, Array]:
    """Cubes around points (n, 3)."""
    vertices = points[:, None] + side * _BOX
    return vertices.reshape(-1, 3), _boxes(len(points))


def _by_colour(colours: Array) -> list[tuple[Array, Array]]:
    """Each opaque colour of (n, 3), in 8 steps of red, green and blue, and which have it."""
    steps = np.rint(7.0 * colours.clip(0.0, 1.0))
    return [(np.append(kind / 7.0, 1.0), (steps == kind).all(axis=1)) for kind in np.unique(steps, axis=0)]


def of_meshcat(one: Any, material: Any = None) -> tuple[Shape, ...]:
    """The shapes of an object or a geometry of meshcat, in the colour of its material."""
    if hasattr(one, "geometry"):
        if type(one).__name__ in ("Line", "LineSegments", "LineLoop"):
            return _of_lines(one)
        if type(one).__name__ == "Points":
            return _of_points(one)
        return of_meshcat(one.geometry, one.material)
    vertices, faces = _of_meshcat(one)
    if hasattr(one, "intrinsic_transform"):
        transform = np.array(one.intrinsic_transform(), float)
        vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
    return (Shape(vertices, faces, _colour_of(material)),)
