"""Geometry models: the shapes of a robot's links, and which pairs of them may collide.

`featherline.pinocchio.collision` computes distances and collisions.
"""

from __future__ import annotations

import copy as copy_module
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherline._native import SE3, _pinocchio
from featherline.pinocchio.absent import Absent
from featherline.pinocchio.coal import Capsule
from featherline.pinocchio.contact_patches import (
    ContactPatchRequest,
    ContactPatchResult,
    StdVec_ContactPatchRequest,
    StdVec_ContactPatchResult,
)
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.lists import (
    Changes,
    CountedVec,
    StdVec_Bool,
    StdVec_CollisionPair,
    StdVec_CollisionResult,
    StdVec_DistanceResult,
    StdVec_GeometryObject,
    StdVec_SE3,
    are_equal,
    filled,
)
from featherline.pinocchio.materials import GeometryNoMaterial, PhysicsMaterial
from featherline.pinocchio.model import Model
from featherline.pinocchio.saved import Saved

__all__ = [
    "CollisionPair", "CollisionResult", "Contact", "DistanceResult", "GeometryData", "GeometryModel",
    "GeometryObject", "updateGeometryPlacements",
]  # fmt: skip

_NO_INDEX = 2**64 - 1
_LARGEST = float(np.finfo(float).max)
# What is not known yet.
_NO_NORMAL, _NO_POINTS = np.full(3, np.nan), np.full((2, 3), np.nan)
_NO_NORMAL.flags.writeable = _NO_POINTS.flags.writeable = False
_FORMS = (
    "name parent_joint placement collision_geometry",
    "name parent_joint parent_frame placement collision_geometry",
    "otherGeometryObject",
)
# What may follow, in Pinocchio's order.
_OF_MESH = (
    "mesh_path", "mesh_scale", "override_material", "mesh_color", "mesh_texture_path", "mesh_material",
)  # fmt: skip


class _Counted:
    """Changes of its attributes are counted; lists among them become such that count theirs."""

    _lists: dict[str, type[list[Any]]] = {}
    # Nothing is prepared of these.
    _not_counted: frozenset[str] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._lists.get(name)
        object.__setattr__(self, name, value if kind is None else filled(kind, value))
        if name not in self._not_counted:
            Changes.count += 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


class GeometryObject(_Counted, Saved):
    """A shape: its name, joint and frame, its placement in the joint's frame, its mesh and colour.

    `geometry` is a shape of `featherline.pinocchio.coal`, or of the package coal. Arguments are name, parent_joint,
    parent_frame, placement, collision_geometry and those of the mesh; parent_frame may be left out.
    """

    _not_counted = frozenset({"name", "parentFrame", "placement", "meshColor", "overrideMaterial", "meshMaterial", "physicsMaterial"})

    def __init__(self, *parts: Any, **named: Any) -> None:
        given = {word: named.pop(word) for word in _OF_MESH if word in named}
        parts = in_order("GeometryObject", _FORMS, parts, named)
        if isinstance(parts[0], GeometryObject):
            own = vars(parts[0]).items()
            vars(self).update({key: value.copy() if hasattr(value, "copy") else value for key, value in own})
            vars(self)["geometry"] = parts[0].geometry
            return
        name, parent_joint, *frame = parts[: 2 if isinstance(parts[2], SE3) else 3]
        placement, geometry, *rest = parts[2 + len(frame) :]
        given |= dict(zip(_OF_MESH, rest, strict=False))
        self.name: str = name
        self.parentJoint: int = parent_joint
        self.parentFrame: int = frame[0] if frame else _NO_INDEX
        vars(self)["placement"] = placement.copy()
        self.geometry: Any = geometry
        self.meshPath: str = given.get("mesh_path", "")
        self.meshScale = np.array(given.get("mesh_scale", (1, 1, 1)), float)
        self.overrideMaterial: bool = given.get("override_material", False)
        self.meshColor = np.array(given.get("mesh_color", (0, 0, 0, 1)), float)
        self.meshTexturePath: str = given.get("mesh_texture_path", "")
        self.meshMaterial: Any = given.get("mesh_material", GeometryNoMaterial())
        self.physicsMaterial = PhysicsMaterial()
        self.disableCollision = False

    @property
    def placement(self) -> SE3:
        """The placement in the joint's frame; it stays the same object."""
        placement: SE3 = vars(self)["placement"]
        return placement

    @placement.setter
    def placement(self, placement: SE3) -> None:
        own = self.placement
        own.rotation, own.translation = placement.rotation, placement.translation

    @staticmethod
    def CreateCapsule(radius: float, length: float) -> GeometryObject:
        """A capsule of a radius, and of a length without its ends, in m, on the universe."""
        return GeometryObject("", 0, 0, SE3(), Capsule(radius, length))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryObject) and are_equal(self.__getstate__(), other.__getstate__())

    __hash__ = object.__hash__

    def copy(self) -> GeometryObject:
        """The same with the same shape."""
        return GeometryObject(self)

    __copy__ = copy

    def clone(self) -> GeometryObject:
        """The same with a copy of the shape."""
        cloned = GeometryObject(self)
        cloned.geometry = self.geometry.clone()
        return cloned

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Absent(f"GeometryObject has no {name} here")


