"""Integrators: order of convergence, conservation, agreement with solutions and with each other."""

import _thread
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

import featherline as fl

ORDERS: dict[Any, Any] = {
    "symplectic-euler": 1,
    "runge-kutta-4": 4,
    "dormand-prince": 5,
    "implicit-midpoint": 2,
    "variational": 2,
    "maximal-variational": 2,
}
PENDULUM = fl.load("double_pendulum")


def start_of(model, seed=0):
    random = np.random.default_rng(seed)
    return model.random_configuration(seed), 0.3 * random.normal(size=model.nv)


def run(model, q, v, tau, h, steps, method, **keywords):
    for k in range(steps):
        q, v = model.step(q, v, tau, h, method, t=k * h, **keywords)
    return q, v


@pytest.mark.parametrize("method", ORDERS)
def test_order(method):
    # The error against a reference of tight tolerance, at two steps.
    q, v = np.array([1.2, -0.7]), np.array([0.5, 0.3])
    reference = PENDULUM.trajectory(q, v, 0.4, 0.1, method="dormand-prince", tolerance=1e-13)
    errors = []
    for steps in (40, 80):
        motion = PENDULUM.trajectory(q, v, steps=steps, dt=0.4 / steps, method=method) if method != "dormand-prince" else None
        if motion is None:  # of equal steps
            end_q, end_v = run(PENDULUM, q, v, None, 0.4 / steps, steps, method)
        else:
            end_q, end_v = motion.q[-1], motion.v[-1]
        errors.append(np.abs(np.r_[end_q - reference.q[-1], end_v - reference.v[-1]]).max())
    # Steps of some length: higher terms of the error still show, those of Dormand-Prince most.
    order = np.log2(errors[0] / errors[1])
    assert ORDERS[method] - 0.35 < order < ORDERS[method] + (1.0 if method == "dormand-prince" else 0.35)


def test_symplectic_euler_by_its_formula():
    for name in ["panda", "quadruped", "hand"]:
        model = fl.load(name)
        q, v = start_of(model)
        tau = np.random.default_rng(1).normal(size=model.nv)
        h = 1e-3
        expected_v = v + h * model.aba(q, v, tau)
        methods: list[Any] = ["symplectic-euler", "semi-implicit-euler"]
        for method in methods:
            found = model.step(q, v, tau, h, method)
            assert np.allclose(found.v, expected_v, rtol=1e-12, atol=1e-12)
            assert np.allclose(found.q, model.integrate(q, h * expected_v), rtol=1e-12, atol=1e-12)


