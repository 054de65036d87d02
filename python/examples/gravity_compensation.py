"""A panda in simulation: its weight compensated, then a spring and a damper at its hand, which is pushed."""

import numpy as np
from numpy.typing import NDArray

import featherline as fl

Vector = NDArray[np.float64]

PANDA = fl.load("panda")
HAND = "panda_link8"
REST = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
GOAL = PANDA.placement(REST, HAND)[:3, 3] + [0.0, 0.2, 0.1]
STIFFNESS, DAMPING = 400.0, 40.0  # N/m, N·s/m
PUSH = np.array([8.0, -4.0, -6.0])  # N, in the world's axes


def impedance(t: float, q: Vector, v: Vector, tau: Vector) -> None:
    """A spring from the hand to the goal and a damper; the joints are damped a little, too."""
    jacobian = PANDA.jacobian(q, HAND, "local_world_aligned")[:3]
    position = PANDA.placement(q, HAND)[:3, 3]
    force = STIFFNESS * (GOAL - position) - DAMPING * (jacobian @ v)
    PANDA.bias(q, v, out=tau)
    tau += jacobian.T @ force - 2.0 * v


def push(t: float, q: Vector, v: Vector) -> dict[str, list[float]]:
    """From 3 s on, a constant force on the hand: external forces are given in its own axes."""
    rotation = PANDA.placement(q, HAND)[:3, :3]
    force = rotation.T @ PUSH if t > 3.0 else np.zeros(3)
    return {HAND: [*force, 0.0, 0.0, 0.0]}


def main() -> None:
    held = fl.Simulation(PANDA, REST, controller="gravity")
    held.run(1.0)
    print(f"gravity compensation: after 1 s the joints have moved by {np.abs(held.q - REST).max():.1e} rad")
    assert np.abs(held.q - REST).max() < 1e-6

    # Without the dry friction of the joints, which holds the hand some millimetres off.
    simulation = fl.Simulation(
        PANDA, REST, controller=impedance, external_forces=push, method="runge-kutta-4", passive=False
    )
    simulation.run(3.0)
    free = PANDA.placement(simulation.q, HAND)[:3, 3]
    simulation.run(3.0)
    pushed = PANDA.placement(simulation.q, HAND)[:3, 3]
    print(f"the hand is {1e3 * np.linalg.norm(free - GOAL):.2f} mm from its goal")
    print(f"pushed by {PUSH} N it moves by {1e3 * (pushed - free)} mm")
    print(f"a spring of {STIFFNESS} N/m yields {1e3 * PUSH / STIFFNESS} mm")
    assert np.linalg.norm(free - GOAL) < 1e-3
    assert np.abs(pushed - GOAL - PUSH / STIFFNESS).max() < 1e-3


if __name__ == "__main__":
    main()