class CollisionPair(_Counted):
    """The indices of two objects."""

    def __init__(self, index1: int = _NO_INDEX, index2: int = _NO_INDEX) -> None:
        if index1 == index2 != _NO_INDEX:
            raise ValueError("The index of collision objects must not be equal.")
        self.first = index1
        self.second = index2

    def copy(self) -> CollisionPair:
        return CollisionPair(self.first, self.second)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CollisionPair) and {self.first, self.second} == {other.first, other.second}

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"collision pair ({self.first},{self.second})\n"


class GeometryModel(_Counted, Saved):
    """The shapes of a robot, and the pairs of them that may collide."""

    _lists = {"geometryObjects": StdVec_GeometryObject, "collisionPairs": StdVec_CollisionPair}
    # Where the objects are carried, with the count of changes when that was found.
    _carried: tuple[int, Any] = (-1, None)

    def __init__(self, other: GeometryModel | None = None) -> None:
        self.geometryObjects: list[GeometryObject] = []
        self.collisionPairs: list[CollisionPair] = []
        if other is not None:
            self.geometryObjects += [one.copy() for one in other.geometryObjects]
            self.collisionPairs += [pair.copy() for pair in other.collisionPairs]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryModel) and are_equal(self.__getstate__(), other.__getstate__())

    __hash__ = object.__hash__

    @property
    def ngeoms(self) -> int:
        return len(self.geometryObjects)

    @property
    def collisionPairMapping(self) -> np.ndarray:
        """The index of each pair; -1 where two objects are none."""
        mapping = np.full((self.ngeoms, self.ngeoms), -1, np.int32)
        for index, pair in enumerate(self.collisionPairs):
            mapping[pair.first, pair.second] = mapping[pair.second, pair.first] = index
        return mapping

    def addGeometryObject(self, geometry_object: GeometryObject, model: Model | None = None) -> int:
        """Add an object, and return its index; with a model, its joint is that of its frame there."""
        added = geometry_object.copy()
        if model is not None and added.parentFrame != _NO_INDEX:
            joint = model.frames[added.parentFrame].parentJoint
            if added.parentJoint not in (joint, 0):
                raise ValueError(f"object {added.name} is on joint {added.parentJoint}, and its frame on joint {joint}")
            added.parentJoint = joint
        self.geometryObjects.append(added)
        return self.ngeoms - 1

    def removeGeometryObject(self, name: str) -> None:
        """Remove an object and its pairs."""
        index = self.getGeometryId(name)
        if index == self.ngeoms:
            raise ValueError(f"Object {name} does not belong to model")
        del self.geometryObjects[index]
        self.collisionPairs = [pair for pair in self.collisionPairs if index not in (pair.first, pair.second)]
        for pair in self.collisionPairs:
            pair.first -= pair.first > index
            pair.second -= pair.second > index

    def getGeometryId(self, name: str) -> int:
        """The index of an object; ngeoms if there is none."""
        return next((i for i, one in enumerate(self.geometryObjects) if one.name == name), self.ngeoms)

    def existGeometryName(self, name: str) -> bool:
        return self.getGeometryId(name) < self.ngeoms

    def addCollisionPair(self, collision_pair: CollisionPair) -> None:
        for which in ("first", "second"):
            if not 0 <= getattr(collision_pair, which) < self.ngeoms:
                raise ValueError(
                    f"The input pair.{which} is larger than the number of geometries contained in the GeometryModel"
                )
        if not self.existCollisionPair(collision_pair):
            self.collisionPairs.append(collision_pair.copy())

    def addAllCollisionPairs(self) -> None:
        """All pairs of objects of different joints."""
        self.removeAllCollisionPairs()
        joints = [one.parentJoint for one in self.geometryObjects]
        self.collisionPairs = [
            CollisionPair(i, k) for i in range(self.ngeoms) for k in range(i + 1, self.ngeoms) if joints[i] != joints[k]
        ]

    def setCollisionPairs(self, collision_map: Any, upper: bool = True) -> None:
        """The pairs (i, k) that a matrix marks, above its diagonal or below."""
        marks = np.asarray(collision_map, bool)
        if marks.shape != (self.ngeoms, self.ngeoms):
            raise ValueError(f"collision_map has shape {marks.shape}, where {(self.ngeoms, self.ngeoms)} is expected")
        marks = marks if upper else marks.T
        self.collisionPairs = [CollisionPair(int(i), int(k)) for i, k in np.argwhere(np.triu(marks, 1))]

    def _of_pairs(self, entries: Any, upper: bool) -> list[Any]:
        """The entry of each pair in a matrix, above its diagonal or below."""
        matrix = np.asarray(entries)
        if matrix.shape != (self.ngeoms, self.ngeoms):
            raise ValueError(f"a map has shape {matrix.shape}, where {(self.ngeoms, self.ngeoms)} is expected")
        matrix = matrix if upper else matrix.T
        indices = (sorted((pair.first, pair.second)) for pair in self.collisionPairs)
        return [matrix[first, second] for first, second in indices]

    def existCollisionPair(self, collision_pair: CollisionPair) -> bool:
        return collision_pair in self.collisionPairs

    def findCollisionPair(self, collision_pair: CollisionPair) -> int:
        """The index of a pair; the number of pairs if there is none."""
        found = self.existCollisionPair(collision_pair)
        return self.collisionPairs.index(collision_pair) if found else len(self.collisionPairs)

    def removeCollisionPair(self, collision_pair: CollisionPair) -> None:
        if self.existCollisionPair(collision_pair):
            self.collisionPairs.remove(collision_pair)

    def removeAllCollisionPairs(self) -> None:
        self.collisionPairs = []

    def createData(self) -> GeometryData:
        return GeometryData(self)

    def copy(self) -> GeometryModel:
        return GeometryModel(self)

    clone = __copy__ = copy

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Absent(f"GeometryModel has no {name} here")


