"""The Lie groups of configurations, by Pinocchio's names."""

from __future__ import annotations

from featherline.pinocchio.joints import CLASSES
from featherline.pinocchio.lie_group import LieGroup

__all__ = ["R1", "R2", "R3", "SE2", "SE3", "SO2", "SO3", "Rn"]


def _of(joint: str) -> LieGroup:
    return LieGroup.of_joints([CLASSES[f"JointModel{joint}"]()])


def Rn(n: int) -> LieGroup:
    """Vectors of n numbers."""
    if n < 0:
        raise ValueError(f"Rn of {n} numbers, where 0 or more are expected")
    return LieGroup.of_joints([CLASSES["JointModelPX"]() for _ in range(n)], f"R^{n}")


def R1() -> LieGroup:
    """Numbers."""
    return Rn(1)


def R2() -> LieGroup:
    """Vectors of two numbers."""
    return Rn(2)


def R3() -> LieGroup:
    """Vectors of three numbers."""
    return Rn(3)


def SO2() -> LieGroup:
    """Rotations in the plane, as (cos, sin)."""
    return _of("RUBZ")


def SO3() -> LieGroup:
    """Rotations, as quaternions (x, y, z, w)."""
    return _of("Spherical")


def SE2() -> LieGroup:
    """Placements in the plane, as (x, y, cos, sin)."""
    return _of("Planar")


def SE3() -> LieGroup:
    """Placements, as translation and quaternion (x, y, z, qx, qy, qz, qw)."""
    return _of("FreeFlyer")
