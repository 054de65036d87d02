"""All terms, hybrid dynamics, factors, and the tree of joints: against other algorithms, differences and Pinocchio."""

import pathlib
import threading

import numpy as np
import pytest

import featherline as fl

MODELS = {name: fl.load(name) for name in ["panda", "humanoid", "hand", "quadruped", "snake"]}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def state(model, n=None, seed=0):
    random = np.random.default_rng(seed)
    shape = (model.nv,) if n is None else (n, model.nv)
    return model.random_configuration(seed, n), random.normal(size=shape), random.normal(size=shape)


def test_all_terms(model):
    for n in (None, 33):
        q, v, _ = state(model, n)
        terms = model.all_terms(q, v)
        expected = [
            model.crba(q), model.bias(q, v), model.gravity_torque(q), model.centroidal_map(q),
            model.centroidal_momentum(q, v), model.centroidal_momentum_rate(q, v, 0 * v) , model.center_of_mass(q),
            model.kinetic_energy(q, v), model.potential_energy(q),
        ]  # fmt: skip
        for name, found, other in zip(terms._fields, terms, expected, strict=True):
            # Springs are of the other potential energy alone; no robot here has any.
            assert np.allclose(found, other, atol=1e-9 * (1 + np.abs(other).max())), name
            assert np.shape(found) == np.shape(other)
        momentum = np.einsum("...ij,...j->...i", terms.centroidal_map, v)
        assert np.allclose(momentum, terms.centroidal_momentum, atol=1e-9)


def test_all_terms_write_where_they_are_told():
    model = MODELS["panda"]
    q, v, _ = state(model)
    terms = model.all_terms(q, v)
    kept = [np.copy(part) for part in terms]
    again = model.all_terms(0.5 * q, v, out=terms)
    assert again.mass_matrix is terms.mass_matrix and not np.allclose(terms.mass_matrix, kept[0])
    assert again.kinetic_energy == pytest.approx(model.kinetic_energy(0.5 * q, v))
    with pytest.raises(ValueError, match="out has shape"):
        model.all_terms(q, v, out=terms._replace(bias=np.zeros(3)))
    # An argument may be the place of a result.
    bias = v.copy()
    model.all_terms(q, bias, out=terms._replace(bias=bias))
    assert np.allclose(bias, model.bias(q, v))


def test_all_terms_of_many_states():
    model = MODELS["quadruped"]
    q, v, _ = state(model, 50)
    many = model.all_terms(q, v)
    for k in (0, 49):
        for a, b in zip(model.all_terms(q[k], v[k]), many, strict=True):
            assert np.allclose(a, np.asarray(b)[k], rtol=1e-12, atol=1e-12)
    # One velocity serves all rows; a state without a result is a row of NaN, and the others stand.
    same = model.all_terms(q, v[3])
    assert np.allclose(same.bias[3], many.bias[3], atol=1e-12)
    q[11, 9] = np.nan
    with pytest.warns(UserWarning, match="1 of 50 states have no result.*row 11"):
        some = model.all_terms(q, v)
    assert np.isnan(some.mass_matrix[11]).all() and np.array_equal(some.bias[12], many.bias[12])


def test_hybrid_dynamics(model):
    q, v, a = state(model)
    tau = model.rnea(q, v, a)
    random = np.random.default_rng(1)
    for known in [np.zeros(model.nv, bool), np.ones(model.nv, bool), random.random(model.nv) < 0.5]:
        values = np.where(known, a, tau)
        found = model.hybrid_dynamics(q, v, values, known)
        # The matrix equation, in blocks: M_uu a_u = τ_u − C_u − M_uk a_k.
        M, C = model.crba(q), model.bias(q, v)
        u = ~known
        if u.any():
            a_u = np.linalg.solve(M[np.ix_(u, u)], tau[u] - C[u] - M[np.ix_(u, known)] @ a[known])
            assert np.allclose(found.accelerations[u], a_u, atol=1e-7 * (1 + np.abs(a_u).max()))
        assert np.array_equal(found.accelerations[known], a[known])
        assert np.allclose(found.forces, tau, atol=1e-7 * (1 + np.abs(tau).max()))
    joint = next(joint for joint in model.joints.values() if joint.nv)
    mask = np.zeros(model.nv, bool)
    mask[joint.idx_v : joint.idx_v + joint.nv] = True
    force = {list(model.joints)[-1]: [1, 2, 3, 4, 5, 6]}
    by_name = model.hybrid_dynamics(q, v, values, [joint.name], force)
    by_mask = model.hybrid_dynamics(q, v, values, mask.tolist(), force)
    assert np.array_equal(by_name.forces, by_mask.forces)
    assert np.allclose(model.rnea(q, v, by_name.accelerations, force), by_name.forces, atol=1e-7)


