"""Robots with closed loops in motion: a four-bar linkage, a delta robot and a hexapod.

Each is put together, pushed off and followed for two seconds. Its loops stay closed, and its energy is kept. Then the
delta robot carries a load: what its arms must hold, and what its balls transmit.
"""

import numpy as np
from numpy.typing import NDArray

import featherline as fl


def start(model: fl.Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A configuration with closed loops, and a velocity that keeps them closed."""
    q = model.assemble(model.neutral())
    v = model.project_velocity(q, np.random.default_rng(1).normal(size=model.nv))
    return q, 0.5 * v / np.abs(v).max()


def simulate(name: str) -> None:
    # The sliders of a hexapod have no stops in this simulation: without weight it stays in its workspace.
    model = fl.load(name)
    if name != "four_bar":
        model = model.with_gravity([0.0, 0.0, 0.0])
    q, v = start(model)
    for method in ("runge-kutta-4", "maximal-variational"):
        motion = model.trajectory(q, v, duration=2.0, dt=2e-3, method=method, every=10)
        gap = float(np.abs(model.loop_gaps(motion.q)).max())
        energy = model.mechanical_energy(motion.q, motion.v)
        error = float(np.ptp(energy) / np.max(model.kinetic_energy(motion.q, motion.v)))
        print(f"{name:10} {method:20} largest gap {gap:.0e} m, energy kept to {error:.0e} of the kinetic energy")
        assert gap < 1e-9 and error < 1e-2


def carry(load: float) -> None:
    """Torques at the arms of the delta robot under a load, by virtual work, and the forces in its balls."""
    delta = fl.load("delta")
    q = delta.assemble(delta.neutral())
    still = np.zeros(delta.nv)
    weight = {"platform": [0.0, 0.0, -9.81 * load, 0.0, 0.0, 0.0]}
    # Motions that the loops allow, one for each arm: the columns of G.
    arms = [delta.joints[f"arm_{k}"].idx_v for k in range(3)]
    motions = np.array([delta.project_velocity(q, unit) for unit in np.eye(delta.nv)[arms]])
    G = np.linalg.solve(motions[:, arms], motions)
    tau = still.copy()
    tau[arms] = G @ delta.static_torque(q, weight)
    held = delta.loop_dynamics(q, still, tau, weight)
    assert np.abs(held.accelerations).max() < 1e-8
    balls = np.linalg.norm(held.loop_forces[:, :3], axis=1)
    print(f"delta under {load} kg: arms hold {np.round(tau[arms], 3)} N·m, balls transmit up to {balls.max():.2f} N")


def main() -> None:
    for name in ("four_bar", "delta", "stewart"):
        simulate(name)
    carry(1.0)


if __name__ == "__main__":
    main()
