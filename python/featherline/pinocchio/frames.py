"""Frames fixed in bodies."""

from __future__ import annotations

from typing import Any

from featherline._native import SE3, Inertia
from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.native import FrameBase

_FORMS = (
    "name parent_joint placement type [inertia]",
    "name parent_joint parent_frame placement type [inertia]",
    "other",
    "clone",
)


class Frame(FrameBase):  # type: ignore[misc]
    """A frame: its name, the joint and the frame that carry it, its placement in the joint's frame."""

    parentJoint: int
    placement: SE3

    def __init__(self, *parts: Any, **named: Any) -> None:
        if named:
            parts = in_order("Frame", _FORMS, parts, named)
        name, parts = (parts[0], parts[1:]) if parts else ("", ())
        if isinstance(name, Frame):
            other = name
            parts = (other.parentJoint, other.parentFrame, other.placement.copy(), other.type, other.inertia.copy())
            name = other.name
        if len(parts) >= 2 and isinstance(parts[1], SE3):
            # Frame(name, parent joint, placement, type[, inertia])
            parts = (parts[0], 0, *parts[1:])
        rest: tuple[Any, ...] = (0, 0, SE3(), FrameType.OP_FRAME, Inertia())
        joint, frame, placement, kind, inertia = (*parts, *rest[len(parts) :])
        self.name: str = name
        self.parentJoint = joint
        self.parentFrame: int = frame
        self.placement = placement
        self.type: FrameType = FrameType(kind)
        self.inertia: Inertia = inertia.copy()

    parent = property(
        lambda self: self.parentJoint, lambda self, joint: setattr(self, "parentJoint", joint), doc="parentJoint"
    )
    previousFrame = property(
        lambda self: self.parentFrame, lambda self, frame: setattr(self, "parentFrame", frame), doc="parentFrame"
    )

    def copy(self) -> Frame:
        return Frame(self)

    cast = copy

    def __copy__(self) -> Frame:
        return Frame(self)

    def __deepcopy__(self, _memo: Any) -> Frame:
        return Frame(self)

    def _parts(self) -> tuple[Any, ...]:
        return self.name, self.parentJoint, self.parentFrame, self.placement, self.type, self.inertia

    def __reduce__(self) -> tuple[Any, ...]:
        return Frame, self._parts()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frame) and self._parts() == other._parts()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"Frame name: {self.name} paired to (parent joint/ parent frame)"
            f"({self.parentJoint}/{self.parentFrame})\nwith relative placement wrt parent joint:\n"
            f"{self.placement}\ncontaining inertia:\n{self.inertia}\n"
        )
