# ruff: noqa: E501
"""Small robots, each with one attribute that changes its motion; see ../README.md.

A scene is an MJCF file with `@` in place of the attributes of one element. A probe names an attribute and
its value, as `value`, `without -> with`, and after `|` attributes that both files have. A pair has all
attributes of the element without and with what is probed.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Files:
    """Both files of a probe in full, where one element is not enough."""

    without: str
    with_: str


Probe = str | tuple[str, str] | Files
Probes = list[tuple[str, "Scene", dict[str, Probe]]]


@dataclass(frozen=True)
class Scene:
    """A robot with `@` in one element, whose other attributes are `base`."""

    text: str
    base: str = ""
    # Contact is rigid here and soft in MuJoCo, by as much as the effect may differ.
    tolerance: float = 0.02
    seconds: float = 0.2
    # Steps of the file on both sides; velocities of the keyframe as each side reads them.
    own_step: bool = False
    own_start: bool = False
    # The part through which the element moves something: what is said of it, is said of the element.
    through: str = ""
    files: dict[str, str | bytes] = field(default_factory=dict)


def world(bodies: str, top: str = "", below: str = "") -> str:
    """Write a file; `below` follows the bodies."""
    return f'<mujoco><compiler angle="radian"/>{top}<worldbody>{bodies}</worldbody>{below}</mujoco>'


def start(**values: str) -> str:
    """Write the keyframe in which a motion begins."""
    stated = "".join(f' {name}="{value}"' for name, value in values.items())
    return f'<keyframe><key name="initial"{stated}/></keyframe>'


# Soft constraints of MuJoCo as hard as its steps allow.
HARD = '"3e-4 1"'

IMP = '".9999 .9999 .001 .5 2"'

LIMITS = f"solreflimit={HARD} solimplimit={IMP} solreffriction={HARD} solimpfriction={IMP}"

HARD_JOINTS = f"<default><joint {LIMITS}/></default>"

HARD_LOOPS = f"<default><equality solref={HARD} solimp={IMP}/></default>"

# Harder contact of MuJoCo throws a sliding box up.
FIRM = 'solref="2e-3 1" solimp=".99 .99 .001 .5 2"'

HARD_GEOMS = f"<default><geom {FIRM}/></default>"

ELLIPTIC = '<option cone="elliptic" impratio="10"/>'

LINK = '<geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" contype="0" conaffinity="0"/>'

TETRAHEDRON = 'vertex="0 0 0 .2 0 0 0 .1 0 0 0 .05" face="0 2 1 0 1 3 0 3 2 1 2 3"'


def arm(joint: str = "", body: str = "", more: str = "") -> str:
    """Write a link on a hinge."""
    return f'<body name="a" {body}><joint name="j" axis="0 1 0" {joint}/>{LINK}{more}</body>'


def two_links(first: str = "", second: str = "", more: str = "") -> str:
    """Write a double pendulum."""
    return arm(first, more=f'<body name="b" pos=".3 0 0"><joint name="k" axis="0 1 0" {second}/>{LINK}{more}</body>')


ORIENTATION = {
    "quat": ".9 0 .3 .3",
    "euler": ".2 .3 .4",
    "axisangle": "0 1 1 .5",
    "xyaxes": "0 1 0 -1 0 1",
    "zaxis": "1 -1 1",
}

MOTOR = '<actuator><motor joint="j" gear="1"/></actuator>'

CLASSES = '<default><default class="c"><joint damping=".05"/></default></default>'

MASS = world('<body name="a"><joint name="j" axis="0 1 0" armature=".001"/><geom @/></body>', below=start(qvel="1"))

SHAPES = f'<asset><mesh name="m" {TETRAHEDRON}/><hfield name="h" nrow="2" ncol="2" size="1 1 .2 .1" elevation="0 0 1 1"/></asset>'

GEOM = Scene(
    MASS.replace("<worldbody>", f"{SHAPES}<worldbody>"),
    'type="box" size=".2 .05 .02" pos=".2 0 .1" contype="0" conaffinity="0"',
)

UNTOUCHED = 'contype="0" conaffinity="0"'

FLOOR = '<geom name="floor" type="plane" size="9 9 1" {}/>'

BOX = '<body name="a" pos="0 0 .1"><freejoint/><geom name="box" {}/></body>'

BOX_SHAPE = 'type="box" size=".1 .1 .1"'

SLIDES = start(qpos="0 0 .1 1 0 0 0", qvel="2 .5 0 0 0 0")

FALLS = start(qpos="0 0 .12 1 0 0 0", qvel="1 0 -1 0 0 0")

SOFTNESS = {"solref": ".1 1", "solimp": ".1 .2 .1"}
