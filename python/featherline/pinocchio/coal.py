"""Shapes with the names of coal, the collision library of Pinocchio (once hppfcl).

A program that imports the package coal itself finds that these shapes are instances of its classes, too.
"""

from __future__ import annotations

import copy as copy_module
import os
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from featherline.pinocchio.absent import Absent
from featherline.pinocchio.lists import Changes, are_equal

if TYPE_CHECKING:
    from featherline.robot_files import Geometry, MeshFile

_OF_RESULTS = ("CollisionRequest", "CollisionResult", "Contact", "DistanceResult")
_OF_PATCHES = (
    "ContactPatch", "ContactPatchDirection", "ContactPatchRequest", "ContactPatchResult", "StdVec_ContactPatch",
    "StdVec_ContactPatchRequest", "StdVec_ContactPatchResult",
)  # fmt: skip

__all__ = [
    "AABB", "BVHModelBase", "BVHModelOBBRSS", "Box", "CachedMeshLoader", "Capsule", "CollisionGeometry", "Cone", "Convex",
    "ConvexBase", "Cylinder",
    "Ellipsoid", "Halfspace", "NODE_TYPE", "OBJECT_TYPE", "Plane", "ShapeBase", "Sphere", *_OF_RESULTS, *_OF_PATCHES,
]  # fmt: skip

__version__ = "3.0.3"
WITH_OCTOMAP = False

Array = np.ndarray

NODE_TYPE = IntEnum(
    "NODE_TYPE",
    """BV_UNKNOWN BV_AABB BV_OBB BV_RSS BV_kIOS BV_OBBRSS BV_KDOP16 BV_KDOP18 BV_KDOP24 GEOM_BOX GEOM_SPHERE GEOM_CAPSULE
    GEOM_CONE GEOM_CYLINDER GEOM_CONVEX GEOM_PLANE GEOM_HALFSPACE GEOM_TRIANGLE GEOM_OCTREE GEOM_ELLIPSOID HF_AABB
    HF_OBBRSS""",
    start=0,
)
OBJECT_TYPE = IntEnum("OBJECT_TYPE", "OT_UNKNOWN OT_BVH OT_GEOM OT_OCTREE OT_HFIELD", start=0)
globals().update(NODE_TYPE.__members__ | OBJECT_TYPE.__members__)


# What coal's shapes have beside.
_ABSENT = frozenset("buildConvexHull num_polygons polygons neighbors getSweptSphereRadius setSweptSphereRadius".split())
_LARGEST = float(np.finfo(float).max)


class AABB:
    """A box along the axes, from min_ to max_: of one, two or three points, of a box, or of a box and what is added on each side.

    Of nothing, the empty box, of which a point makes a box.
    """

    def __init__(self, *parts: Any) -> None:
        self.min_, self.max_ = np.full(3, _LARGEST), np.full(3, -_LARGEST)
        if len(parts) == 2 and isinstance(parts[0], AABB):
            core, more = parts[0], np.array(parts[1], float).reshape(3)
            parts = core.min_ - more, core.max_ + more
        for part in parts:
            self += part

    def __iadd__(self, other: Any) -> AABB:
        low, high = (other.min_, other.max_) if isinstance(other, AABB) else (np.array(other, float).reshape(3),) * 2
        self.min_, self.max_ = np.minimum(self.min_, low), np.maximum(self.max_, high)
        return self

    def __add__(self, other: Any) -> AABB:
        both = AABB(self)
        both += other
        return both

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AABB) and np.array_equal(self._corners(), other._corners())

    __hash__ = object.__hash__

    def _corners(self) -> Array:
        return np.array([self.min_, self.max_])

    def _sides(self) -> Array:
        sides: Array = self.max_ - self.min_
        return sides

    def center(self) -> Array:
        """The middle (3,), in m."""
        middle: Array = 0.5 * (self.min_ + self.max_)
        return middle

    def width(self) -> float:
        """The side along x, in m."""
        return float(self._sides()[0])

    def height(self) -> float:
        """The side along y, in m."""
        return float(self._sides()[1])

    def depth(self) -> float:
        """The side along z, in m."""
        return float(self._sides()[2])

    def volume(self) -> float:
        """The volume, in m³."""
        return float(np.prod(self._sides()))

    # As in coal's binding.
    size = volume

    def contain(self, other: Any) -> bool:
        """Whether a point, or all of a box, is in the box."""
        low, high = (other.min_, other.max_) if isinstance(other, AABB) else (other, other)
        return bool(np.all(low >= self.min_) and np.all(high <= self.max_))

    def overlap(self, other: AABB) -> bool:
        """Whether the boxes have a point in common."""
        return bool(np.all(self.min_ <= other.max_) and np.all(other.min_ <= self.max_))

    def distance(self, other: AABB) -> float:
        """The distance of the boxes, in m; zero where they overlap."""
        gap = np.maximum(np.maximum(self.min_ - other.max_, other.min_ - self.max_), 0.0)
        return float(np.linalg.norm(gap))


