"""Algorithms agree with each other, for one state and for many, in both precisions."""

import numpy as np
import pytest

import featherline as fl

MODELS = {name: fl.load(name) for name in ["panda", "humanoid", "hand"]}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def state(model, n=None, seed=0):
    random = np.random.default_rng(seed)
    q = model.random_configuration(seed, n)
    shape = (model.nv,) if n is None else (n, model.nv)
    return q, random.normal(size=shape), random.normal(size=shape)


def test_dynamics_are_one(model):
    q, v, a = state(model)
    tau = model.rnea(q, v, a)
    M, bias = model.crba(q), model.bias(q, v)
    assert np.allclose(M @ a + bias, tau, rtol=1e-10, atol=1e-10)
    assert np.allclose(model.aba(q, v, tau), a, rtol=1e-8, atol=1e-8)
    assert np.allclose(model.mass_matrix_inverse(q) @ M, np.eye(model.nv), atol=1e-7)
    assert np.allclose(model.mass_matrix_solve(q, M @ a), a, atol=1e-8)
    assert np.allclose(model.coriolis_matrix(q, v) @ v + model.gravity_torque(q), bias, atol=1e-9)
    assert model.kinetic_energy(q, v) == pytest.approx(v @ M @ v / 2)
    energy = model.kinetic_energy(q, v) + model.potential_energy(q)
    assert model.mechanical_energy(q, v) == pytest.approx(energy)


def test_kinematics_by_differences(model):
    q, v, a = state(model)
    frame = list(model.frames)[-1]
    h = 1e-6
    before, after = model.integrate(q, -h * v), model.integrate(q, h * v)
    velocity = model.velocity(q, v, frame, "local_world_aligned")
    moved = (model.placement(after, frame) - model.placement(before, frame)) / (2 * h)
    assert np.allclose(moved[:3, 3], velocity[:3], atol=1e-7)
    for reference in ["local", "world", "local_world_aligned"]:
        J = model.jacobian(q, frame, reference)
        assert np.allclose(J @ v, model.velocity(q, v, frame, reference), atol=1e-10)
        rate = (model.jacobian(after, frame, reference) - model.jacobian(before, frame, reference)) / (2 * h)
        assert np.allclose(model.jacobian_rate(q, v, frame, reference), rate, atol=1e-6)
        hessian = model.hessian(q, frame, reference)
        assert np.allclose(np.einsum("krj,k->rj", hessian, v), rate, atol=1e-6)
        acceleration = J @ a + model.jacobian_rate(q, v, frame, reference) @ v
        found = (model.classical_acceleration if reference == "local_world_aligned" else model.acceleration)(
            q, v, a, frame, reference
        )
        assert np.allclose(found, acceleration, atol=1e-9)
    com = (model.center_of_mass(after) - model.center_of_mass(before)) / (2 * h)
    assert np.allclose(model.center_of_mass_jacobian(q) @ v, com, atol=1e-7)
    assert np.allclose(model.center_of_mass_velocity(q, v), com, atol=1e-7)
    momentum = model.centroidal_momentum(q, v)
    assert np.allclose(model.centroidal_map(q) @ v, momentum, atol=1e-10)
    assert np.allclose(momentum[:3], model.total_mass * com, atol=1e-5)
    rate = model.centroidal_map(q) @ a + model.centroidal_map_rate(q, v) @ v
    assert np.allclose(model.centroidal_momentum_rate(q, v, a), rate, atol=1e-8)


def test_configurations(model):
    q, v, _ = state(model)
    there = model.integrate(q, 0.1 * v)
    assert np.allclose(model.difference(q, there), 0.1 * v, atol=1e-10)
    assert model.distance(q, there) == pytest.approx(0.1 * np.linalg.norm(v))
    assert np.allclose(model.interpolate(q, there, 0.5), model.integrate(q, 0.05 * v), atol=1e-10)
    assert np.allclose(model.normalise(q), q)


ARGUMENTS = {
    "rnea": "qva", "inverse_dynamics": "qva", "aba": "qva", "forward_dynamics": "qva", "bias": "qv",
    "gravity_torque": "q", "passive_forces": "qv", "crba": "q", "mass_matrix_inverse": "q",
    "mass_matrix_solve": "qv", "coriolis_matrix": "qv", "kinetic_energy": "qv", "potential_energy": "q",
    "centroidal_momentum": "qv", "centroidal_momentum_rate": "qva", "centroidal_map": "q",
    "centroidal_map_rate": "qv", "center_of_mass": "q", "center_of_mass_velocity": "qv",
    "center_of_mass_acceleration": "qva", "center_of_mass_jacobian": "q", "integrate": "qv", "normalise": "q",
    "placements": "q", "joint_torque_regressor": "qva",
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_many_states_are_one_by_one(model, name):
    q, v, a = state(model, 75)
    arguments = [{"q": q, "v": v, "a": a}[letter] for letter in ARGUMENTS[name]]
    method = getattr(model, name)
    together = method(*arguments)
    alone = np.array([method(*rows) for rows in zip(*arguments)])
    assert together.shape == alone.shape
    scale = 1 + np.abs(alone).max()
    assert np.allclose(together, alone, atol=1e-10 * scale)
    single = method(*(x.astype(np.float32) for x in arguments))
    assert single.dtype == np.float32
    if name not in ["aba", "forward_dynamics", "mass_matrix_inverse", "mass_matrix_solve"]:
        assert np.allclose(single, alone, atol=2e-5 * scale)
    out = np.empty_like(together)
    assert method(*arguments, out=out) is out
    assert np.array_equal(out, together)


def test_frames_of_many_states(model):
    q, v, a = state(model, 40)
    frame = list(model.frames)[-1]
    for name, arguments in [("velocity", (q, v)), ("acceleration", (q, v, a)), ("jacobian", (q,))]:
        method = getattr(model, name)
        together = method(*arguments, frame)
        alone = np.array([method(*rows, frame) for rows in zip(*arguments)])
        assert np.allclose(together, alone, atol=1e-10)
    all_frames = model.placements(q)
    assert all_frames.shape == (40, len(model.frames), 4, 4)
    assert np.allclose(all_frames[3, list(model.frames).index(frame)], model.placement(q[3], frame))


def test_external_forces(model):
    q, v, a = state(model)
    tau = model.rnea(q, v, a)
    frame = list(model.frames)[-1]
    force = np.arange(6.0)
    named = model.rnea(q, v, a, {frame: force})
    assert np.allclose(tau - named, model.jacobian(q, frame).T @ force, atol=1e-9)
    joint = model.frames[frame].joint
    rows = np.zeros((len(model.joints), 6))
    rows[model.joints[joint].index] = force
    by_rows = model.rnea(q, v, a, rows)
    assert np.allclose(by_rows, model.rnea(q, v, a, {joint: force}), atol=1e-9)
    assert np.allclose(model.aba(q, v, by_rows, rows), a, atol=1e-7)
    many = model.rnea(np.tile(q, (9, 1)), v, a, np.tile(rows, (9, 1, 1)))
    assert np.allclose(many, by_rows, atol=1e-9)
    held = model.static_torque(q, rows)
    assert np.allclose(held, model.rnea(q, 0 * v, 0 * a, rows), atol=1e-9)
    with pytest.raises(KeyError):
        model.rnea(q, v, a, {"nothing": force})
    with pytest.raises(ValueError, match=r"external_forces has shape \(2, 6\)"):
        model.rnea(q, v, a, np.zeros((2, 6)))
