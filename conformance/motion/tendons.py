# ruff: noqa: E501
"""Tendons and sites."""

from __future__ import annotations

from scene import LIMITS, ORIENTATION, Probes, Scene, arm, start, two_links, world

HARD_TENDONS = f"<default><tendon {LIMITS}/></default>"
PULLED = world(
    two_links(more='<site name="s" pos=".2 0 .05"/><site name="s2" pos=".1 0 .05"/>')
    + '<site name="o" pos="0 0 .5"/><site name="p" pos=".4 0 .5"/>'
    '<geom name="w" type="cylinder" size=".1 .5" pos=".3 0 .3" euler="1.5708 0 0" contype="0" conaffinity="0"/><site name="side" pos=".3 0 .6"/>'
    '<geom name="w2" type="sphere" size=".1" pos=".3 0 .2" contype="0" conaffinity="0"/>',
    HARD_TENDONS,
    "<tendon>{}</tendon>" + start(qvel="1 1"),
)
SPATIAL = Scene(PULLED.format('<spatial @><site site="o"/><site site="s"/></spatial>'), 'name="t"')
SOFT_SPATIAL = Scene(SPATIAL.text.replace(HARD_TENDONS, ""), SPATIAL.base)
FIXED = Scene(PULLED.format('<fixed @><joint joint="j" coef="1"/><joint joint="k" coef=".5"/></fixed>'), 'name="t"')
SOFT_FIXED = Scene(FIXED.text.replace(HARD_TENDONS, ""), FIXED.base)
MOTOR_ON_TENDON = '<actuator><motor tendon="t"/></actuator>' + start(ctrl="-3")
FORCE_RANGE = {"actuatorfrcrange": "-1 1", "actuatorfrclimited": "false | actuatorfrcrange='-1 1'"}
TENDON = {
    "stiffness": "10 | springlength='.1'",
    "springlength": "0 .3 | stiffness='10'",
    "damping": "1",
    "armature": ".5",
    "springyield": ".02 | stiffness='30' springlength='.1'",
    "frictionloss": "1",
}
SITE = Scene(
    world(
        arm(more="<site @/>") + '<site name="o" type="capsule" size=".01" fromto="0 0 .4 0 0 .6"/>',
        below='<tendon><spatial stiffness="20" springlength=".1"><site site="o"/><site site="s"/></spatial></tendon>'
        + start(qvel="1"),
    ),
    'name="s" pos=".2 0 .05"',
    through="spatial",
)
TURNED_SITE = Scene(
    world(arm(more="<site @/>"), below='<actuator><motor site="s" gear="0 0 2 0 0 0"/></actuator>' + start(ctrl="1")),
    SITE.base,
    through="motor",
)
TENDON_SOFTNESS = {
    "solreflimit": ".1 1 | range='0 .05'",
    "solimplimit": ".1 .2 .1 | range='0 .05'",
    "solreffriction": ".2 1 | frictionloss='9'",
    "solimpfriction": ".1 .2 .1 | frictionloss='9'",
}

PROBES: Probes = [
    (
        "body/site",
        SITE,
        {
            "pos": ".3 0 .1",
            "fromto": ("name='s' pos='.2 0 .05'", "name='s' type='capsule' size='.01' fromto='.1 0 0 .3 0 .3'"),
        },
    ),
    ("body/site", TURNED_SITE, ORIENTATION),
    (
        "body/site",
        Scene(
            SITE.text.replace(
                "<worldbody>", '<default><default class="c"><site pos=".1 0 .2"/></default></default><worldbody>'
            ),
            'name="s"',
            through="spatial",
        ),
        {"class": "c"},
    ),
    (
        "tendon/spatial",
        SPATIAL,
        {**TENDON, "range": "0 .7", "limited": "false | range='0 .7'", "margin": ".02 | range='0 .73'"},
    ),
    ("tendon/spatial", Scene(SPATIAL.text.replace(start(qvel="1 1"), MOTOR_ON_TENDON), SPATIAL.base), FORCE_RANGE),
    ("tendon/fixed", Scene(FIXED.text.replace(start(qvel="1 1"), MOTOR_ON_TENDON), FIXED.base), FORCE_RANGE),
    ("tendon/spatial", SOFT_SPATIAL, {it: spec.replace("0 .05", "0 .7") for it, spec in TENDON_SOFTNESS.items()}),
    (
        "tendon/fixed",
        FIXED,
        {**TENDON, "range": "-1 .1", "limited": "false | range='-1 .1'", "margin": ".05 | range='-1 .15'"},
    ),
    ("tendon/fixed", SOFT_FIXED, {it: spec.replace("0 .05", "-1 .05") for it, spec in TENDON_SOFTNESS.items()}),
    (
        "tendon/spatial/site",
        Scene(
            PULLED.format('<spatial name="t" stiffness="20" springlength=".1"><site site="o"/><site @/></spatial>'),
            "site='s'",
        ),
        {"site": "s -> s2"},
    ),
    (
        "tendon/spatial/geom",
        Scene(
            PULLED.format(
                '<spatial name="t" stiffness="20" springlength=".1"><site site="o"/><geom @/><site site="s"/></spatial>'
            ),
            "geom='w'",
        ),
        {"sidesite": "side", "geom": "w -> w2"},
    ),
    (
        "tendon/spatial/pulley",
        Scene(
            PULLED.format(
                '<spatial name="t" stiffness="20" springlength=".1"><site site="o"/><site site="s2"/><pulley @/><site site="p"/><site site="s"/></spatial>'
            ),
            "divisor='1'",
        ),
        {"divisor": "3"},
    ),
    (
        "tendon/fixed/joint",
        Scene(
            PULLED.format('<fixed name="t" stiffness="5" springlength=".3"><joint @/></fixed>'), "joint='j' coef='1'"
        ),
        {"coef": "2", "joint": "j -> k"},
    ),
]
