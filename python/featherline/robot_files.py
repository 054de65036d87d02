"""The content of robots' files, with errors, warnings and repairs: named tuples.

Parts of a robot name the links, joints and frames that they refer to. Units are SI and radians.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

__all__ = [
    "Actuator", "ContactPair", "DescribedFrame", "DescribedJoint", "DescribedSensor", "Difference", "Edit", "EndEffector",
    "Finding", "Findings", "Geometry", "Group", "GroupState", "Kept", "Link", "Material", "MeshFile", "Missing", "Part",
    "QuantityDifference", "Repair", "RepairedFile", "Repairs", "RobotWarning", "Tendon", "TendonPoint",
]  # fmt: skip

# The command starts without numpy.
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, TypeAlias

    from featherline._native import SE3, Inertia

    _Severity: TypeAlias = Literal["error", "warning", "note"]
    _Vector: TypeAlias = tuple[float, float, float]
    _Colour: TypeAlias = tuple[float, float, float, float]


def _at(file: str | None, line: int | None, column: int | None, element: str | None) -> str:
    """A place as errors write it."""
    if line is None:
        place = file or "the text"
    else:
        place = f"line {line}, column {column}" if file is None else f"{file}:{line}:{column}"
    return f"{place}: {element}" if element else place


class Finding(NamedTuple):
    """An error, a warning or a note about a file; `str` writes it with its position."""

    #: "error": the file can't be read; "warning": what is computed may not be what was meant; "note": all else.
    severity: _Severity
    code: str  #: A word for the kind, such as "no-limit", which stays the same between versions.
    message: str  #: The message, in a sentence.
    file: str | None  #: The file; None for a text.
    line: int | None  #: The line, from 1; None where the file as a whole is meant.
    column: int | None  #: The column, from 1.
    element: str | None  #: The path of the element, such as robot/link[@name='hand'].
    repair: str | None  #: The change that `repair` makes; None where there is no repair.

    def __str__(self) -> str:
        if not (self.file or self.line or self.element):
            return self.message
        return f"{_at(self.file, self.line, self.column, self.element)}: {self.message}"

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self}>"


class Findings(tuple[Finding, ...]):
    """The errors, warnings and notes about a file: a tuple that is written as one line a kind, with their number."""

    __slots__ = ()

    @property
    def text(self) -> str:
        """A line a finding."""
        return "\n".join(f"{finding.severity} {finding.code}: {finding}" for finding in self)

    def kinds(self) -> list[Findings]:
        """The findings by kind: those whose messages differ in names and numbers alone."""
        kinds: dict[tuple[str, str], list[Finding]] = {}
        for finding in self:
            kinds.setdefault((finding.code, _without_names(finding.message)), []).append(finding)
        return [Findings(kind) for kind in kinds.values()]

    def _without_folders(self) -> Findings:
        """The findings with the names of files without their folders."""
        return Findings(finding._replace(file=finding.file and finding.file.rpartition("/")[2]) for finding in self)

    def __str__(self) -> str:
        if not self:
            return "no findings"
        kinds = [kind._without_folders() for kind in self.kinds()]
        return "\n".join(f"{kind[0].severity} {kind[0].code}: {_with_others(kind)}" for kind in kinds)

    __repr__ = __str__


def _without_names(message: str) -> str:
    """A message without its numbers and names, but for those of elements."""
    import re

    return re.sub(r"`[^`<]+`|-?\d[\d.e+-]*", "", message)


def _with_others(kind: Findings, where: str = "") -> str:
    """The first finding of a kind, and how many more there are."""
    return str(kind[0]) + (f" ({len(kind) - 1} more of this kind{where})" if len(kind) > 1 else "")


class RobotWarning(UserWarning):
    """A warning about a robot: there is one warning a kind.

    >>> import warnings
    >>> import featherline as fl
    >>> warnings.simplefilter("ignore", fl.RobotWarning)
    """


def _warn(findings: Findings, where: str) -> None:
    """Warn the caller of a native function of what is doubtful; `where` says what lists all."""
    for kind in Findings(finding for finding in findings if finding.severity == "warning").kinds():
        _warn_user(_with_others(kind, where))


def _warn_user(text: str) -> None:
    """A warning at the line outside of this package that led to it."""
    import os
    import sys
    import warnings

    level, frame = 1, sys._getframe()
    package = os.path.dirname(__file__) + os.sep
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RobotWarning, stacklevel=level)


class Edit(NamedTuple):
    """A piece of a text that is replaced."""

    file: str | None  #: The file; None for a text.
    start: tuple[int, int]  #: Line and column of its first character, from 1, in the text as it was.
    end: tuple[int, int]  #: Line and column behind its last character.
    text: str  #: The text that replaces it.


class Repair(NamedTuple):
    """A repair of one problem."""

    severity: _Severity  #: How much the problem matters.
    code: str  #: The code of the problem, that of its `Finding`.
    reason: str  #: The problem, the repair, and the reason for it.
    file: str | None  #: The file of the problem; None for a text.
    line: int | None  #: Its line, from 1, in the text as it was.
    column: int | None  #: Its column, from 1.
    element: str | None  #: The path of its element.
    edits: tuple[Edit, ...]  #: The edits, in the order of the text.

    def __str__(self) -> str:
        return f"{_at(self.file, self.line, self.column, self.element)}: {self.reason}"


class RepairedFile(NamedTuple):
    """A file before and after its repairs."""

    file: str | None  #: The file; None for a text.
    before: str  #: Its text as it is.
    after: str  #: Its text with all repairs.

    def __repr__(self) -> str:
        state = "unchanged" if self.before == self.after else "repaired"
        return f"<RepairedFile {self.file or 'text'}: {state}>"


class Repairs(NamedTuple):
    """The repairs of the files of a robot."""

    repairs: tuple[Repair, ...]  #: The repairs.
    files: tuple[RepairedFile, ...]  #: The files: the robot's own, then those that it includes.
    remaining: Findings  #: The errors, warnings and notes that remain after all repairs.

    def __str__(self) -> str:
        lines = [f"repairs: {len(self.repairs)}, findings that remain: {len(self.remaining)}"]
        return "\n".join([*lines, *(f"{repair.code}: {repair}" for repair in self.repairs)])

    def __repr__(self) -> str:
        return str(self)

    @property
    def text(self) -> str:
        """The text of the robot's own file with all repairs."""
        return self.files[0].after

    def diff(self) -> str:
        """The repairs as a unified diff."""
        import difflib

        lines: list[str] = []
        for name, before, after in self.files:
            name = name or "text"
            both = before.splitlines(keepends=True), after.splitlines(keepends=True)
            for line in difflib.unified_diff(*both, name, name):
                lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
        return "".join(lines)


