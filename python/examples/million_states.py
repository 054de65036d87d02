"""A batch of a million states: inverse dynamics of a humanoid, and how many states a second."""

import sys
import time

import numpy as np

import featherline as fl


def main(states: int) -> None:
    humanoid = fl.load("humanoid")
    q = humanoid.random_configuration(seed=1, states=states)
    v = np.random.default_rng(1).normal(size=(states, humanoid.nv))
    a = np.zeros_like(v)
    for precision in (np.float64, np.float32):
        arguments = [x.astype(precision) for x in (q, v, a)]
        tau = np.empty_like(arguments[1])
        begin = time.perf_counter()
        humanoid.rnea(*arguments, out=tau)
        rate = states / (time.perf_counter() - begin)
        print(f"{precision.__name__}: {rate / 1e6:.2f} million states a second")
    alone = humanoid.rnea(q[-1], v[-1], a[-1])
    assert np.allclose(tau[-1], alone, rtol=1e-3, atol=1e-2 * np.abs(alone).max())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
