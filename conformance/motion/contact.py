"""Contact: geoms, pairs, height fields; forces of a medium."""

from __future__ import annotations

import struct
from dataclasses import replace

from scene import (
    BOX,
    BOX_SHAPE,
    ELLIPTIC,
    FALLS,
    FIRM,
    FLOOR,
    HARD_GEOMS,
    SHAPES,
    SLIDES,
    SOFTNESS,
    UNTOUCHED,
    Probes,
    Scene,
    start,
    world,
)

CUBE = "-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"
RISES = start(qpos="0 0 .1 1 0 0 0", qvel="0 0 1.5 0 0 0")
TOUCH = Scene(
    world(FLOOR.format('friction=".2" condim="1"') + BOX.format("@"), HARD_GEOMS + ELLIPTIC, SLIDES),
    f'{BOX_SHAPE} friction=".3"',
    0.1,
)
LAND = Scene(TOUCH.text.replace(SLIDES, FALLS), TOUCH.base, 0.1)
SOFT_LAND = Scene(LAND.text.replace(HARD_GEOMS, ""), BOX_SHAPE, 0.1)
LIFT = Scene(TOUCH.text.replace(SLIDES, RISES), TOUCH.base, 0.1)
FLUID = Scene(
    world(
        '<body name="a"><freejoint/><geom @/></body>',
        '<option density="100" viscosity="1" gravity="0 0 0"/>',
        start(qvel="1 0 0 3 2 1"),
    ),
    f'{BOX_SHAPE} contype="0" conaffinity="0"',
)
PAIR = Scene(
    world(
        FLOOR.format(UNTOUCHED)
        + FLOOR.replace("floor", "table").format(UNTOUCHED + ' pos="0 0 -1"')
        + BOX.replace(
            "/></body>", '/><geom name="other" size=".01" pos="0 0 -.09" contype="0" conaffinity="0"/></body>'
        ).format(f"{BOX_SHAPE} {UNTOUCHED}"),
        ELLIPTIC,
        f"<contact><pair @/></contact>{SLIDES}",
    ),
    f'geom1="floor" geom2="box" friction=".3 .3" {FIRM}',
    0.1,
)
SOFT_PAIR = Scene(PAIR.text.replace(SLIDES, FALLS), 'geom1="floor" geom2="box"', 0.1)
TWO_BOXES = Scene(
    world(
        FLOOR.format("")
        + BOX.format(BOX_SHAPE)
        + '<body name="b" pos="0 0 .5"><freejoint/><geom name="other" size=".1"/></body>',
        HARD_GEOMS + ELLIPTIC,
        "<contact><exclude @/></contact>"
        + start(qpos="0 0 .1 1 0 0 0 0 0 .32 1 0 0 0", qvel="0 0 0 0 0 0 0 0 -1 0 0 0"),
    ),
    'body1="a" body2="b"',
    0.1,
)
HFIELD = Scene(
    world(
        '<geom type="hfield" hfield="h"/>' + BOX.format('size=".1"'),
        "<asset><hfield @/></asset>",
        start(qpos="0 0 .21 1 0 0 0"),
    ),
    "name='h' nrow='2' ncol='2' size='1 1 .2 .1' elevation='0 0 1 1'",
    0.1,
    through="height field",
)

PROBES: Probes = [
    (
        "body/geom",
        Scene(world("<geom @/>" + BOX.format('type="sphere" size=".1"'), HARD_GEOMS + SHAPES, FALLS), "", 0.1),
        {"hfield": ("type='box' size='1 1 .01' pos='0 0 -1'", "type='hfield' hfield='h'")},
    ),
    (
        "body/geom",
        TOUCH,
        {
            "friction": ".3 -> .5",
            "contype": "0 | conaffinity='0'",
            "conaffinity": "0 | contype='0'",
            "condim": "1",
            "priority": "1 | friction='.1'",
            "adhesion": "20",
        },
    ),
    (
        "body/geom",
        Scene(world(FLOOR.format("") + BOX.format("@"), HARD_GEOMS + ELLIPTIC, start()), TOUCH.base, 0.1),
        {"surfacevel": "1 0 0"},
    ),
    ("body/geom", LAND, {"margin": ".02"}),
    ("body/geom", LIFT, {"gap": ".5 | adhesion='500'"}),
    ("body/geom", SOFT_LAND, {**SOFTNESS, "solmix": "9 | solref='.1 1'"}),
    ("body/geom", FLUID, {"fluidshape": "ellipsoid", "fluidcoef": "1 .5 2 1 1 | fluidshape='ellipsoid'"}),
    (
        "asset/mesh",
        Scene(
            world(
                FLOOR.format("") + BOX.format('type="mesh" mesh="m"'),
                f"{HARD_GEOMS}{ELLIPTIC}<asset><mesh @/></asset>",
                SLIDES,
            ),
            f'name="m" vertex="{CUBE}"',
            0.1,
        ),
        {"maxhullvert": "4"},
    ),
    (
        "asset/hfield",
        HFIELD,
        {
            "size": "1 1 .3 .1",
            "elevation": "0 1 0 1",
            "nrow": (HFIELD.base, HFIELD.base.replace("nrow='2'", "nrow='3'").replace("0 0 1 1", "0 0 1 1 1 1")),
            "ncol": (HFIELD.base, HFIELD.base.replace("ncol='2'", "ncol='3'").replace("0 0 1 1", "0 0 1 1 0 1")),
        },
    ),
    (
        "contact/pair",
        PAIR,
        {"friction": ".6 .6", "condim": "1", "adhesion": "20", "geom1": "floor -> table", "geom2": "box -> other"},
    ),
    ("contact/pair", Scene(PAIR.text.replace(SLIDES, FALLS), PAIR.base, 0.1), {"margin": ".02"}),
    ("contact/pair", Scene(PAIR.text.replace(SLIDES, RISES), PAIR.base, 0.1), {"gap": ".5 | adhesion='500'"}),
    ("contact/pair", SOFT_PAIR, {**SOFTNESS, "solreffriction": ".2 1"}),
    ("contact/exclude", TWO_BOXES, {"body1": "a -> world", "body2": "b -> world"}),
    (
        "asset/hfield",
        replace(HFIELD, files={"h.bin": struct.pack("2i4f", 2, 2, 0.0, 0.0, 0.7, 1.0)}),
        {"file": (HFIELD.base, "name='h' size='1 1 .4 .1' file='h.bin'")},
    ),
]
