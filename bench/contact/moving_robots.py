"""Robots of the scenes in motion, as MJCF."""

import math

from moving_bodies import document, free_body, numbers

LEGS = (("fl", .18, .06), ("fr", .18, -.06), ("rl", -.18, .06), ("rr", -.18, -.06))
SIDES = ((1, "l"), (-1, "r"))


def capsule(begin, end, radius):
    return f'<geom type="capsule" fromto="{numbers(*begin, *end)}" size="{radius}"/>'


def position_drive(joint, stiffness, damping, force):
    return (f'<position joint="{joint}" kp="{stiffness}" kv="{damping}" forcelimited="true" '
            f'forcerange="-{force} {force}"/>')


def driven(drives):
    return f"<actuator>{''.join(drives)}</actuator>"


def humanoid(height=1.6, tilt=0.15):
    """A humanoid of 21 hinges that leans."""

    def hinge(name, axis, lower, upper):
        return (f'<joint name="{name}" type="hinge" axis="{axis}" limited="true" range="{lower} {upper}" '
                'damping="1" armature="0.01"/>')

    lean = (math.cos(tilt / 2), 0.3 * math.sin(tilt / 2), 0.954 * math.sin(tilt / 2), 0)
    parts = [
        f'<body name="torso" pos="0 0 {height}" quat="{numbers(*lean)}"><freejoint name="root"/>',
        capsule((0, -.07, 0), (0, .07, 0), .07),
        '<geom type="sphere" pos="0 0 .19" size=".09"/>',
        capsule((-.01, -.06, -.12), (-.01, .06, -.12), .06),
        '<body name="waist" pos="-.01 0 -.26">',
        hinge("abdomen_z", "0 0 1", -.78, .78),
        hinge("abdomen_y", "0 1 0", -1.3, .5),
        capsule((0, -.06, 0), (0, .06, 0), .06),
        '<body name="pelvis" pos="0 0 -.165">',
        hinge("abdomen_x", "1 0 0", -.6, .6),
        capsule((-.02, -.07, 0), (-.02, .07, 0), .09),
    ]
    for side, name in SIDES:
        parts += [
            f'<body name="thigh_{name}" pos="0 {side * .1} -.04">',
            hinge(f"hip_x_{name}", f"{side} 0 0", -.44, .087),
            hinge(f"hip_z_{name}", f"0 0 {side}", -1, .6),
            hinge(f"hip_y_{name}", "0 1 0", -1.9, .35),
            capsule((0, 0, 0), (0, side * .01, -.34), .06),
            f'<body name="shin_{name}" pos="0 {side * .01} -.403">',
            hinge(f"knee_{name}", "0 -1 0", -2.8, -.03),
            capsule((0, 0, 0), (0, 0, -.3), .049),
            f'<body name="foot_{name}" pos="0 0 -.39">',
            hinge(f"ankle_y_{name}", "0 1 0", -.87, .87),
            hinge(f"ankle_x_{name}", "1 0 .5", -.87, .87),
            capsule((-.07, -.02, 0), (.14, -.04, 0), .027),
            capsule((-.07, 0, 0), (.14, .02, 0), .027),
            "</body></body></body>",
        ]
    parts.append("</body></body>")
    for side, name in SIDES:
        parts += [
            f'<body name="arm_{name}" pos="0 {side * .19} .06">',
            hinge(f"shoulder1_{name}", f"2 {-side} {-side}", -1.5, 1.05),
            hinge(f"shoulder2_{name}", f"0 -1 {side}", -1.5, 1.05),
            capsule((0, 0, 0), (.16, side * .16, -.16), .04),
            f'<body name="forearm_{name}" pos=".18 {side * .18} -.18">',
            hinge(f"elbow_{name}", f"0 -1 {-side}", -1.57, .87),
            capsule((.01, -side * .01, .01), (.17, -side * .17, .17), .031),
            f'<geom type="sphere" pos=".18 {-side * .18} .18" size=".04"/></body></body>',
        ]
    return document("humanoid", "".join(parts) + "</body>", friction=0.7)


