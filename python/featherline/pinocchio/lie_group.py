"""`LieGroup`: the space of a joint's or a model's configurations, with Pinocchio's methods.

A group is kept as a model of the joints that move in it, one after another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio import configuration, native
from featherline.pinocchio.enums import ARG0, ARG1, ArgumentPosition
from featherline.pinocchio.joints import CLASSES, JointModel
from featherline.pinocchio.model import Model, as_array, of_model

__all__ = ["LieGroup", "lieGroup"]

Array = np.ndarray
# The groups of joints by their kinds; those of the other kinds are vectors.
_NAMES = {"free_flyer": "SE(3)", "planar": "SE(2)", "spherical": "SO(3)", "revolute_unbounded": "SO(2)"}


def _name(joint: JointModel) -> str:
    kind = joint.kind if isinstance(joint.kind, str) else next(iter(joint.kind))
    return _NAMES.get(kind, f"R^{joint.nq}")


class LieGroup:
    """A Lie group, or a product of several: configurations of nq numbers, tangent vectors of nv."""

    def __init__(self, other: LieGroup | None = None) -> None:
        self._joints: list[JointModel] = [] if other is None else list(other._joints)
        self.name: str = "" if other is None else other.name
        self._model = _chain(self._joints)

    @classmethod
    def of_joints(cls, joints: Iterable[JointModel], name: str | None = None) -> LieGroup:
        """The product of the joints' groups."""
        group = cls()
        group._joints = [joint for joint in joints if joint.nq]
        group.name = " x ".join(map(_name, group._joints)) if name is None else name
        group._model = _chain(group._joints)
        return group

    @property
    def nq(self) -> int:
        return int(self._model.nq)

    @property
    def nv(self) -> int:
        return int(self._model.nv)

    @property
    def neutral(self) -> Array:
        """The neutral element (nq,)."""
        return native.neutral(self._model)

    def __mul__(self, other: LieGroup) -> LieGroup:
        if not isinstance(other, LieGroup):
            return NotImplemented
        name = " x ".join(one.name for one in (self, other) if one.name)
        return LieGroup.of_joints([*self._joints, *other._joints], name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LieGroup) and self.name == other.name

    __hash__ = object.__hash__

    def integrate(self, q: Any, v: Any) -> Array:
        """The element (nq,) that q reaches along the tangent vector v."""
        return native.integrate(self._model, q, v)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The tangent vector (nv,) that leads from q0 to q1."""
        return native.difference(self._model, q0, q1)

    def interpolate(self, q0: Any, q1: Any, u: float) -> Array:
        """The element (nq,) on the way from q0 (u = 0) to q1 (u = 1)."""
        return native.interpolate(self._model, q0, q1, u)

    def squaredDistance(self, q0: Any, q1: Any) -> float:
        """The squared length of difference(q0, q1)."""
        return float(np.sum(native.squaredDistance(self._model, q0, q1)))

    def distance(self, q0: Any, q1: Any) -> float:
        """The length of difference(q0, q1)."""
        return float(native.distance(self._model, q0, q1))

    def normalize(self, q: Array) -> None:
        """Give quaternions and pairs (cos, sin) of q length one, in place."""
        q[...] = native.normalize(self._model, q)

    def random(self) -> Array:
        """A random element (nq,): rotations uniformly, other entries from -1 to 1."""
        return self.randomConfiguration(np.full(self.nq, -1.0), np.ones(self.nq))

    def randomConfiguration(self, lower: Any, upper: Any) -> Array:
        """A random element (nq,): rotations uniformly, other entries within the bounds."""
        q: Array = configuration.randomConfiguration(self._model, lower, upper)
        return q

    def dIntegrate(self, q: Any, v: Any, argument_position: ArgumentPosition) -> Array:
        """The derivative (nv, nv) of integrate along q (ARG0) or v (ARG1)."""
        derivative: Array = configuration.dIntegrate(self._model, q, v, argument_position)
        return derivative

    def dIntegrate_dq(self, q: Any, v: Any, *product: Any) -> Array:
        """The derivative (nv, nv) of integrate along q; with (J, 0) J times it, with (0, J) it times J."""
        return _product(self.dIntegrate(q, v, ARG0), product)

    def dIntegrate_dv(self, q: Any, v: Any, *product: Any) -> Array:
        """The derivative (nv, nv) of integrate along v; with (J, 0) J times it, with (0, J) it times J."""
        return _product(self.dIntegrate(q, v, ARG1), product)

    def dDifference(self, q0: Any, q1: Any, argument_position: ArgumentPosition, *product: Any) -> Array:
        """The derivative (nv, nv) of difference along q0 (ARG0) or q1 (ARG1); products as in dIntegrate_dq."""
        return _product(configuration.dDifference(self._model, q0, q1, argument_position), product)

    def dIntegrateTransport(self, q: Any, v: Any, J: Any, argument_position: ArgumentPosition) -> Array:
        """The derivative of integrate times J, a matrix of nv rows."""
        product: Array = configuration.dIntegrateTransport(self._model, q, v, J, argument_position)
        return product

    def tangentMap(self, q: Any) -> Array:
        """The rates (nq, nv) of the numbers q along tangent vectors."""
        return native.tangentMap(self._model, q)

    def tangentMapProduct(self, q: Any, matrix: Any) -> Array:
        """tangentMap times a matrix of nv rows."""
        product: Array = configuration.tangentMapProduct(self._model, q, matrix)
        return product

    def tangentMapTransposeProduct(self, q: Any, matrix: Any) -> Array:
        """The transpose of tangentMap times a matrix of nq rows."""
        product: Array = configuration.tangentMapTransposeProduct(self._model, q, matrix)
        return product

    def __repr__(self) -> str:
        return f"LieGroup({self.name})"


def _product(derivative: Array, product: tuple[Any, ...]) -> Array:
    """The derivative, or its product with a matrix on the side where the matrix is given."""
    match product:
        case ():
            return derivative
        case (int(), matrix):
            after: Array = derivative @ as_array("J", matrix)
            return after
        case (matrix, int()):
            found: Array = as_array("J", matrix) @ derivative
            return found
    raise TypeError("a matrix and an integer are expected after the configurations")


def _chain(joints: list[JointModel]) -> Model:
    model = Model()
    for k, joint in enumerate(joints):
        model.addJoint(k, joint, SE3(), f"joint{k}")
    return model


@of_model
def lieGroup(model: Model) -> LieGroup:
    """The product of the groups of all joints."""
    return LieGroup.of_joints(model.joints[1:])
