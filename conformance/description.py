"""Robots from JSON descriptions, with the joints that URDF cannot express. README.md has the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from coordinates import Affine, Array, Block, CoordinateMap, Copy, Ellipsoid, Slots
from passive import Drives
from robot import Joint, Mimic, Robot, Target, pick_targets
from sampling import Circle, Interval, Quaternion, Segment

Json = dict[str, Any]

ANGLE = Interval(-3.0, 3.0)
LENGTH = Interval(-1.0, 1.0)
# Away from the poles of the three-angle charts, where their mass matrix is singular.
PITCH = Interval(-1.2, 1.2)

SEGMENTS: dict[str, tuple[Segment, ...]] = {
    "revolute": (ANGLE,),
    "revolute_unbounded": (Circle(),),
    "prismatic": (LENGTH,),
    "helical": (ANGLE,),
    "cylindrical": (ANGLE, LENGTH),
    "universal": (ANGLE, ANGLE),
    "planar": (LENGTH, LENGTH, Circle()),
    "translation": (LENGTH, LENGTH, LENGTH),
    "spherical": (Quaternion(),),
    "spherical_zyx": (ANGLE, PITCH, ANGLE),
    "ellipsoid": (ANGLE, PITCH, ANGLE),
    "free_flyer": (LENGTH, LENGTH, LENGTH, Quaternion()),
}


NEUTRAL = {Interval: (0.0,), Circle: (1.0, 0.0), Quaternion: (0.0, 0.0, 0.0, 1.0)}

# What a joint's drive has for each degree of freedom.
DRIVES = ("armature", "damping", "friction", "stiffness")


@dataclass(frozen=True)
class Part:
    """A joint of the expanded model; `ellipsoid` marks the translation that begins one."""

    placement: pin.SE3
    joint: pin.JointModel
    ellipsoid: tuple[float, float, float] | None = None


def read(path: Path) -> Json:
    """Read a description."""
    return json.loads(path.read_text())


def placement(spec: Json) -> pin.SE3:
    """Read a placement: translation, and rotation as a quaternion x, y, z, w."""
    rotation = pin.Quaternion(np.array(spec["rotation"], dtype=float)).normalized()
    return pin.SE3(rotation.matrix(), np.array(spec["translation"], dtype=float))


def inertia(body: Json) -> pin.Inertia:
    """Read a body: inertia [xx, xy, xz, yy, yz, zz] about its centre of mass, in the axes of the joint's frame."""
    xx, xy, xz, yy, yz, zz = body["inertia"]
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)
    return pin.Inertia(float(body["mass"]), np.array(body["com"], dtype=float), matrix)


def leaves(kind: Json) -> Iterator[tuple[pin.SE3, Json]]:
    """Flatten composites (nested, too) into (placement, kind) of their parts."""
    if kind["type"] != "composite":
        yield pin.SE3.Identity(), kind
        return
    for part in kind["parts"]:
        before = placement(part["placement"])
        for inner, leaf in leaves(part["kind"]):
            yield before * inner, leaf
            before = pin.SE3.Identity()


def segments(kind: Json) -> list[Segment]:
    """Say how the coordinates of a kind are drawn."""
    kind = kind["kind"] if kind["type"] == "mimic" else kind
    return [segment for _, leaf in leaves(kind) for segment in SEGMENTS[leaf["type"]]]


def size(kind: Json) -> tuple[int, int]:
    """Count the coordinates of a kind and its degrees of freedom; of a mimic, those that it would have."""
    inner = kind["kind"] if kind["type"] == "mimic" else kind
    nv = sum(part.joint.nv - 3 * (part.ellipsoid is not None) for part in parts(inner))
    return sum(segment.nq for segment in segments(kind)), nv


def drive(spec: Json) -> dict[str, Array]:
    """Read what a joint's drive adds; the armature comes with the rotor's inertia as the gear reflects it."""
    _, nv = size(spec["kind"])
    read = {name: np.array(spec.get(name) or [0.0] * nv, dtype=float) for name in (*DRIVES, "rotor_inertia")}
    gear = np.array(spec.get("gear_ratio") or [1.0] * nv, dtype=float)
    rest = spec.get("spring_reference") or [x for segment in segments(spec["kind"]) for x in NEUTRAL[type(segment)]]
    return {**read, "armature": read["armature"] + gear**2 * read["rotor_inertia"], "rest": np.array(rest, dtype=float)}


def configuration_space(spec: Json) -> pin.Model:
    """Put every free joint at the universe: a model with the same configuration space, for the Lie-group operations."""
    space = pin.Model()
    for joint in spec["joints"]:
        if joint["kind"]["type"] != "mimic":
            for i, (_, leaf) in enumerate(leaves(joint["kind"])):
                space.addJoint(0, native(leaf), pin.SE3.Identity(), f"{joint['name']}#{i}")
    return space


