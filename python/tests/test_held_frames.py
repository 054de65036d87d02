"""Held frames: numbers against dense equations of motion and differences."""

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import featherline as fl

FEET = ["front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"]
WRONG: Any = "line"
REFERENCES: list[Any] = ["local", "local_world_aligned", "world"]


def state(model, seed=0):
    random = np.random.default_rng(seed)
    q = model.integrate(model.neutral(), random.uniform(-0.4, 0.4, model.nv))
    return q, random.normal(size=model.nv), random.normal(size=model.nv)


def near(found, expected, tolerance=1e-9):
    expected = np.asarray(expected)
    return np.abs(found - expected).max(initial=0) <= tolerance * max(1.0, np.abs(expected).max(initial=0))


@pytest.fixture(params=REFERENCES)
def humanoid(request):
    """A robot on one flat foot and one point, with a hand held to the trunk in its place."""
    model = fl.load("humanoid")
    constraints = [
        fl.FrameConstraint("left_sole", "frame", reference=request.param),
        fl.FrameConstraint("right_sole", reference=request.param),
    ]
    return model, constraints, request.param


def test_both_equations_of_motion(humanoid):
    model, constraints, reference = humanoid
    q, v, tau = state(model)
    found = model.constrained_dynamics(q, v, tau, constraints)
    # The rows are those of the frames' Jacobians; a point has no moment, so "world" is aligned for it.
    aligned = "local_world_aligned" if reference == "world" else reference
    K = np.vstack([model.jacobian(q, "left_sole", reference), model.jacobian(q, "right_sole", aligned)[:3]])
    assert near(model.constraint_jacobian(q, constraints), K, 1e-12)
    assert near(model.rnea(q, v, found.accelerations) - K.T @ found.multipliers, tau)
    assert np.abs(model.acceleration(q, v, found.accelerations, "left_sole")).max() < 1e-8
    assert np.abs(model.classical_acceleration(q, v, found.accelerations, "right_sole")[:3]).max() < 1e-8
    assert found.forces.shape == (2, 6) and found.loop_forces.shape == (0, 6)
    assert np.array_equal(found.multipliers, [*found.forces[0], *found.forces[1][:3]])
    assert found.residual < 1e-8 and found.redundant == 0 and isinstance(found.redundant, int)


def test_external_forces_count(humanoid):
    model, constraints, _ = humanoid
    q, v, tau = state(model, 1)
    force = {"left_sole": [3.0, -2.0, 5.0, 0.1, 0.2, 0.3]}
    pushed = model.constrained_dynamics(q, v, tau, constraints, force)
    as_torque = tau + model.jacobian(q, "left_sole").T @ force["left_sole"]
    assert near(pushed.accelerations, model.constrained_dynamics(q, v, as_torque, constraints).accelerations)


def test_blocks_are_those_of_the_dense_inverse(humanoid):
    model, constraints, _ = humanoid
    q, _, _ = state(model, 2)
    K, M = model.constraint_jacobian(q, constraints), model.crba(q)
    dense = np.linalg.inv(np.block([[M, K.T], [K, np.zeros((9, 9))]]))
    found = model.kkt_inverse(q, constraints)
    assert near(found.projected, dense[: model.nv, : model.nv], 1e-8)
    assert near(found.generalised, dense[: model.nv, model.nv :], 1e-8)
    assert near(-found.inertia, dense[model.nv :, model.nv :], 1e-8)


def differences(model, solved, q, v, tau, h=1e-5):
    """Central differences of a list of vectors by q, v and tau."""
    columns: list[list[Any]] = [[], [], []]
    for step in np.eye(model.nv) * h:
        ends = [
            [solved(model.integrate(q, s), v, tau) for s in (-step, step)],
            [solved(q, v + s, tau) for s in (-step, step)],
            [solved(q, v, tau + s) for s in (-step, step)],
        ]
        for column, (low, high) in zip(columns, ends, strict=True):
            column.append(np.concatenate([(b - a) / (2 * h) for a, b in zip(low, high, strict=True)]))
    return [np.array(column).T for column in columns]


