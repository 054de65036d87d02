"""Shapes with the names of coal, the collision library of Pinocchio (once hppfcl).

A program that imports the package coal itself finds that these shapes are instances of its classes, too.
"""

from __future__ import annotations

import copy as copy_module
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from featherline.robot_files import Geometry, MeshFile

_OF_RESULTS = ("CollisionRequest", "CollisionResult", "Contact", "DistanceResult")

__all__ = [
    "BVHModelBase", "BVHModelOBBRSS", "Box", "Capsule", "CollisionGeometry", "Cone", "Convex", "ConvexBase", "Cylinder",
    "Ellipsoid", "Halfspace", "NODE_TYPE", "OBJECT_TYPE", "Plane", "ShapeBase", "Sphere", *_OF_RESULTS,
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


# What coal's shapes have beside; those of meshes would need their vertices.
_ABSENT = frozenset(
    """aabb_center aabb_local aabb_radius computeLocalAABB computeMomentofInertiaRelatedToCOM num_vertices num_tris
    vertex vertices tri_indices buildConvexHull num_points num_polygons points point polygons neighbors center
    getSweptSphereRadius setSweptSphereRadius""".split()
)


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
        mine, others = vars(self), vars(other)
        return mine.keys() == others.keys() and all(
            np.array_equal(value, others[name]) if isinstance(value, np.ndarray) else value == others[name]
            for name, value in mine.items()
        )

    __hash__ = None  # type: ignore[assignment]

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

    def _solid(self) -> tuple[float, Any]:
        """The volume, and the moments of inertia by volume."""
        raise NotImplementedError(f"{type(self).__name__} has no volume here")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{size:g}' for size in self.sizes)})"

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT:
            raise NotImplementedError(f"coal.{type(self).__name__}.{name} has no counterpart in featherline")
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


class Plane(_Flat):
    """A plane, the points x where n·x = d."""

    shape, _node = "plane", NODE_TYPE["GEOM_PLANE"]


class Halfspace(_Flat):
    """A half space, the points x where n·x ≤ d."""

    shape, _node = "halfspace", NODE_TYPE["GEOM_HALFSPACE"]


class ConvexBase(ShapeBase):
    """A convex polyhedron."""


class Convex(ConvexBase):
    """A convex polyhedron of a mesh file."""

    shape, _node = "mesh", NODE_TYPE["GEOM_CONVEX"]


class BVHModelBase(CollisionGeometry):
    """A mesh of triangles."""

    shape, _object = "mesh", OBJECT_TYPE["OT_BVH"]
    convex: Convex | None = None

    def buildConvexRepresentation(self, share_memory: bool) -> None:
        """Set `convex`, the mesh as a convex polyhedron, which it must be."""
        del share_memory
        self.convex = Convex()
        self.convex.mesh = self.mesh


class BVHModelOBBRSS(BVHModelBase):
    """A mesh of triangles of a file, which is read when a distance is asked for."""

    _node = NODE_TYPE["BV_OBBRSS"]


_OF_SIZES: dict[str, type[CollisionGeometry]] = {one.shape: one for one in (Box, Sphere, Cylinder, Cone, Capsule, Ellipsoid)}


def of_file(shape: Geometry) -> Any:
    """The shape that a robot's file states; that itself where coal has no such class."""
    if shape.shape in _OF_SIZES:
        return _OF_SIZES[shape.shape](*shape.sizes)
    if shape.shape == "plane":
        return Plane(0, 0, 1, 0)
    if shape.mesh is not None:
        mesh = BVHModelOBBRSS()
        mesh.mesh = shape.mesh
        return mesh
    return shape


def __getattr__(name: str) -> Any:
    if name in _OF_RESULTS:
        from featherline.pinocchio import geometry

        return getattr(geometry, name)
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(f"coal.{name} has no counterpart in featherline")
