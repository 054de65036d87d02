"""Distances and collisions of the pairs of a geometry model.

Shapes are those that the file states; meshes are read when they are asked for, and are taken as their triangles.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from featherline._native import SE3, _pinocchio
from featherline.pinocchio.contact_patches import plane_frame
from featherline.pinocchio.geometry import (
    CollisionPair,
    CollisionResult,
    Contact,
    DistanceResult,
    GeometryData,
    GeometryModel,
    GeometryObject,
    updateGeometryPlacements,
)
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.lists import Changes
from featherline.pinocchio.model import Model
from featherline.pinocchio.parallel import ModelPool

__all__ = [
    "GeometryPool", "computeBodyRadius", "computeCollision", "computeCollisions", "computeCollisionsInParallel",
    "computeContactPatch", "computeContactPatches", "computeDistance", "computeDistances",
]  # fmt: skip


def _of_coal(shape: Any) -> tuple[str, list[float]] | None:
    """The kind and the sizes of a shape of coal, which programs make themselves."""
    match type(shape).__name__:
        case "Halfspace" | "Plane":
            return "plane", [*map(float, shape.n), float(shape.d)]
        case "Sphere":
            return "sphere", [shape.radius]
        case "Capsule" | "Cylinder" | "Cone":
            return type(shape).__name__.lower(), [shape.radius, 2 * shape.halfLength]
        case "Box":
            return "box", [2 * float(side) for side in shape.halfSide]
        case "Ellipsoid":
            return "ellipsoid", [float(radius) for radius in shape.radii]
    return None


def _collider(one: GeometryObject) -> Any:
    """The object's shape, made once."""
    shape: Any = one.geometry
    scale = tuple(float(factor) for factor in one.meshScale)
    known = _of_coal(shape)
    kept = vars(one).get("_collider")
    if kept is not None and kept[0] is shape and kept[1:3] == (scale, known):
        return kept[3]
    try:
        if known is not None:
            made = _pinocchio._Collider(known[0], [] if known[0] == "plane" else known[1], None)
        elif hasattr(shape, "shape") and hasattr(shape, "sizes"):
            path = None
            if shape.mesh is not None:
                own = one.meshPath or not shape.mesh.path
                path = (os.fspath(one.meshPath), scale) if own else (shape.mesh.path, tuple(map(float, shape.mesh.scale)))
            made = _pinocchio._Collider(shape.shape, list(shape.sizes), path)
        else:
            raise NotImplementedError(f"{type(shape).__name__} as the geometry of an object")
    except ValueError as reason:
        raise ValueError(f"object {one.name}: {reason}") from None
    vars(one)["_collider"] = (shape, scale, known, made)
    return made


def _half_spaces(shape: Any) -> tuple[SE3, ...] | None:
    """The frames, z out, of the half-space below z = 0 that a plane's or a half-space's solid sides are; None of other shapes."""
    if type(shape).__name__ not in ("Halfspace", "Plane"):
        return None
    normal = np.array(shape.n, float)
    front = plane_frame(shape.d * normal, normal)
    # A plane has no inside: each of its sides holds what is on the other off.
    return (front,) if type(shape).__name__ == "Halfspace" else (front, front * _BACK)


_BACK = SE3(np.diag([1.0, -1.0, -1.0]), np.zeros(3))

Shape = tuple[Any, tuple[SE3, ...] | None]


def _places(placement: SE3, frames: tuple[SE3, ...] | None) -> list[SE3]:
    return [placement] if frames is None else [placement * frame for frame in frames]


def _farthest(shapes: tuple[Shape, Shape], placements: tuple[SE3, SE3], measure: Callable[..., Any]) -> Any:
    """What `measure` finds of two shapes, of which planes are placed by the side that is farther from the other; None where a
    side is too far."""
    (first, own), (second, others) = shapes
    if own is None and others is None:
        return measure(first, placements[0], second, placements[1])
    found = [measure(first, a, second, b) for a in _places(placements[0], own) for b in _places(placements[1], others)]
    return None if None in found else max(found, key=lambda parts: parts[0])