def test_derivatives_are_differences(humanoid):
    model, constraints, _ = humanoid
    q, v, tau = state(model, 3)
    d = model.constrained_dynamics_derivatives(q, v, tau, constraints)

    def solved(q, v, tau):
        found = model.constrained_dynamics(q, v, tau, constraints)
        return found.accelerations, found.multipliers

    assert near(d.accelerations, solved(q, v, tau)[0]) and near(d.multipliers, solved(q, v, tau)[1])
    stacked = [
        np.vstack(pair) for pair in [(d.dq, d.multipliers_dq), (d.dv, d.multipliers_dv), (d.dtau, d.multipliers_dtau)]
    ]
    for found, expected in zip(stacked, differences(model, solved, q, v, tau), strict=True):
        assert near(found, expected, 1e-5)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_impacts(humanoid, restitution):
    model, constraints, _ = humanoid
    q, v, tau = state(model, 4)
    found = model.impulse_dynamics(q, v, constraints, restitution)
    K, M = model.constraint_jacobian(q, constraints), model.crba(q)
    assert near(K @ found.velocities, -restitution * K @ v, 1e-8)
    assert near(M @ (found.velocities - v), K.T @ found.multipliers)
    d = model.impulse_dynamics_derivatives(q, v, constraints, restitution)

    def solved(q, v, _):
        after = model.impulse_dynamics(q, v, constraints, restitution)
        return after.velocities, after.multipliers

    by_q, by_v, _ = differences(model, solved, q, v, tau)
    assert near(np.vstack([d.dq, d.multipliers_dq]), by_q, 1e-5)
    assert near(np.vstack([d.dv, d.multipliers_dv]), by_v, 1e-5)


def test_gains_pull_back():
    model = fl.load("quadruped")
    q, _, tau = state(model, 5)
    rest = np.zeros(model.nv)
    held = fl.FrameConstraint("front_left_foot", gains=(30.0, 7.0), reference="local_world_aligned").held_at(model, q)
    free = fl.FrameConstraint("front_left_foot")
    still = model.constrained_dynamics(q, rest, tau, free).accelerations
    assert near(model.constrained_dynamics(q, rest, tau, held).accelerations, still)
    away = np.array([0.01, -0.02, 0.03])
    moved = fl.FrameConstraint(
        "front_left_foot",
        gains=(30.0, 7.0),
        reference="local_world_aligned",
        base_placement=held.base_placement.translation + away,
    )
    found = model.constrained_dynamics(q, rest, tau, moved).accelerations
    pulled = model.jacobian(q, "front_left_foot", "local_world_aligned")[:3] @ (found - still)
    assert near(pulled, 30.0 * away)
    assert fl.FrameConstraint("a", gains=(100, 20)) == fl.FrameConstraint("a", stabilisation=0.1)


def test_frames_of_two_links_and_loops():
    model = fl.load("stewart")
    q = model.assemble(model.neutral())
    name = model.joints[len(model.joints) - 1].name
    found = model.constrained_dynamics(q, np.zeros(model.nv), np.zeros(model.nv), [name])
    expected = model.with_contacts(q, name).loop_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))
    assert near(found.accelerations, expected.accelerations, 1e-7) and found.loop_forces.shape == (len(model.loops), 6)
    arm = fl.load("humanoid")
    q, v, tau = state(arm, 6)
    pair = fl.FrameConstraint("left_sole", "frame", base="right_sole")
    a = arm.constrained_dynamics(q, v, tau, pair).accelerations
    own, base = (arm.acceleration(q, v, a, frame, "world") for frame in ("left_sole", "right_sole"))
    # The rows hold the relative spatial acceleration.
    assert np.abs(own - base).max() < 1e-7


def test_redundant_rows_share():
    model = fl.load("quadruped")
    q, _, tau = state(model, 7)
    rest = np.zeros(model.nv)
    one = model.constrained_dynamics(q, rest, tau, FEET[0])
    twice = model.constrained_dynamics(q, rest, tau, [FEET[0], FEET[0]])
    assert twice.redundant == 3 and near(twice.accelerations, one.accelerations)
    assert near(twice.forces, np.repeat(one.forces / 2, 2, axis=0), 1e-8)