class Missing(NamedTuple):
    """A part that one of two robots lacks."""

    kind: str  #: Such as "joint", "frame" or "loop joint".
    name: str  #: Its name.
    is_in_first: bool  #: Whether the first robot has it, and the second lacks it.


class QuantityDifference(NamedTuple):
    """The greatest difference of a quantity."""

    relative: float  #: Relative to the largest entry of the quantity in the first robot.
    at: str | None  #: The joint or frame of the greatest difference; None where a state has it.


class Difference(NamedTuple):
    """How a robot and its conversion differ."""

    #: Warnings of statements that the new format can't express, with their positions in the old file.
    not_expressed: Findings
    missing: tuple[Missing, ...]  #: Parts that one of both lacks.
    other_kinds: tuple[str, ...]  #: Joints of another kind, in words.
    quantities: dict[str, QuantityDifference]  #: The greatest difference of each quantity, such as "mass matrix".

    def is_same(self, tolerance: float = 1e-12) -> bool:
        """Whether nothing is missing, and no quantity differs by more than a relative tolerance."""
        is_near = all(quantity.relative <= tolerance for quantity in self.quantities.values())
        is_whole = not any(finding.severity == "warning" for finding in self.not_expressed)
        return is_near and is_whole and not self.missing and not self.other_kinds

    def _lacks(self) -> list[str]:
        """The parts that one of both lacks, one line a kind, without those that `not_expressed` names."""
        named = {name for finding in self.not_expressed for name in finding.message.split("`")[1::2]}
        kinds: dict[tuple[str, bool], list[str]] = {}
        for it in self.missing:
            if not (it.is_in_first and it.name in named):
                kinds.setdefault((it.kind, it.is_in_first), []).append(it.name)
        lines = [f"the {'new' if lost else 'old'} robot has no {kind} {names[0]}" for (kind, lost), names in kinds.items()]
        counts = [f" ({len(names) - 1} more)" if len(names) > 1 else "" for names in kinds.values()]
        return [line + count for line, count in zip(lines, counts, strict=True)] + list(self.other_kinds)

    def _quantities(self) -> list[str]:
        return [
            f"  {name}: {it.relative:.1e}" + (f" at {it.at}" if it.at and it.relative > 1e-12 else "")
            for name, it in self.quantities.items()
        ]

    @property
    def text(self) -> str:
        """All of it, a line each."""
        lacks = [f"the {'new' if it.is_in_first else 'old'} robot has no {it.kind} {it.name}" for it in self.missing]
        found = [*map(str, self.not_expressed), *lacks, *self.other_kinds]
        return "\n".join([self._heading(), *found, *self._quantities()])

    def _heading(self) -> str:
        if self.is_same():
            return "the same robot; greatest relative differences below"
        return "another robot: what is not the same, and greatest relative differences"

    def __str__(self) -> str:
        """A dozen lines; `text` has all."""
        kinds = [_with_others(kind._without_folders()) for kind in self.not_expressed.kinds()] + self._lacks()
        quantities = sorted(self.quantities.items(), key=lambda entry: -entry[1].relative)
        worst = [f"{name} {it.relative:.1e}" for name, it in quantities[:4]]
        lines = [self._heading(), *kinds[:8]]
        if len(kinds) > 8:
            lines.append(f"and {len(kinds) - 8} more lines: print(difference.text)")
        return "\n".join([*lines, "greatest relative differences: " + ", ".join(worst)])

    def __repr__(self) -> str:
        return str(self)


