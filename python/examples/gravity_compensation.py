"""Impedance control of a panda's hand: a spring and a damper to a point, gravity compensated."""

import numpy as np

import featherline as fl


def main() -> None:
    panda = fl.load("panda")
    rest = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    goal = panda.placement(rest, "panda_link8")[:3, 3] + [0.0, 0.2, 0.1]
    q, v = rest.copy(), np.zeros(7)
    tau, a = np.empty(7), np.empty(7)
    dt = 1e-3
    for _ in range(3000):
        jacobian = panda.jacobian(q, "panda_link8", "local_world_aligned")[:3]
        position = panda.placement(q, "panda_link8")[:3, 3]
        force = 200.0 * (goal - position) - 30.0 * (jacobian @ v)
        panda.bias(q, v, out=tau)
        tau += jacobian.T @ force - 2.0 * v
        panda.aba(q, v, tau, out=a)
        v += dt * a
        panda.integrate(q, dt * v, out=q)
    distance = float(np.linalg.norm(goal - panda.placement(q, "panda_link8")[:3, 3]))
    print(f"after 3 s the hand is {1000 * distance:.2f} mm from its goal")
    assert distance < 1e-2


if __name__ == "__main__":
    main()