def test_many_states_and_out():
    model = fl.load("quadruped")
    states = [state(model, seed) for seed in range(20)]
    q, v, tau = (np.array(part) for part in zip(*states, strict=True))
    many = model.constrained_dynamics(q, v, tau, FEET)
    for k in range(len(states)):
        for all_, own in zip(many, model.constrained_dynamics(q[k], v[k], tau[k], FEET), strict=True):
            assert np.array_equal(np.asarray(all_)[k], own)
    again = model.constrained_dynamics(q, v, tau, FEET, out=many)
    assert again.accelerations is many.accelerations
    blocks = model.kkt_inverse(q, FEET)
    assert blocks.inertia.shape == (20, 12, 12)
    assert np.array_equal(blocks.generalised[3], model.kkt_inverse(q[3], FEET).generalised)
    assert model.impulse_dynamics_derivatives(q, v, FEET).multipliers_dv.shape == (20, 12, model.nv)


def test_threads_have_memory_of_their_own():
    model = fl.load("quadruped")
    states = [state(model, seed) for seed in range(8)]
    expected = [model.constrained_dynamics(q, v, tau, FEET).accelerations for q, v, tau in states]
    failures = []

    def work(k):
        q, v, tau = states[k]
        for _ in range(50):
            if not np.array_equal(model.constrained_dynamics(q, v, tau, FEET).accelerations, expected[k]):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(states))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_constraints_are_values():
    one = fl.FrameConstraint("tool", "frame", reference="world", placement=[0, 0, 0.1], base="arm", gains=(4.0, 2.0))
    assert pickle.loads(pickle.dumps(one)) == one and one != fl.FrameConstraint("tool")
    assert (one.rows, one.kind, one.reference, one.base) == (6, "frame", "world", "arm")
    assert np.array_equal(one.placement.translation, [0, 0, 0.1]) and one.stabilisation == (1.0, 2.0)
    assert repr(one) == "FrameConstraint('tool', 'frame', base='arm', reference='world')"


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda m, x: m.constrained_dynamics(*x, ["no_such_foot"]), KeyError, "no_such_foot"),
        (lambda m, x: m.constrained_dynamics(*x, [3]), TypeError, "FrameConstraints"),
        (lambda m, x: m.constrained_dynamics(*x, 3), TypeError, "FrameConstraints"),
        (
            lambda m, x: m.constrained_dynamics(*x, fl.FrameConstraint("panda_link8", base="panda_link8")),
            ValueError,
            "itself",
        ),
        (lambda m, x: m.impulse_dynamics(*x[:2], "panda_link8", 1.5), ValueError, "restitution"),
        (lambda m, x: m.impulse_dynamics([x[0]] * 2, x[1], "panda_link8", -1.0), ValueError, "restitution"),
        (lambda m, x: fl.FrameConstraint("f", WRONG), ValueError, "kind"),
        (lambda m, x: fl.FrameConstraint("f", reference=WRONG), ValueError, "reference"),
        (lambda m, x: fl.FrameConstraint("f", gains=(-1, 0)), ValueError, "gains"),
        (lambda m, x: fl.FrameConstraint("f", gains=(1, 0), stabilisation=0.1), ValueError, "gains"),
        (lambda m, x: m.constrained_dynamics(x[0][1:], *x[1:], []), ValueError, "shape"),
        (lambda m, x: m.constrained_dynamics(*x, [], out=m.kkt_inverse(x[0], [])), TypeError, "out"),
    ],
)
def test_errors_name_what_is_wrong(make, kind, text):
    model = fl.load("panda")
    with pytest.raises(kind, match=text):
        make(model, state(model))


def test_nothing_held_is_forward_dynamics():
    model = fl.load("panda")
    q, v, tau = state(model, 8)
    found = model.constrained_dynamics(q, v, tau, [])
    assert near(found.accelerations, model.aba(q, v, tau)) and found.multipliers.shape == (0,)
    assert near(model.kkt_inverse(q, []).projected, model.mass_matrix_inverse(q))