class Part(NamedTuple):
    """A part that another one refers to."""

    kind: str  #: "link", "subtree", "joint", "frame", "geometry", "tendon" or "actuator".
    name: str  #: Its name; empty if it has none.
    place: int  #: Its place among the parts of its kind, in the order of the file.


class Link(NamedTuple):
    """A link."""

    name: str  #: Its name.
    inertia: Inertia | None  #: Its inertia in its frame; None if the file gives none.


class DescribedJoint(NamedTuple):
    """A joint as the file states it. The joints of the model are those that move."""

    name: str  #: Its name.
    kind: str  #: Such as "revolute" or "fixed".
    parent: str  #: The link that carries it.
    child: str  #: The link that it moves.
    placement: SE3  #: Its frame in the parent link.
    child_placement: SE3  #: The child link in the joint's moved frame.
    mimics: str | None  #: The joint that it mimics.


class DescribedFrame(NamedTuple):
    """A frame of a link."""

    name: str  #: Its name.
    kind: str  #: "operational" or "sensor"; of a model file also "body", "joint" or "fixed_joint".
    link: str  #: Its link.
    placement: SE3  #: Its placement in the link.


class MeshFile(NamedTuple):
    """A mesh in a file."""

    uri: str  #: The file as it is written, such as package://arm/link.stl.
    path: str | None  #: The file; None if it was not found.
    scale: _Vector  #: Factors of its coordinates.


class Geometry(NamedTuple):
    """A shape of a link."""

    name: str  #: Its name; empty if it has none.
    link: str  #: Its link.
    placement: SE3  #: Its placement in the link.
    #: "box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "plane", "convex", "mesh" or a word of its format
    #: ("hfield").
    shape: str
    #: In m: the sides of a box; the radius of a sphere; radius and length of a cylinder, capsule (without its ends)
    #: or cone; the semi-axes of an ellipsoid.
    sizes: tuple[float, ...]
    mesh: MeshFile | None  #: The file of a mesh.
    is_visual: bool  #: Whether it is seen.
    is_collision: bool  #: Whether it touches.
    colour: _Colour | None  #: Red, green, blue and opacity, from 0 to 1.
    material: str | None  #: The name of its material; None if it has none.


class Material(NamedTuple):
    """How shapes look."""

    name: str  #: Its name; empty if it has none.
    colour: _Colour | None  #: Red, green, blue and opacity, from 0 to 1.
    texture: str | None  #: The file of its texture, as it is written.


