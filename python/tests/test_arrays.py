"""Arrays in and out: types, shapes, strides, aliases and errors."""

from typing import Literal

import numpy as np
import pytest

import featherline as fl

PANDA = fl.load("panda")
Q = PANDA.random_configuration(1)
V = np.linspace(-1, 1, 7)
A = np.linspace(2, -2, 7)
TAU = PANDA.rnea(Q, V, A)


@pytest.mark.parametrize(
    "change",
    [
        list,
        tuple,
        lambda x: np.repeat(x, 2)[::2],
        lambda x: np.array(x[::-1])[::-1],
        lambda x: np.asarray(x, dtype=">f8"),
        lambda x: np.array([*x, 0.0])[:-1],
        lambda x: np.asarray(x, dtype=np.longdouble),
    ],
)
def test_whatever_is_an_array(change):
    assert np.allclose(PANDA.rnea(change(Q), change(V), change(A)), TAU, rtol=1e-14)


def test_integers_and_misaligned():
    assert np.array_equal(PANDA.rnea([0] * 7, [0] * 7, [0] * 7), PANDA.rnea(np.zeros(7), np.zeros(7), np.zeros(7)))
    raw = np.zeros(8 * 7 + 1, dtype=np.uint8)[1:].view(np.float64)
    raw[:] = Q
    assert np.array_equal(PANDA.rnea(raw, V, A), TAU)


def test_rows_and_single_states_mix():
    many = PANDA.rnea(np.tile(Q, (5, 1)), V, A)
    assert many.shape == (5, 7) and np.allclose(many, TAU)
    columns = np.asfortranarray(np.tile(Q, (5, 1)))
    assert np.allclose(PANDA.rnea(columns, V, A), TAU)
    assert PANDA.rnea(np.zeros((0, 7)), V, A).shape == (0, 7)


def test_out():
    out = np.empty(7)
    assert PANDA.rnea(Q, V, A, out=out) is out and np.array_equal(out, TAU)
    strided = np.zeros(14)[::2]
    PANDA.rnea(Q, V, A, out=strided)
    assert np.array_equal(strided, TAU)
    orders: list[Literal["C", "F"]] = ["C", "F"]
    for order in orders:
        matrix = np.empty((6, 7), order=order)
        PANDA.jacobian(Q, "panda_link8", out=matrix)
        assert np.array_equal(matrix, PANDA.jacobian(Q, "panda_link8"))
        matrices = np.empty((3, 6, 7), order=order)
        PANDA.jacobian(np.tile(Q, (3, 1)), "panda_link8", out=matrices)
        assert np.array_equal(matrices[1], matrix)


def test_out_over_an_argument():
    a = A.copy()
    PANDA.rnea(Q, V, a, out=a)
    assert np.array_equal(a, TAU)
    q = np.tile(Q, (100, 1))
    PANDA.integrate(q, V, out=q)
    assert np.allclose(q, Q + V)
    buffer = np.tile(A, (101, 1))
    PANDA.rnea(np.tile(Q, (100, 1)), V, buffer[:-1], out=buffer[1:])
    assert np.allclose(buffer[1:], TAU)


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match=r"v has shape \(6,\), where \(7,\) or \(n, 7\) is expected"):
        PANDA.rnea(Q, V[:6], A)
    with pytest.raises(ValueError, match=r"q has shape \(1, 1, 7\)"):
        PANDA.rnea(Q[None, None], V, A)
    with pytest.raises(ValueError, match="a has 3 rows, where q has 2"):
        PANDA.rnea(np.zeros((2, 7)), V, np.zeros((3, 7)))
    with pytest.raises(ValueError, match="q\\[2\\] is not a finite number"):
        PANDA.rnea([0, 0, np.nan, 0, 0, 0, 0], V, A)
    with pytest.raises(TypeError, match="v has dtype complex128"):
        PANDA.rnea(Q, V + 1j, A)
    with pytest.raises(TypeError, match="q is no array|q has dtype"):
        PANDA.rnea("text", V, A)
    with pytest.raises(TypeError, match="q is no array|q has dtype"):
        PANDA.rnea([[1], [2, 3]], V, A)
    with pytest.raises(TypeError, match="out has dtype float32"):
        PANDA.rnea(Q, V, A, out=np.empty(7, np.float32))
    with pytest.raises(TypeError, match="out has type"):
        PANDA.rnea(Q, V, A, out=[0.0] * 7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"out has shape \(6,\)"):
        PANDA.rnea(Q, V, A, out=np.empty(6))
    locked = np.empty(7)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        PANDA.rnea(Q, V, A, out=locked)
    with pytest.raises(ValueError, match="reference must be"):
        PANDA.jacobian(Q, "panda_link8", "body")  # type: ignore[arg-type]


def test_states_without_result_are_nan_and_a_warning():
    q = np.tile(Q, (100, 1))
    q[17, 2] = np.inf
    with pytest.warns(UserWarning, match="1 of 100 states have no result.*row 17"):
        tau = PANDA.rnea(q, V, A)
    assert np.isnan(tau[17]).all() and np.allclose(np.delete(tau, 17, 0), TAU)


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array(Q, mask=np.arange(7) == 1)
    with pytest.raises(TypeError, match=r"q is a masked array.*q\.filled"):
        PANDA.rnea(masked, V, A)
    with pytest.raises(TypeError, match="q is a masked array"):
        PANDA.rnea(masked.astype(np.float32), V, A)
    PANDA.rnea(masked.filled(0), V, A)
    assert np.array_equal(PANDA.rnea(masked.data, V, A), TAU)
    with pytest.raises(TypeError, match="out is a masked array"):
        PANDA.rnea(Q, V, A, out=np.ma.zeros(7))


def test_an_out_whose_elements_share_memory_is_refused():
    shared = np.lib.stride_tricks.as_strided(np.zeros(1), (7,), (0,))
    with pytest.raises(ValueError, match="share memory"):
        PANDA.rnea(Q, V, A, out=shared)
    assert shared[0] == 0
    skewed = np.lib.stride_tricks.as_strided(np.zeros(200), (7, 7), (8, 8))
    with pytest.raises(ValueError, match="share memory"):
        PANDA.crba(Q, out=skewed)
    apart = np.zeros((20, 20))[::2, ::-2][:7, :7]
    assert np.array_equal(PANDA.crba(Q, out=apart), PANDA.crba(Q))