def test_errors_of_hybrid_dynamics():
    model = MODELS["panda"]
    q, v, a = state(model)
    with pytest.raises(KeyError, match="panda_joint1"):
        model.hybrid_dynamics(q, v, a, ["panda_joint_1"])
    with pytest.raises(ValueError, match=r"known has shape \(3,\), where \(7,\)"):
        model.hybrid_dynamics(q, v, a, [True, False, True])
    with pytest.raises(ValueError, match="names of joints, or an array of booleans"):
        model.hybrid_dynamics(q, v, a, np.zeros(7))  # type: ignore[arg-type]


def test_factors(model):
    q, v, tau = state(model)
    L, D = model.ltdl(q)
    M = model.crba(q)
    assert np.allclose(L.T @ np.diag(D) @ L, M, atol=1e-10 * np.abs(M).max())
    assert np.array_equal(np.diag(L), np.ones(model.nv)) and np.array_equal(L, np.tril(L)) and (D > 0).all()
    # Branches know nothing of each other: a row has entries for the joints that carry its own alone.
    for name, joint in model.joints.items():
        if not any(j.idx_v == joint.idx_v and j is not joint for j in model.joints.values()):
            row = {k for k in np.flatnonzero(L[joint.idx_v])}
            carriers = [model.joints[j] for j in model.support(name)]
            assert row <= {k for j in carriers for k in range(j.idx_v, j.idx_v + j.nv)}
    many = model.ltdl(np.array([q, q]))
    assert many.L.shape == (2, model.nv, model.nv) and np.array_equal(many.L[1], L)


def test_forward_dynamics_by_the_mass_matrix(model):
    q, v, tau = state(model)
    expected = np.linalg.solve(model.crba(q), tau - model.bias(q, v))
    assert np.allclose(model.forward_dynamics_crba(q, v, tau), expected, atol=1e-7 * np.abs(expected).max())
    out = np.zeros(model.nv)
    assert model.forward_dynamics_crba(q, v, tau, out=out) is out
    rows = model.forward_dynamics_crba(*state(model, 20))
    assert np.allclose(rows, model.aba(*state(model, 20)), rtol=1e-6, atol=1e-6 * np.abs(rows).max())


def test_bias_accelerations(model):
    q, v, _ = state(model)
    for frame in list(model.frames)[-2:]:
        for reference in ["local", "world", "local_world_aligned"]:
            spatial = model.acceleration(q, v, 0 * v, frame, reference)
            assert np.allclose(model.bias_acceleration(q, v, frame, reference), spatial, atol=1e-10)
            classical = model.classical_acceleration(q, v, 0 * v, frame, reference)
            assert np.allclose(model.classical_bias_acceleration(q, v, frame, reference), classical, atol=1e-10)
        rate = model.jacobian_rate(q, v, frame, "local_world_aligned") @ v
        assert np.allclose(model.classical_bias_acceleration(q, v, frame, "local_world_aligned"), rate, atol=1e-9)
    rows = model.bias_acceleration(*state(model, 5)[:2], frame)
    assert rows.shape == (5, 6)


def test_jacobians_of_many_frames(model):
    q, v, _ = state(model)
    frames = list(model.frames)[::3]
    for reference in ["local", "world", "local_world_aligned"]:
        found = model.joint_jacobians(q, frames, reference)
        assert found.shape == (len(frames), 6, model.nv)
        for frame, J in zip(frames, found, strict=True):
            assert np.allclose(J, model.jacobian(q, frame, reference), atol=1e-12)
    of_joints = model.joint_jacobians(q)
    velocities = model.to_maximal(q, v).velocities
    assert np.allclose(of_joints @ v, velocities, atol=1e-11)
    assert model.joint_jacobians(np.array([q, q])).shape == (2, len(model.joints), 6, model.nv)
    with pytest.raises(KeyError):
        model.joint_jacobians(q, ["no such frame"])


