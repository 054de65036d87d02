"""Placements and spatial vectors: their laws, and Pinocchio's numbers where it is installed."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import featherline as fl
from featherline.spatial import (
    Jexp3,
    Jexp6,
    Jlog3,
    Jlog6,
    consistency_fault,
    exp3,
    exp6,
    log3,
    log6,
    log_cholesky_jacobian,
    log_cholesky_to_parameters,
    matrix_to_rpy,
    parameters_to_log_cholesky,
    parameters_to_pseudo_inertia,
    pseudo_inertia_to_parameters,
    rpy_to_matrix,
    skew,
    swap_linear_angular,
    unskew,
)

A, B = fl.SE3.random(1), fl.SE3.random(2)
V, W, F, Y = fl.Motion.random(3), fl.Motion.random(4), fl.Force.random(5), fl.Inertia.random(6)
VALUES = [A, V, F, Y]


def test_placements_are_a_group():
    assert (A * A.inverse()).is_close(fl.SE3.identity(), 1e-15)
    assert ((A * B) * A).is_close(A * (B * A), 1e-15)
    assert np.allclose((A * B).homogeneous, A.homogeneous @ B.homogeneous, atol=1e-15)
    assert np.allclose(A.rotation.T @ A.rotation, np.eye(3), atol=1e-15)
    point = np.array([1.0, 2.0, 3.0])
    assert np.allclose(A.act_inv(A * point), point, atol=1e-14)
    assert fl.SE3(A.rotation, A.translation) == A == fl.SE3(A.homogeneous) == fl.SE3(A)
    assert fl.SE3() == fl.SE3(1) == fl.SE3.identity()


def test_actions_are_matrices():
    assert np.allclose((A * V).vector, A.action @ V.vector, atol=1e-14)
    assert np.allclose((A * F).vector, A.dual_action @ F.vector, atol=1e-14)
    assert np.allclose(A.action_inverse, np.linalg.inv(A.action), atol=1e-13)
    assert np.allclose((A * Y).matrix(), A.dual_action @ Y.matrix() @ np.linalg.inv(A.action), atol=1e-13)
    values: list[Any] = [B, V, F, Y]
    for value in values:
        assert A.act_inv(A * value).is_close(value, 1e-14)


def test_the_other_order_has_the_angular_part_first():
    for value in (V, F):
        assert np.array_equal(value.to_angular_first(), np.roll(value.vector, 3))
        assert type(value).from_angular_first(value.to_angular_first()) == value
    # Featherstone 2008, equations 2.24 and 2.63: X = [E 0; -E r× E], I = [Ī m c×; m c×ᵀ m 1].
    E, r, zero = A.rotation.T, skew(A.translation), np.zeros((3, 3))
    X = swap_linear_angular(A.inverse().action)
    assert np.allclose(X, np.block([[E, zero], [-E @ r, E]]), atol=1e-15)
    assert np.allclose(swap_linear_angular(A.dual_action), X.T, atol=1e-15)
    c, m = skew(Y.lever), Y.mass
    about_origin = Y.inertia + m * c @ c.T
    expected = np.block([[about_origin, m * c], [m * c.T, m * np.eye(3)]])
    assert np.allclose(swap_linear_angular(Y.matrix()), expected, atol=1e-15)
    assert np.array_equal(swap_linear_angular(swap_linear_angular(X)), X)
    with pytest.raises(ValueError, match="6, 6"):
        swap_linear_angular(np.eye(3))


def test_products():
    assert np.allclose((V ^ W).vector, V.action @ W.vector, atol=1e-15)
    assert np.allclose((V ^ F).vector, V.dual_action @ F.vector, atol=1e-15)
    assert np.allclose(V.dual_action, -V.action.T)
    assert (V ^ V).is_close(fl.Motion.zero())
    assert V.dot(F) == F.dot(V) == pytest.approx(V.vector @ F.vector)
    assert (A * V).dot(A * F) == pytest.approx(V.dot(F))
    assert np.allclose((Y * V).vector, Y.matrix() @ V.vector, atol=1e-15)
    assert Y.vtiv(V) == pytest.approx(V.vector @ Y.matrix() @ V.vector)
    assert Y.velocity_force(V).is_close(V ^ (Y * V), 1e-14)


def test_vectors_are_a_vector_space():
    assert V + W == W + V and V - V == fl.Motion() and -V + V == fl.Motion.zero()
    assert V * 2 == 2 * V == V + V and (V / 2) * 2 == V
    assert np.float64(2) * V == V * 2
    with pytest.raises(TypeError):
        V + F  # type: ignore[operator]
    # Functions of arrays take the entries.
    assert np.array_equal(np.zeros(6) + V, V.vector)


def test_inertias():
    assert np.allclose((Y + Y).matrix(), 2 * Y.matrix(), atol=1e-14)
    assert fl.Inertia(Y.mass, Y.lever, Y.inertia) == Y
    assert fl.Inertia(Y.matrix()).is_close(Y)
    assert fl.Inertia.from_dynamic_parameters(Y.to_dynamic_parameters()).is_close(Y)
    assert np.all(np.linalg.eigvalsh(Y.matrix()) > 0)


def test_parts_are_views():
    M, v, I = A.copy(), V.copy(), Y.copy()
    M.translation[1] = 7.0
    M.rotation[:] = np.eye(3)
    v.linear += 1.0
    v.vector[5] = 9.0
    I.lever[0], I.mass = 4.0, 8.0
    assert M.homogeneous[1, 3] == 7.0 and np.array_equal(M.homogeneous[:3, :3], np.eye(3))
    assert np.array_equal(v.linear, V.linear + 1) and v.angular[2] == 9.0
    assert np.shares_memory(np.asarray(v), v.vector)
    assert I.to_dynamic_parameters()[1] == 32.0
    part = fl.SE3.random(9).translation
    assert np.array_equal(part, fl.SE3.random(9).translation)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values(value):
    for twin in [copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), value.copy()]:
        assert twin == value and hash(twin) == hash(value) and twin is not value
    assert value != type(value)() and value != 3
    rebuilt = eval(repr(value), {"SE3": fl.SE3, "Motion": fl.Motion, "Force": fl.Force, "Inertia": fl.Inertia})
    assert rebuilt == value
    assert np.asarray(value, dtype=np.float32).dtype == np.float32
    assert type(value).random(3) == type(value).random(3) != type(value).random(4)


def test_errors():
    with pytest.raises(ValueError, match=r"rotation has shape \(2, 2\), where \(3, 3\)"):
        fl.SE3(np.eye(2), np.zeros(3))
    with pytest.raises(ValueError, match=r"vector has shape \(5,\)"):
        fl.Motion(np.zeros(5))
    with pytest.raises(TypeError, match="real numbers"):
        A * "point"
    with pytest.raises(TypeError):
        fl.SE3(1, 2, 3)  # type: ignore[call-overload]


def test_exponentials():
    w, x = np.array([0.3, -1.2, 0.8]), fl.Motion([0.3, 0.1, -0.4, 0.9, -0.7, 1.1])
    assert np.allclose(log3(exp3(w)), w, atol=1e-14)
    assert log6(exp6(x)).is_close(x, 1e-14)
    assert np.allclose(Jlog3(exp3(w)) @ Jexp3(w), np.eye(3), atol=1e-14)
    assert np.allclose(Jlog6(exp6(x)) @ Jexp6(x), np.eye(6), atol=1e-13)
    h = 1e-6
    for k in range(6):
        step = fl.Motion(h * np.eye(6)[k])
        change = log6(exp6(x - step).act_inv(exp6(x + step))) / (2 * h)
        assert np.allclose(change.vector, Jexp6(x)[:, k], atol=1e-9)
    assert np.allclose(skew(w) @ V.linear, np.cross(w, V.linear)) and np.allclose(unskew(skew(w)), w)
    rpy = [0.4, -0.6, 2.0]
    assert np.allclose(matrix_to_rpy(rpy_to_matrix(rpy)), rpy)


def test_pinocchio_has_the_same_numbers():
    pin = pytest.importorskip("pinocchio")
    M, v, f = pin.SE3(A.rotation, A.translation), pin.Motion(V.vector), pin.Force(F.vector)
    I = pin.Inertia(Y.mass, Y.lever.copy(), Y.inertia)
    pairs = [
        (M.action, A.action), (M.dualAction, A.dual_action), ((M * v).vector, (A * V).vector),
        ((M * f).vector, (A * F).vector), (I.matrix(), Y.matrix()), ((I * v).vector, (Y * V).vector),
        ((v ^ f).vector, (V ^ F).vector), (v.action, V.action), (I.toDynamicParameters(), Y.to_dynamic_parameters()),
        (pin.log6(M).vector, log6(A).vector), (pin.log3(M.rotation), log3(A.rotation)), (pin.Jlog6(M), Jlog6(A)),
        (pin.Jexp6(v), Jexp6(V)), (pin.Jlog3(M.rotation), Jlog3(A.rotation)), (pin.Jexp3(v.angular), Jexp3(V.angular)),
        (pin.exp6(v).homogeneous, exp6(V).homogeneous), (pin.exp3(v.angular), exp3(V.angular)),
        (pin.rpy.matrixToRpy(M.rotation), matrix_to_rpy(A.rotation)),
    ]  # fmt: skip
    for theirs, ours in pairs:
        assert np.allclose(theirs, ours, rtol=1e-12, atol=1e-12)


def test_parameters_of_bodies_that_can_be():
    ten = Y.to_dynamic_parameters()
    P = parameters_to_pseudo_inertia(ten)
    # Σ = ½ tr(I) 1 − I of the moments about the origin.
    about_origin = Y.matrix()[3:, 3:]
    expected = np.eye(3) * np.trace(about_origin) / 2 - about_origin
    assert np.allclose(P, np.block([[expected, Y.mass * Y.lever[:, None]], [Y.mass * Y.lever, Y.mass]]), atol=1e-15)
    assert np.allclose(pseudo_inertia_to_parameters(P), ten, atol=1e-15)
    free = parameters_to_log_cholesky(ten)
    alpha, d1, d2, d3, s12, s23, s13, *t = free
    U = np.array([[np.exp(d1), s12, s13, t[0]], [0, np.exp(d2), s23, t[1]], [0, 0, np.exp(d3), t[2]], [0, 0, 0, 1]])
    assert np.allclose(np.exp(2 * alpha) * U @ U.T, P, atol=1e-14)
    assert np.allclose(log_cholesky_to_parameters(free), ten, atol=1e-14)
    step = 1e-6
    differences = [log_cholesky_to_parameters(free + step * e) - log_cholesky_to_parameters(free - step * e) for e in np.eye(10)]
    assert np.allclose(log_cholesky_jacobian(free), np.transpose(differences) / (2 * step), atol=1e-8)


def test_parameters_that_no_body_has_are_refused_with_the_reason():
    too_much = [1, 0, 0, 0, 1, 0, 1, 0, 0, 3]
    assert consistency_fault(Y.to_dynamic_parameters()) is None
    assert "positive definite" in str(consistency_fault(too_much))
    for parameters, why in ((too_much, "pivot 3"), ([-1, *too_much[1:]], "mass is -1 kg"), ([np.nan] * 10, "mass is NaN")):
        with pytest.raises(ValueError, match=f"no body has these parameters: its .*{why}"):
            parameters_to_log_cholesky(parameters)
    for function in (parameters_to_log_cholesky, log_cholesky_jacobian, pseudo_inertia_to_parameters):
        with pytest.raises(ValueError, match="shape"):
            function(np.eye(3))
