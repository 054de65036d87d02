# ruff: noqa: E501
"""Equality constraints."""

from __future__ import annotations

from scene import HARD_LOOPS, LINK, SOFTNESS, Probes, Scene, arm, two_links, world

THIRD = f'<body name="e" pos=".2 0 .2"><joint axis="0 1 0"/>{LINK}<site name="s" pos=".3 0 0"/></body>'
LOOP = world(
    two_links(more=THIRD)
    + f'<body name="c" pos="1 0 .4"><joint axis="0 1 0"/>{LINK}</body><site name="o" pos=".8 0 .2"/>',
    HARD_LOOPS,
    "<equality>{}</equality>",
)
CONNECT = Scene(LOOP.format("<connect @/>"), 'body1="e" anchor=".3 0 0"')
# A body that floats, welded to the link `a`.
WELD = Scene(
    world(
        arm(more='<site name="o" pos=".3 .2 0"/>')
        + f'<body name="c" pos=".3 .2 0"><freejoint/>{LINK}<site name="s"/></body>'
        f'<body name="d" pos=".6 .5 0"><joint axis="1 0 0"/>{LINK}</body>',
        HARD_LOOPS,
        "<equality><weld @/></equality>",
    ),
    'body1="c" body2="a"',
)
GEARED = Scene(
    world(two_links(more=THIRD.replace("<joint", '<joint name="m"')), HARD_LOOPS, "<equality><joint @/></equality>"),
    'joint1="k" joint2="j" polycoef="0 .5"',
)
TWO_TENDONS = '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed><fixed name="u"><joint joint="k" coef="2"/></fixed><fixed name="w"><joint joint="k" coef="-1"/></fixed></tendon>'
TENDON_LOOP = Scene(
    world(two_links(), HARD_LOOPS, TWO_TENDONS + "<equality><tendon @/></equality>"),
    'tendon1="t" tendon2="u" polycoef="0 .5"',
)
EQUALITY = {"active": "false"}


def soft(scene: Scene) -> Scene:
    """Return the scene with loops as soft as MuJoCo's by default."""
    return Scene(scene.text.replace(HARD_LOOPS, ""), scene.base)


PROBES: Probes = [
    (
        "equality/connect",
        CONNECT,
        {
            **EQUALITY,
            "body1": "e -> b",
            "anchor": ".1 0 .1",
            "body2": "c",
            "site1": ("body1='b' anchor='.15 0 0'", "site1='s' site2='o'"),
            "site2": ("body1='b' anchor='.15 0 0'", "site1='s' site2='o'"),
        },
    ),
    ("equality/connect", soft(CONNECT), SOFTNESS),
    (
        "equality/weld",
        WELD,
        {
            **EQUALITY,
            "body1": "c -> d",
            "body2": "a -> d",
            "relpose": "-.31 -.2 0 1 0 0 0",
            "site1": ("body1='c' body2='d'", "site1='s' site2='o'"),
            "site2": ("body1='c' body2='d'", "site1='s' site2='o'"),
        },
    ),
    ("equality/weld", soft(WELD), {**SOFTNESS, "torquescale": ".01", "anchor": ".3 .2 .1 | torquescale='.1'"}),
    ("equality/joint", GEARED, {**EQUALITY, "joint1": "k -> m", "joint2": "j -> m", "polycoef": "0 .5 -> 0 -1"}),
    ("equality/joint", soft(GEARED), SOFTNESS),
    ("equality/tendon", TENDON_LOOP, {**EQUALITY, "tendon1": "t -> w", "tendon2": "u -> w", "polycoef": "0 -1"}),
    ("equality/tendon", soft(TENDON_LOOP), SOFTNESS),
]
