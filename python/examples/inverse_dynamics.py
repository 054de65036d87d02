"""Inverse dynamics of a trajectory: the joint torques that a panda needs to follow it."""

import numpy as np

import featherline as fl


def main() -> None:
    panda = fl.load("panda")
    start, end = panda.random_configuration(seed=1), panda.random_configuration(seed=2)

    # A smooth motion of two seconds: s goes from 0 to 1, at rest at both ends.
    t = np.linspace(0.0, 1.0, 1001)[:, None]
    s = 10 * t**3 - 15 * t**4 + 6 * t**5
    rate = (30 * t**2 - 60 * t**3 + 30 * t**4) / 2.0
    rate_of_rate = (60 * t - 180 * t**2 + 120 * t**3) / 4.0
    way = panda.difference(start, end)
    q, v, a = start + s * way, rate * way, rate_of_rate * way

    # Rows are states: one call computes all of them, in vector lanes and on all cores.
    tau = panda.rnea(q, v, a)
    limits = np.array([joint.effort[0] for joint in panda.joints.values()])
    print(f"largest torque of each joint, N·m: {np.round(np.abs(tau).max(axis=0), 2)}")
    print(f"share of its limit:                {np.round(np.abs(tau).max(axis=0) / limits, 2)}")

    # At rest, at the start, the torque is what gravity asks for.
    assert np.allclose(tau[0], panda.gravity_torque(start))


if __name__ == "__main__":
    main()