def native(kind: Json) -> pin.JointModel:
    """Build Pinocchio's own joint of a kind."""
    match kind["type"]:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(_unit(kind["axis"]))
        case "revolute_unbounded":
            return _unbounded(_unit(kind["axis"]))
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(_unit(kind["axis"]))
        case "helical":
            return pin.JointModelHelicalUnaligned(_unit(kind["axis"]), float(kind["pitch"]))
        case "universal":
            return pin.JointModelUniversal(_unit(kind["axis1"]), _unit(kind["axis2"]))
        case "planar":
            return pin.JointModelPlanar()
        case "translation":
            return pin.JointModelTranslation()
        case "spherical":
            return pin.JointModelSpherical()
        case "spherical_zyx":
            return pin.JointModelSphericalZYX()
        case "ellipsoid":
            return pin.JointModelEllipsoid(*map(float, kind["radii"]))
        case "free_flyer":
            return pin.JointModelFreeFlyer()
        case "cylindrical":
            axis = _unit(kind["axis"])
            joint = pin.JointModelComposite(pin.JointModelRevoluteUnaligned(axis))
            joint.addJoint(pin.JointModelPrismaticUnaligned(axis))
            return joint
        case "composite":
            parts = [(native(leaf), before) for before, leaf in leaves(kind)]
            joint = pin.JointModelComposite(*parts[0])
            for part, before in parts[1:]:
                joint.addJoint(part, before)
            return joint
        case "mimic":
            return native(kind["kind"])
        case other:
            raise ValueError(f"no such kind of joint: {other!r}")


def parts(kind: Json) -> Iterator[Part]:
    """Expand a kind into joints whose motion subspaces are constant in their moving frame."""
    for before, leaf in leaves(kind):
        match leaf["type"]:
            case "universal":
                chain = [pin.JointModelRevoluteUnaligned(_unit(leaf[axis])) for axis in ("axis1", "axis2")]
            case "cylindrical":
                axis = _unit(leaf["axis"])
                chain = [pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)]
            case "spherical_zyx":
                chain = [pin.JointModelRZ(), pin.JointModelRY(), pin.JointModelRX()]
            case "ellipsoid":
                yield Part(before, pin.JointModelTranslation(), tuple(map(float, leaf["radii"])))
                before = pin.SE3.Identity()
                chain = [pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()]
            case _:
                chain = [native(leaf)]
        for joint in chain:
            yield Part(before, joint)
            before = pin.SE3.Identity()


