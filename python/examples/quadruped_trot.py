"""A quadruped stands up and trots, without feedback: the drives of its joints follow the feet's paths.

Two diagonal pairs of legs take turns. A foot on the ground moves backwards under the hip; in the air it comes forwards.
"""

import numpy as np

import featherline as fl

PERIOD = 0.4  # of two steps, in s
STRIDE = 0.12  # in m
LIFT = 0.05
HEIGHT = 0.28  # of the hips above the feet
THIGH = 0.2  # as long as the calf

quadruped = fl.load("quadruped")
simulation = fl.Simulation(quadruped, dt=0.002, drives=fl.Drives(120.0, 3.0))
targets = simulation.targets[simulation.driven].reshape(4, 3)
crouched = targets.copy()


def leg(x: float, z: float) -> tuple[float, float]:
    """Thigh and calf that bring the foot to (x, -z) below the hip."""
    calf = -2.0 * np.arccos(np.hypot(x, z) / (2 * THIGH))
    return float(np.arctan2(-x, z) - calf / 2), float(calf)


def foot(phase: float) -> tuple[float, float]:
    """The foot of a leg: half of the time it carries, half of the time it swings forwards."""
    swing = phase - 0.5
    if swing < 0.0:
        return STRIDE * (0.5 - 2 * phase), HEIGHT
    return STRIDE * (2 * swing - 0.5), HEIGHT - LIFT * float(np.sin(2 * np.pi * swing))


heights = []
start = simulation.q[0]
for k in range(3000):
    t = simulation.t
    if t < 1.0:  # stand up
        legs = np.array([[0.0, *leg(0.0, HEIGHT)]] * 4)
        wanted = crouched + min(1.0, t / 0.6) * (legs - crouched)
    else:
        first = (t - 1.0) / PERIOD % 1.0
        # Front left and rear right together, front right and rear left half a period later.
        phases = [first, (first + 0.5) % 1.0, (first + 0.5) % 1.0, first]
        wanted = np.array([[0.0, *leg(*foot(phase))] for phase in phases])
    simulation.targets[simulation.driven] = wanted.ravel()
    simulation.step(record=False)
    if t > 1.0:
        heights.append(simulation.q[2])

way = simulation.q[0] - start
print(f"trotted {way:.2f} m in 5 s, the trunk {min(heights):.2f} to {max(heights):.2f} m high")
assert way > 0.5 and min(heights) > 0.2
