"""Enumerations with Pinocchio's names and values, of which the members are names of the module, too."""

from __future__ import annotations

from enum import IntEnum


class _Named(IntEnum):
    """Numbers that are printed as names."""

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


class ReferenceFrame(_Named):
    """The coordinates of a frame's motion."""

    WORLD = 0
    LOCAL = 1
    LOCAL_WORLD_ALIGNED = 2


class FrameType(_Named):
    """The kind of element that a frame represents."""

    OP_FRAME = 1
    JOINT = 2
    FIXED_JOINT = 4
    BODY = 8
    SENSOR = 16


class ArgumentPosition(_Named):
    """An argument of a function."""

    ARG0 = 0
    ARG1 = 1
    ARG2 = 2
    ARG3 = 3
    ARG4 = 4


class KinematicLevel(_Named):
    """How many derivatives of the configuration."""

    POSITION = 0
    VELOCITY = 1
    ACCELERATION = 2


class Convention(_Named):
    """In which coordinates an algorithm works inside: it changes no result here."""

    WORLD = 0
    LOCAL = 1


class GeometryType(_Named):
    """The purpose of a shape."""

    VISUAL = 0
    COLLISION = 1


class ContactType(_Named):
    """The part of a frame that a contact holds: its origin, or all of it."""

    CONTACT_3D = 0
    CONTACT_6D = 1
    CONTACT_UNDEFINED = 2


WORLD, LOCAL, LOCAL_WORLD_ALIGNED = ReferenceFrame
OP_FRAME, JOINT, FIXED_JOINT, BODY, SENSOR = FrameType
ARG0, ARG1, ARG2, ARG3, ARG4 = ArgumentPosition
POSITION, VELOCITY, ACCELERATION = KinematicLevel
VISUAL, COLLISION = GeometryType

__all__ = [
    "ReferenceFrame", "FrameType", "ArgumentPosition", "KinematicLevel", "Convention", "GeometryType", "ContactType",
    "WORLD", "LOCAL", "LOCAL_WORLD_ALIGNED", "OP_FRAME", "JOINT", "FIXED_JOINT", "BODY", "SENSOR", "ARG0", "ARG1", "ARG2",
    "ARG3", "ARG4", "POSITION", "VELOCITY", "ACCELERATION", "VISUAL", "COLLISION",
]  # fmt: skip