@dataclass
class Builder:
    """Assembles a `Robot` joint by joint."""

    description: Json
    full: pin.Model = field(default_factory=pin.Model)
    joints: dict[str, Joint] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    drives: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in (*DRIVES, "rest")})
    nq: int = 0
    nv: int = 0

    def build(self) -> Robot:
        """Build the robot."""
        self.full.name = self.description["name"]
        self.full.gravity.linear = np.array(self.description["gravity"], dtype=float)
        free = [spec for spec in self.description["joints"] if spec["kind"]["type"] != "mimic"]
        for spec in free:
            self._reserve(spec)
        mimics = {s["name"]: s["kind"] for s in self.description["joints"] if s["kind"]["type"] == "mimic"}
        for spec in self.description["joints"]:
            self._add(spec, mimics)
        drives = {name: np.array(values) for name, values in self.drives.items()}
        self.full.armature = drives["armature"]
        bodies = []
        for spec in self.description.get("frames", []):
            at = self.joints[spec["joint"]].full_id
            frame = pin.Frame(spec["name"], at, placement(spec["placement"]), pin.FrameType.OP_FRAME)
            bodies.append((spec["name"], self.full.addFrame(frame)))
        joints = [self.joints[spec["name"]] for spec in self.description["joints"]]
        linear = all(isinstance(block, Copy) for block in self.blocks)
        return Robot(
            name=self.description["name"],
            joints=joints,
            segments=tuple(self.segments),
            map=CoordinateMap(tuple(self.blocks), self.nq, self.nv, self.full.nq, self.full.nv, linear),
            full=self.full,
            space=configuration_space(self.description),
            drives=Drives(drives["damping"], drives["friction"], drives["stiffness"], drives["rest"]),
            bodies=bodies,
            targets=self._targets(joints, bodies),
            hessian_target=pick_targets(joints)[0],
        )

    def _reserve(self, spec: Json) -> None:
        """Give a free joint its coordinates, before any mimic asks for them."""
        nq, nv = size(spec["kind"])
        self.joints[spec["name"]] = Joint(
            spec["name"], spec["kind"]["type"], spec["parent"], 0, self.nq, nq, self.nv, nv
        )
        self.segments += segments(spec["kind"])
        self.nq, self.nv = self.nq + nq, self.nv + nv

    def _add(self, spec: Json, mimics: dict[str, Json]) -> None:
        """Append the joints that stand for one joint of the description to the expanded model, and its blocks."""
        name, kind = spec["name"], spec["kind"]
        parent = self.joints[spec["parent"]].full_id if spec["parent"] else 0
        before = placement(spec["placement"])
        mimic = kind["type"] == "mimic"
        chain = list(parts(kind["kind"] if mimic else kind))
        slots = Slots(0, 0, self.full.nq, self.full.nv)
        if mimic:
            self.joints[name] = self._mimic(spec, mimics, slots)
        q, v = self.joints[name].idx_q, self.joints[name].idx_v
        given = drive(spec)
        done_q = done_v = 0
        for i, part in enumerate(chain):
            label = name if i == len(chain) - 1 else f"{name}#{i}"
            at = Slots(q, v, self.full.nq, self.full.nv)
            if part.ellipsoid:
                self.blocks.append(Ellipsoid(at, part.ellipsoid))
                for values in self.drives.values():
                    values += [0.0] * 3
            else:
                for constant in DRIVES:
                    self.drives[constant] += given[constant][done_v : done_v + part.joint.nv].tolist()
                self.drives["rest"] += given["rest"][done_q : done_q + part.joint.nq].tolist()
                done_q, done_v = done_q + part.joint.nq, done_v + part.joint.nv
                # The block of an ellipsoid covers the three rotations that follow its translation.
                covered = mimic or any(earlier.ellipsoid for earlier in chain[max(0, i - 3) : i])
                if not covered:
                    self.blocks.append(Copy(at, part.joint.nq, part.joint.nv))
                if not mimic:
                    q, v = q + part.joint.nq, v + part.joint.nv
            parent = self.full.addJoint(parent, part.joint, before * part.placement, label)
            before = pin.SE3.Identity()
        self.full.appendBodyToJoint(parent, inertia(spec["body"]), pin.SE3.Identity())
        old = self.joints[name]
        self.joints[name] = Joint(**{**old.__dict__, "full_id": parent})

    def _mimic(self, spec: Json, mimics: dict[str, Json], slots: Slots) -> Joint:
        """Make a mimic's joint and block, by the chain that ends at a joint that moves freely."""
        kind = spec["kind"]
        mimic = Mimic(kind["master"], float(kind["ratio"]), float(kind["offset"]))
        while mimic.master in mimics:
            step = mimics[mimic.master]
            offset = mimic.ratio * float(step["offset"]) + mimic.offset
            mimic = Mimic(step["master"], mimic.ratio * float(step["ratio"]), offset)
        master = self.joints[mimic.master]
        at = Slots(master.idx_q, master.idx_v, slots.full_q, slots.full_v)
        circle = kind["kind"]["type"] == "revolute_unbounded"
        self.blocks.append(Affine(at, mimic.ratio, mimic.offset, master.nq == 2, circle))
        return Joint(spec["name"], "mimic", spec["parent"], 0, master.idx_q, 0, master.idx_v, 0, mimic)

    def _targets(self, joints: list[Joint], bodies: list[tuple[str, int]]) -> list[Target]:
        """Take Jacobians at the deepest leaf and at every operational frame."""
        leaf = pick_targets(joints)[0]
        frame = pin.Frame(leaf.name, leaf.full_id, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
        frame.name = f"{leaf.name}#frame"
        first = Target("joint", leaf.name, self.full.addFrame(frame))
        return [first, *(Target("frame", name, i) for name, i in bodies)]


def _unit(axis: list[float]) -> np.ndarray:
    """Normalise an axis."""
    vector = np.array(axis, dtype=float)
    return vector / np.linalg.norm(vector)


def _unbounded(axis: np.ndarray) -> pin.JointModel:
    """Make an unbounded revolute joint about any axis: the binding has no constructor for it, its URDF reader has."""
    aligned = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}.get(tuple(axis.tolist()))
    if aligned:
        return getattr(pin, f"JointModelRUB{aligned}")()
    text = " ".join(repr(x) for x in axis.tolist())
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link += "</inertial></link>"
    joint = f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="{text}"/></joint>'
    model = pin.buildModelFromXML(f'<robot name="r">{link.format("a")}{link.format("b")}{joint}</robot>')
    return model.joints[1]