def quadruped(height, has_drives):
    """A robot of four legs with three hinges each."""
    parts = [f'<body name="trunk" pos="0 0 {height}"><freejoint name="root"/>'
             '<geom type="box" size=".19 .07 .045" mass="5"/>']
    drives = []
    for leg, x, y in LEGS:
        side = 1 if y > 0 else -1

        def hinge(name, axis, lower, upper):
            drives.append(position_drive(f"{leg}_{name}", 60, 2, 24))
            return (f'<joint name="{leg}_{name}" type="hinge" axis="{axis}" limited="true" range="{lower} {upper}" '
                    'damping="0.05" armature="0.005"/>')

        parts += [
            f'<body name="{leg}_hip" pos="{x} {y} 0">',
            hinge("hip", "1 0 0", -.8, .8),
            f'<geom type="sphere" size=".03" pos="0 {side * .04} 0" mass=".5"/>',
            f'<body name="{leg}_thigh" pos="0 {side * .075} 0">',
            hinge("thigh", "0 1 0", -.5, 2.5),
            '<geom type="capsule" fromto="0 0 -.03 0 0 -.18" size=".02" mass=".7"/>',
            f'<body name="{leg}_calf" pos="0 0 -.2">',
            hinge("calf", "0 1 0", -2.6, -.6),
            '<geom type="capsule" fromto="0 0 -.02 0 0 -.16" size=".012" mass=".12"/>',
            '<geom type="sphere" pos="0 0 -.2" size=".02" mass=".05"/>',
            "</body></body></body>",
        ]
    return document("quadruped", "".join(parts) + "</body>", driven(drives) if has_drives else "", friction=0.8)


def stance(t=0.0, trots=False):
    """The quadruped's joints as it stands, or as it trots in place."""
    angles = {}
    for leg, phase in (("fl", 0), ("rr", 0), ("fr", 1), ("rl", 1)):
        turn = 2 * math.pi * 2.5 * t + math.pi * phase
        lift = max(0.0, math.sin(turn)) if trots else 0.0
        swing = 0.12 * math.cos(turn) if trots else 0.0
        angles[f"{leg}_hip"] = 0.0
        angles[f"{leg}_thigh"] = 0.8 - swing + 0.35 * lift
        angles[f"{leg}_calf"] = -1.6 - 0.7 * lift
    return angles


def trot(t):
    return stance(t, t > .3)


def gripper():
    """A hand with two fingers above a cube."""
    parts = [
        '<body name="hand" pos="0 0 .25"><joint name="lift" type="slide" axis="0 0 1" range="-.3 .5"/>',
        '<joint name="shake" type="slide" axis="1 0 0" range="-.3 .3"/>',
        '<geom type="box" size=".03 .1 .02" mass="1"/>',
    ]
    for side, name in SIDES:
        parts += [
            f'<body name="finger_{name}" pos="0 {side * .05} -.02">',
            f'<joint name="f_{name}" type="slide" axis="0 {-side} 0" range="0 .05" limited="true"/>',
            '<geom type="box" pos="0 0 -.06" size=".012 .008 .06" mass=".1"/></body>',
        ]
    parts.append("</body>")
    parts.append(free_body("cube", (0, 0, .025), (1, 0, 0, 0), '<geom type="box" size=".025 .025 .025" mass=".2"/>'))
    arm = [position_drive(joint, 2000, 100, 200) for joint in ("lift", "shake")]
    fingers = [position_drive(f"f_{name}", 1000, 20, 12) for name in "lr"]
    return document("gripper", "".join(parts), driven(arm + fingers), friction=0.8)


def grip_lift_shake(t):
    grip = .04 if t > .3 else 0.0
    return {
        "lift": -.137 if t < .8 else min(-.137 + .25 * (t - .8), .05),
        "shake": .03 * math.sin(2 * math.pi * 4 * (t - 2.0)) if t > 2.0 else 0.0,
        "f_l": grip,
        "f_r": grip,
    }


def pushing_arm():
    """A planar arm beside a block."""
    parts = [
        '<body name="a1" pos="0 0 .06"><joint name="j1" type="hinge" axis="0 0 1"/>',
        '<geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="2"/>',
        '<body name="a2" pos=".3 0 0"><joint name="j2" type="hinge" axis="0 0 1"/>',
        '<geom type="capsule" fromto="0 0 0 .25 0 0" size=".025" mass="1.5"/>',
        '<body name="a3" pos=".25 0 0"><joint name="j3" type="hinge" axis="0 0 1"/>',
        '<geom type="capsule" fromto="0 0 0 .12 0 0" size=".02" mass=".5"/>',
        '<geom type="sphere" pos=".14 0 0" size=".025" mass=".1"/></body></body></body>',
        free_body("block", (.45, .25, .05), (1, 0, 0, 0), '<geom type="box" size=".08 .05 .05" mass="1"/>'),
    ]
    gains = (("j1", 400, 40), ("j2", 300, 25), ("j3", 100, 8))
    drives = [position_drive(joint, stiffness, damping, 60) for joint, stiffness, damping in gains]
    return document("pushing_arm", "".join(parts), driven(drives), friction=.5)


def push(t):
    part = min(t / 2.0, 1.0)
    return {"j1": -.2 + 1.0 * part, "j2": .35 + .2 * part, "j3": .3}
