"""Contact patches: the part of a plane between two shapes in which they touch."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.lists import StdVec

__all__ = [
    "ContactPatch", "ContactPatchDirection", "ContactPatchRequest", "ContactPatchResult", "StdVec_ContactPatch",
    "StdVec_ContactPatchRequest", "StdVec_ContactPatchResult",
]  # fmt: skip

ContactPatchDirection = IntEnum("ContactPatchDirection", "DEFAULT INVERTED", start=0)

# Points nearer to each other than this, in m, are one.
_SAME = 1e-9
# Normals within this angle are those of one patch: its cosine.
_ONE_PATCH = 0.99


def plane_frame(origin: np.ndarray, normal: np.ndarray) -> SE3:
    """A frame whose z is the normal."""
    across = np.eye(3)[np.argmin(np.abs(normal))]
    x = np.cross(across, normal)
    x /= np.linalg.norm(x)
    return SE3(np.column_stack([x, np.cross(normal, x), normal]), origin)


class ContactPatch:
    """A convex polygon in the plane z = 0 of `tf`, whose z is from the first object to the second.

    `penetration_depth` is the signed distance of the objects, in m: negative where they overlap.
    """

    def __init__(self, preallocated_size: int = 12) -> None:
        self.clear()

    def clear(self) -> None:
        """Make the patch one without points."""
        self.tf, self.direction, self.penetration_depth = SE3(), ContactPatchDirection.DEFAULT, 0.0
        self._points = np.empty((0, 2))

    @classmethod
    def _of(cls, distance: float, origin: np.ndarray, normal: np.ndarray, points: np.ndarray) -> ContactPatch:
        """The patch of points (count, 3) near the plane, in the order of their angles about their middle."""
        patch = cls()
        patch.tf, patch.penetration_depth = plane_frame(origin, normal), distance
        kept: list[np.ndarray] = []
        for point in ((points - origin) @ patch.tf.rotation)[:, :2]:
            if all(np.linalg.norm(point - other) > _SAME for other in kept):
                kept.append(point)
        flat = np.array(kept)
        x, y = (flat - flat.mean(axis=0)).T
        patch._points = flat[np.argsort(np.arctan2(y, x))]
        return patch

    def size(self) -> int:
        """The number of points."""
        return len(self._points)

    def addPoint(self, point: Any) -> None:
        """Add the foot, in the plane, of a point of the world."""
        foot = self.tf.act_inv(np.asarray(point, float))[:2]
        self._points = np.vstack([self._points, foot])

    def getNormal(self) -> np.ndarray:
        """The unit vector (3,) from the first object to the second."""
        normal = np.array(self.tf.rotation[:, 2])
        return normal if self.direction == ContactPatchDirection.DEFAULT else -normal

    def getPoint(self, i: int) -> np.ndarray:
        """A point (3,) in the world, in the plane between the objects."""
        if not self.size():
            raise IndexError("the contact patch has no points")
        # The last one for any beyond, as in coal.
        x, y = self._points[min(i, self.size() - 1)]
        point: np.ndarray = self.tf.act(np.array([x, y, 0.0]))
        return point

    def getPointShape1(self, i: int) -> np.ndarray:
        """The point (3,) on the first object."""
        point: np.ndarray = self.getPoint(i) - 0.5 * self.penetration_depth * self.getNormal()
        return point

    def getPointShape2(self, i: int) -> np.ndarray:
        """The point (3,) on the second object."""
        point: np.ndarray = self.getPoint(i) + 0.5 * self.penetration_depth * self.getNormal()
        return point

    def isSame(self, other: ContactPatch, tol: float = 1e-12) -> bool:
        """Whether another patch has the same plane, depth and points, in whatever order."""
        if self.size() != other.size() or abs(self.penetration_depth - other.penetration_depth) > tol:
            return False
        if np.linalg.norm(self.getNormal() - other.getNormal()) > tol:
            return False
        theirs = [other.getPoint(i) for i in range(other.size())]
        return all(min(np.linalg.norm(self.getPoint(i) - point) for point in theirs) <= tol for i in range(self.size()))


class ContactPatchRequest:
    """How patches are made: of points as near to the other object as the nearest, or this `patch_tolerance` less, in m."""

    def __init__(
        self, max_num_patch: Any = 1, num_samples_curved_shapes: int = 6, patch_tolerance: float = 1e-3
    ) -> None:
        # A request of collisions may come in place of a number.
        self.max_num_patch = max_num_patch if isinstance(max_num_patch, int) else 1
        self._samples, self._tolerance = max(int(num_samples_curved_shapes), 3), max(float(patch_tolerance), 0.0)

    def getNumSamplesCurvedShapes(self) -> int:
        return self._samples

    def setNumSamplesCurvedShapes(self, count: int) -> None:
        """Kept alone: as many points are taken of rims as the contacts of simulations have."""
        self._samples = max(int(count), 3)

    def getPatchTolerance(self) -> float:
        return self._tolerance

    def setPatchTolerance(self, tolerance: float) -> None:
        self._tolerance = max(float(tolerance), 0.0)


class ContactPatchResult:
    """The patches of a pair: one, or none where the objects do not touch."""

    def __init__(self, request: ContactPatchRequest | None = None) -> None:
        self._patches: list[ContactPatch] = []

    def clear(self) -> None:
        self._patches = []

    def set(self, request: ContactPatchRequest) -> None:
        """Nothing: memory is taken when it is needed."""

    def check(self, request: ContactPatchRequest) -> bool:
        """Whether there is memory for what is asked for."""
        return True

    def numContactPatches(self) -> int:
        return len(self._patches)

    def getContactPatch(self, i: int) -> ContactPatch:
        if not self._patches:
            raise IndexError("there is no contact patch: the objects do not collide")
        return self._patches[min(i, len(self._patches) - 1)]

    def getUnusedContactPatch(self) -> ContactPatch:
        """A new patch of the result."""
        self._patches.append(ContactPatch())
        return self._patches[-1]

    def _write(self, request: ContactPatchRequest, contacts: list[tuple[float, Any, Any, Any]]) -> None:
        """The patch of the deepest contact, by all contacts (distance, a point on each object, normal) of a pair."""
        self._patches = []
        if not contacts:
            return
        distance, first, second, normal = min(contacts, key=lambda contact: contact[0])
        points = [
            0.5 * (np.array(a) + np.array(b))
            for d, a, b, n in contacts
            if d <= distance + request.getPatchTolerance() and np.dot(n, normal) >= _ONE_PATCH
        ]
        origin = 0.5 * (np.array(first) + np.array(second))
        self._patches = [ContactPatch._of(distance, origin, np.array(normal), np.array(points))]


class StdVec_ContactPatch(StdVec[ContactPatch]): ...


class StdVec_ContactPatchRequest(StdVec[ContactPatchRequest]): ...


class StdVec_ContactPatchResult(StdVec[ContactPatchResult]): ...
