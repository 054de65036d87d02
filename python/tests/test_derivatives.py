"""Derivatives and regressors: against central differences, other algorithms and Pinocchio."""

from typing import Any

import numpy as np
import pytest

import featherline as fl

MODELS = {name: fl.load(name) for name in ["panda", "humanoid", "quadruped", "snake"]}
STEP = 1e-6
# Central differences with a step of 1e-6: some 1e-16 / 1e-6 of what is differentiated, which is up to 1e3 here.
ROUNDING = 2e-6


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def state(model, n=None, seed=0):
    random = np.random.default_rng(seed)
    shape = (model.nv,) if n is None else (n, model.nv)
    return model.random_configuration(seed, n), random.normal(size=shape), random.normal(size=shape)


def frame_of(model):
    """The last joint, which has the most others before it."""
    return model.joints[-1].name


def pushes(model):
    return np.random.default_rng(9).normal(size=(len(model.joints), 6))


def differences(model, function, state, k):
    """The central differences of a function of some states by the k-th, the first of which is a configuration."""
    columns = []
    for step in STEP * np.eye(model.nv):
        ends = []
        for sign in (1, -1):
            moved = list(state)
            moved[k] = model.integrate(moved[k], sign * step) if k == 0 else moved[k] + sign * step
            ends.append(np.asarray(function(*moved)))
        columns.append((ends[0] - ends[1]) / (2 * STEP))
    return np.stack(columns, axis=-1)


def check(model, function, state, derivatives):
    for k, found in enumerate(derivatives):
        expected = differences(model, function, state, k)
        assert found.shape == expected.shape
        scale = 1 + np.abs(expected).max() + np.abs(function(*state)).max()
        assert np.allclose(found, expected, rtol=0, atol=ROUNDING * scale), k


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("name", ["rnea", "inverse_dynamics"])
def test_inverse_dynamics(model, name, forces):
    external = pushes(model) if forces else None
    found = getattr(model, f"{name}_derivatives")(*state(model), external)
    dynamics = getattr(model, name)
    assert np.allclose(found.tau, dynamics(*state(model), external), rtol=1e-12, atol=1e-9)
    check(model, lambda q, v, a: dynamics(q, v, a, external), state(model), found[1:])


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("name", ["aba", "forward_dynamics"])
def test_forward_dynamics(model, name, forces):
    external = pushes(model) if forces else None
    q, v, _ = state(model)
    dynamics = getattr(model, name)
    tau = 5 * state(model, seed=3)[2]
    found = getattr(model, f"{name}_derivatives")(q, v, tau, external)
    scale = np.abs(found.acceleration).max()
    assert np.allclose(found.acceleration, dynamics(q, v, tau, external), rtol=1e-9, atol=1e-9 * scale)
    assert np.allclose(found.dtau, model.mass_matrix_inverse(q), rtol=1e-9, atol=1e-9 * np.abs(found.dtau).max())
    check(model, lambda q, v, tau: dynamics(q, v, tau, external), (q, v, tau), found[1:])


