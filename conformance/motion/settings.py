# ruff: noqa: E501
"""Options, the compiler, keyframes, and what puts files together."""

from __future__ import annotations

from scene import (
    BOX,
    BOX_SHAPE,
    CLASSES,
    FALLS,
    FLOOR,
    GEOM,
    HARD_GEOMS,
    HARD_JOINTS,
    HARD_LOOPS,
    LINK,
    MOTOR,
    ORIENTATION,
    SLIDES,
    UNTOUCHED,
    Files,
    Probes,
    Scene,
    arm,
    start,
    world,
)

FLAGS = {
    "actuation": arm(),
    "clampctrl": arm(),
    "constraint": arm("range='-1 .1'"),
    "damper": arm("damping='.1'"),
    "frictionloss": arm("frictionloss='.3'"),
    "gravity": arm(),
    "limit": arm("range='-1 .1'"),
    "spring": arm("stiffness='5'"),
}
FLAGGED = world(
    "{}",
    HARD_JOINTS + "<option><flag @/></option>",
    '<actuator><motor joint="j" ctrlrange="-.5 .5"/></actuator>'
    + start(ctrl="1"),
)


def option(bodies: str, below: str = "", top: str = "", **rest: object) -> Scene:
    """Return a scene whose option is probed."""
    return Scene(world(bodies, f"<option @/>{top}", below), **rest)  # type: ignore[arg-type]


FALL = option(arm(more='<site name="s"/>'), start(qvel="1"))
DRAG = option(
    '<body name="a"><freejoint/><geom type="box" size=".1 .2 .3"/></body>',
    start(qvel="1 0 0 3 2 1"),
    base='gravity="0 0 0"',
)
ON_FLOOR = FLOOR.format("") + BOX.format(BOX_SHAPE)
OVERRIDE = Scene(world(ON_FLOOR, '<option @><flag override="enable"/></option>', FALLS), 'cone="elliptic"', 0.1)
ROD = '<body name="a"><joint axis="0 1 0" armature=".1" {}/>{}</body>'
INERTIA = '<inertial pos=".2 0 0" mass="1" diaginertia="{}"/>'
GEOM_OF_GROUP = '<geom type="box" size=".2 .05 .02" pos=".2 0 .1" group="{}" contype="0" conaffinity="0"/>'


def compiled(bodies: str, below: str = "", **rest: object) -> Scene:
    """Return a scene whose compiler is probed."""
    return Scene(f"<mujoco><compiler @/><worldbody>{bodies}</worldbody>{below}</mujoco>", **rest)  # type: ignore[arg-type]


HEAVY = ROD.format("", INERTIA.format(".05 .06 .07") + GEOM_OF_GROUP.format(3))
MODELS = '<asset><model name="m" file="one.xml"/><model name="n" file="two.xml"/></asset>'
MODEL = (
    '<mujoco><compiler angle="radian"/><worldbody><body name="x" pos=".3 0 0"><joint name="u" axis="0 1 0"/>{0}</body>'
    '<frame name="f" pos=".2 0 0"><body name="z"><joint name="w" axis="0 0 1" stiffness="1" springref="1"/>{0}</body></frame>'
    '<body name="y" pos=".1 0 0"><joint name="v" axis="1 1 0"/>{0}</body></worldbody></mujoco>'
)
MODEL_FILES: dict[str, str | bytes] = {
    "one.xml": MODEL.format(LINK),
    "two.xml": MODEL.format(LINK.replace(".3 0 0", ".5 0 .2")),
}
MOCAP = world(
    arm() + '<body name="c" mocap="true" pos=".3 0 0"/>',
    HARD_LOOPS,
    '<equality><connect body1="a" body2="c" anchor=".3 0 0"/></equality>{}',
)

