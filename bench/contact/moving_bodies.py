"""Bodies without drives of the scenes in motion, as MJCF: one body, rows, heaps."""

import math

import numpy as np

STEP = 1e-3
GRAVITY = 9.81


def numbers(*values):
    return " ".join(f"{value:.6g}" for value in values)


def document(name, bodies, extra="", *, friction, gravity=(0, 0, -GRAVITY), has_floor=True, geom_defaults=""):
    """An MJCF file; lengths in m, angles in rad, densities 1000 kg/m³ where nothing else is said."""
    floor = '<geom name="floor" type="plane" size="20 20 .1"/>' if has_floor else ""
    return (
        f'<mujoco model="{name}"><compiler angle="radian"/>'
        f'<option timestep="{STEP}" gravity="{" ".join(f"{it:.15g}" for it in gravity)}"/>'
        f'<default><geom {geom_defaults}friction="{friction} 0.005 0.0001" density="1000" condim="3"/></default>'
        f"<worldbody>{floor}{bodies}</worldbody>{extra}</mujoco>"
    )


def free_body(name, position, orientation, geom):
    return (f'<body name="{name}" pos="{numbers(*position)}" quat="{numbers(*orientation)}">'
            f'<freejoint name="{name}"/>{geom}</body>')


def about(axis, angle):
    """The rotation about an axis of the frame (0, 1, 2), as w, x, y, z."""
    turned = [math.cos(angle / 2), 0, 0, 0]
    turned[1 + axis] = math.sin(angle / 2)
    return tuple(turned)


def boxes(count, seed=1):
    """Boxes of random sides and orientations, six a layer, above the floor."""
    rng = np.random.default_rng(seed)
    bodies = ""
    for k in range(count):
        half = rng.uniform(.03, .05, 3)
        x, y, layer = k % 2, (k // 2) % 3, k // 6
        position = (.151 * x + rng.normal() * .01, .15 * y + rng.normal() * .01, .2 + .16 * layer)
        orientation = rng.normal(size=4)
        orientation /= np.linalg.norm(orientation)
        bodies += free_body(f"b{k}", position, orientation, f'<geom type="box" size="{numbers(*half)}"/>')
    return document(f"boxes_{count}", bodies, friction=0.5)


def balls(count, seed=2):
    """Balls above a funnel of four slopes that leads into a bin."""
    rng = np.random.default_rng(seed)
    side = .22
    bodies = ""
    walls = ((side, 0, .02, side), (-side, 0, .02, side), (0, side, side, .02), (0, -side, side, .02))
    for k, (x, y, half_x, half_y) in enumerate(walls):
        bodies += (f'<geom name="w{k}" type="box" pos="{numbers(x, y, .15)}" '
                   f'size="{numbers(half_x, half_y, .15)}"/>')
    slopes = (
        ((.24, 0, .45), (1, -.7)),
        ((-.24, 0, .45), (1, .7)),
        ((0, -.24, .45), (0, -.7)),
        ((0, .24, .45), (0, .7)),
    )
    for k, (position, (axis, angle)) in enumerate(slopes):
        bodies += (f'<geom name="s{k}" type="box" pos="{numbers(*position)}" quat="{numbers(*about(axis, angle))}" '
                   'size=".18 .18 .01"/>')
    for k in range(count):
        x, y, layer = k % 3, (k // 3) % 3, k // 9
        position = (.1 * (x - 1) + rng.normal() * .005, .1 * (y - 1) + rng.normal() * .005, .7 + .1 * layer)
        geom = f'<geom type="sphere" size="{numbers(rng.uniform(.025, .04))}"/>'
        bodies += free_body(f"b{k}", position, (1, 0, 0, 0), geom)
    return document(f"balls_{count}", bodies, friction=0.4)


def chain(count=20):
    """Capsules that ball joints connect, above the edge of a step."""
    bodies = '<geom name="step" type="box" pos=".6 0 .15" size=".3 .5 .15"/>'
    for k in range(count):
        joint = f'<joint name="j{k}" type="ball" damping="0.001"/>' if k else '<freejoint name="root"/>'
        position = ".1 0 0" if k else "0 0 .8"
        bodies += (f'<body name="c{k}" pos="{position}">{joint}'
                   '<geom type="capsule" fromto=".015 0 0 .085 0 0" size=".015"/>')
    return document("chain", bodies + "</body>" * count, friction=0.5)


def dominoes(count=20):
    """Dominoes in a row, of which the first leans towards the others."""
    bodies = ""
    for k in range(count):
        tip = .0 if k else .13
        x = .04 * k if k else .0065
        z = .05 * math.cos(tip) + .005 * math.sin(tip) + 1e-6
        geom = '<geom type="box" size=".005 .025 .05" density="600"/>'
        bodies += free_body(f"d{k}", (x, 0, z), about(1, tip), geom)
    return document("dominoes", bodies, friction=0.4)


def on_slope(angle, shape, friction):
    """A ball or wheel of radius 0.1 m on a floor along which gravity pulls."""
    if shape == "ball":
        geom, orientation = '<geom type="sphere" size=".1"/>', (1, 0, 0, 0)
    else:
        geom, orientation = '<geom type="cylinder" size=".1 .03"/>', about(0, math.pi / 2)
    gravity = (GRAVITY * math.sin(angle), 0, -GRAVITY * math.cos(angle))
    return document("slope", free_body("b", (0, 0, .1), orientation, geom), friction=friction, gravity=gravity)


def sliding_box():
    geom = '<geom type="box" size=".1 .1 .05"/>'
    return document("sliding_box", free_body("b", (0, 0, .05), (1, 0, 0, 0), geom), friction=.5)


def coin():
    """A coin on its edge, which leans."""
    lean = .35
    z = .04 * math.sin(lean) + .002 * math.cos(lean) + 1e-4
    geom = '<geom type="cylinder" size=".04 .002" density="8000"/>'
    return document("coin", free_body("b", (0, 0, z), about(0, lean), geom), friction=.5)


def top():
    """A top that leans by 0.2 rad, on a tip with a radius of 4 mm."""
    geoms = (
        '<geom type="sphere" size=".004" pos="0 0 0" mass=".001"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 .03" size=".003" mass=".002"/>'
        '<geom type="cylinder" pos="0 0 .035" size=".03 .006" mass=".1"/>'
        '<geom type="capsule" fromto="0 0 .04 0 0 .06" size=".003" mass=".002"/>'
    )
    return document("top", free_body("b", (0, 0, .0041), about(0, .2), geoms), friction=.3)


def cradle():
    """Newton's cradle: five pendulums of 0.5 m. For MuJoCo its contacts are springs without damping."""
    bodies = ""
    for k in range(5):
        bodies += (f'<body name="p{k}" pos="{.1005 * k} 0 1"><joint name="h{k}" type="hinge" axis="0 1 0"/>'
                   '<geom type="sphere" pos="0 0 -.5" size=".05" mass="1"/></body>')
    return document("cradle", bodies, friction=0, has_floor=False, geom_defaults='solref="-1e6 0" ')
