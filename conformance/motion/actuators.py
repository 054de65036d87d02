# ruff: noqa: E501
"""Actuators of all kinds."""

from __future__ import annotations

from collections.abc import Iterator

from scene import BOX, BOX_SHAPE, ELLIPTIC, FLOOR, HARD_GEOMS, LINK, Probe, Scene, start, world

ACTUATED = world(
    '<body name="a"><joint name="j" axis="0 1 0" damping=".05" range="-1 2"/>' + LINK + '<site name="s" pos=".3 0 0"/>'
    f'<body name="b" pos=".3 0 0"><joint name="k" type="slide" axis="1 0 0" range="-1 1"/>{LINK}<site name="crank" pos=".1 0 .02"/></body></body>'
    f'<body name="c" pos="0 1 0"><joint name="ball" type="ball" damping=".02"/>{LINK}<site name="sc" pos=".3 0 0"/></body>'
    f'<body name="d" pos="0 2 0"><joint name="ball2" type="ball" damping=".02"/>{LINK}</body>'
    '<site name="slider" pos="0 0 .1" euler="0 1.57 0"/><site name="o" pos="0 .1 .5" euler=".3 .2 .1"/>',
    '<option actuatorgroupdisable="3"/>',
    '<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed><fixed name="u"><joint joint="k" coef="-1"/></fixed></tendon>'
    "<actuator><{} @/></actuator>" + start(ctrl="{}", qvel="1 .2 .1 .2 .3 .1 .2 .3"),
)
COARSE = ACTUATED.replace("<option", '<option timestep="0.02"')
# What each kind needs besides its transmission, and its controls.
KINDS = {
    "general": ("gainprm='2'", "1"),
    "motor": ("", "1"),
    "position": ("kp='5'", "1"),
    "velocity": ("kv='.5'", "3"),
    "intvelocity": ("kp='5'", "3"),
    "pid": ("kp='5' input='pos'", "1"),
    "damper": ("kv='1' ctrlrange='0 2'", "1"),
    "cylinder": ("area='2' timeconst='.1'", "1"),
    "muscle": ("lengthrange='-1 2' force='5'", "1"),
    "dcmotor": ("motorconst='.5' resistance='1'", "2"),
    "orientation": ("kp='5'", ".5 .2 .1"),
    "adhesion": ("gain='50' ctrlrange='0 1'", "1"),
}
ON_J = "joint='j'"
SHARED = {
    "gear": "2",
    "armature": ".05",
    "damping": ".2",
    "ctrlrange": "-.5 .5",
    "ctrllimited": "false | ctrlrange='-.5 .5'",
    "forcerange": "-.2 .2",
    "forcelimited": "false | forcerange='-.2 .2'",
    "inheritrange": ".1",
    "group": "3",
    "joint": "j -> k",
    "delay": ".05 | nsample='2000'",
    "nsample": "200 -> 2000 | delay='.05'",
    "actrange": "-.1 .1",
    "actlimited": "false | actrange='-.1 .1'",
}
TRANSMISSIONS = {
    "jointinparent": ("joint='ball' gear='1 1 0'", "jointinparent='ball' gear='1 1 0'"),
    "tendon": ("joint='j'", "tendon='t'"),
    "site": ("joint='j'", "site='s' gear='0 0 -3 0 0 0'"),
    "refsite": ("site='s' gear='0 0 -3 0 0 0'", "site='s' refsite='o' gear='0 0 -3 0 0 0'"),
    "cranksite": ("joint='j'", "cranksite='crank' slidersite='slider' cranklength='.6' gear='-9'"),
    "slidersite": ("joint='j'", "cranksite='s' slidersite='slider' cranklength='.6' gear='-9'"),
    "cranklength": (
        "cranksite='s' slidersite='slider' cranklength='.6' gear='-9'",
        "cranksite='s' slidersite='slider' cranklength='.33' gear='-9'",
    ),
}
MUSCLE = ".75 1.05 5 200 .5 1.6 1.5 1.3 1.2"
OWN = {
    "general": {
        "gainprm": "1",
        "gaintype": "affine | gainprm='2 3 1'",
        "biasprm": "1 -3 -.2 | biastype='affine'",
        "biastype": "affine | biasprm='1 -3 -.2'",
        "dyntype": "filter | dynprm='.1'",
        "dynprm": ".05 | dyntype='filter'",
        "actrange": "-.1 .1 | dyntype='filter' dynprm='.1'",
        "actlimited": "false | actrange='-.1 .1' dyntype='filter' dynprm='.1'",
        "lengthrange": f"-1 2 -> -1 1 | gaintype='muscle' biastype='muscle' gainprm='{MUSCLE}' biasprm='{MUSCLE}'",
        "inheritrange": ".1 | gainprm='5' biasprm='0 -5 0' biastype='affine'",
    },
    "position": {"kp": "9", "kv": "1", "dampratio": "1", "timeconst": ".1"},
    "velocity": {"kv": "2"},
    "intvelocity": {"kp": "9", "kv": "1", "dampratio": "1"},
    "pid": {
        "kp": "9",
        "kv": "1",
        "dampratio": "1",
        "ki": "20",
        "imax": ".02 | ki='20'",
        "slewmax": "2",
        "posrange": "-.1 .1",
        "velrange": "-.5 .5 | input='vel' kv='2'",
        "ffrange": "-.5 .5 | input='ff'",
        "input": "pos -> vel | kv='2'",
    },
    "damper": {"kv": "2", "ctrlrange": "0 2 -> 0 .5"},
    "cylinder": {
        "timeconst": ".02",
        "area": "3",
        "diameter": ("joint='j' area='2' timeconst='.1'", "joint='j' diameter='3' timeconst='.1'"),
        "bias": ".3 -2 -.1",
    },
    "muscle": {
        "timeconst": ".1 .1",
        "tausmooth": "5 | timeconst='.01 .5'",
        "range": ".9 1.2",
        "force": "9",
        "scale": "100 | force='-1'",
        "lmin": ".9",
        "lmax": "1.3 | range='1.1 1.5'",
        "vmax": ".5",
        "fpmax": "9 | range='1.1 1.5'",
        "fvmax": "3",
        "lengthrange": "-1 2 -> -1 1",
    },
    "dcmotor": {
        "motorconst": "1",
        "resistance": "2",
        "nominal": ("joint='j' motorconst='.5' resistance='1'", "joint='j' nominal='2 1 30'"),
        "saturation": ".2",
        "inductance": ".05",
        "cogging": ".5 6 0",
        "controller": "5 0 .1 -> 9 0 .2 | input='pos'",
        "thermal": ".1 .1 .1 .1 20 50",
        "lugre": "10 1 .1 .2 .1",
        "input": "pos -> vel | controller='5 0 .1'",
    },
    "orientation": {"kp": "9", "kv": "1", "dampratio": "1", "input": "expmap"},
    "adhesion": {"gain": "9"},
}


