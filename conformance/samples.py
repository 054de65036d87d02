"""The descriptions: a small branched robot for each joint kind, one with every kind, and several with mimics."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import description
import sampling
from description import Json

STANDARD_GRAVITY = [0.0, 0.0, -9.81]
SLANTED_GRAVITY = [0.8, -1.3, -9.4]


class Draw:
    """Random constants of a robot, general on purpose: nothing is aligned or zero by accident."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.rng = sampling.generator(seed, "description", name)
        self.passive = sampling.generator(seed, "passive forces", name)

    def vector(self, size: float) -> list[float]:
        """Draw a vector inside a cube."""
        return numbers(self.rng.uniform(-size, size, 3))

    def axis(self) -> list[float]:
        """Draw a direction."""
        x = self.rng.standard_normal(3)
        return (x / np.linalg.norm(x)).tolist()

    def placement(self) -> Json:
        """Draw a placement."""
        return {"translation": self.vector(0.3), "rotation": sampling.Quaternion().draw(self.rng).tolist()}

    def body(self) -> Json:
        """Draw a solid box with a general orientation: its inertia is that of a body that can exist."""
        mass = round(float(self.rng.uniform(0.5, 3.0)), 6)
        a, b, c = self.rng.uniform(0.1, 0.5, 3) ** 2
        turn, _ = np.linalg.qr(self.rng.standard_normal((3, 3)))
        inertia = turn @ np.diag([b + c, a + c, a + b]) @ turn.T * mass / 12
        upper = [float(inertia[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        return {"mass": mass, "com": self.vector(0.2), "inertia": upper}

    def joint(self, name: str, parent: str | None, kind: Json, armature: int = 0) -> Json:
        """Draw a joint of a kind, with passive forces, and with armature if told how many degrees of freedom it has."""
        joint = {"name": name, "parent": parent, "kind": kind, "placement": self.placement(), "body": self.body()}
        if armature:
            joint["armature"] = numbers(self.rng.uniform(0.05, 0.5, armature))
        _, nv = description.size(kind)
        for name, most in (("damping", 2.0), ("friction", 1.0), ("stiffness", 20.0)):
            joint[name] = numbers(self.passive.uniform(0.0, most, nv))
        rest = sampling.configuration(tuple(description.segments(kind)), self.passive)
        return {**joint, "spring_reference": rest.tolist()}

    def robot(self, name: str, joints: list[Json], leaf: str, gravity: list[float] = STANDARD_GRAVITY) -> Json:
        """Complete a robot with an operational frame on a leaf."""
        frame = {"name": "tool", "joint": leaf, "placement": self.placement()}
        return {"name": name, "gravity": gravity, "joints": joints, "frames": [frame]}


def numbers(values: np.ndarray) -> list[float]:
    """Write constants with few digits."""
    return [round(float(x), 6) for x in values]


Kind = Callable[[Draw, int], Json]


def _about(type_name: str, **more: float) -> Kind:
    """Make a kind with an axis: y at the root, general in the middle, z at the leaf."""

    def kind(draw: Draw, place: int) -> Json:
        axis = ([0.0, 1.0, 0.0], draw.axis(), [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0])[place]
        return {"type": type_name, "axis": axis, **more}

    return kind


def _plain(type_name: str) -> Kind:
    return lambda _draw, _place: {"type": type_name}


def _universal(draw: Draw, place: int) -> Json:
    """Make two axes at right angles: x and y at the root, general elsewhere."""
    if place == 0:
        return {"type": "universal", "axis1": [1.0, 0.0, 0.0], "axis2": [0.0, 1.0, 0.0]}
    first, other = np.array(draw.axis()), np.array(draw.axis())
    second = np.cross(first, other)
    return {"type": "universal", "axis1": first.tolist(), "axis2": (second / np.linalg.norm(second)).tolist()}


def _ellipsoid(draw: Draw, _place: int) -> Json:
    return {"type": "ellipsoid", "radii": numbers(draw.rng.uniform(0.1, 0.6, 3))}


def _composite(draw: Draw, place: int) -> Json:
    """Make a composite of charts and lines, of mixed configuration spaces, or with another inside."""
    match place:
        case 0:
            kinds = [_about("cylindrical")(draw, 1), {"type": "spherical_zyx"}]
        case 1:
            kinds = [_about("helical", pitch=0.2)(draw, 1), _universal(draw, 1), _about("revolute_unbounded")(draw, 2)]
        case _:
            inner = [_about("revolute")(draw, 3), _ellipsoid(draw, 1)]
            kinds = [_about("prismatic")(draw, 1), _chain(draw, inner)]
    return _chain(draw, kinds)


def _chain(draw: Draw, kinds: list[Json]) -> Json:
    return {"type": "composite", "parts": [{"placement": draw.placement(), "kind": kind} for kind in kinds]}


KINDS: dict[str, tuple[Kind, int]] = {
    "revolute": (_about("revolute"), 1),
    "revolute_unbounded": (_about("revolute_unbounded"), 1),
    "prismatic": (_about("prismatic"), 1),
    "helical": (_about("helical", pitch=0.15), 1),
    "cylindrical": (_about("cylindrical"), 2),
    "universal": (_universal, 2),
    "planar": (_plain("planar"), 3),
    "translation": (_plain("translation"), 3),
    "spherical": (_plain("spherical"), 3),
    "spherical_zyx": (_plain("spherical_zyx"), 3),
    "ellipsoid": (_ellipsoid, 3),
    "free_flyer": (_plain("free_flyer"), 6),
    "composite": (_composite, 5),
}


def one_kind(name: str) -> Json:
    """Use a kind at the root, in the middle and at a leaf of a small tree with a second branch."""
    draw = Draw(name)
    kind, nv = KINDS[name]
    joints = [
        draw.joint("root", None, kind(draw, 0), nv),
        draw.joint("hip", "root", _about("revolute")(draw, 3)),
        draw.joint("middle", "hip", kind(draw, 1)),
        draw.joint("leaf", "middle", kind(draw, 2), nv),
        draw.joint("arm", "root", _about("prismatic")(draw, 0)),
        draw.joint("hand", "arm", _about("revolute")(draw, 1), 1),
    ]
    return draw.robot(name, joints, "leaf")


def every_kind() -> Json:
    """Use every kind once on a floating base, in two branches, with a mimic and a slanted gravity."""
    draw = Draw("mixed")
    joints = [draw.joint("base", None, {"type": "free_flyer"})]
    names = [name for name in KINDS if name != "free_flyer"]
    for branch in (names[:6], names[6:]):
        parent = "base"
        for name in branch:
            kind, nv = KINDS[name]
            joints.append(draw.joint(name, parent, kind(draw, 1 if name != "composite" else 0), nv))
            parent = name
    joints.append(draw.joint("finger", "composite", mimic(_about("revolute")(draw, 1), "helical", -0.7, 0.4), 1))
    return draw.robot("mixed", joints, "finger", SLANTED_GRAVITY)


def mimic(kind: Json, master: str, ratio: float, offset: float) -> Json:
    """Make a joint of a kind a mimic joint of another one."""
    return {"type": "mimic", "kind": kind, "master": master, "ratio": ratio, "offset": offset}


def mimic_chain() -> Json:
    """Mimics on the chain of their masters: next to it, further out, and twice of the same."""
    draw = Draw("mimic_chain")
    revolute = _about("revolute")
    joints = [
        draw.joint("a", None, revolute(draw, 1), 1),
        draw.joint("b", "a", mimic(revolute(draw, 1), "a", -0.5, 0.3), 1),
        draw.joint("c", "b", revolute(draw, 1)),
        draw.joint("d", "c", mimic(revolute(draw, 2), "a", 1.7, 0.0)),
        draw.joint("e", "d", mimic(revolute(draw, 0), "c", 0.8, -0.6)),
        draw.joint("f", "e", revolute(draw, 1)),
    ]
    return draw.robot("mimic_chain", joints, "f")


def mimic_branches() -> Json:
    """Mimics in other branches than their masters; one comes before its master in the numbering."""
    draw = Draw("mimic_branches")
    revolute = _about("revolute")
    joints = [
        draw.joint("base", None, {"type": "free_flyer"}),
        draw.joint("early", "base", mimic(revolute(draw, 1), "right", 0.6, 0.2)),
        draw.joint("left", "base", revolute(draw, 1), 1),
        draw.joint("left_tip", "left", revolute(draw, 1)),
        draw.joint("right", "base", revolute(draw, 1)),
        draw.joint("right_tip", "right", mimic(revolute(draw, 1), "left_tip", -1.3, 0.1), 1),
        draw.joint("third", "base", mimic(revolute(draw, 1), "left", 0.9, -0.2)),
    ]
    return draw.robot("mimic_branches", joints, "right_tip")


def mimic_of_mimic() -> Json:
    """Mimics of mimics, over three links of a chain."""
    draw = Draw("mimic_of_mimic")
    revolute, prismatic = _about("revolute"), _about("prismatic")
    joints = [
        draw.joint("a", None, revolute(draw, 1)),
        draw.joint("b", "a", mimic(revolute(draw, 1), "a", 0.5, 0.3)),
        draw.joint("c", "b", mimic(prismatic(draw, 1), "b", -0.4, 0.1)),
        draw.joint("d", "c", mimic(revolute(draw, 1), "c", 2.0, -0.5), 1),
        draw.joint("e", "a", prismatic(draw, 1)),
    ]
    return draw.robot("mimic_of_mimic", joints, "d", SLANTED_GRAVITY)


def mimic_kinds() -> Json:
    """Mimics of another kind than their masters: lengths, angles and (cos, sin) pairs."""
    draw = Draw("mimic_kinds")
    revolute, prismatic = _about("revolute"), _about("prismatic")
    unbounded, helical = _about("revolute_unbounded"), _about("helical", pitch=-0.1)
    joints = [
        draw.joint("slide", None, prismatic(draw, 1)),
        draw.joint("turn", "slide", revolute(draw, 1), 1),
        draw.joint("wheel", "turn", unbounded(draw, 1)),
        draw.joint("turn_by_slide", "wheel", mimic(revolute(draw, 1), "slide", 1.5, 0.2)),
        draw.joint("slide_by_turn", "turn_by_slide", mimic(prismatic(draw, 1), "turn", 0.2, -0.1), 1),
        draw.joint("screw_by_turn", "slide_by_turn", mimic(helical(draw, 1), "turn", -0.8, 0.4)),
        draw.joint("wheel_by_wheel", "slide", mimic(unbounded(draw, 1), "wheel", 2.0, 0.7)),
        draw.joint("wheel_by_turn", "wheel_by_wheel", mimic(unbounded(draw, 2), "turn", 0.6, 0.0)),
        draw.joint("turn_by_wheel", "wheel_by_turn", mimic(revolute(draw, 1), "wheel", -0.5, 0.3)),
    ]
    return draw.robot("mimic_kinds", joints, "screw_by_turn")


def write(folder: Path) -> None:
    """Write every description."""
    robots = [one_kind(name) for name in KINDS]
    robots += [every_kind(), mimic_chain(), mimic_branches(), mimic_of_mimic(), mimic_kinds()]
    for robot in robots:
        lines = ",\n".join(json.dumps(joint) for joint in robot["joints"])
        rest = json.dumps({key: value for key, value in robot.items() if key != "joints"})[:-1]
        (folder / f"{robot['name']}.json").write_text(f'{rest}, "joints": [\n{lines}\n]}}\n')