class _NearestPoints:
    """A point on each object of a pair."""

    _points: np.ndarray

    def getNearestPoint1(self) -> np.ndarray:
        """The point on the first object."""
        return np.array(self._points[0])

    def getNearestPoint2(self) -> np.ndarray:
        """The point on the second object."""
        return np.array(self._points[1])


class _Late:
    """A result of a pair, which may be written when it is read."""

    # The function that writes this result and others of the same call.
    _unwritten: list[Callable[[], None] | None] = [None]

    def _settle(self) -> None:
        write = self._unwritten[0]
        if write is not None:
            self._unwritten[0] = None
            write()

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {name: value for name, value in vars(self).items() if name != "_unwritten"}


class DistanceResult(_Late, _NearestPoints):
    """The distance of a pair, negative where its objects overlap, and a point on each of them, in the world."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._settle()
        self._distance, self._normal, self._points = _LARGEST, _NO_NORMAL, _NO_POINTS

    def _write(self, distance: float, first: Any, second: Any, normal: Any) -> None:
        self._distance, self._normal, self._points = distance, np.array(normal), np.array([first, second])

    @property
    def min_distance(self) -> float:
        """The distance, in m."""
        self._settle()
        return self._distance

    @property
    def normal(self) -> np.ndarray:
        """The unit vector from the first object to the second."""
        self._settle()
        return self._normal

    def getNearestPoint1(self) -> np.ndarray:
        self._settle()
        return super().getNearestPoint1()

    def getNearestPoint2(self) -> np.ndarray:
        self._settle()
        return super().getNearestPoint2()


class Contact(_NearestPoints):
    """A pair that collides: its signed distance, a point on each object, their middle, and the normal from the first."""

    def __init__(self, distance: float = 0.0, first: Any = (0, 0, 0), second: Any = (0, 0, 0), normal: Any = (0, 0, 0)) -> None:
        self.penetration_depth = distance
        self._points = np.array([first, second], float)
        self.pos = self._points.mean(axis=0)
        self.normal = np.array(normal, float)


class CollisionResult(_Late):
    """Whether a pair collides, and where: one contact at most."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._settle()
        self._write(_LARGEST, [])

    def _write(self, bound: float, contacts: list[Contact]) -> None:
        self._bound, self._contacts = bound, contacts

    @property
    def distance_lower_bound(self) -> float:
        """The distance, in m, or a smaller one."""
        self._settle()
        return self._bound

    def addContact(self, contact: Contact) -> None:
        self._settle()
        self._contacts.append(contact)

    def isCollision(self) -> bool:
        self._settle()
        return bool(self._contacts)

    def numContacts(self) -> int:
        self._settle()
        return len(self._contacts)

    def getContact(self, i: int) -> Contact:
        if not self.isCollision():
            raise IndexError("there is no contact: the objects do not collide")
        return self._contacts[min(i, len(self._contacts) - 1)]

    def getContacts(self) -> list[Contact]:
        self._settle()
        return list(self._contacts)