class CollisionGeometry:
    """A shape in its own frame.

    `shape`, `sizes` and `mesh` are those of `featherline.robot_files.Geometry`.
    """

    shape = ""
    mesh: MeshFile | None = None
    _node: NODE_TYPE
    _object: OBJECT_TYPE

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # isinstance asks for the type first, and for this where that does not fit.
        own = type(self)
        return getattr(sys.modules.get("coal"), own.__name__, own)

    @property
    def sizes(self) -> tuple[float, ...]:
        return ()

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        Changes.count += 1

    def copy(self) -> Any:
        return copy_module.deepcopy(self)

    clone = __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = object.__new__(type(self))
        vars(made).update(copy_module.deepcopy(vars(self), memo))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return object.__new__, (type(self),), vars(self)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return are_equal(vars(self), vars(other))

    __hash__ = object.__hash__

    def getNodeType(self) -> NODE_TYPE:
        return self._node

    def getObjectType(self) -> OBJECT_TYPE:
        return self._object

    def computeVolume(self) -> float:
        """The volume, in m³."""
        return self._solid()[0]

    def computeCOM(self) -> Array:
        """The centre of mass (3,), in m."""
        return np.zeros(3)

    def computeMomentofInertia(self) -> Array:
        """The moments of inertia (3, 3) about the frame's origin at a density of 1 kg/m³, in kg·m²."""
        volume, moments = self._solid()
        return np.diag(np.array(moments) * volume)

    def computeMomentofInertiaRelatedToCOM(self) -> Array:
        """The moments of inertia (3, 3) about the centre of mass at a density of 1 kg/m³, in kg·m²."""
        com = self.computeCOM()
        about: Array = self.computeMomentofInertia() - self.computeVolume() * (com @ com * np.eye(3) - np.outer(com, com))
        return about

    def computeLocalAABB(self) -> None:
        """Nothing: aabb_local, aabb_center and aabb_radius are computed when they are read."""

    @property
    def aabb_local(self) -> AABB:
        """The box along the axes around the shape."""
        half = np.array(self._half_sides())
        return AABB(-half, half)

    @property
    def aabb_center(self) -> Array:
        """The middle (3,) of that box, in m."""
        return self.aabb_local.center()

    @property
    def aabb_radius(self) -> float:
        """The radius in m of a ball around the middle of that box with the shape in it."""
        box = self.aabb_local
        return float(np.linalg.norm(box.max_ - box.center()))

    def _half_sides(self) -> Any:
        """Half the sides of the box around the shape."""
        raise NotImplementedError(f"{type(self).__name__} has no box around it here")

    def _solid(self) -> tuple[float, Any]:
        """The volume, and the moments of inertia by volume."""
        raise NotImplementedError(f"{type(self).__name__} has no volume here")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{size:g}' for size in self.sizes)})"

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT:
            raise Absent(f"coal.{type(self).__name__}.{name} has no counterpart in featherline")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class ShapeBase(CollisionGeometry):
    """A shape that is stated by its sizes."""

    _object = OBJECT_TYPE["OT_GEOM"]

    def _copied(self, parts: tuple[Any, ...]) -> bool:
        """Whether this is made as a copy of another shape."""
        copied = len(parts) == 1 and type(parts[0]) is type(self)
        if copied:
            vars(self).update(copy_module.deepcopy(vars(parts[0])))
        return copied