class Actuator(NamedTuple):
    """An actuator: a drive of joints, of a tendon or of a frame."""

    name: str  #: Its name.
    kind: str  #: The kind in the words of the file, such as "motor" or "position".
    drives: str  #: "joint", "joint_in_parent", "tendon", "frame", "slider_crank" or "link".
    #: The parts that it drives; behind a frame, the one that displacements are measured from.
    targets: tuple[Part, ...]
    gear: tuple[float, float, float, float, float, float]  #: Factors from its force to what it drives.
    control_range: tuple[float, float] | None  #: The least and the greatest control.
    force_range: tuple[float, float] | None  #: The least and the greatest force, in N or N·m.
    settings: dict[str, str]  #: All else, in the words of the file.


class TendonPoint(NamedTuple):
    """A point of the path of a tendon."""

    on: Part | None  #: The frame or the shape that it goes through or around; None for a pulley.
    side: str | None  #: The frame on whose side it goes around a shape.
    divisor: float | None  #: The divisor of a pulley.


class Tendon(NamedTuple):
    """A length that depends on several joints."""

    name: str  #: Its name.
    #: Joints and the coefficients that sum up to its length; empty for a path through points.
    joints: tuple[tuple[str, float], ...]
    points: tuple[TendonPoint, ...]  #: The points of its path.
    stiffness: float  #: In N/m.
    damping: float  #: In N·s/m.
    friction: float  #: In N.
    armature: float  #: In kg.
    #: The lengths between which its spring is at rest; None for that of the reference configuration.
    rest_length: tuple[float, float] | None
    range: tuple[float, float] | None  #: The least and the greatest length.
    settings: dict[str, str]  #: All else, in the words of the file.


class DescribedSensor(NamedTuple):
    """A sensor as the file states it."""

    name: str  #: Its name.
    kind: str  #: The kind in the words of the file, such as "gyro".
    targets: tuple[Part, ...]  #: The part that it is attached to, then the part that it is measured against.
    settings: dict[str, str]  #: All else, in the words of the file.


class ContactPair(NamedTuple):
    """Two shapes that may touch, whatever is said of all others."""

    name: str  #: Its name; empty if it has none.
    geometry: tuple[Part, Part]  #: The shapes.
    settings: dict[str, str]  #: Friction and compliance, in the words of the file.


class Group(NamedTuple):
    """A group of joints, of an SRDF."""

    name: str  #: Its name.
    joints: tuple[str, ...]  #: Its joints that move, those of its links, chains and subgroups included.
    links: tuple[str, ...]  #: The links that it names.
    chains: tuple[tuple[str, str], ...]  #: The first and the last link of each chain.
    subgroups: tuple[str, ...]  #: The groups in it.
    has_root: bool  #: Whether it has the joint that moves a floating base.


class GroupState(NamedTuple):
    """A named state of a group, of an SRDF."""

    name: str  #: Its name.
    group: str | None  #: Its group; None if it is not known.
    configuration: str  #: Its name among the configurations of the robot.


class EndEffector(NamedTuple):
    """A group at the end of another one, of an SRDF."""

    name: str  #: Its name.
    parent: str  #: The link that it is attached to.
    group: str | None  #: Its group.
    parent_group: str | None  #: The group that it belongs to, such as the arm.


class Kept(NamedTuple):
    """An element that is kept as it is written."""

    format: str  #: The format that it is written in, such as "URDF".
    owner: Part | None  #: The link or joint that it belongs to; None for the robot.
    tag: str  #: The element's name, such as "transmission".
    text: str  #: Its text.


def _brief(self: Any) -> str:
    """A part by those of its fields that say something."""
    fields: Iterable[tuple[str, Any]] = zip(self._fields, self, strict=True)
    said = (f"{name}={value!r}" for name, value in fields if value is not None and value not in ("", (), {}) and not _is_identity(value))
    return f"{type(self).__name__}({', '.join(said)})"


def _is_identity(value: Any) -> bool:
    return type(value).__name__ == "SE3" and bool(value == type(value)())


for _part in (Link, DescribedJoint, DescribedFrame, Geometry, Material, Actuator, Tendon, DescribedSensor, ContactPair, Group):
    _part.__repr__ = _brief  # type: ignore[method-assign]