def test_external_forces_on_a_frame(model):
    q, v, a = state(model)
    forces = np.random.default_rng(8).normal(size=6)
    for name in ("rnea", "inverse_dynamics", "aba", "forward_dynamics"):
        for joint in (model.joints[0].name, frame_of(model)):
            found = getattr(model, f"{name}_derivatives")(q, v, a, {joint: forces})
            J = model.jacobian(q, joint)
            # What is linear in the force has no error but rounding.
            ends = [getattr(model, name)(q, v, a, {joint: forces + 10 * unit}) for unit in np.eye(6)]
            expected = (np.array(ends) - found[0]).T / 10
            scale = 1 + np.abs(found[0]).max()
            assert np.allclose(found.d_external_force(J), expected, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("reference", ["world", "local_world_aligned"])
def test_external_forces_in_other_axes_and_many_states(reference):
    model = MODELS["humanoid"]
    q, v, a = state(model, 3)
    of = frame_of(model)
    J = model.jacobian(q, of, reference)
    assert np.allclose(model.rnea_derivatives(q, v, a).d_external_force(J), -J.transpose(0, 2, 1))
    expected = np.linalg.solve(model.crba(q), J.transpose(0, 2, 1))
    found = model.aba_derivatives(q, v, a).d_external_force(J)
    assert found.shape == (3, model.nv, 6)
    assert np.allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_forces_at_rest(model):
    q, _, _ = state(model)
    forces = pushes(model)
    check(model, model.gravity_torque, (q,), [model.gravity_torque_derivative(q)])
    found = model.static_torque_derivative(q, forces)
    check(model, lambda q: model.static_torque(q, forces), (q,), [found])
    assert np.abs(found - model.gravity_torque_derivative(q)).max() > 1e-3


def test_passive_forces(model):
    q, v, _ = state(model)
    found = model.passive_forces_derivatives(q)
    check(model, model.passive_forces, (q, v), found)


def test_energy_and_momentum(model):
    q, v, a = state(model)
    check(model, model.kinetic_energy, (q, v), model.kinetic_energy_derivatives(q, v))
    found = model.centroidal_derivatives(q, v, a)
    check(model, model.centroidal_momentum, (q, v), [found.momentum_dq, found.map])
    check(model, model.centroidal_momentum_rate, (q, v, a), [found.rate_dq, found.rate_dv, found.map])
    of_center = [found.momentum_dq[:3] / model.total_mass, found.map[:3] / model.total_mass]
    check(model, model.center_of_mass_velocity, (q, v), of_center)


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_motions_of_frames(model, reference):
    q, v, a = state(model)
    of = frame_of(model), reference
    check(model, lambda q, v: model.velocity(q, v, *of), (q, v), model.velocity_derivatives(q, v, *of))
    for name in ("acceleration", "classical_acceleration"):
        found = getattr(model, f"{name}_derivatives")(q, v, a, *of)
        check(model, lambda q, v, a, name=name: getattr(model, name)(q, v, a, *of), (q, v, a), found)
        assert np.allclose(found.da, model.jacobian(q, *of), atol=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_hybrid_dynamics(model, share):
    q, v, a = state(model)
    known = np.random.default_rng(5).random(model.nv) < share
    values = np.where(known, a, model.rnea(q, v, a))
    found = model.hybrid_dynamics_derivatives(q, v, values, known, pushes(model))
    for part, derivatives in [("accelerations", found[:3]), ("forces", found[3:])]:
        check(
            model,
            lambda q, v, values, part=part: getattr(model.hybrid_dynamics(q, v, values, known, pushes(model)), part),
            (q, v, values),
            derivatives,
        )


def calls(model):
    """All methods by name, as functions of q, v and a."""
    of = frame_of(model)
    known = np.arange(model.nv) % 2 == 0
    return {
        "rnea_derivatives": lambda q, v, a, **out: model.rnea_derivatives(q, v, a, **out),
        "inverse_dynamics_derivatives": lambda q, v, a, **out: model.inverse_dynamics_derivatives(q, v, a, pushes(model), **out),
        "aba_derivatives": lambda q, v, a, **out: model.aba_derivatives(q, v, a, **out),
        "forward_dynamics_derivatives": lambda q, v, a, **out: model.forward_dynamics_derivatives(q, v, a, pushes(model), **out),
        "gravity_torque_derivative": lambda q, v, a, **out: model.gravity_torque_derivative(q, **out),
        "static_torque_derivative": lambda q, v, a, **out: model.static_torque_derivative(q, pushes(model), **out),
        "passive_forces_derivatives": lambda q, v, a, **out: model.passive_forces_derivatives(q, **out),
        "kinetic_energy_derivatives": lambda q, v, a, **out: model.kinetic_energy_derivatives(q, v, **out),
        "centroidal_derivatives": lambda q, v, a, **out: model.centroidal_derivatives(q, v, a, **out),
        "hybrid_dynamics_derivatives": lambda q, v, a, **out: model.hybrid_dynamics_derivatives(q, v, a, known, **out),
        "velocity_derivatives": lambda q, v, a, **out: model.velocity_derivatives(q, v, of, "world", **out),
        "acceleration_derivatives": lambda q, v, a, **out: model.acceleration_derivatives(q, v, a, of, **out),
        "classical_acceleration_derivatives": lambda q, v, a, **out: model.classical_acceleration_derivatives(q, v, a, of, **out),
        "joint_torque_regressor": lambda q, v, a, **out: model.joint_torque_regressor(q, v, a, **out),
        "gravity_torque_regressor": lambda q, v, a, **out: model.gravity_torque_regressor(q, **out),
        "joint_momentum_regressor": lambda q, v, a, **out: model.joint_momentum_regressor(q, v, **out),
        "kinetic_energy_regressor": lambda q, v, a, **out: model.kinetic_energy_regressor(q, v, **out),
        "potential_energy_regressor": lambda q, v, a, **out: model.potential_energy_regressor(q, **out),
        "drive_regressor": lambda q, v, a, **out: model.drive_regressor(v, a, **out),
        "joint_body_regressor": lambda q, v, a, **out: model.joint_body_regressor(q, v, a, of, **out),
    }  # fmt: skip


def parts(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", calls(MODELS["panda"]))
def test_many_states_and_the_caller_s_arrays(name):
    for model in (MODELS["panda"], MODELS["quadruped"]):
        call = calls(model)[name]
        q, v, a = state(model, 40)
        many = call(q, v, a)
        for k in (0, 39):
            for one, all_of_them in zip(parts(call(q[k], v[k], a[k])), parts(many), strict=True):
                assert all_of_them.shape == (40, *np.shape(one))
                assert np.allclose(one, all_of_them[k], rtol=1e-12, atol=1e-12)
        one = call(q[1], v[1], a[1])
        again = call(q[2], v[2], a[2], out=one)
        for mine, theirs, row in zip(parts(again), parts(one), parts(many), strict=True):
            assert mine is theirs and np.allclose(mine, row[2], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["rnea_derivatives", "aba_derivatives", "joint_torque_regressor"])
def test_a_state_without_a_result_among_many(name, model):
    call = calls(model)[name]
    # More than one register's, and a last one that is not full.
    q, v, a = state(model, 21)
    good = call(q, v, a)
    v[13, 0] = np.nan
    with pytest.warns(UserWarning, match="1 of 21 states have no result, and are rows of NaN; the first is row 13"):
        found = call(q, v, a)
    others = np.arange(21) != 13
    for mine, theirs in zip(parts(found), parts(good), strict=True):
        assert np.isnan(mine[13]).all() and np.array_equal(mine[others], theirs[others])
    # One configuration serves all rows.
    for mine, theirs in zip(parts(call(q[0], v[:2], a[:2])), parts(call(q[[0, 0]], v[:2], a[:2])), strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("name", calls(MODELS["panda"]))
def test_errors(name):
    model = MODELS["panda"]
    call = calls(model)[name]
    q, v, a = state(model)
    with pytest.raises(ValueError, match="has shape"):
        call(q[:-1], v[:-1], a[:-1])
    with pytest.raises(TypeError):
        call(*(["text"] * 3))
    # This robot's passive forces do not depend on q, and drives do not.
    if name not in ("drive_regressor", "passive_forces_derivatives"):
        q[2] = np.nan
        with pytest.raises(ValueError, match=r"q\[2\]|not finite"):
            call(q, v, a)
    q, v, a = state(model)
    found = call(q, v, a)
    wrong = np.zeros(3)
    with pytest.raises(ValueError, match="out has shape"):
        call(q, v, a, out=type(found)(*(wrong, *found[1:])) if isinstance(found, tuple) else wrong)


def test_errors_of_names():
    model = MODELS["panda"]
    q, v, a = state(model)
    with pytest.raises(KeyError, match="nothing"):
        model.velocity_derivatives(q, v, "nothing")
    with pytest.raises(ValueError, match="reference must be"):
        model.acceleration_derivatives(q, v, a, frame_of(model), "body")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="nothing"):
        model.joint_body_regressor(q, v, a, "nothing")
    with pytest.raises(KeyError, match="nothing"):
        model.hybrid_dynamics_derivatives(q, v, a, ["nothing"])
    with pytest.raises(ValueError, match="external_forces has shape"):
        model.rnea_derivatives(q, v, a, np.zeros((2, 6)))


def test_regressors(model):
    q, v, a = state(model, 5)
    parameters = model.dynamic_parameters()
    assert parameters.shape == (10 * len(model.joints),)
    # What is fixed to the world moves with no joint.
    assert 0 < parameters[::10].sum() <= model.total_mass * (1 + 1e-12)
    Y = model.joint_torque_regressor(q, v, a)
    tau = model.rnea(q, v, a)
    scale = 1e-10 * (1 + np.abs(tau).max())
    assert np.allclose(Y @ parameters + model.armature * a, tau, atol=scale)
    assert np.allclose(model.gravity_torque_regressor(q) @ parameters, model.gravity_torque(q), atol=scale)
    momentum = np.einsum("nij,nj->ni", model.crba(q), v)
    assert np.allclose(model.joint_momentum_regressor(q, v) @ parameters + model.armature * v, momentum, atol=scale)
    kinetic = model.kinetic_energy_regressor(q, v) @ parameters + (v * v) @ model.armature / 2
    assert np.allclose(kinetic, model.kinetic_energy(q, v), atol=scale)
    force = model.joint_body_regressor(q, v, a, frame_of(model)) @ parameters[-10:]
    assert np.allclose(force, model.transmitted_forces(q, v, a)[:, -1], atol=scale)


@pytest.mark.parametrize("name", ["panda", "quadruped"])
def test_base_parameters(name):
    model = MODELS[name]
    parameters = model.dynamic_parameters()
    Y = model.joint_torque_regressor(*state(model, 5))
    base = model.base_parameters()
    assert base.map.shape == (len(base.columns), parameters.size) and base.columns.dtype == np.int64
    assert np.allclose(base.map[:, base.columns], np.eye(len(base.columns)), atol=1e-7)
    tau = Y @ parameters
    assert np.allclose(base.select(Y) @ base.values(parameters), tau, atol=1e-8 * np.abs(tau).max())
    # What motion can tell apart: the rank of regressors at many states.
    rows = model.joint_torque_regressor(*state(model, 60, seed=4)).reshape(-1, parameters.size)
    assert np.linalg.matrix_rank(rows, tol=1e-8 * np.abs(rows).max()) == len(base.columns) < parameters.size


def test_regressor_of_drives():
    Y = MODELS["panda"].drive_regressor(np.arange(-3.0, 4.0), np.full(7, 2.0))
    assert np.array_equal(Y, np.hstack([2 * np.eye(7), np.diag(np.arange(-3.0, 4.0)), np.diag([-1, -1, -1, 0, 1, 1, 1])]))


def test_potential_energy_is_that_of_gravity():
    for model in MODELS.values():
        q, _, _ = state(model)
        V = model.potential_energy_regressor(q) @ model.dynamic_parameters()
        gradient = differences(model, lambda q, m=model: m.potential_energy_regressor(q) @ m.dynamic_parameters(), (q,), 0)
        torque = model.gravity_torque(q)
        assert np.isfinite(V) and np.allclose(gradient, torque, atol=ROUNDING * (1 + np.abs(torque).max() + abs(V)))


def test_wrong_shapes_and_results_of_other_methods():
    model = MODELS["panda"]
    q, v, a = state(model)
    inverse: Any = model.rnea_derivatives(q, v, a)
    forward: Any = model.aba_derivatives(q, v, a)
    for found in (inverse, forward):
        for shape in [(3, model.nv + 2), (6, model.nv + 1), (model.nv,)]:
            with pytest.raises(ValueError, match="jacobian has shape"):
                found.d_external_force(np.zeros(shape))
    with pytest.raises(TypeError, match="ForwardDynamicsDerivatives.*, where InverseDynamicsDerivatives"):
        model.rnea_derivatives(q, v, a, out=forward)
    with pytest.raises(TypeError, match="where ForwardDynamicsDerivatives"):
        model.forward_dynamics_derivatives(q, v, a, out=inverse)
    arrays: Any = tuple(inverse)
    again = model.rnea_derivatives(q, v, 2 * a, out=arrays)
    assert again.tau is inverse.tau
    base = model.base_parameters()
    with pytest.raises(ValueError, match=r"regressor has shape \(7, 69\), where \(70,\)"):
        base.select(np.zeros((7, 69)))
    with pytest.raises(ValueError, match=r"parameters has shape \(69,\), where \(70,\)"):
        base.values(np.zeros(69))


def test_base_parameters_by_structure():
    base = MODELS["panda"].base_parameters()
    found = MODELS["panda"].structural_base_parameters()
    assert found is not None
    assert np.array_equal(found.columns, base.columns) and np.allclose(found.map, base.map, atol=1e-8)
    coupled, _ = fl.load("double_pendulum").mimic("elbow", "shoulder")
    assert coupled.structural_base_parameters() is None


def jacobians(model, q0, v, q1):
    """The Jacobians of steps and differences by name, each with the arguments of its products."""
    return {
        "d_integrate_dq": ((v,), model.d_integrate_dq(v)),
        "d_integrate_dv": ((v,), model.d_integrate_dv(v)),
        "d_difference_dq0": ((q0, q1), model.d_difference_dq0(q0, q1)),
        "d_difference_dq1": ((q0, q1), model.d_difference_dq1(q0, q1)),
    }


def test_products_with_jacobians_of_steps(model):
    q0, v, _ = state(model, 40)
    q1 = model.integrate(q0, v)
    random = np.random.default_rng(7)
    for name, (arguments, J) in jacobians(model, q0, v, q1).items():
        for columns in (0, 1, 3, model.nv):
            X = random.normal(size=(40, model.nv, columns))
            Y = random.normal(size=(40, columns, model.nv))
            for product, matrix, expected in [(f"{name}_times", X, J @ X), (f"times_{name}", Y, Y @ J)]:
                call = getattr(model, product)
                # Blocks of six rows: sums of as many products, and entries of J that round in another order.
                close = {"rtol": 0, "atol": 1e-12 * (1 + np.abs(expected).max(initial=0))}
                found = call(*arguments, matrix)
                assert found.shape == expected.shape and np.allclose(found, expected, **close)
                one = [argument[5] for argument in arguments]
                assert np.allclose(call(*one, matrix[5]), expected[5], **close)
                # One matrix for many states, many for one state, and matrices in other orders of memory.
                shared = call(*arguments, matrix[5])
                assert shared.shape == expected.shape and np.allclose(shared[5], expected[5], **close)
                assert np.allclose(call(*one, matrix)[5], expected[5], **close)
                assert np.allclose(call(*one, np.asfortranarray(matrix[5])), expected[5], **close)
                assert np.allclose(call(*one, matrix[5].tolist() if columns else matrix[5]), expected[5], **close)
                # The product may go to the matrix itself.
                mine = matrix.copy()
                assert call(*arguments, mine, out=mine) is mine and np.allclose(mine, expected, **close)


def test_transport_undoes_the_step(model):
    _, v, _ = state(model, 20)
    X = np.random.default_rng(8).normal(size=(20, model.nv, 4))
    there = model.d_integrate_dq_times(v, X)
    # Two products of blocks whose inverses have entries as large as |v|.
    assert np.allclose(model.transport_to_start(v, there), X, rtol=0, atol=1e-11)
    expected = np.linalg.solve(model.d_integrate_dq(v), X)
    assert np.allclose(model.transport_to_start(v, X), expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_products_with_vectors(model):
    q0, v, _ = state(model, 4)
    q1 = model.integrate(q0, v)
    x = np.random.default_rng(9).normal(size=model.nv)
    for name, (arguments, J) in jacobians(model, q0, v, q1).items():
        for product, expected in [(f"{name}_times", J @ x), (f"times_{name}", x @ J)]:
            call = getattr(model, product)
            close = {"rtol": 0, "atol": 1e-12 * (1 + np.abs(expected).max(initial=0))}
            found = call(*[argument[2] for argument in arguments], x)
            assert found.shape == x.shape and np.allclose(found, expected[2], **close)
            many = call(*arguments, x.tolist())
            assert many.shape == expected.shape and np.allclose(many, expected, **close)


def test_errors_of_products(model):
    q, v, _ = state(model)
    with pytest.raises(ValueError, match="a vector, a matrix or a matrix for each state is expected"):
        model.d_integrate_dq_times(v, 1.0)
    with pytest.raises(ValueError, match="a column of the matrix"):
        model.d_integrate_dq_times(v, np.zeros((model.nv + 1, 2)))
    with pytest.raises(ValueError, match="a row of the matrix"):
        model.times_d_difference_dq1(q, q, np.zeros((2, model.nv - 1)))
    with pytest.raises(ValueError, match="matrix has shape"):
        model.transport_to_start(v, np.zeros(model.nv + 1))
    with pytest.raises(ValueError, match=r"matrix\[0\] is not a finite number"):
        model.d_integrate_dv_times(v, np.full((model.nv, 2), np.inf))
    with pytest.raises(ValueError, match="matrix has 3 rows, where v has 2"):
        model.d_integrate_dv_times(np.zeros((2, model.nv)), np.zeros((3, model.nv, 1)))
    with pytest.raises(TypeError):
        model.d_integrate_dv_times(v, [["text"] * 2] * model.nv)


@pytest.mark.parametrize("reference", ["world", "local_world_aligned", "aligned"])
def test_forces_that_are_constant_in_the_world_change_with_the_configuration(reference: Any) -> None:
    panda, zero = fl.load("panda"), np.zeros(7)
    q = panda.random_configuration(seed=3)
    push = np.array([1.0, -2.0, 5.0, 0.3, -0.2, 0.1])
    forces = {"panda_link8": push, "panda_joint4": -push}
    given: dict[str, Any] = {"external_forces": forces, "forces_in": reference}

    # The joint forces are −Jᵀ f, J in the same reference.
    jacobians = [panda.jacobian(q, name, reference) for name in forces]
    expected = panda.gravity_torque(q) - sum(J.T @ f for J, f in zip(jacobians, forces.values()))
    assert np.allclose(panda.rnea(q, zero, zero, **given), expected, atol=1e-11)
    assert np.allclose(panda.bias(q, zero, **given), expected, atol=1e-11)
    assert np.allclose(panda.static_torque(q, **given), expected, atol=1e-11)

    h = 1e-6
    steps = h * np.eye(7)

    def differences(function):
        return np.array([(function(q + e) - function(q - e)) / (2 * h) for e in steps]).T

    tau = np.linspace(-1, 1, 7)
    known = np.arange(7) % 3 == 0
    # Rounding over the step; accelerations are some hundred rad/s².
    by_q = panda.rnea_derivatives(q, zero, zero, **given).dq
    true = differences(lambda q: panda.rnea(q, zero, zero, **given))
    assert np.abs(by_q - true).max() < 1e-6
    assert np.abs(panda.static_torque_derivative(q, **given) - true).max() < 1e-6
    by_q = panda.aba_derivatives(q, zero, tau, **given).dq
    true = differences(lambda q: panda.aba(q, zero, tau, **given))
    assert np.abs(by_q - true).max() < 1e-7 * np.abs(true).max()
    by_crba = panda.forward_dynamics_crba(q, zero, tau, **given)
    assert np.allclose(by_crba, panda.aba(q, zero, tau, **given))
    d = panda.hybrid_dynamics_derivatives(q, zero, tau, known, **given)
    true = differences(lambda q: panda.hybrid_dynamics(q, zero, tau, known, **given).forces)
    assert np.abs(d.forces_dq - true).max() < 1e-7 * np.abs(true).max()
    held = fl.FrameConstraint("panda_link8", reference="local_world_aligned")
    slopes = panda.constrained_dynamics_derivatives(q, zero, tau, held, **given)
    found = [
        (slopes.dq, lambda q: panda.constrained_dynamics(q, zero, tau, held, **given).accelerations),
        (slopes.multipliers_dq, lambda q: panda.constrained_dynamics(q, zero, tau, held, **given).multipliers),
    ]
    for by_q, function in found:
        true = differences(function)
        assert np.abs(by_q - true).max() < 1e-6 * np.abs(true).max()


def test_world_forces_of_many_states_and_joints() -> None:
    panda = fl.load("panda")
    q = panda.random_configuration(seed=3, states=5)
    v, a = 0.1 * q, 0.2 * q
    rows = np.random.default_rng(1).normal(size=(5, len(panda.joints), 6))
    many = panda.rnea(q, v, a, rows, forces_in="world")
    derivatives = panda.rnea_derivatives(q, v, a, rows, forces_in="world")
    maximal = panda.maximal_dynamics(q, v, a, rows, forces_in="world")
    for k in range(5):
        one = panda.rnea(q[k], v[k], a[k], rows[k], forces_in="world")
        assert np.allclose(many[k], one)
        by_q = panda.rnea_derivatives(q[k], v[k], a[k], rows[k], forces_in="world").dq
        assert np.allclose(derivatives.dq[k], by_q)
        qdd = panda.aba(q[k], v[k], a[k], rows[k], forces_in="world")
        bodies = panda.accelerations(q[k], v[k], qdd)
        assert np.allclose(maximal.accelerations[k], bodies, atol=1e-7 * np.abs(bodies).max())


def test_world_forces_with_closed_loops() -> None:
    linkage = fl.load("four_bar")
    q, zero = linkage.assemble([0.4, 0.0, 0.0]), np.zeros(3)
    given: dict[str, Any] = {"external_forces": np.ones((3, 6)), "forces_in": "aligned", "stabilisation": 0.1}
    d = linkage.loop_dynamics_derivatives(q, zero, zero, **given)
    h = 1e-6
    for k, e in enumerate(h * np.eye(3)):
        next, last = (linkage.loop_dynamics(p, zero, zero, **given) for p in (q + e, q - e))
        change = (next.accelerations - last.accelerations) / (2 * h)
        assert np.allclose(d.dq[:, k], change, rtol=1e-5, atol=1e-5)


def test_an_unknown_reference_of_forces_is_an_error() -> None:
    panda = fl.load("panda")
    q = panda.neutral()
    with pytest.raises(ValueError, match="forces_in"):
        panda.gravity_torque(q, {"panda_link8": np.ones(6)}, forces_in="wold")  # type: ignore[arg-type]