class Box(ShapeBase):
    """A box: its three sides, in m."""

    shape, _node = "box", NODE_TYPE["GEOM_BOX"]

    def __init__(self, *sides: Any) -> None:
        if not self._copied(sides):
            self.halfSide = np.array(sides or (0, 0, 0), float).reshape(3) / 2

    @property
    def sizes(self) -> tuple[float, ...]:
        return tuple(2 * float(side) for side in self.halfSide)

    def _half_sides(self) -> Any:
        return self.halfSide

    def _solid(self) -> tuple[float, Any]:
        x, y, z = self.sizes
        return x * y * z, [(y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12]


class Sphere(ShapeBase):
    """A sphere: its radius, in m."""

    shape, _node = "sphere", NODE_TYPE["GEOM_SPHERE"]

    def __init__(self, radius: Any = 0.0) -> None:
        if not self._copied((radius,)):
            self.radius = float(radius)

    @property
    def sizes(self) -> tuple[float, ...]:
        return (self.radius,)

    def _half_sides(self) -> Any:
        return [self.radius] * 3

    @property
    def aabb_radius(self) -> float:
        return self.radius

    def _solid(self) -> tuple[float, Any]:
        return 4 / 3 * np.pi * self.radius**3, [0.4 * self.radius**2] * 3


class _Round(ShapeBase):
    """A shape about its z axis: its radius and its length, in m."""

    def __init__(self, radius: Any = 0.0, lz: float = 0.0) -> None:
        if not self._copied((radius,)):
            self.radius, self.halfLength = float(radius), lz / 2

    @property
    def sizes(self) -> tuple[float, ...]:
        return self.radius, 2 * self.halfLength

    def _half_sides(self) -> Any:
        return [self.radius, self.radius, self.halfLength]


class Cylinder(_Round):
    """A cylinder along z: its radius and its length, in m."""

    shape, _node = "cylinder", NODE_TYPE["GEOM_CYLINDER"]

    def _solid(self) -> tuple[float, Any]:
        r, h = self.sizes
        across = (3 * r * r + h * h) / 12
        return np.pi * r * r * h, [across, across, r * r / 2]


class Cone(_Round):
    """A cone along z, its tip at half of its length: its radius and its length, in m."""

    shape, _node = "cone", NODE_TYPE["GEOM_CONE"]

    def computeCOM(self) -> Array:
        return np.array([0.0, 0.0, -self.halfLength / 2])

    def _solid(self) -> tuple[float, Any]:
        r, h = self.sizes
        across = 0.15 * r * r + 0.1 * h * h
        return np.pi * r * r * h / 3, [across, across, 0.3 * r * r]


class Capsule(_Round):
    """A cylinder along z with half spheres at its ends: its radius, and its length without those, in m."""

    shape, _node = "capsule", NODE_TYPE["GEOM_CAPSULE"]

    def _half_sides(self) -> Any:
        return [self.radius, self.radius, self.halfLength + self.radius]

    def _solid(self) -> tuple[float, Any]:
        r, h = self.sizes
        cylinder, sphere = np.pi * r * r * h, 4 / 3 * np.pi * r**3
        across = cylinder * (3 * r * r + h * h) / 12 + sphere * (0.4 * r * r + h * h / 4 + 3 / 8 * h * r)
        along = cylinder * r * r / 2 + sphere * 0.4 * r * r
        volume = cylinder + sphere
        return volume, np.array([across, across, along]) / volume


class Ellipsoid(ShapeBase):
    """An ellipsoid: its three semi-axes, in m."""

    shape, _node = "ellipsoid", NODE_TYPE["GEOM_ELLIPSOID"]

    def __init__(self, *radii: Any) -> None:
        if not self._copied(radii):
            self.radii = np.array(radii or (0, 0, 0), float).reshape(3)

    @property
    def sizes(self) -> tuple[float, ...]:
        return tuple(float(radius) for radius in self.radii)

    def _half_sides(self) -> Any:
        return self.radii

    def _solid(self) -> tuple[float, Any]:
        x, y, z = np.square(self.radii) / 5
        return 4 / 3 * np.pi * float(np.prod(self.radii)), [y + z, x + z, x + y]


class _Flat(ShapeBase):
    """The points x where n·x = d: (n, d), or n's entries and d."""

    def __init__(self, *parts: Any) -> None:
        if not self._copied(parts):
            numbers = np.concatenate([np.ravel(part) for part in parts]) if parts else np.array([1.0, 0.0, 0.0, 0.0])
            length = float(np.linalg.norm(numbers[:3]))
            self.n, self.d = numbers[:3] / length, float(numbers[3]) / length

    @property
    def aabb_local(self) -> AABB:
        """The box along the axes around the shape: all space but where the normal is along an axis."""
        box = AABB(np.full(3, -_LARGEST), np.full(3, _LARGEST))
        (along,) = np.nonzero(self.n)
        if len(along) == 1:
            axis, place = along[0], self.d / self.n[along[0]]
            if self._bounded_below or self.n[axis] < 0:
                box.min_[axis] = place
            if self._bounded_below or self.n[axis] > 0:
                box.max_[axis] = place
        return box

    @property
    def aabb_radius(self) -> float:
        return np.inf

    # Whether the shape ends on both sides of the plane.
    _bounded_below = False


class Plane(_Flat):
    """A plane, the points x where n·x = d."""

    shape, _node, _bounded_below = "plane", NODE_TYPE["GEOM_PLANE"], True


class Halfspace(_Flat):
    """A half space, the points x where n·x ≤ d."""

    shape, _node = "plane", NODE_TYPE["GEOM_HALFSPACE"]


class _OfFile(CollisionGeometry):
    """A mesh of a file, which is read when it is asked for, in single precision."""

    def _read(self) -> tuple[Array, Array]:
        """The corners (n, 3), in m, and the triangles (m, 3) of their numbers."""
        from featherline.pinocchio.visualize import mesh_files

        if self.mesh is None or self.mesh.path is None:
            raise ValueError(f"the {type(self).__name__} is of no file, so it has no corners")
        vertices, faces = mesh_files.read([self.mesh.path])[self.mesh.path]
        return vertices * self.mesh.scale, faces

    def _corners(self, index: int | None) -> Array:
        vertices: Array = self._read()[0]
        return vertices if index is None else np.array(vertices[index])

    @property
    def aabb_local(self) -> AABB:
        """The box along the axes around the mesh."""
        vertices = self._corners(None)
        return AABB(vertices.min(axis=0), vertices.max(axis=0))


class ConvexBase(_OfFile, ShapeBase):
    """A convex polyhedron."""

    @property
    def num_points(self) -> int:
        return len(self._corners(None))

    def points(self, index: int | None = None) -> Array:
        """The corners (n, 3), in m, or one of them (3,)."""
        return self._corners(index)

    point = points

    @property
    def center(self) -> Array:
        """The mean (3,) of the corners, in m."""
        mean: Array = self._corners(None).mean(axis=0)
        return mean


class Convex(ConvexBase):
    """A convex polyhedron of a mesh file."""

    shape, _node = "mesh", NODE_TYPE["GEOM_CONVEX"]


class BVHModelBase(_OfFile):
    """A mesh of triangles."""

    shape, _object = "mesh", OBJECT_TYPE["OT_BVH"]
    convex: Convex | None = None

    @property
    def num_vertices(self) -> int:
        return len(self._read()[0])

    @property
    def num_tris(self) -> int:
        return len(self._read()[1])

    def vertices(self, index: int | None = None) -> Array:
        """The corners (n, 3), in m, or one of them (3,)."""
        return self._corners(index)

    vertex = vertices

    def tri_indices(self, index: int) -> tuple[int, ...]:
        """The numbers of a triangle's corners."""
        return tuple(int(corner) for corner in self._read()[1][index])

    @property
    def aabb_radius(self) -> float:
        away = self._corners(None) - self.aabb_center
        return float(np.sqrt(np.max(np.sum(away * away, axis=1))))

    def buildConvexRepresentation(self, share_memory: bool) -> None:
        """Set `convex`, the mesh as a convex polyhedron, which it must be."""
        del share_memory
        self.convex = Convex()
        self.convex.mesh = self.mesh


class BVHModelOBBRSS(BVHModelBase):
    """A mesh of triangles of a file, which is read when a distance is asked for."""

    _node = NODE_TYPE["BV_OBBRSS"]


class MeshLoader:
    """Meshes of files."""

    def __init__(self, node_type: Any = NODE_TYPE["BV_OBBRSS"]) -> None:
        if int(node_type) != NODE_TYPE["BV_OBBRSS"]:
            raise NotImplementedError(f"MeshLoader of {NODE_TYPE(int(node_type)).name}: it is of BV_OBBRSS")

    def load(self, filename: str, scale: Any = (1.0, 1.0, 1.0)) -> BVHModelOBBRSS:
        """The mesh of a file, which is read when it is asked for, by factors along x, y and z."""
        from featherline.robot_files import MeshFile

        if not os.path.isfile(filename):
            raise ValueError(f"{os.fspath(filename)} was not found")
        x, y, z = (float(factor) for factor in scale)
        mesh = BVHModelOBBRSS()
        mesh.mesh = MeshFile(os.fspath(filename), os.path.abspath(filename), (x, y, z))
        return mesh

    def loadOctree(self, filename: str) -> Any:
        raise NotImplementedError(f"MeshLoader.loadOctree({filename!r}): there are no octrees here")


class CachedMeshLoader(MeshLoader):
    """Meshes of files, which are read once."""


_OF_SIZES: dict[str, type[CollisionGeometry]] = {one.shape: one for one in (Box, Sphere, Cylinder, Cone, Capsule, Ellipsoid)}


def of_file(shape: Geometry) -> Any:
    """The shape that a robot's file states; that itself where coal has no such class."""
    if shape.shape in _OF_SIZES:
        return _OF_SIZES[shape.shape](*shape.sizes)
    if shape.shape == "plane":
        # What is below the plane of a file is solid.
        return Halfspace(0, 0, 1, 0)
    if shape.mesh is not None:
        mesh = BVHModelOBBRSS()
        mesh.mesh = shape.mesh
        return mesh
    return shape


def __getattr__(name: str) -> Any:
    if name in _OF_RESULTS:
        from featherline.pinocchio import geometry

        return getattr(geometry, name)
    if name in _OF_PATCHES:
        from featherline.pinocchio import contact_patches

        return getattr(contact_patches, name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise Absent(f"coal.{name} has no counterpart in featherline")
