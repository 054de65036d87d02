"""Threads, forks and spawned processes."""

import _thread
import multiprocessing
import threading
import time
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


@pytest.mark.parametrize("method", ["hessian", "joint_jacobians", "random_configuration"])
def test_an_interrupt_ends_calls_of_large_results(method):
    model = fl.load("humanoid")
    states = 6_000
    q = model.random_configuration(1, states)
    frame = list(model.frames)[-1]
    calls = {
        "hessian": lambda: model.hessian(q, frame),
        "joint_jacobians": lambda: model.joint_jacobians(q),
        "random_configuration": lambda: model.random_configuration(1, 300 * states),
    }
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            start = time.monotonic()
            calls[method]()
    assert time.monotonic() - start < 0.5
