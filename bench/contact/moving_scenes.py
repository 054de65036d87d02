"""The scenes in motion: what moves, for how long, and what is known of the end."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import moving_bodies as bodies
import moving_robots as robots
from dm_robots import limp
from moving_bodies import GRAVITY, STEP

DM_CONTROL = ("dog", "humanoid", "humanoid_CMU", "quadruped")


@dataclass(frozen=True)
class Known:
    """A figure of the end of a motion: what it should be, and how it is found in one."""

    expected: str
    figure: Callable


@dataclass(frozen=True)
class Scene:
    name: str
    # What happens, for the report.
    what: str
    # MJCF.
    source: str
    seconds: float
    # Positions of hinges and velocities of free joints at the start, as MuJoCo has them.
    positions: dict = field(default_factory=dict)
    velocities: dict = field(default_factory=dict)
    # The targets of the position actuators at a time; without them actuators are off.
    targets: Callable | None = None
    # Whether impacts lose no energy.
    is_elastic: bool = False
    # Raised until the lowest point is this high above the floor, in m.
    clearance: float | None = None
    known: Known | None = None

    @property
    def steps(self):
        return round(self.seconds / STEP)


def off_by(distance):
    """The error of the distance that body `b` covers along x."""
    return lambda motion: f"{(motion.at_end('b')[0] - distance) * 1e3:+.2f} mm"


def rolling_or_sliding():
    angle, steep, friction, speed = .3, .6, .1, 4.0
    ball = .5 * 5 / 7 * GRAVITY * math.sin(angle)
    wheel = .5 * 2 / 3 * GRAVITY * math.sin(angle)
    slipping = .5 * GRAVITY * (math.sin(steep) - friction * math.cos(steep))
    stop = speed**2 / (2 * .5 * GRAVITY)

    def box(motion):
        return f"{off_by(stop)(motion)}, lifts {motion.path('b')[:, 2].max() * 1e3 - 50:.2f} mm"

    return [
        Scene("ball_rolls", "a ball rolls down a slope", bodies.on_slope(angle, "ball", .6), 1.0,
              known=Known(f"rolls {ball * 1e3:.0f} mm; error", off_by(ball))),
        Scene("wheel_rolls", "a cylinder rolls down a slope", bodies.on_slope(angle, "wheel", .6), 1.0,
              known=Known(f"rolls {wheel * 1e3:.0f} mm; error", off_by(wheel))),
        Scene("ball_slips", "a ball slips down a steep slope", bodies.on_slope(steep, "ball", friction), 1.0,
              known=Known(f"slips {slipping * 1e3:.0f} mm; error", off_by(slipping))),
        Scene("box_slides", "a box with 4 m/s slides to a stop", bodies.sliding_box(), 1.5,
              velocities={"b": [speed, 0, 0, 0, 0, 0]},
              known=Known(f"slides {stop * 1e3:.0f} mm and does not lift; error", box)),
    ]


def manipulation():
    def slip(motion):
        inside = motion.path("cube") - motion.path("hand")
        begin = int(len(inside) * 1.5 / 4.0)
        return f"{abs(inside[-1] - inside[begin]).max() * 1e3:.3f} mm"

    def block(motion):
        return "({:.3f}, {:.3f}) m".format(*motion.at_end("block")[:2])

    return [
        Scene("gripper", "a hand grips a cube, lifts it and shakes it", robots.gripper(), 4.0,
              targets=robots.grip_lift_shake,
              known=Known("the cube does not slip in the hand after 1.5 s; slip", slip)),
        Scene("pushing_arm", "an arm with three joints pushes a block", robots.pushing_arm(), 3.0,
              positions=robots.push(0), targets=robots.push,
              known=Known("no formula; the block's x and y at the end", block)),
    ]


def spinning():
    def tilt(motion):
        return f"{motion.tilt('b'):.3f} rad"

    def swing(motion):
        lowest = motion.path("p4")[0, 2]
        return f"{math.acos(1 - (motion.path('p4')[:, 2].max() - lowest) / .5):.3f} rad"

    return [
        Scene("coin", "a coin rolls on its edge and spins", bodies.coin(), 3.0, velocities={"b": [0, 0, 0, 0, 6, 18]}),
        Scene("top", "a top spins with 150 rad/s, leaning by 0.2 rad", bodies.top(), 3.0, velocities={"b": [0, 0, 0, 0, 0, 150]},
              known=Known("leans by 0.18 rad at the end, as both find with steps of 0.1 ms (featherline) and "
                          "0.01 ms (MuJoCo); lean", tilt)),
        Scene("cradle", "Newton's cradle with five balls, no loss", bodies.cradle(), 3.0, positions={"h0": .6},
              is_elastic=True, known=Known("the last ball swings to 0.6 rad; its angle", swing)),
    ]


def heaps():
    def fallen(motion):
        return f"{sum(motion.tilt(f'd{k}') > .5 for k in range(20))}"

    return [
        Scene("chain_20", "a chain of 20 capsules falls over an edge", bodies.chain(), 2.0),
        Scene("dominoes_20", "20 dominoes", bodies.dominoes(), 2.5, known=Known("all fall; how many", fallen)),
        Scene("boxes_20", "20 boxes fall to a heap", bodies.boxes(20), 1.5),
        Scene("balls_50", "50 balls fall through a funnel", bodies.balls(50), 2.0),
        Scene("boxes_60", "60 boxes fall to a heap", bodies.boxes(60), 1.6),
        Scene("boxes_200", "200 boxes fall to a heap", bodies.boxes(200), 1.2),
    ]


def from_dm_control(models):
    return [
        Scene(f"dm_{name.lower()}", f"dm_control's {name} falls", limp(Path(models) / f"{name}.xml"), 1.0,
              clearance=.1)
        for name in DM_CONTROL
    ]


def scenes():
    """The scenes of this project."""
    stance = robots.stance()
    return [
        Scene("quadruped_trots", "a quadruped trots in place", robots.quadruped(.33, True), 3.0,
              positions=stance, targets=robots.trot),
        Scene("quadruped_limp", "a limp quadruped falls from 1 m", robots.quadruped(1.0, False), 2.0,
              positions=stance),
        Scene("quadruped_held", "a quadruped falls from 1 m, its drives hold a stance", robots.quadruped(1.0, True),
              2.0, positions=stance, targets=lambda _: stance),
        Scene("humanoid_limp", "a limp humanoid falls", robots.humanoid(), 3.0),
        *manipulation(),
        *rolling_or_sliding(),
        *spinning(),
        *heaps(),
    ]


# The names, which need no files.
NAMES = [scene.name for scene in scenes()] + [f"dm_{name.lower()}" for name in DM_CONTROL]