def _colliders(geometry_model: GeometryModel, pair: CollisionPair) -> tuple[Shape, Shape]:
    """The shapes of a pair, with the frames of half-spaces, which the model keeps until something changes."""
    count, made = vars(geometry_model).get("_colliders", (None, {}))
    if count != Changes.count:
        made = {}
        vars(geometry_model)["_colliders"] = Changes.count, made
    for index in (pair.first, pair.second):
        if index not in made:
            one = geometry_model.geometryObjects[index]
            made[index] = _collider(one), _half_spaces(one.geometry)
    return made[pair.first], made[pair.second]


def _check_data(geometry_model: GeometryModel, geometry_data: GeometryData) -> None:
    """Fail for data of another model."""
    objects, pairs = len(geometry_data.oMg), len(geometry_data.distanceResults)
    if (objects, pairs) != (geometry_model.ngeoms, len(geometry_model.collisionPairs)):
        raise ValueError("geometry_data was made before objects or pairs were added: make it again by createData()")


def _check_pair(geometry_model: GeometryModel, geometry_data: GeometryData, pair_id: int) -> None:
    """Fail for a pair that there is not, and for data of another model."""
    if not 0 <= pair_id < len(geometry_model.collisionPairs):
        raise ValueError(f"pair {pair_id} of {len(geometry_model.collisionPairs)}")
    _check_data(geometry_model, geometry_data)


_OF_Q = "model data geometry_model geometry_data q [stop_at_first_collision]"


