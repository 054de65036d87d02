"""The URDF files of the package `example-robot-data`, as Pinocchio reads them, with mimic joints reduced."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pinocchio as pin

from coordinates import Affine, Block, CoordinateMap, Copy, Slots
from passive import Drives
from robot import Joint, Mimic, Robot, Target, pick_targets
from sampling import Circle, Interval, Quaternion, Segment, bounded

PACKAGE = "example-robot-data"
BASES = ("fixed", "floating")
FREE_FLYER = "JointModelFreeFlyer"
# An angle counts turns: it is drawn from several.
TURNS = Interval(-3.0 * math.pi, 3.0 * math.pi)


class Refused(Exception):
    """The reference cannot build the robot; the message is the reason."""


@dataclass(frozen=True)
class File:
    """A robot file: its path, and its name relative to the package's folder of robots.

    With `angles`, its `continuous` joints have one angle for their coordinate instead of Pinocchio's (cos, sin).
    """

    path: Path
    robot: str
    angles: bool = False

    def build(self, base: str, *more: bool) -> pin.Model:
        """Let Pinocchio read the file; `more` are its further arguments."""
        root = [pin.JointModelFreeFlyer()] if base == "floating" else []
        if self.angles:
            return pin.buildModelFromXML(self._revolute(), *root, *more)
        return pin.buildModelFromUrdf(str(self.path), *root, *more)

    def continuous(self) -> set[str]:
        """Name the `continuous` joints."""
        joints = ElementTree.parse(self.path).getroot().findall("joint")
        return {joint.get("name", "") for joint in joints if joint.get("type") == "continuous"}

    def _revolute(self) -> str:
        """Give the file's text with a `revolute` joint in the place of each `continuous` one."""
        tree = ElementTree.parse(self.path)
        for joint in tree.getroot().findall("joint"):
            if joint.get("type") == "continuous":
                joint.set("type", "revolute")
                limit = joint.find("limit")
                limit = ElementTree.SubElement(joint, "limit") if limit is None else limit
                limit.attrib |= {"effort": "0", "velocity": "0", **limit.attrib, "lower": "-10", "upper": "10"}
        return ElementTree.tostring(tree.getroot(), encoding="unicode")


def files() -> list[File]:
    """List every URDF of the package, sorted by name."""
    found = [f for f in metadata.files(PACKAGE) or [] if f.suffix == ".urdf"]
    named = (File(Path(str(f.locate())).resolve(), "/".join(f.parts[f.parts.index("robots") + 1 :])) for f in found)
    return sorted(named, key=lambda f: f.robot)


def mimics(path: Path) -> dict[str, Mimic]:
    """Read the mimic elements of all joints that move, by joint name, as written (chains unresolved)."""
    found = {}
    for joint in ElementTree.parse(path).getroot().findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            ratio, offset = (float(mimic.get(key, default)) for key, default in (("multiplier", "1"), ("offset", "0")))
            found[joint.get("name", "")] = Mimic(mimic.get("joint", ""), ratio, offset)
    return found


def resolve(name: str, written: dict[str, Mimic]) -> Mimic:
    """Go along a chain of mimics to the joint that moves freely."""
    result, seen = written[name], {name}
    while result.master in written:
        if result.master in seen:
            raise Refused(f"mimic joints form a cycle: {sorted(seen)}")
        seen.add(result.master)
        step = written[result.master]
        result = Mimic(step.master, result.ratio * step.ratio, result.ratio * step.offset + result.offset)
    return result


def load(file: File, base: str, *, with_mimics: bool) -> Robot:
    """Build a robot; without mimics, every joint is free."""
    try:
        full = file.build(base)
    except ValueError as error:
        raise Refused(str(error)) from error
    written = mimics(file.path) if with_mimics else {}
    for name, mimic in written.items():
        if not full.existJointName(mimic.master):
            raise Refused(f"joint {name!r} mimics {mimic.master!r}, which is no moving joint of the robot")
    return _reduce(file.robot, full, written, file.continuous() if file.angles else set())


def native(file: File, base: str) -> pin.Model:
    """Build the model with Pinocchio's own mimic joints."""
    return file.build(base, True)


def _reduce(name: str, full: pin.Model, written: dict[str, Mimic], turning: set[str]) -> Robot:
    """Give the joints that stay free their coordinates, in Pinocchio's order, and map the others to them.

    `turning` joints are drawn from several turns.
    """
    space = pin.Model()
    joints: dict[str, Joint] = {}
    segments: list[Segment] = []
    blocks: list[Block] = []
    nq = nv = 0
    for i in range(1, full.njoints):
        model, label = full.joints[i], full.names[i]
        parent = full.names[full.parents[i]] if full.parents[i] > 0 else None
        free = label not in written
        nqi, nvi = (model.nq, model.nv) if free else (0, 0)
        joints[label] = Joint(label, model.shortname(), parent, i, nq, nqi, nv, nvi)
        if free:
            blocks.append(Copy(Slots(nq, nv, model.idx_q, model.idx_v), nqi, nvi))
            segments += [TURNS] if label in turning else _segments(full, i)
            space.addJoint(0, model, pin.SE3.Identity(), label)
        nq, nv = nq + nqi, nv + nvi
    for label in written:
        if label in joints:
            blocks.append(_mimicking(label, joints, full, resolve(label, written)))
    return Robot(
        name=name,
        joints=list(joints.values()),
        segments=tuple(segments),
        map=CoordinateMap(tuple(blocks), nq, nv, full.nq, full.nv, identity=not written),
        full=full,
        space=space,
        drives=Drives.of_model(full),
        bodies=[(f.name, i) for i, f in enumerate(full.frames) if f.type == pin.FrameType.BODY],
        targets=_targets(full, list(joints.values())),
        hessian_target=next(iter(pick_targets(list(joints.values()))), None),
    )


def _mimicking(label: str, joints: dict[str, Joint], full: pin.Model, mimic: Mimic) -> Block:
    """Turn a joint into a mimic, and make its block."""
    joint, master = joints[label], joints[mimic.master]
    model = full.joints[joint.full_id]
    joints[label] = Joint(label, joint.kind, joint.parent, joint.full_id, master.idx_q, 0, master.idx_v, 0, mimic)
    slots = Slots(master.idx_q, master.idx_v, model.idx_q, model.idx_v)
    return Affine(slots, mimic.ratio, mimic.offset, master.nq == 2, model.nq == 2)


def _segments(full: pin.Model, i: int) -> list[Segment]:
    """Say how the coordinates of a joint are drawn."""
    joint = full.joints[i]
    if joint.shortname() == FREE_FLYER:
        return [Interval(-1.0, 1.0)] * 3 + [Quaternion()]
    if joint.nq == 2:
        return [Circle()]
    return [bounded(full.lowerPositionLimit[joint.idx_q], full.upperPositionLimit[joint.idx_q])]


def _targets(full: pin.Model, joints: list[Joint]) -> list[Target]:
    """Choose joints, and up to two bodies that a fixed joint holds away from their joint's frame."""
    chosen = pick_targets(joints)
    found = [Target("joint", j.name, full.getFrameId(j.name, pin.FrameType.JOINT)) for j in chosen]
    offset = [
        Target("body", frame.name, i)
        for i, frame in enumerate(full.frames)
        if frame.type == pin.FrameType.BODY and frame.parentJoint > 0 and not frame.placement.isIdentity(1e-3)
    ]
    return found + offset[-1:] + offset[: len(offset[:-1]) and 1]
