# ruff: noqa: E501
"""Bodies, joints, masses, geoms that touch nothing, meshes."""

from __future__ import annotations

from scene import CLASSES, GEOM, HARD_JOINTS, LINK, MOTOR, ORIENTATION, TETRAHEDRON, Probes, Scene, arm, start, world

OBJ = "v 0 0 0\nv .2 0 0\nv 0 .1 0\nv 0 0 .05\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
JOINT = f'<body name="a" gravcomp="1"><joint name="j" @/>{LINK}</body>'
HINGE = Scene(
    world(JOINT.replace('gravcomp="1"', ""), HARD_JOINTS, MOTOR + start(qpos=".2", qvel="1", ctrl="1")), 'axis="0 1 0"'
)
SOFT_HINGE = Scene(HINGE.text.replace(HARD_JOINTS, ""), HINGE.base)
NESTED = Scene(
    world(arm(more=f'<body name="b" @><joint name="k" axis="0 1 0"/>{LINK}</body>'), below=start(qvel="1 2")),
    'pos=".3 0 0"',
)
INERTIAL = Scene(
    world('<body name="a"><joint axis="0 1 0" armature=".01"/><inertial @/></body>', below=start(qvel="1")),
    'pos=".2 0 0" mass="1" diaginertia=".05 .06 .07"',
)
MESH = Scene(
    world(
        '<body name="a"><joint axis="0 1 0" armature=".001"/><geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body>',
        "<asset><mesh @/></asset>",
        start(qvel="1"),
    ),
    f'name="m" {TETRAHEDRON}',
    files={"m.obj": OBJ, "n.obj": OBJ.replace(".2", ".3")},
)
JOINT_SOFTNESS = {
    "solreflimit": ".1 1 | range='-1 .3'",
    "solimplimit": ".1 .2 .1 | range='-1 .3'",
    "solreffriction": ".2 1 | frictionloss='2'",
    "solimpfriction": ".1 .2 .1 | frictionloss='2'",
}

PROBES: Probes = [
    ("body", NESTED, {"pos": ".2 .1 .1", **ORIENTATION, "gravcomp": "1"}),
    ("body", Scene(NESTED.text.replace("<worldbody>", CLASSES + "<worldbody>"), NESTED.base), {"childclass": "c"}),
    (
        "body/inertial",
        INERTIAL,
        {
            "mass": "2",
            "pos": ".1 0 .1",
            "diaginertia": ".05 .2 .2",
            "fullinertia": (
                "pos='.2 0 0' mass='1' diaginertia='.05 .06 .07'",
                "pos='.2 0 0' mass='1' fullinertia='.2 .25 .3 .05 .04 .03'",
            ),
        },
    ),
    ("body/inertial", Scene(INERTIAL.text, 'pos=".2 0 0" mass="1" diaginertia=".05 .2 .24"'), ORIENTATION),
    (
        "body/joint",
        HINGE,
        {
            "damping": ".05",
            "armature": ".02",
            "axis": "0 1 0 -> 1 1 0",
            "pos": ".1 0 0",
            "ref": ".1",
            "springref": ".5 | stiffness='2'",
            "stiffness": "2",
            "springdamper": ".1 1",
            "type": "hinge -> slide",
            "range": "-1 .3",
            "limited": "false | range='-1 .3'",
            "margin": ".05 | range='-1 .36'",
            "frictionloss": ".3",
            "springyield": ".1 | stiffness='20'",
            "actuatorfrcrange": "-.1 .1",
            "actuatorfrclimited": "false | actuatorfrcrange='-.1 .1'",
        },
    ),
    (
        "body/joint",
        Scene(HINGE.text.replace('name="a"', 'name="a" gravcomp="1"'), HINGE.base),
        {"actuatorgravcomp": "true | actuatorfrcrange='-.1 .1'"},
    ),
    ("body/joint", Scene(world(JOINT, CLASSES), HINGE.base), {"class": "c"}),
    ("body/joint", SOFT_HINGE, JOINT_SOFTNESS),
    (
        "body/geom",
        GEOM,
        {
            "mass": "3",
            "density": "3000",
            "shellinertia": "true",
            "size": ".2 .05 .02 -> .2 .1 .02",
            "pos": ".3 0 0",
            **ORIENTATION,
            "fromto": ("type='capsule' size='.05 .1' pos='.2 0 0'", "type='capsule' size='.05' fromto='0 0 0 .3 0 .1'"),
            "type": "box -> ellipsoid",
            "mesh": ("type='box' size='.1 .1 .1'", "type='mesh' mesh='m'"),
            "fitscale": "1.5 | type='box' mesh='m'",
        },
    ),
    (
        "body/geom",
        Scene(
            GEOM.text.replace(
                "<worldbody>", '<default><default class="c"><geom mass="3"/></default></default><worldbody>'
            ),
            GEOM.base,
        ),
        {"class": "c"},
    ),
    (
        "body/geom",
        Scene(
            GEOM.text.replace("<compiler ", '<compiler inertiagrouprange="0 2" ').replace(
                "<geom @/>", '<geom @/><geom size=".1" group="0"/>'
            ),
            GEOM.base,
        ),
        {"group": "3"},
    ),
    (
        "asset/mesh",
        MESH,
        {
            "vertex": f"0 0 0 .2 0 0 0 .1 0 0 0 .05 -> 0 0 0 .3 0 .1 0 .1 0 0 0 .1 | {TETRAHEDRON.split(' face')[1] and 'face=' + repr('0 2 1 0 1 3 0 3 2 1 2 3')}",
            "scale": "2 1 1",
            "refpos": ".1 0 0",
            "refquat": ".9 .1 .3 0",
            "inertia": "shell",
            "file": ("name='m' file='m.obj'", "name='m' file='n.obj'"),
            "builtin": (f"name='m' {TETRAHEDRON}", "name='m' builtin='cone' params='12 .5'"),
            "params": ("name='m' builtin='cone' params='12 .9'", "name='m' builtin='cone' params='12 .2'"),
            "class": f"c | {TETRAHEDRON}",
        },
    ),
    (
        "asset/mesh",
        Scene(MESH.text, 'name="m"'),
        {
            "face": (
                "name='m' vertex='0 0 0 .2 0 0 0 .1 0 0 0 .05 .1 .1 .1'",
                "name='m' vertex='0 0 0 .2 0 0 0 .1 0 0 0 .05 .1 .1 .1' face='0 2 1 0 1 3 0 3 2 1 2 3'",
            )
        },
    ),
]