def test_runge_kutta_by_its_formula():
    model = fl.load("panda")
    q, v = start_of(model)
    tau = np.random.default_rng(1).normal(size=model.nv)
    damped = model.step(q, v, tau, 1e-3, "runge-kutta-4", passive=True)
    plain = model.step(q, v, tau, 1e-3, "runge-kutta-4")
    h = 1e-3
    damping = np.concatenate([joint.damping for joint in model.joints.values()])
    friction = np.concatenate([joint.friction for joint in model.joints.values()])
    assert damping.any() or friction.any()

    def resistance(v):  # dry friction is smooth about rest, over 0.01 rad/s
        return damping * v + friction * v / np.sqrt(v**2 + 1e-4)

    for found, resists in [(plain, 0), (damped, 1)]:
        def rate(x, resists=resists):
            return np.r_[x[7:], model.aba(x[:7], x[7:], tau - resists * resistance(x[7:]))]

        x = np.r_[q, v]
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        assert np.allclose(np.r_[found.q, found.v], x, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("name", ["panda", "quadruped", "humanoid"])
def test_methods_agree(name, method):
    """After short steps all methods are where one of high order is: floating bases too."""
    model = fl.load(name)
    q, v = start_of(model, 3)
    tau = np.random.default_rng(5).normal(size=model.nv)
    if name != "panda":
        tau[:6] = 0
    force = {list(model.joints)[-1]: [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}
    h = 1e-4
    exact = model.trajectory(
        q, v, 20 * h, 20 * h, tau=tau, external_forces=force, method="dormand-prince", tolerance=1e-12
    )
    motion = model.trajectory(q, v, steps=20, dt=h, tau=tau, external_forces=force, method=method, every=7)
    assert motion.t == pytest.approx([0, 7 * h, 14 * h, 20 * h], rel=1e-12)
    # Of first order, the step is half a step of acceleration off; the others square that at least.
    speed = 1 + np.abs(exact.v[-1]).max()
    acceleration = np.abs(model.aba(q, v, tau, force)).max() + speed**2
    tolerance = h * acceleration * (1.0 if method == "symplectic-euler" else 2e-2)
    assert np.abs(model.difference(motion.q[-1], exact.q[-1])).max() < tolerance * h * 20
    assert np.abs(motion.v[-1] - exact.v[-1]).max() < 20 * tolerance
    assert np.array_equal(motion.q[0], q) and np.array_equal(motion.v[0], v)


def test_mimic_joints_move():
    hand = fl.load("hand")
    q, v = start_of(hand)
    by_stages = hand.trajectory(q, v, 0.02, 2e-4, method="runge-kutta-4")
    variational = hand.trajectory(q, v, 0.02, 2e-4, method="variational")
    assert np.allclose(by_stages.q[-1], variational.q[-1], atol=1e-4)


def test_a_free_body_falls_on_a_parabola():
    model = fl.load("quadruped")
    q = model.neutral()
    v = np.r_[1.0, 2.0, 3.0, np.zeros(model.nv - 3)]
    for method in ORDERS:
        motion = model.trajectory(q, v, 0.5, 5e-3, method=method)
        centre = model.center_of_mass(motion.q)
        t = motion.t[:, None]
        parabola = centre[0] + v[:3] * t + 0.5 * np.array(model.gravity) * t**2
        first_order = 0.5 * 5e-3 * 9.81 * 0.5
        assert np.abs(centre - parabola).max() < (1.01 * first_order if ORDERS[method] == 1 else 1e-9)


@pytest.mark.parametrize("method", ["variational", "maximal-variational", "implicit-midpoint"])
def test_energy_does_not_drift(method):
    motion = PENDULUM.trajectory([2.0, 0.5], [0.0, 0.0], 60.0, 0.01, method=method, every=10)
    energy = np.asarray(PENDULUM.mechanical_energy(motion.q, motion.v))
    assert np.ptp(energy) < 0.05 * abs(energy[0])
    assert np.polyfit(motion.t, energy, 1)[0] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("name", ["four_bar", "six_bar", "delta", "stewart", "bennett"])
@pytest.mark.parametrize("method", [m for m in ORDERS if m != "variational"])
def test_linkages_move(name, method):
    model = fl.load(name)
    q = model.reference_configurations().get("closed", model.neutral())
    v = model.project_velocity(q, 0.2 * np.random.default_rng(0).normal(size=model.nv))
    exact = model.trajectory(q, v, 0.02, 0.02, method="dormand-prince", tolerance=1e-11)
    motion = model.trajectory(q, v, 0.02, 1e-3, method=method)
    assert np.abs(model.loop_gaps(motion.q)).max() < 1e-9
    assert max(model.loop_gap(*state).velocity for state in zip(motion.q, motion.v, strict=True)) < 1e-7
    far = 1 + np.abs(exact.v).max()
    assert np.abs(model.difference(motion.q[-1], exact.q[-1])).max() < 2e-3 * far * (
        1 if method == "symplectic-euler" else 1e-2
    )
    energy = model.mechanical_energy(motion.q, motion.v)
    kinetic = np.max(model.kinetic_energy(motion.q, motion.v))
    assert np.ptp(energy) < kinetic * (0.1 if method == "symplectic-euler" else 1e-3)
    # A step is the trajectory's first, whose loops are closed.
    one = model.step(q, v, None, 1e-3, method)
    if method != "dormand-prince":
        assert np.allclose(one.q, motion.q[1], atol=1e-12) and np.allclose(one.v, motion.v[1], atol=1e-9)
    assert model.loop_gap(*one).position < 1e-9


def test_torques():
    model = PENDULUM
    q, v = np.array([0.5, -0.2]), np.zeros(2)
    rows = np.random.default_rng(0).normal(size=(50, 2))
    methods: list[Any] = ["symplectic-euler", "runge-kutta-4", "implicit-midpoint"]
    for method in methods:
        # A row holds during its step.
        motion = model.trajectory(q, v, steps=50, dt=1e-2, tau=rows, method=method)
        state = (q, v)
        for k, row in enumerate(rows):
            state = model.step(*state, row, 1e-2, method)
            assert np.allclose(state.q, motion.q[k + 1], atol=1e-12)
        thinned = model.trajectory(q, v, steps=50, dt=1e-2, tau=rows, method=method, every=8)
        assert np.array_equal(thinned.q, motion.q[[0, 8, 16, 24, 32, 40, 48, 50]])
    # A function of the state is a controller within the step: a damper takes energy out.
    calls = []

    def damper(t, q, v):
        calls.append(t)
        assert isinstance(t, float) and q.shape == (2,) and v.shape == (2,)
        return -3.0 * v

    damped = model.trajectory(q, v, 20.0, 2e-3, tau=damper, every=10)
    energy = model.mechanical_energy(damped.q, damped.v)
    assert (np.diff(energy) < 1e-6).all() and np.abs(damped.q[-1]).max() < 1e-3
    assert len(calls) > 4 * 10_000
    # Constant forces of three kinds are one.
    constant = np.array([1.0, -0.5])
    for method in ORDERS:
        ways = [
            model.trajectory(q, v, steps=20, dt=1e-3, tau=tau, method=method).q[-1]
            for tau in (constant, np.tile(constant, (20, 1)), lambda t, q, v: [1.0, -0.5])
        ]
        assert np.allclose(ways[0], ways[1], atol=1e-13) and np.allclose(ways[0], ways[2], atol=1e-13)
        by_function = model.step(q, v, lambda t, q, v: constant, 1e-3, method)
        assert np.allclose(model.step(q, v, constant, 1e-3, method).q, by_function.q, atol=1e-14)
    # Gravity compensation holds the robot where it is.
    held = model.trajectory(q, v, 0.5, 1e-3, tau=lambda t, q, v: model.gravity_torque(q))
    assert np.abs(held.q - q).max() < 1e-9


def test_torques_at_the_instants_of_variational_methods():
    # Force rows are those at t = k h: the motion of a free body under f(t) is of second order.
    model = PENDULUM.with_gravity([0, 0, 0])
    q, v = np.array([0.5, -0.2]), np.zeros(2)
    errors = []
    def force(t):
        return np.array([np.sin(9 * t), np.cos(7 * t)])
    exact = model.trajectory(q, v, 0.5, 0.5, tau=lambda t, q, v: force(t), method="dormand-prince", tolerance=1e-12).q[-1]
    for steps in (100, 200):
        h = 0.5 / steps
        rows = np.array([force(h * k) for k in range(steps)])
        motion = model.trajectory(q, v, steps=steps, dt=h, tau=rows, method="variational")
        errors.append(np.abs(motion.q[-1] - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


def test_samples_far_apart():
    q, v = [1.0, 0.5], [0.0, 0.0]
    every = PENDULUM.trajectory(q, v, steps=5003, dt=1e-4)
    for k in (1, 7, 2500, 2503, 4000, 5003, 9999):
        some = PENDULUM.trajectory(q, v, steps=5003, dt=1e-4, every=k)
        kept = sorted({*range(0, 5004, k), 5003})
        assert np.allclose(some.t, every.t[kept], rtol=1e-12)
        assert np.allclose(some.q, every.q[kept], atol=1e-12)


def test_many_motions():
    model = fl.load("panda")
    q, v = model.random_configuration(0, 60), np.random.default_rng(0).normal(size=(60, 7))
    motions = model.trajectory(q, v, 0.02, 1e-3)
    assert motions.t.shape == (21,) and motions.q.shape == (60, 21, 7) and motions.v.shape == (60, 21, 7)
    for k in (0, 31, 59):
        one = model.trajectory(q[k], v[k], 0.02, 1e-3)
        assert np.array_equal(one.q, motions.q[k]) and np.array_equal(one.v, motions.v[k])
    rows = np.random.default_rng(1).normal(size=(60, 20, 7))
    pushed = model.trajectory(q, v, steps=20, dt=1e-3, tau=rows)
    alone = model.trajectory(q[9], v[9], steps=20, dt=1e-3, tau=rows[9])
    assert np.array_equal(pushed.q[9], alone.q)
    stepped = model.step(q, v, rows[:, 0], 1e-3, "runge-kutta-4")
    assert np.allclose(stepped.q, pushed.q[:, 1], atol=1e-13)
    # A motion that is lost leaves the others.
    v[5] = 1e200
    with pytest.warns(UserWarning, match="1 of 60 states have no result.*row 5"):
        some = model.trajectory(q, v, 0.02, 1e-3)
    assert np.isnan(some.q[5]).all() and np.array_equal(some.q[6], motions.q[6])


def test_errors():
    model, q, v = PENDULUM, [0.0, 0.0], [0.0, 0.0]
    with pytest.raises(ValueError, match="method must be 'runge-kutta-4'.*not 'euler'"):
        model.step(q, v, None, 1e-3, "euler")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"tau has shape \(3,\)"):
        model.step(q, v, [0, 0, 0], 1e-3)
    with pytest.raises(ValueError, match=r"tau has shape \(4, 2\).*\(5, 2\)"):
        model.trajectory(q, v, steps=5, tau=np.zeros((4, 2)))
    with pytest.raises(ValueError, match="either duration"):
        model.trajectory(q, v)
    with pytest.raises(ValueError, match="either duration"):
        model.trajectory(q, v, 1.0, steps=3)
    with pytest.raises(ValueError, match="dt must be a positive"):
        model.trajectory(q, v, 1.0, -1.0)
    with pytest.raises(ValueError, match="tolerance is for the method"):
        model.trajectory(q, v, 1.0, tolerance=1e-6)
    with pytest.raises(ValueError, match="every must be"):
        model.trajectory(q, v, 1.0, every=0)
    with pytest.raises(ValueError, match="steps are more than"):
        model.trajectory(q, v, 1e9, 1e-6)
    with pytest.raises(ValueError, match="finite"):
        model.step([np.nan, 0], v, None, 1e-3)
    with pytest.raises(ValueError, match="diverged.*Take a smaller step"):
        model.trajectory(q, [1e150, 0], 1.0, 0.1, method="symplectic-euler")
    # What a function raises comes through.
    for method in ORDERS:
        def broken(t, q, v):
            raise LookupError("no force here")

        with pytest.raises(LookupError, match="no force here"):
            model.step(q, v, broken, 1e-3, method)
        with pytest.raises(LookupError, match="no force here"):
            model.trajectory(q, v, 0.1, tau=broken, method=method)
    with pytest.raises(ValueError, match=r"tau\(t, q, v\) returned has shape \(3,\)"):
        model.step(q, v, lambda t, q, v: [1, 2, 3], 1e-3)
    with pytest.raises(ValueError, match="acts on joint `shoulder` with NaN at t = 0 s"):
        model.step(q, v, lambda t, q, v: [np.nan, 0], 1e-3)
    linkage = fl.load("four_bar")
    with pytest.raises(ValueError, match="not closed at the start.*`assemble` and `project_velocity`"):
        linkage.trajectory([0.4, 0, 0], [0] * 3, 0.1)
    with pytest.raises(ValueError, match="maximal"):
        linkage.trajectory(linkage.neutral(), [0] * 3, 0.1, method="variational")
    assert model.trajectory(q, v, 0.0).q.shape == (1, 2)


def test_stiff_forces_are_warned_of():
    with pytest.warns(UserWarning, match="oscillat|damp"):
        model = fl.load("hand")
        model.trajectory(model.neutral(), np.zeros(model.nv), 0.05, 0.05, passive=True, method="runge-kutta-4")


@pytest.mark.parametrize("states", [1, 40])
@pytest.mark.parametrize("tau", [None, lambda t, q, v: np.zeros(2)])
def test_an_interrupt_ends_a_motion(states, tau):
    q = np.zeros((states, 2)) if states > 1 else np.zeros(2)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        PENDULUM.trajectory(q + 0.5, 0 * q, 3000.0, 1e-4, every=30_000_000, tau=tau)
    assert time.monotonic() - began < 5
    timer.join()


def test_variational_integrator():
    motion = fl.VariationalIntegrator(PENDULUM, 5e-3, [2.0, 0.5])
    trajectory = PENDULUM.trajectory([2.0, 0.5], [0, 0], 1.0, 5e-3, method="variational")
    motion.step(200)
    assert motion.t == pytest.approx(1.0) and motion.dt == 5e-3 and motion.model is PENDULUM
    assert np.allclose(motion.q, trajectory.q[-1], atol=1e-12)
    assert np.allclose(motion.v, trajectory.v[-1], atol=1e-11)
    assert motion.energy == pytest.approx(PENDULUM.mechanical_energy(motion.q, motion.v))
    assert "double_pendulum" in repr(motion) and "joint coordinates" in repr(motion)
    assert motion.gap is None and motion.iterations > 0
    maximal = fl.VariationalIntegrator(PENDULUM, 5e-3, [2.0, 0.5], maximal=True)
    maximal.step(200)
    assert np.allclose(maximal.q, motion.q, atol=1e-9) and maximal.gap is not None and maximal.gap < 1e-9
    motion.start([0.1, 0.2], [0.3, 0.4], 7.0)
    assert motion.t == 7.0 and np.allclose(motion.v, [0.3, 0.4])


def test_variational_integrator_keeps_momentum():
    model = fl.load("quadruped").with_gravity([0, 0, 0])
    q, v = start_of(model)
    motion = fl.VariationalIntegrator(model, 2e-3, q, v)
    # At the start it is that of the velocities, about the world's origin.
    about_centre = model.centroidal_momentum(q, v)
    centre = model.center_of_mass(q)
    expected = np.r_[about_centre[:3], about_centre[3:] + np.cross(centre, about_centre[:3])]
    assert np.allclose(motion.momentum, expected, atol=1e-12)
    energy = motion.energy
    motion.step(2000)
    assert np.allclose(motion.momentum, expected, atol=1e-10)
    assert motion.energy == pytest.approx(energy, rel=1e-2)


def test_variational_integrator_of_a_linkage():
    model = fl.load("delta")
    v = model.project_velocity(model.neutral(), np.random.default_rng(0).normal(size=model.nv))
    motion = fl.VariationalIntegrator(model, 1e-3, v=0.2 * v)
    before = motion.energy
    for _ in range(50):
        motion.step()
        assert motion.gap is not None and motion.gap < 1e-10
    assert model.loop_gap(motion.q).position < 1e-10
    assert motion.energy == pytest.approx(before, rel=1e-3)
    with pytest.raises(ValueError, match="maximal coordinates"):
        fl.VariationalIntegrator(model, 1e-3, maximal=False)


def test_forces_of_the_variational_integrator():
    q, v = np.array([0.5, -0.2]), np.zeros(2)
    # Torques that hold against gravity, set each step, given, and by a function.
    held = fl.VariationalIntegrator(PENDULUM, 1e-3, q, tau=PENDULUM.gravity_torque(q))
    function = fl.VariationalIntegrator(PENDULUM, 1e-3, q, tau=lambda t, q, v: PENDULUM.gravity_torque(q))
    setting = fl.VariationalIntegrator(PENDULUM, 1e-3, q)
    for _ in range(100):
        setting.tau = PENDULUM.gravity_torque(setting.q)
        for motion in (held, function, setting):
            motion.step()
            assert np.abs(motion.q - q).max() < 1e-9
    assert function.tau is None and held.tau is not None and np.allclose(held.tau, PENDULUM.gravity_torque(q))
    with pytest.raises(ValueError, match="is a function"):
        function.tau = [0, 0]
    with pytest.raises(ValueError, match=r"tau has shape"):
        held.tau = [0, 0, 0]
    with pytest.raises(ValueError, match="dt must be"):
        fl.VariationalIntegrator(PENDULUM, 0.0)
    pushed = fl.VariationalIntegrator(PENDULUM, 1e-3, q, external_forces={"elbow": [0, 0, 9, 0, 0, 0]})
    fallen = fl.VariationalIntegrator(PENDULUM, 1e-3, q)
    for motion in (pushed, fallen):
        motion.step(20)
    exact = PENDULUM.trajectory(q, v, 0.02, 0.02, external_forces={"elbow": [0, 0, 9, 0, 0, 0]}, method="dormand-prince")
    assert np.allclose(pushed.q, exact.q[-1], atol=1e-6) and not np.allclose(fallen.q, exact.q[-1], atol=1e-6)

    def broken(t, q, v):
        if t > 0.05:
            raise LookupError("no force here")
        return [0, 0]

    motion = fl.VariationalIntegrator(PENDULUM, 1e-2, q, tau=broken)
    with pytest.raises(LookupError):
        motion.step(20)
    assert motion.t == pytest.approx(0.06)


def test_one_thread_at_a_time():
    inner: list[Any] = []

    def reenter(t, q, v):
        try:
            motion.step()
        except RuntimeError as error:
            inner.append(str(error))
        return [0, 0]

    motion = fl.VariationalIntegrator(PENDULUM, 1e-3, tau=reenter)
    motion.step(3)
    assert inner and "one thread at a time" in inner[0]
    del motion


def test_results_are_pickled():
    motion = PENDULUM.trajectory([1.0, 0.0], [0, 0], 0.01)
    again = pickle.loads(pickle.dumps(motion))
    assert type(again) is fl.results.Trajectory and np.array_equal(again.q, motion.q)
