"""Distances and collisions of the pairs of a geometry model.

Shapes are those that the file states; meshes are read when they are asked for, and are taken as their triangles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from featherline._native import SE3, _Collider
from featherline.pinocchio.geometry import (
    Contact,
    DistanceResult,
    GeometryData,
    GeometryModel,
    GeometryObject,
    updateGeometryPlacements,
)
from featherline.pinocchio.model import Model
from featherline.pinocchio.parallel import ModelPool

__all__ = [
    "GeometryPool", "computeBodyRadius", "computeCollision", "computeCollisions", "computeCollisionsInParallel",
    "computeDistance", "computeDistances",
]  # fmt: skip


def _of_coal(shape: Any) -> tuple[str, list[float]] | None:
    """The kind and the sizes of a shape of coal, which programs make themselves."""
    match type(shape).__name__:
        case "Sphere":
            return "sphere", [shape.radius]
        case "Capsule" | "Cylinder" | "Cone":
            return type(shape).__name__.lower(), [shape.radius, 2 * shape.halfLength]
        case "Box":
            return "box", [2 * float(side) for side in shape.halfSide]
        case "Ellipsoid":
            return "ellipsoid", [float(radius) for radius in shape.radii]
    return None


def _collider(one: GeometryObject) -> _Collider:
    """The object's shape, made once."""
    shape: Any = one.geometry
    scale = tuple(float(factor) for factor in one.meshScale)
    kept = vars(one).get("_collider")
    if kept is not None and kept[0] is shape and kept[1] == scale:
        made: _Collider = kept[2]
        return made
    known = _of_coal(shape)
    try:
        if known is not None:
            made = _Collider(known[0], known[1], None)
        elif hasattr(shape, "shape") and hasattr(shape, "sizes"):
            path = None if shape.mesh is None else (os.fspath(one.meshPath), scale)
            made = _Collider(shape.shape, list(shape.sizes), path)
        else:
            raise NotImplementedError(f"{type(shape).__name__} as the geometry of an object")
    except ValueError as reason:
        raise ValueError(f"object {one.name}: {reason}") from None
    vars(one)["_collider"] = (shape, scale, made)
    return made


def _pair(geometry_model: GeometryModel, geometry_data: GeometryData, pair_id: int) -> tuple[_Collider, SE3, _Collider, SE3]:
    """The shapes of a pair, each with its placement."""
    if not 0 <= pair_id < len(geometry_model.collisionPairs):
        raise ValueError(f"pair {pair_id} of {len(geometry_model.collisionPairs)}")
    if len(geometry_data.oMg) != geometry_model.ngeoms or len(geometry_data.distanceResults) != len(geometry_model.collisionPairs):
        raise ValueError("geometry_data was made before objects or pairs were added: make it again by createData()")
    pair = geometry_model.collisionPairs[pair_id]
    first, second = (geometry_model.geometryObjects[index] for index in (pair.first, pair.second))
    return _collider(first), geometry_data.oMg[pair.first], _collider(second), geometry_data.oMg[pair.second]


def _arguments(function: str, arguments: tuple[Any, ...]) -> tuple[GeometryModel, GeometryData, tuple[Any, ...]]:
    """The geometry of a call, and what is left; with a model the objects are placed at its q."""
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
    shape, placement, other, other_placement = _pair(geometry_model, geometry_data, pair_index)
    distance, first, second, normal = shape.separation(placement, other, other_placement)
    result = geometry_data.distanceResults[pair_index]
    result._set(distance, first, second, normal)
    return result


def _active(geometry_model: GeometryModel, geometry_data: GeometryData) -> Iterator[int]:
    """The pairs that are active, of objects that may collide."""
    objects = geometry_model.geometryObjects
    for index, active in enumerate(geometry_data.activeCollisionPairs):
        pair = geometry_model.collisionPairs[index]
        if active and not (objects[pair.first].disableCollision or objects[pair.second].disableCollision):
            yield index


def computeDistances(*arguments: Any) -> int:
    """The distances of all active pairs, and the index of the nearest one; the number of pairs if there is none.

    computeDistances(geometry_model, geometry_data), or computeDistances(model, data, geometry_model, geometry_data, q).
    """
    geometry_model, geometry_data, _ = _arguments("computeDistances", arguments)
    nearest, least = len(geometry_model.collisionPairs), np.inf
    for index in _active(geometry_model, geometry_data):
        distance = computeDistance(geometry_model, geometry_data, index).min_distance
        if distance < least:
            nearest, least = index, distance
    return nearest


def computeCollision(geometry_model: GeometryModel, geometry_data: GeometryData, pair_index: int, collision_request: Any = None) -> bool:
    """Whether the objects of a pair overlap, or are nearer than the security margin of the request."""
    request = geometry_data.collisionRequests[pair_index] if collision_request is None else collision_request
    margin = request.security_margin
    shape, placement, other, other_placement = _pair(geometry_model, geometry_data, pair_index)
    found = shape.separation_within(placement, other, other_placement, margin)
    result = geometry_data.collisionResults[pair_index]
    result.clear()
    result.distance_lower_bound = margin if found is None else found[0]
    if found is not None:
        result.addContact(Contact(*found))
    return result.isCollision()


def computeCollisions(*arguments: Any) -> bool:
    """Whether an active pair collides: computeCollisions(geometry_model, geometry_data, stop_at_first_collision=False),
    or computeCollisions(model, data, geometry_model, geometry_data, q, stop_at_first_collision=False)."""
    geometry_model, geometry_data, rest = _arguments("computeCollisions", arguments)
    stops, found = bool(rest and rest[0]), False
    for index in _active(geometry_model, geometry_data):
        found |= computeCollision(geometry_model, geometry_data, index)
        if found:
            geometry_data.collisionPairIndex = index
            if stops:
                break
    return found


class GeometryPool(ModelPool):
    """A model with its geometry, for many configurations."""

    def __init__(self, model: Model, geometry_model: GeometryModel, size: int = 1) -> None:
        self._geometry_model = geometry_model.copy()
        self._geometry_datas: list[GeometryData] = []
        super().__init__(model, size)
        self.resize(size)

    def resize(self, size: int) -> None:
        super().resize(size)
        self._geometry_datas = [self._geometry_model.createData() for _ in range(size)]

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


def computeCollisionsInParallel(num_threads: int, *arguments: Any) -> Any:
    """computeCollisions of the arguments, or of a pool whether each column of configurations collides (states,).

    (num_threads, geometry_model, geometry_data[, stop_at_first_collision]), (num_threads, model, data, geometry_model,
    geometry_data, q[, stop_at_first_collision]) or (num_threads, pool, q[, stop_at_first_collision_in_configuration[,
    stop_at_first_collision_in_batch]]). One thread works, whatever their number.
    """
    if num_threads < 1:
        raise ValueError(f"computeCollisionsInParallel: num_threads is {num_threads}, where 1 or more are expected")
    if not arguments or not isinstance(arguments[0], GeometryPool):
        return computeCollisions(*arguments)
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
    shape, wall = _collider(one), _Collider("box", [2 * _FAR] * 3, None)
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