def actuators() -> Iterator[tuple[str, Scene, dict[str, Probe]]]:
    """Give the probes of each kind of actuator."""
    for kind, (needed, control) in KINDS.items():
        scene = Scene(ACTUATED.format(kind, control), f"{ON_J} {needed}")
        coarse: dict[str, Probe] = {"interp": "linear | delay='.03' nsample='5'"}
        if kind == "orientation":
            scene = Scene(scene.text, f"joint='ball' {needed}")
            probes: dict[str, Probe] = {
                **SHARED,
                **OWN[kind],
                "joint": "ball -> ball2",
                "forcerange": "0 .2",
                "forcelimited": "false | forcerange='0 .2'",
                "ctrlrange": "0 .2",
                "site": (f"joint='ball' {needed}", f"site='sc' refsite='o' {needed}"),
                "refsite": (f"site='sc' refsite='slider' {needed}", f"site='sc' refsite='o' {needed}"),
            }
            yield f"actuator/{kind}", Scene(COARSE.format(kind, control), scene.base, own_step=True), coarse
            yield f"actuator/{kind}", scene, probes
            continue
        if kind == "adhesion":
            stuck = world(
                FLOOR.format('friction=".2"')
                + BOX.format(f'{BOX_SHAPE} friction=".3"')
                + f'<body name="b" pos="0 5 5"><joint/>{LINK}</body>',
                HARD_GEOMS + ELLIPTIC + '<option actuatorgroupdisable="3"/>',
                "<actuator><adhesion @/></actuator>"
                + start(qpos="0 0 .1 1 0 0 0 0", qvel="2 .5 0 0 0 0 0", ctrl=control),
            )
            shared = {name: SHARED[name] for name in ("group", "delay", "nsample")}
            shared |= {
                "body": "a -> b",
                "forcerange": "0 9",
                "forcelimited": "false | forcerange='0 9'",
                "ctrlrange": "0 1 -> 0 .5",
            }
            yield "actuator/adhesion", Scene(stuck, f"body='a' {needed}", 0.05), {**shared, **OWN[kind]}
            yield (
                "actuator/adhesion",
                Scene(
                    stuck.replace("<option", '<option timestep="0.02"', 1), f"body='a' {needed}", 0.05, own_step=True
                ),
                coarse,
            )
            general = Scene(stuck.replace("<adhesion", "<general"), "body='a' ctrlrange='0 1'", 0.05)
            yield (
                "actuator/general",
                general,
                {"body": ("body='b' ctrlrange='0 1' gainprm='50'", "body='a' ctrlrange='0 1' gainprm='50'")},
            )
            continue
        if kind == "general":
            coarse["actearly"] = "true | dyntype='filter' dynprm='.1'"
        yield f"actuator/{kind}", Scene(COARSE.format(kind, control), scene.base, own_step=True), coarse
        pairs = {name: tuple(f"{it} {needed}" for it in pair) for name, pair in TRANSMISSIONS.items()}
        yield f"actuator/{kind}", scene, {**SHARED, **pairs, **OWN.get(kind, {})}  # type: ignore[dict-item]
