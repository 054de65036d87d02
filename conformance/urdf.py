"""The URDF files of the package `example-robot-data`, as Pinocchio reads them, with mimic joints reduced."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pinocchio as pin

from coordinates import Affine, Block, CoordinateMap, Copy, Slots
from robot import Joint, Mimic, Robot, Target, pick_targets
from sampling import Circle, Interval, Quaternion, Segment, bounded

PACKAGE = "example-robot-data"
BASES = ("fixed", "floating")
FREE_FLYER = "JointModelFreeFlyer"


class Refused(Exception):
    """The reference cannot build the robot; the message is the reason."""


@dataclass(frozen=True)
class File:
    """A robot file: its path, and its name relative to the package's folder of robots."""

    path: Path
    robot: str


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
    """Follow a chain of mimics to the joint that moves freely."""
    result, seen = written[name], {name}
    while result.master in written:
        if result.master in seen:
            raise Refused(f"mimic joints follow each other in a circle: {sorted(seen)}")
        seen.add(result.master)
        step = written[result.master]
        result = Mimic(step.master, result.ratio * step.ratio, result.ratio * step.offset + result.offset)
    return result


def load(file: File, base: str, *, with_mimics: bool) -> Robot:
    """Build a robot; without mimics, every joint is free."""
    try:
        root = [pin.JointModelFreeFlyer()] if base == "floating" else []
        full = pin.buildModelFromUrdf(str(file.path), *root)
    except ValueError as error:
        raise Refused(str(error)) from error
    written = mimics(file.path) if with_mimics else {}
    for name, mimic in written.items():
        if not full.existJointName(mimic.master):
            raise Refused(f"joint {name!r} mimics {mimic.master!r}, which is no moving joint of the robot")
    return _reduce(file.robot, full, written)


def native(file: File, base: str) -> pin.Model:
    """Build the model with Pinocchio's own mimic joints."""
    root = [pin.JointModelFreeFlyer()] if base == "floating" else []
    return pin.buildModelFromUrdf(str(file.path), *root, True)


def _reduce(name: str, full: pin.Model, written: dict[str, Mimic]) -> Robot:
    """Give the joints that stay free their coordinates, in Pinocchio's order, and map the others to them."""
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
            segments += _segments(full, i)
        nq, nv = nq + nqi, nv + nvi
    for label in written:
        if label in joints:
            blocks.append(_follow(label, joints, full, resolve(label, written)))
    return Robot(
        name=name,
        joints=list(joints.values()),
        segments=tuple(segments),
        map=CoordinateMap(tuple(blocks), nq, nv, full.nq, full.nv, identity=not written),
        full=full,
        bodies=[(f.name, i) for i, f in enumerate(full.frames) if f.type == pin.FrameType.BODY],
        targets=_targets(full, list(joints.values())),
        hessian_target=next(iter(pick_targets(list(joints.values()))), None),
    )


def _follow(label: str, joints: dict[str, Joint], full: pin.Model, mimic: Mimic) -> Block:
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