class CollisionRequest(_Counted):
    """How a pair is tested: objects nearer than `security_margin`, in m, collide."""

    def __init__(self, security_margin: float = 0.0) -> None:
        self.security_margin = security_margin


class _Placements(StdVec_SE3):
    """Placements that stay the same objects: those that are assigned are copied."""

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, [one.copy() for one in value] if isinstance(index, slice) else value.copy())

    def extend(self, others: Any) -> None:
        super().extend([one.copy() for one in others])


class GeometryData(_Counted, Saved):
    """The placements in the world of the objects of a geometry model, which of its pairs are active, and the results of
    `computeDistance`, `computeCollision` and `computeContactPatch` for each pair."""

    _lists = {
        "oMg": _Placements, "activeCollisionPairs": StdVec_Bool, "collisionRequests": CountedVec,
        "collisionResults": StdVec_CollisionResult, "distanceResults": StdVec_DistanceResult,
        "contactPatchRequests": StdVec_ContactPatchRequest, "contactPatchResults": StdVec_ContactPatchResult,
    }  # fmt: skip
    _not_counted = frozenset({"oMg", "collisionPairIndex", "radius"})

    def __init__(self, geometry_model: GeometryModel) -> None:
        pairs = range(len(geometry_model.collisionPairs))
        self.oMg: Sequence[SE3] = [SE3()] * geometry_model.ngeoms
        self.activeCollisionPairs: list[bool] = [True for _ in pairs]
        self.distanceResults: list[DistanceResult] = [DistanceResult() for _ in pairs]
        self.collisionResults: list[CollisionResult] = [CollisionResult() for _ in pairs]
        self.collisionRequests: list[CollisionRequest] = [CollisionRequest() for _ in pairs]
        self.contactPatchRequests: list[ContactPatchRequest] = [ContactPatchRequest() for _ in pairs]
        self.contactPatchResults: list[ContactPatchResult] = [ContactPatchResult() for _ in pairs]
        self.collisionPairIndex = 0
        # The farthest that an object of a joint reaches from the joint, in m, after computeBodyRadius.
        self.radius: list[float] = []

    def copy(self) -> GeometryData:
        copied = GeometryData(GeometryModel())
        for name, value in self.__getstate__().items():
            setattr(copied, name, copy_module.deepcopy(value))
        return copied

    def activateCollisionPair(self, pair_id: int) -> None:
        self.activeCollisionPairs[pair_id] = True

    def deactivateCollisionPair(self, pair_id: int) -> None:
        self.activeCollisionPairs[pair_id] = False

    def deactivateAllCollisionPairs(self) -> None:
        self.activeCollisionPairs[:] = [False] * len(self.activeCollisionPairs)

    def setActiveCollisionPairs(self, geometry_model: GeometryModel, collision_map: Any, upper: bool = True) -> None:
        """Activate the pairs that a matrix (ngeoms, ngeoms) marks above its diagonal or below, and no others."""
        self.activeCollisionPairs[:] = [bool(mark) for mark in geometry_model._of_pairs(collision_map, upper)]

    def setGeometryCollisionStatus(self, geom_model: GeometryModel, geom_id: int, enable_collision: bool) -> None:
        """Activate all pairs of an object, or deactivate them."""
        for index, pair in enumerate(geom_model.collisionPairs):
            if geom_id in (pair.first, pair.second):
                self.activeCollisionPairs[index] = enable_collision

    def setSecurityMargins(
        self,
        geometry_model: GeometryModel,
        security_margin_map: Any,
        upper: bool = True,
        sync_distance_upper_bound: bool = True,
    ) -> None:
        """The security margin of each pair, in m, from a matrix (ngeoms, ngeoms) above its diagonal or below."""
        margins = geometry_model._of_pairs(security_margin_map, upper)
        for request, margin in zip(self.collisionRequests, margins, strict=True):
            request.security_margin = float(margin)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Absent(f"GeometryData has no {name} here")


def updateGeometryPlacements(model: Model, data: Any, geometry_model: GeometryModel, geometry_data: GeometryData, q: Any = None) -> None:
    """Place the objects in the world: at q, or as data.oMi has the joints."""
    if not isinstance(model, Model):
        raise TypeError("updateGeometryPlacements: model must be a Model")
    changes, carried = geometry_model._carried
    if changes != Changes.count:
        carried = _pinocchio._Carried([(one.parentJoint, one.placement) for one in geometry_model.geometryObjects])
        vars(geometry_model)["_carried"] = Changes.count, carried
    carried.place(model, data, q, geometry_data.oMg)