def _arguments(
    function: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[GeometryModel, GeometryData, tuple[Any, ...]]:
    """The geometry of a call, and what is left; with a model the objects are placed at its q."""
    if named:
        forms = ("geometry_model geometry_data [stop_at_first_collision]", _OF_Q)
        arguments = in_order(function, forms, arguments, named)
    if arguments and isinstance(arguments[0], Model):
        if len(arguments) < 5:
            raise TypeError(f"{function}: model, data, geometry_model, geometry_data and q are expected")
        model, data, geometry_model, geometry_data, q, *rest = arguments
        updateGeometryPlacements(model, data, geometry_model, geometry_data, q)
        return geometry_model, geometry_data, tuple(rest)
    if len(arguments) < 2 or not isinstance(arguments[0], GeometryModel):
        raise TypeError(f"{function}: geometry_model and geometry_data are expected, or model and data before them and q after")
    return arguments[0], arguments[1], arguments[2:]


def computeDistance(geometry_model: GeometryModel, geometry_data: GeometryData, pair_index: int) -> DistanceResult:
    """The distance of a pair, negative where its objects overlap, and where it is taken."""
    _check_pair(geometry_model, geometry_data, pair_index)
    pair, placements = geometry_model.collisionPairs[pair_index], geometry_data.oMg
    shapes, result = _colliders(geometry_model, pair), geometry_data.distanceResults[pair_index]
    result.clear()
    result._write(*_farthest(shapes, (placements[pair.first], placements[pair.second]), _pinocchio._Collider.separation))
    return result


def _active(geometry_model: GeometryModel, geometry_data: GeometryData) -> Iterator[int]:
    """The pairs that are active, of objects that may collide."""
    objects = geometry_model.geometryObjects
    for index, active in enumerate(geometry_data.activeCollisionPairs):
        pair = geometry_model.collisionPairs[index]
        if active and not (objects[pair.first].disableCollision or objects[pair.second].disableCollision):
            yield index


def computeDistances(*arguments: Any, **named: Any) -> int:
    """The distances of all active pairs, and the index of the nearest one; the number of pairs if there is none.

    computeDistances(geometry_model, geometry_data), or computeDistances(model, data, geometry_model, geometry_data, q).
    """
    geometry_model, geometry_data, _ = _arguments("computeDistances", arguments, named)
    tested = _Tested.of(geometry_model, geometry_data)
    # Contacts are computed of the placements of the last query.
    for result in tested.collisions[:1]:
        result._settle()
    if tested.pairs is None:
        distances = [computeDistance(geometry_model, geometry_data, number).min_distance for number in tested.numbers]
        return tested.numbers[int(np.argmin(distances))] if distances else len(geometry_model.collisionPairs)
    nearest = tested.pairs.nearest(geometry_data.oMg)

    def write() -> None:
        for number, separation in zip(tested.numbers, tested.pairs.separations(), strict=True):
            tested.distances[number]._write(*separation)

    tested.unwritten_distances[0] = write
    return len(geometry_model.collisionPairs) if nearest is None else tested.numbers[nearest]


def _collide(
    geometry_model: GeometryModel, pair_index: int, placements: Sequence[SE3], margin: float, result: CollisionResult
) -> None:
    """Write whether the objects of a pair are nearer than a margin, in m, and where."""
    pair = geometry_model.collisionPairs[pair_index]
    shapes = _colliders(geometry_model, pair)

    def within(*placed: Any) -> Any:
        return _pinocchio._Collider.separation_within(*placed, margin)

    found = _farthest(shapes, (placements[pair.first], placements[pair.second]), within)
    result._write(margin if found is None else found[0], [] if found is None else [Contact(*found)])


def computeCollision(geometry_model: GeometryModel, geometry_data: GeometryData, pair_index: int, collision_request: Any = None) -> bool:
    """Whether the objects of a pair overlap, or are nearer than the security margin of the request."""
    _check_pair(geometry_model, geometry_data, pair_index)
    request = geometry_data.collisionRequests[pair_index] if collision_request is None else collision_request
    result = geometry_data.collisionResults[pair_index]
    result.clear()
    _collide(geometry_model, pair_index, geometry_data.oMg, request.security_margin, result)
    return result.isCollision()


@functools.cache
def _nothing() -> Any:
    """In place of an object that is in no pair."""
    return _pinocchio._Collider("sphere", [1.0], None)


def _prepared(geometry_model: GeometryModel, colliders: list[Any], pairs: list[tuple[int, int]]) -> Any:
    """Pairs with memory of their own. The model keeps what is prepared of them, for all its data."""
    kept = vars(geometry_model).get("_prepared")
    if kept is None or kept[:2] != (colliders, pairs):
        kept = colliders, pairs, _pinocchio._Pairs(colliders, pairs)
        vars(geometry_model)["_prepared"] = kept
    return kept[2].again()


class _Tested:
    """The active pairs of a geometry model, prepared to be tested together."""

    def __init__(self, geometry_model: GeometryModel, geometry_data: GeometryData) -> None:
        _check_data(geometry_model, geometry_data)
        self.of_model, self.changes = geometry_model, Changes.count
        self.numbers = list(_active(geometry_model, geometry_data))
        self.margins = [request.security_margin for request in geometry_data.collisionRequests]
        self.has_margins = any(self.margins)
        pairs = [(pair.first, pair.second) for pair in map(geometry_model.collisionPairs.__getitem__, self.numbers)]
        tested = {index for pair in pairs for index in pair}
        objects = geometry_model.geometryObjects
        colliders = [_collider(one) if index in tested else _nothing() for index, one in enumerate(objects)]
        # Planes and half-spaces have frames of their own.
        has_planes = any(_half_spaces(objects[index].geometry) for index in tested)
        self.pairs: Any = None if has_planes else _prepared(geometry_model, colliders, pairs)
        self.distances, self.collisions = list(geometry_data.distanceResults), list(geometry_data.collisionResults)
        self.unwritten_distances = _one_writer(self.distances)
        self.unwritten_collisions = _one_writer(self.collisions)

    @staticmethod
    def of(geometry_model: GeometryModel, geometry_data: GeometryData) -> _Tested:
        """Made anew when an object, a pair, which of them are active, or a margin has changed."""
        kept: _Tested | None = vars(geometry_data).get("_tested")
        if kept is not None and kept.changes == Changes.count and kept.of_model is geometry_model:
            return kept
        made = _Tested(geometry_model, geometry_data)
        vars(geometry_data)["_tested"] = made
        return made


def _one_writer(results: Sequence[CollisionResult] | Sequence[DistanceResult]) -> list[Callable[[], None] | None]:
    """Let one function write all results, once there is one."""
    unwritten: list[Callable[[], None] | None] = [None]
    for result in results:
        result._settle()
        result._unwritten = unwritten
    return unwritten


def computeCollisions(*arguments: Any, **named: Any) -> bool:
    """Whether an active pair collides: computeCollisions(geometry_model, geometry_data, stop_at_first_collision=False),
    or computeCollisions(model, data, geometry_model, geometry_data, q, stop_at_first_collision=False).

    Contacts are computed when a result is read.
    """
    geometry_model, geometry_data, rest = _arguments("computeCollisions", arguments, named)
    stops = bool(rest and rest[0])
    tested = _Tested.of(geometry_model, geometry_data)
    if tested.has_margins or tested.pairs is None:
        return _collide_with_margins(geometry_model, geometry_data, tested.margins, stops)
    touching = tested.pairs.touching(geometry_data.oMg, stops)

    def write() -> None:
        # Those of this call: a later one has a function of its own.
        placements = tested.pairs.placements()
        for at, number in enumerate(tested.numbers):
            tested.collisions[number]._write(0.0, [])
            if at in touching:
                _collide(geometry_model, number, placements, 0.0, tested.collisions[number])
                if stops:
                    break

    tested.unwritten_collisions[0] = write
    if touching:
        vars(geometry_data)["collisionPairIndex"] = tested.numbers[touching[0]]
    return bool(touching)


def _collide_with_margins(geometry_model: GeometryModel, geometry_data: GeometryData, margins: list[float], stops: bool) -> bool:
    """Test one active pair after the other, each with its margin in m."""
    found, results = False, geometry_data.collisionResults
    for index in _active(geometry_model, geometry_data):
        results[index].clear()
        _collide(geometry_model, index, geometry_data.oMg, margins[index], results[index])
        if results[index].isCollision() and not found:
            found, geometry_data.collisionPairIndex = True, index
            if stops:
                break
    return found


def computeContactPatch(geometry_model: GeometryModel, geometry_data: GeometryData, pair_index: int) -> None:
    """Write the patch in which the objects of a pair touch to geometry_data.contactPatchResults: none if the last
    computeCollision or computeCollisions said that they do not."""
    _check_pair(geometry_model, geometry_data, pair_index)
    result, request = geometry_data.contactPatchResults[pair_index], geometry_data.contactPatchRequests[pair_index]
    result.clear()
    if not geometry_data.collisionResults[pair_index].isCollision():
        return
    pair, placements = geometry_model.collisionPairs[pair_index], geometry_data.oMg
    contact = geometry_data.collisionResults[pair_index].getContact(0)
    (first, own), (second, others) = _colliders(geometry_model, pair)
    # Points as far apart as the tolerance, and the security margin, allow.
    reach = max(contact.penetration_depth + request.getPatchTolerance(), 0.0)
    # Of a plane, the side of the contact.
    sides = [
        first.contacts(a, second, b, reach)
        for a in _places(placements[pair.first], own)
        for b in _places(placements[pair.second], others)
    ]
    result._write(request, max(sides, key=lambda points: min((point[0] for point in points), default=-np.inf)))


def computeContactPatches(geometry_model: GeometryModel, geometry_data: GeometryData) -> None:
    """computeContactPatch of every pair."""
    for index in range(len(geometry_model.collisionPairs)):
        computeContactPatch(geometry_model, geometry_data, index)


class GeometryPool(ModelPool):
    """A model with its geometry, for many configurations."""

    def __init__(self, model: Model, geometry_model: GeometryModel, size: int = 1) -> None:
        self._geometry_model = geometry_model.copy()
        self._geometry_datas: list[GeometryData] = []
        super().__init__(model, size)
        self.resize(size)

    def resize(self, new_size: int) -> None:
        super().resize(new_size)
        self._geometry_datas = [self._geometry_model.createData() for _ in range(new_size)]

    def getGeometryModel(self, index: int = 0) -> GeometryModel:
        return self._geometry_model

    def getGeometryModels(self) -> list[GeometryModel]:
        return [self._geometry_model] * self._size

    def getGeometryData(self, index: int) -> GeometryData:
        return self._geometry_datas[index]

    def getGeometryDatas(self) -> list[GeometryData]:
        return self._geometry_datas

    def copy(self) -> GeometryPool:
        return GeometryPool(self._model, self._geometry_model, self._size)


def computeCollisionsInParallel(num_thread: int, *arguments: Any, **named: Any) -> Any:
    """computeCollisions of the arguments, or of a pool whether each column of configurations collides (states,).

    (num_thread, geometry_model, geometry_data[, stop_at_first_collision]), (num_thread, model, data, geometry_model,
    geometry_data, q[, stop_at_first_collision]) or (num_thread, pool, q[, stop_at_first_collision_in_configuration[,
    stop_at_first_collision_in_batch]]). One thread works, whatever their number.
    """
    if num_thread < 1:
        raise ValueError(f"computeCollisionsInParallel: num_thread is {num_thread}, where 1 or more are expected")
    if "pool" not in named and not (arguments and isinstance(arguments[0], GeometryPool)):
        return computeCollisions(*arguments, **named)
    if named:
        form = "pool q [stop_at_first_collision_in_configuration] [stop_at_first_collision_in_batch]"
        arguments = in_order("computeCollisionsInParallel", (form,), arguments, named)
    pool, q, *rest = arguments
    stops, stops_in_batch = (*map(bool, rest), False, False)[:2]
    configurations = np.asarray(q, float).T
    found = np.zeros(len(configurations), bool)
    parts = pool.getModel(), pool.getData(0), pool.getGeometryModel(), pool.getGeometryData(0)
    for k, configuration in enumerate(configurations):
        found[k] = computeCollisions(*parts, configuration, stops)
        if found[k] and stops_in_batch:
            break
    return found


# Half of the side of a box before which shapes are measured, and its distance from their origins, in m.
_FAR = 1e3


def _bounds(one: GeometryObject) -> Any:
    """The least and the greatest coordinates (2, 3) of an object in its own axes."""
    shape, wall = _collider(one), _pinocchio._Collider("box", [2 * _FAR] * 3, None)
    bounds = np.empty((2, 3))
    for side, sign in enumerate((-1.0, 1.0)):
        for axis in range(3):
            center = np.zeros(3)
            center[axis] = sign * 2 * _FAR
            # The wall's face is at sign * _FAR.
            bounds[side, axis] = sign * (_FAR - shape.separation(SE3(), wall, SE3(np.eye(3), center))[0])
    return bounds


def computeBodyRadius(model: Model, geometry_model: GeometryModel, geometry_data: GeometryData) -> None:
    """Write to geometry_data.radius how far the boxes around each joint's objects reach from the joint, in m."""
    radius = [0.0] * model.njoints
    for one in geometry_model.geometryObjects:
        low, high = _bounds(one)
        for corner in range(8):
            point = np.where([corner & 1, corner & 2, corner & 4], high, low)
            radius[one.parentJoint] = max(radius[one.parentJoint], float(np.linalg.norm(one.placement.act(point))))
    geometry_data.radius = radius
