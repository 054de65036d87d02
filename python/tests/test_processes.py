"""Threads, forks and spawned processes."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import featherline as fl

MODEL = fl.load("quadruped")
Q = MODEL.random_configuration(1, 2000)
V = np.ones((2000, MODEL.nv))
TAU = MODEL.rnea(Q, V, V)


def rnea(model):
    return model.rnea(Q, V, V)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_processes(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for tau in pool.map(rnea, [MODEL] * 4, timeout=60):
            assert np.array_equal(tau, TAU)


def test_threads():
    with ThreadPoolExecutor(8) as pool:
        for tau in pool.map(rnea, [MODEL] * 32):
            assert np.array_equal(tau, TAU)