def test_centres_of_subtrees(model):
    q, v, a = state(model)
    h = 1e-6
    for name in list(model.joints)[:: max(1, len(model.joints) // 5)]:
        if any(model.joints[j].mass for j in model.subtree(name)):
            centre = model.subtree_center_of_mass(q, name)
            # The robot's centre is that of the parts: this subtree's, and the rest's by its mass.
            difference = (
                model.subtree_center_of_mass(model.integrate(q, h * v), name)
                - model.subtree_center_of_mass(model.integrate(q, -h * v), name)
            ) / (2 * h)
            velocity = model.subtree_center_of_mass_velocity(q, v, name)
            assert np.allclose(velocity, difference, atol=1e-6)
            J = model.subtree_center_of_mass_jacobian(q, name)
            assert np.allclose(J @ v, velocity, atol=1e-10)
            moved = [
                model.subtree_center_of_mass_velocity(model.integrate(q, s * h * v), v + s * h * a, name)
                for s in (1, -1)
            ]
            rate = (moved[0] - moved[1]) / (2 * h)
            found = model.subtree_center_of_mass_acceleration(q, v, a, name)
            assert np.allclose(found, rate, atol=1e-5 * (1 + np.abs(rate).max()))
            assert centre.shape == (3,)
    roots = [joint.name for joint in model.joints.values() if joint.parent is None]
    mass = {name: sum(model.joints[j].mass for j in model.subtree(name)) for name in roots}
    whole = sum(mass[name] * model.subtree_center_of_mass(q, name) for name in roots if mass[name]) / sum(mass.values())
    assert np.allclose(whole, model.center_of_mass(q), atol=1e-10)


def test_the_tree(model):
    parents = {name: joint.parent for name, joint in model.joints.items()}
    for name in model.joints:
        path = [name]
        while parents[path[-1]] is not None:
            path.append(parents[path[-1]])
        assert model.support(name) == path
        assert model.children(name) == [j for j in model.joints if parents[j] == name]
        assert model.subtree(name) == [j for j in model.joints if name in model.support(j)]
    frame = next(f for f in model.frames.values() if f.joint)
    if frame.name not in model.joints:
        assert model.support(frame.name) == model.support(frame.joint)
    with pytest.raises(KeyError):
        model.subtree("no such joint")


def test_is_normalised():
    model = MODELS["quadruped"]
    q = model.random_configuration(0, 4)
    assert model.is_normalised(q[0]) is True
    q[2, 3:7] *= 1.001
    assert model.is_normalised(q[2]) is False and model.is_normalised(q[2], 1e-2) is True
    assert np.array_equal(model.is_normalised(q), [True, True, False, True])


def test_threads_share_a_model():
    model = MODELS["humanoid"]
    states = [state(model, seed=seed) for seed in range(8)]
    expected = [model.all_terms(q, v).mass_matrix for q, v, _ in states]
    wrong = []

    def work(k):
        q, v, _ = states[k]
        for _ in range(50):
            if not np.array_equal(model.all_terms(q, v).mass_matrix, expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_against_pinocchio():
    pin = pytest.importorskip("pinocchio")
    for name in ["panda", "ur5"]:
        text = fl.load(name, pinocchio=True)
        q, v, a = state(text)
        path = pathlib.Path(__file__).parents[2] / "robots" / f"{name}.urdf"
        model = pin.buildModelFromUrdf(str(path))
        data = model.createData()
        pin.computeAllTerms(model, data, q, v)
        terms = text.all_terms(q, v)
        M = np.triu(data.M) + np.triu(data.M, 1).T
        assert np.allclose(terms.mass_matrix, M, atol=1e-10) and np.allclose(terms.bias, data.nle, atol=1e-9)
        assert np.allclose(terms.center_of_mass, data.com[0], atol=1e-12)
        for k in range(1, model.njoints):
            pin.centerOfMass(model, data, q, v, a, True)
            local = data.oMi[k].act(data.com[k])
            assert np.allclose(text.subtree_center_of_mass(q, model.names[k]), local, atol=1e-10)