PROBES: Probes = [
    ("option", FALL, {"gravity": "1 0 -5"}),
    ("option", DRAG, {"density": "100", "viscosity": "1", "wind": "3 0 0 | density='100'"}),
    (
        "option",
        OVERRIDE,
        {"o_margin": ".02", "o_solref": ".1 1", "o_solimp": ".1 .2 .1", "o_friction": "1 1 0 0 0 -> .2 .2 0 0 0"},
    ),
    ("option", option(ON_FLOOR, SLIDES, HARD_GEOMS, tolerance=0.1), {"cone": "pyramidal -> elliptic"}),
    (
        "option",
        option(
            ON_FLOOR,
            start(qpos="0 0 .1 1 0 0 0", qvel=".05 0 0 0 0 0"),
            base='cone="elliptic" gravity="8 0 -9.81"',
            tolerance=0.1,
        ),
        {"impratio": "100"},
    ),
    (
        "option",
        option(arm(), '<actuator><motor joint="j" group="1"/></actuator>' + start(ctrl="1")),
        {"actuatorgroupdisable": "1"},
    ),
    *(
        ("option/flag", Scene(FLAGGED.format(body)), {name: "disable"}) for name, body in FLAGS.items()
    ),
    (
        "option/flag",
        Scene(
            world(
                arm() + arm().replace('"a"', '"b"').replace('"j"', '"k"'),
                HARD_LOOPS + "<option><flag @/></option>",
                '<equality><joint joint1="k" joint2="j" polycoef="0 .5"/></equality>',
            )
        ),
        {"equality": "disable"},
    ),
    (
        "option/flag",
        Scene(world(ON_FLOOR, HARD_GEOMS + "<option><flag @/></option>", FALLS), tolerance=0.1),
        {"contact": "disable"},
    ),
    (
        "option/flag",
        Scene(
            world(ON_FLOOR, HARD_GEOMS + '<option o_friction=".1 .1 0 0 0"><flag @/></option>', SLIDES), tolerance=0.1
        ),
        {"override": "enable"},
    ),
    (
        "option/flag",
        Scene(
            world(
                '<body name="a"><joint name="j" axis="0 1 0"/><geom type="box" size=".1 .1 .1"/><body name="b" pos=".3 0 0"><joint axis="0 1 0"/>'
                '<geom type="box" size=".19 .1 .1"/></body></body>',
                HARD_GEOMS + "<option><flag @/></option>",
                start(qvel="1 -3"),
            ),
            tolerance=0.1,
        ),
        {"filterparent": "disable"},
    ),
    ("compiler", compiled(ROD.format('range="-9 9"', GEOM_OF_GROUP.format(0)), start(qvel="1")), {"angle": "radian"}),
    (
        "compiler",
        compiled(
            ROD.format('name="j"', GEOM_OF_GROUP.format(0)),
            '<actuator><motor joint="j" gear="20"/></actuator>' + start(ctrl="1"),
        ),
        {"settotalmass": "1", "boundmass": "9", "boundinertia": ".5"},
    ),
    (
        "compiler",
        Scene(
            f'<mujoco><compiler @/><worldbody><body name="a" euler="30 40 50"><joint axis="0 1 0"/>{LINK}</body></worldbody></mujoco>'
        ),
        {"eulerseq": "ZYX"},
    ),
    (
        "compiler",
        compiled(ROD.format("", INERTIA.format(".05 .06 .2") + GEOM_OF_GROUP.format(0))),
        {"balanceinertia": ("inertiafromgeom='true'", "balanceinertia='true'")},
    ),
    ("compiler", compiled(HEAVY), {"inertiafromgeom": "true"}),
    (
        "compiler",
        compiled(ROD.format("", GEOM_OF_GROUP.format(3) + '<geom size=".1" contype="0" conaffinity="0"/>')),
        {"inertiagrouprange": "0 2"},
    ),
    (
        "compiler",
        Scene(
            GEOM.text.replace("<compiler ", "<compiler @ ").replace(
                "<geom @/>", f'<geom type="box" mesh="m" {UNTOUCHED}/>'
            )
        ),
        {"fitaabb": "true"},
    ),
    (
        "include",
        Scene(
            "<mujoco><include @/></mujoco>",
            'file="one.xml"',
            files={
                "one.xml": f"<mujoco><worldbody>{arm()}</worldbody></mujoco>",
                "two.xml": f"<mujoco><worldbody>{arm('damping=&quot;1&quot;'.replace('&quot;', chr(34)))}</worldbody></mujoco>",
            },
        ),
        {"file": "one.xml -> two.xml"},
    ),
    ("body/frame", Scene(world(f"<frame @>{arm()}</frame>")), {"pos": ".1 .2 .3", **ORIENTATION}),
    ("body/frame", Scene(world(f"<frame @>{arm()}</frame>", CLASSES, start(qvel="1"))), {"childclass": "c"}),
    (
        "body/replicate",
        Scene(world(f"<replicate @>{arm()}</replicate>"), "count='2' offset='0 .3 0'"),
        {"count": "2 -> 3", "offset": "0 .3 0 -> .1 .3 .2", "euler": ".3 .2 .4"},
    ),
    (
        "body/attach",
        Scene(world(arm(more="<attach @/>"), MODELS), "model='m' body='x' prefix='p_'", files=MODEL_FILES),
        {
            "model": "m -> n",
            "body": "x -> y",
            "frame": ("model='m' body='x' prefix='p_'", "model='m' frame='f' prefix='p_'"),
            "prefix": "p_ -> q_",
        },
    ),
    (
        "asset/model",
        Scene(
            world(arm(more='<attach model="m" body="x" prefix="p_"/>'), "<asset><model @/></asset>"),
            "name='m' file='one.xml'",
            files=MODEL_FILES,
        ),
        {"file": "one.xml -> two.xml"},
    ),
    (
        "body",
        Scene(""),
        {
            "mocap": Files(
                MOCAP.replace('mocap="true"', "").format(""),
                MOCAP.format('<keyframe><key name="initial" mpos=".2 0 -.1"/></keyframe>'),
            )
        },
    ),
    (
        "keyframe/key",
        Scene(MOCAP.format("<keyframe><key @/></keyframe>"), 'name="initial"', 0.05, through="body"),
        {"mpos": ".2 0 -.1"},
    ),
    (
        "keyframe/key",
        Scene(
            MOCAP.replace("connect", "weld")
            .replace('anchor=".3 0 0"', "")
            .replace('name="j" axis="0 1 0"', 'type="ball"')
            .format("<keyframe><key @/></keyframe>"),
            'name="initial"',
            0.05,
            through="body",
        ),
        {"mquat": ".9 .1 .2 .3"},
    ),
    (
        "keyframe/key",
        Scene(world(arm("stiffness='20' springyield='.1'"), below="<keyframe><key @/></keyframe>"), 'name="initial"'),
        {"plastic": ".2"},
    ),
    (
        "keyframe/key",
        Scene(
            world(
                arm(),
                below='<actuator><general joint="j" dyntype="filter" dynprm=".1"/></actuator><keyframe><key @/></keyframe>',
            ),
            'name="initial"',
            own_start=True,
        ),
        {"act": "1"},
    ),
    (
        "keyframe/key",
        Scene(world(arm(), below=f"{MOTOR}<keyframe><key @/></keyframe>"), 'name="initial"', own_start=True),
        {"qpos": ".5", "qvel": "1", "ctrl": "1"},
    ),
]
