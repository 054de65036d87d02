"""Simulations against closed forms, and recordings read back by other readers."""

import csv
import gc
import inspect
import json
import os
import pickle
import signal
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

import featherline as fl

G = 9.81

# Robots without stops leave their limits, which is a warning.
pytestmark = pytest.mark.filterwarnings("ignore:.* went beyond")

# A mass on a vertical slide, and a rod of two point-like masses as a pendulum about y.
BALL = """<robot name="ball"><link name="world"/>
<link name="ball"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="ball"/><axis xyz="0 0 1"/>
<limit lower="-100" upper="100" velocity="1e3" effort="1e3"/></joint></robot>"""

PENDULUM = """<robot name="pendulum"><link name="world"/>
<link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="3"/>
<inertia ixx="0.1" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
<dynamics damping="0.7" friction="0"/></joint></robot>"""


def smooth(*arguments, **options):
    """A simulation without contact and passive forces: tests of the other method are in test_contact."""
    return fl.Simulation(*arguments, **{"method": "runge-kutta-4", "passive": False, **options})


@pytest.fixture(scope="module")
def ball():
    return fl.load(BALL)


@pytest.fixture(scope="module")
def pendulum():
    return fl.load(PENDULUM)


@pytest.fixture(scope="module")
def double():
    return fl.load("double_pendulum")


METHODS = [
    "runge-kutta-4", "symplectic-euler", "dormand-prince",
    "implicit-midpoint", "variational", "maximal-variational",
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_free_fall(ball, method):
    simulation = smooth(ball, [3.0], [4.0], method=method, dt=1e-3)
    recording = simulation.run(1.0)
    t = recording.t
    np.testing.assert_allclose(t, np.arange(101) / 100, atol=1e-12)
    # The first order of symplectic Euler alone shows.
    tolerance = 6e-3 if method == "symplectic-euler" else 1e-10
    np.testing.assert_allclose(recording.q[:, 0], 3.0 + 4.0 * t - G / 2 * t**2, atol=tolerance)
    np.testing.assert_allclose(recording.v[:, 0], 4.0 - G * t, atol=1e-10)
    np.testing.assert_allclose(recording.energy, 0.5 * 2 * 16 + 2 * G * 3, rtol=2e-3)
    assert simulation.t == 1.0
    assert simulation.q[0] == recording.q[-1, 0]


def test_pendulum_period(pendulum):
    # The exact period of a physical pendulum by the arithmetic-geometric mean.
    inertia, moment, amplitude = 0.2 + 3 * 0.5**2, 3 * G * 0.5, 2.0
    a, b = 1.0, np.cos(amplitude / 2)
    for _ in range(10):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * np.pi * np.sqrt(inertia / moment) / a
    down = fl.Event(lambda t, q, v: v[0], name="turn", stop=False)
    simulation = smooth(pendulum, [amplitude], dt=1e-3, events=[down])
    simulation.run(3.2 * period)
    turns = [at.t for at in simulation.occurrences]
    assert len(turns) == 6
    np.testing.assert_allclose(turns, period * np.arange(1, 7) / 2, atol=1e-8)
    assert [at.event for at in simulation.occurrences] == ["turn"] * 6
    np.testing.assert_allclose([abs(at.q[0]) for at in simulation.occurrences], amplitude, atol=1e-8)


@pytest.mark.parametrize("method, error", [("runge-kutta-4", 1e-8), ("variational", 1e-4), ("dormand-prince", 1e-7)])
def test_energy_is_kept(double, method, error):
    simulation = smooth(double, [2.0, 1.0], method=method)
    recording = simulation.run(3.0)
    kept = simulation.conservation
    assert 0.0 < kept.energy_error < error
    change = np.abs(recording.energy - recording.energy[0]).max() / recording.kinetic_energy.max()
    assert change == pytest.approx(kept.energy_error, rel=1e-2)
    q, v = recording.q, recording.v
    np.testing.assert_allclose(recording.kinetic_energy, double.kinetic_energy(q, v), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(recording.potential_energy, double.potential_energy(q), rtol=1e-12, atol=1e-14)


def test_momentum_of_a_floating_robot():
    humanoid = fl.load("humanoid")
    q = humanoid.neutral()
    v = np.linspace(-0.3, 0.3, humanoid.nv)
    simulation = smooth(humanoid, q, v)
    recording = simulation.run(0.3)
    weight = humanoid.total_mass * np.array([0.0, 0.0, -G])
    np.testing.assert_allclose(
        recording.linear_momentum, recording.linear_momentum[0] + np.outer(recording.t, weight), atol=1e-6
    )
    np.testing.assert_allclose(recording.angular_momentum - recording.angular_momentum[0], 0.0, atol=1e-6)
    momenta = humanoid.centroidal_momentum(recording.q, recording.v)
    np.testing.assert_allclose(recording.linear_momentum, momenta[:, :3], atol=1e-10)
    assert simulation.conservation.linear_momentum_error < 1e-6


def test_exact_response_to_proportional_derivative_control(ball):
    # Critical damping towards z = 1: the oscillator's closed form; gravity is compensated.
    rate = 2 * np.pi * 0.5
    control = fl.ProportionalDerivative([1.0], frequency=0.5)
    recording = smooth(ball, [0.0], controller=control).run(2.0)
    t = recording.t
    expected = 1.0 - (1.0 + rate * t) * np.exp(-rate * t)
    np.testing.assert_allclose(recording.q[:, 0], expected, atol=1e-10)
    given = fl.ProportionalDerivative([1.0], 2 * rate**2, [2 * 2 * rate])
    again = smooth(ball, [0.0], controller=given).run(2.0)
    np.testing.assert_allclose(again.q, recording.q, atol=1e-13)
    # The same in Python, in continuous time.
    law = lambda t, q, v: 2 * G - 2 * rate**2 * (q - 1.0) - 4 * rate * v
    own = smooth(ball, [0.0], controller=law, control_period=0.0, dt=0.01).run(2.0)
    np.testing.assert_allclose(own.q[:, 0], expected, atol=1e-6)


@pytest.mark.parametrize("period, dt", [(0.02, 0.001), (0.01, 0.01), (0.004, 0.01), (0.013, 0.01)])
def test_sampled_controller_is_the_discrete_system(ball, period, dt):
    # Between samples the force is held: x(k+1) = A x(k) + B u(k), exactly.
    calls = []

    def law(t, q, v):
        calls.append(t)
        return [2 * G - 40.0 * (q[0] - 1.0) - 8.0 * v[0]]

    simulation = smooth(ball, [0.0], dt=dt, controller=law, control_period=period)
    steps = 50
    recording = simulation.run(steps * period, every=period)
    x, expected = np.zeros(2), []
    for _ in range(steps + 1):
        expected.append(x)
        a = (-40.0 * (x[0] - 1.0) - 8.0 * x[1]) / 2
        x = np.array([x[0] + period * x[1] + a * period**2 / 2, x[1] + period * a])
    np.testing.assert_allclose(recording.q[:, 0], np.array(expected)[:, 0], atol=1e-10)
    np.testing.assert_allclose(recording.v[:, 0], np.array(expected)[:, 1], atol=1e-10)
    np.testing.assert_allclose(calls, period * np.arange(steps), atol=1e-12)
    np.testing.assert_allclose(recording.tau[:-1, 0], [law(0.0, *x.reshape(2, 1))[0] for x in expected[:-1]], atol=1e-7)


def test_one_run_is_many_steps(double):
    def law(t, q, v):
        return [np.sin(3 * t), -0.1 * v[1]]

    def simulation(**options):
        return smooth(double, [1.0, -0.5], controller=law, **options)

    whole = simulation()
    whole.run(0.1, every=0.001)
    parts = simulation()
    for _ in range(100):
        parts.step()
    halves = simulation()
    halves.run(0.05, every=0.001)
    second = halves.run(0.05, every=0.001)
    assert len(second) == 51 and second.t[0] == pytest.approx(0.05)
    for other in (parts, halves):
        assert len(other.record) == 101
        np.testing.assert_allclose(other.record.q, whole.record.q, atol=1e-13)
        np.testing.assert_allclose(other.record.tau[:-1], whole.record.tau[:-1], atol=1e-13)
    # A period of several steps holds over calls of `step`.
    slow, reference = simulation(control_period=0.01), simulation(control_period=0.01)
    for _ in range(40):
        slow.step()
    reference.run(0.04, every=0.001)
    np.testing.assert_allclose(slow.q, reference.q, atol=1e-13)
    assert len(np.unique(slow.record.tau[:-1, 0])) == 4


def test_step_takes_forces(ball):
    simulation = smooth(ball, dt=0.01)
    for k in range(10):
        simulation.step([2 * (G + k)])
    np.testing.assert_allclose(simulation.v, 0.01 * sum(range(10)), atol=1e-12)
    np.testing.assert_allclose(simulation.record.tau[:10, 0], [2 * (G + k) for k in range(10)])
    before = len(simulation.record)
    simulation.step(record=False)
    assert len(simulation.record) == before
    # The step that was not recorded leaves a gap, and nothing else.
    simulation.step([7.0])
    assert len(simulation.record) == before + 2
    np.testing.assert_allclose(simulation.record.t[-3:], [0.1, 0.11, 0.12], atol=1e-12)
    assert simulation.record.tau[-3, 0] == 2 * (G + 9)


def test_controllers_of_all_forms(ball):
    def returning(t, q, v):
        return np.array([2 * G], dtype=np.float32).astype(float)

    def writing(t, q, v, tau):
        assert tau.shape == (1,) and tau[0] == 0.0
        tau[0] = 2 * G

    class Hold:
        def __call__(self, t, q, v):
            return [2 * G]

    for controller in (returning, writing, Hold(), [2 * G], np.array([2 * G]), "gravity"):
        simulation = smooth(ball, [1.0], controller=controller)
        simulation.run(0.2)
        np.testing.assert_allclose(simulation.q, 1.0, atol=1e-12)
    assert simulation.controller == "gravity"
    simulation.controller = None
    simulation.run(0.1)
    np.testing.assert_allclose(simulation.v, -0.1 * G)


def test_exceptions_of_controllers_pass_as_themselves(double):
    class Broken(Exception):
        pass

    def law(t, q, v):
        if t > 0.0255:
            raise Broken("no more")
        return [0.0, 0.0]

    for period in (None, 0.0):
        simulation = smooth(double, [1.0, 0.0], controller=law, control_period=period)
        with pytest.raises(Broken, match="no more") as caught:
            simulation.run(1.0, every=0.005)
        assert 0.024 < simulation.t < 0.028
        np.testing.assert_allclose(simulation.record.t, 0.005 * np.arange(6), atol=1e-12)
        if hasattr(caught.value, "__notes__"):
            assert "the controller at t = 0.02" in caught.value.__notes__[0]
        # It can go on with another one.
        simulation.controller = None
        simulation.run(0.1)
    with pytest.raises(ValueError, match=r"the controller's result has shape \(3,\), where \(2,\) is expected"):
        smooth(double, controller=lambda t, q, v: [1.0, 2.0, 3.0]).run(1.0)
    with pytest.raises(TypeError, match="returned None"):
        smooth(double, controller=lambda t, q, v: None).run(1.0)  # type: ignore[arg-type]
    with pytest.raises(fl.SimulationError, match="the controller acts on joint `elbow` with NaN at t = 0 s"):
        smooth(double, controller=lambda t, q, v: [0.0, float("nan")]).run(1.0)
    with pytest.raises(ZeroDivisionError):
        smooth(double, [1.0, 0.0], events=[lambda t, q, v: 1 / 0]).run(1.0)
    with pytest.raises(fl.SimulationError, match="event `value` is nan|event `value` is NaN"):
        value = lambda t, q, v: float("nan")
        smooth(double, events=[fl.Event(value, name="value")]).run(1.0)


def test_events_of_a_bouncing_ball(ball):
    def bounce(t, q, v):
        v *= -0.5

    ground = fl.Event(lambda t, q, v: q[0], name="ground", direction="falling", action=bounce)
    assert not ground.stop and ground.direction == "falling"
    simulation = smooth(ball, [1.0], dt=0.01, events=[ground])
    fall = np.sqrt(2 / G)
    simulation.run(2.2 * fall)
    np.testing.assert_allclose([at.t for at in simulation.occurrences], [fall, 2 * fall], atol=1e-12)
    np.testing.assert_allclose([at.v[0] for at in simulation.occurrences], [-G * fall, -G * fall / 2], atol=1e-10)
    recording = simulation.record
    twice = np.flatnonzero(np.diff(recording.t) == 0.0)
    np.testing.assert_allclose(recording.v[twice + 1], -0.5 * recording.v[twice])
    # New velocities may be returned, and True ends the run.
    returned = fl.Event(lambda t, q, v: q[0], action=lambda t, q, v: -v)
    simulation = smooth(ball, [1.0], dt=0.01, events=[returned])
    simulation.run(2 * fall)
    np.testing.assert_allclose(simulation.q, 1.0, atol=1e-9)
    ends = fl.Event(lambda t, q, v: q[0], name="ends", action=lambda t, q, v: True)
    kinds: list[dict[str, Any]] = [{}, {"controller": lambda t, q, v: [0.0], "control_period": 0.07}]
    for options in kinds:
        simulation = smooth(ball, [1.0], dt=0.01, events=[ends], **options)
        recording = simulation.run(5.0)
        assert simulation.stopped_by == "ends"
        assert simulation.t == pytest.approx(fall, abs=1e-12) and recording.t[-1] == simulation.t
        simulation.run(0.1)
        assert simulation.stopped_by is None and simulation.t == pytest.approx(fall + 0.1)


def test_functions_as_events(ball):
    def high(t, q, v):
        return q[0] - 5.0

    simulation = smooth(ball, v=[20.0], events=high, method="dormand-prince")
    simulation.run(10.0)
    assert simulation.stopped_by == "high"
    assert simulation.t == pytest.approx((20 - np.sqrt(400 - 2 * G * 5)) / G, abs=1e-10)
    with pytest.raises(TypeError, match="an Event or a function"):
        smooth(ball, events=[3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="direction must be 'either'"):
        fl.Event(high, direction="up")  # type: ignore[arg-type]


def test_external_forces(ball, pendulum):
    up = smooth(ball, external_forces={"ball": [0, 0, 2 * G + 4, 0, 0, 0]})
    up.run(1.0)
    np.testing.assert_allclose(up.q, 1.0, atol=1e-10)
    up.external_forces = lambda t, q, v: {"slide": [0, 0, 2 * G, 0, 0, 0]}
    before = up.v.copy()
    up.run(0.1)
    np.testing.assert_allclose(up.v, before)
    # A torque as force on a body is the same as one of the joint.
    pushed = smooth(pendulum, [0.3], external_forces=lambda t, q, v: {"rod": [0, 0, 0, 0, t, 0]})
    pushed.run(1.0)
    driven = smooth(pendulum, [0.3], controller=lambda t, q, v: [t], control_period=0.0)
    driven.run(1.0)
    np.testing.assert_allclose(pushed.q, driven.q, atol=1e-12)
    with pytest.raises(KeyError, match="rod"):
        smooth(pendulum, external_forces={"rot": [0] * 6})
    with pytest.raises(KeyError):
        smooth(pendulum, external_forces=lambda t, q, v: {"nothing": [0] * 6}).run(0.1)


def test_passive_forces_and_limits(pendulum, ball):
    # Small oscillations with damping: the closed form.
    inertia, moment, damping = 0.2 + 3 * 0.5**2, 3 * G * 0.5, 0.7
    recording = smooth(pendulum, [1e-4], passive=True).run(2.0)
    decay = damping / (2 * inertia)
    rate = np.sqrt(moment / inertia - decay**2)
    t = recording.t
    expected = 1e-4 * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t))
    np.testing.assert_allclose(recording.q[:, 0], expected, atol=1e-11)
    panda = fl.load("panda")
    with pytest.warns(UserWarning, match="beyond.*limits=True adds stops"):
        free = smooth(panda)
        free.run(1.0)
    assert free.warnings
    # A ball rests on its stop where the yielding spring k x²/(x + w) carries it.
    stop = fl.load(BALL.replace('lower="-100"', 'lower="0"'))
    k, w, weight = 1e4, 1e-3, 2 * G
    depth = (weight + np.sqrt(weight**2 + 4 * k * weight * w)) / (2 * k)
    for limits in ((k, 200.0), {"slide": (k, 200.0)}):
        resting = smooth(stop, limits=limits)
        resting.run(1.0)
        np.testing.assert_allclose(resting.q, -depth, rtol=1e-6)
    own = smooth(stop, [0.1], limits=True)
    assert own.run(1.0).q.min() > -0.1
    with pytest.raises(KeyError, match="panda_joint4"):
        smooth(panda, limits={"panda_joint44": (1.0, 1.0)})
    with pytest.raises(TypeError, match="limits must be"):
        smooth(panda, limits="hard")  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["runge-kutta-4", "maximal-variational", "dormand-prince"])
def test_closed_loops(method):
    four_bar = fl.load("four_bar")
    simulation = smooth(four_bar, v=[1.0, 0.0, 0.0], method=method)
    recording = simulation.run(0.5)
    assert recording.loop_gap.max() < 1e-9
    assert np.ptp(recording.q[:, 0]) > 0.05
    with pytest.raises(ValueError, match="assemble=True"):
        smooth(four_bar, [0.4, 0.0, 0.0], method=method).run(0.1)
    closed = smooth(four_bar, [0.4, 0.0, 0.0], method=method, assemble=True)
    assert closed.run(0.1).loop_gap.max() < 1e-9
    # The state is on the loops at once.
    assert np.abs(closed.q - [0.4, 0.0, 0.0]).max() > 1e-3
    with pytest.raises(ValueError, match="maximal-variational"):
        smooth(four_bar, method="variational")


@pytest.mark.parametrize("loops", ["projection", "stabilisation", "both"])
def test_closed_loops_in_steps(loops):
    four_bar = fl.load("four_bar")
    whole = smooth(four_bar, v=[1.0, 0.0, 0.0], loops=loops)
    whole.run(0.1)
    parts = smooth(four_bar, v=[1.0, 0.0, 0.0], loops=loops)
    for _ in range(100):
        parts.step()
    np.testing.assert_allclose(parts.q, whole.q, atol=1e-6)
    np.testing.assert_allclose(parts.record.energy, parts.record.energy[0], atol=1e-5)


def test_all_robots_move():
    for name in fl.ROBOTS:
        robot = fl.load(name)
        simulation = smooth(robot, controller="gravity")
        recording = simulation.run(0.02)
        assert np.isfinite(recording.q).all(), name
        assert recording.q.shape == (3, robot.nq) and recording.v.shape == (3, robot.nv)
        assert len(recording.columns) == len(set(recording.columns)) == len(recording.units)
        for joint in robot.joints:
            assert len(recording[joint].t) == 3


def test_state_is_writable(double):
    simulation = smooth(double, [1.0, 0.0])
    simulation.run(0.1)
    simulation.q[0] = 0.25
    simulation.v = [0.0, 1.0]
    simulation.t = 7.0
    recording = simulation.run(0.1)
    assert (recording.t[0], recording.q[0, 0], recording.v[0, 1]) == (7.0, 0.25, 1.0)
    fresh = smooth(double, [0.25, simulation.record.q[10, 1]], [0.0, 1.0], t=7.0)
    np.testing.assert_array_equal(fresh.run(0.1).q, recording.q)
    simulation.reset([0.5, 0.5])
    assert simulation.t == 0.0 and len(simulation.record) == 0
    with pytest.raises(ValueError, match=r"q has shape \(3,\), where \(2,\) is expected"):
        simulation.q = [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="finite number"):
        simulation.t = float("inf")
    simulation.q[1] = float("nan")
    with pytest.raises(ValueError, match="q"):
        simulation.run(0.1)


def test_failures_say_when_where_and_what_to_do(double):
    stiff = fl.ProportionalDerivative([0.0, 0.0], 1e9, 1e7)
    simulation = smooth(double, [0.5, 0.5], controller=stiff, effort_limits=False)
    with pytest.warns(UserWarning, match="Take steps"), pytest.raises(fl.SimulationError) as caught:
        simulation.run(1.0)
    text = str(caught.value)
    assert "t = " in text and "joint `" in text and "step" in text
    assert np.isfinite(simulation.q).all()
    misuses: list[tuple[dict[str, Any], str]] = [
        ({"dt": -1.0}, "dt is -1"),
        ({"method": "euler"}, r"method must be 'runge-kutta-4' \(rk4\) or"),
        ({"tolerance": 1e-6}, "take `dormand-prince`"),
        ({"controller": "pid"}, "controller must be .* did you mean `pd`"),
        ({"controller": [1.0]}, r"controller has shape \(1,\)"),
        ({"control_period": 0.1}, "leave it out"),
        ({"control_period": -0.1, "controller": "gravity"}, "control_period is -0.1"),
        ({"assemble": True}, "has no loops"),
        ({"loops": "glue"}, "loops must be"),
        ({"q": [1.0]}, r"q has shape \(1,\), where \(2,\) is expected"),
    ]
    for arguments, message in misuses:
        with pytest.raises(ValueError, match=message):
            smooth(double, **arguments)
    simulation = smooth(double)
    for call in (lambda: simulation.run(-1.0), lambda: simulation.run(1.0, every=0.0)):
        with pytest.raises(ValueError, match="is expected"):
            call()
    with pytest.raises(ValueError, match="reference has shape"):
        smooth(double, controller=fl.ProportionalDerivative([0.0], 1.0, 1.0))
    with pytest.raises(ValueError, match="or frequency alone"):
        fl.ProportionalDerivative([0.0], 1.0)


def test_ctrl_c_ends_a_run(double):
    simulation = smooth(double, [1.0, 0.0])
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(1e6, every=1e5)
    timer.join()
    assert 0.0 <= simulation.t < 1e6
    simulation.run(0.01)


def test_a_running_simulation_says_so(double):
    messages: list[str] = []

    def law(t, q, v):
        for use in (lambda: simulation.run(0.1), lambda: simulation.record):
            with pytest.raises(RuntimeError, match="running") as caught:
                use()
            messages.append(str(caught.value))
        return [0.0, 0.0]

    simulation = smooth(double, controller=law, control_period=1.0)
    simulation.run(0.01)
    assert len(messages) == 2


def test_threads_run_simulations_at_once(double):
    alone = smooth(double, [1.0, 0.0], controller=lambda t, q, v: -v).run(0.2)
    results = []

    def work():
        results.append(smooth(double, [1.0, 0.0], controller=lambda t, q, v: -v).run(0.2))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for recording in results:
        np.testing.assert_array_equal(recording.q, alone.q)


def test_recordings_read_back(double, tmp_path):
    simulation = smooth(double, [2.0, 1.0], controller=lambda t, q, v: [0.3, -0.1 * v[1]])
    recording = simulation.run(0.5)
    recording.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="") as file:
        names, *rows = csv.reader(file)
    assert names == recording.columns
    numbers = np.array(rows, dtype=float)
    np.testing.assert_array_equal(numbers, np.column_stack(list(recording.to_dict().values())))
    np.testing.assert_array_equal(numbers[:, 0], recording.t)
    np.testing.assert_array_equal(numbers[:, 1:3], recording.q)
    np.testing.assert_array_equal(numbers[:, 3:5], recording.v)
    np.testing.assert_array_equal(numbers[:, 5:7], recording.tau)
    np.testing.assert_array_equal(numbers[:, 9], recording.energy)
    recording.save(str(tmp_path / "run.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    np.testing.assert_array_equal([line["q"] for line in lines], recording.q)
    np.testing.assert_array_equal([line["energy"] for line in lines], recording.energy)
    np.testing.assert_array_equal([line["angular_momentum"]["y"] for line in lines], recording.angular_momentum[:, 1])
    recording.save(tmp_path / "run.parquet")
    assert (tmp_path / "run.parquet").read_bytes()[:4] == b"PAR1" == (tmp_path / "run.parquet").read_bytes()[-4:]
    recording.save(tmp_path / "run.mcap")
    assert (tmp_path / "run.mcap").read_bytes()[1:5] == b"MCAP"
    with pytest.raises(ValueError, match="csv, jsonl, parquet, mcap"):
        recording.save(tmp_path / "run.txt")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        recording.save(tmp_path / "nowhere" / "run.csv")


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "mcap"])
def test_recordings_are_loaded_as_they_were_saved(double, extension, tmp_path):
    path = tmp_path / f"run.{extension}"
    for robot in (double, fl.load("hand")):
        recording = smooth(robot, controller="gravity").run(0.05)
        recording.save(path)
        again = fl.Recording.load(path, robot)
        assert again.columns == recording.columns and again.units == recording.units
        for name, column in recording.to_dict().items():
            np.testing.assert_array_equal(again[name], column, err_msg=name)
        assert len(again.contacts) == 0 and np.isnan(again.drive_work).all()
    with pytest.raises(ValueError, match="another robot"):
        fl.Recording.load(path, double)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        fl.Recording.load(tmp_path / f"nowhere.{extension}", double)


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet", "mcap"])
def test_contacts_are_loaded(extension, tmp_path):
    recording = fl.Simulation("quadruped").run(0.05)
    path = tmp_path / f"stand.{extension}"
    recording.save(path)
    again = fl.Recording.load(path, "quadruped")
    for name, column in recording.to_dict().items():
        if name in again.columns:
            # Forces on a body are summed again.
            np.testing.assert_allclose(again[name], column, rtol=1e-12, atol=1e-12, err_msg=name)
    assert set(recording.columns) - set(again.columns) <= {c for c in recording.columns if c.startswith("contact_")}
    np.testing.assert_array_equal(again.q, recording.q)
    np.testing.assert_array_equal(again.drive_work, recording.drive_work)
    np.testing.assert_array_equal(again.residual[1:], recording.residual[1:])
    own, found = recording.contacts, again.contacts
    feet = {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"}
    assert len(found) and np.isnan(found["friction"]).all()
    assert set(found["links"][:, 0]) == {"world"}
    # Bodies are named after their first link, which carries the foot.
    assert len(set(found["links"][:, 1])) == len(feet)
    # Files have the world first, and the force on the second body.
    on_feet = np.where(own["links"][:, :1] == "world", 1, -1) * own["force"]
    last = found["t"] == again.t[-1]
    np.testing.assert_allclose(found["force"][last].sum(axis=0), on_feet[own["t"] == again.t[-1]].sum(axis=0), atol=1e-9)
    is_whole = extension in ("jsonl", "mcap")
    assert np.isnan(found["normal"]).all() != is_whole
    if is_whole:
        np.testing.assert_array_equal(found["point"], own["point"])
        np.testing.assert_array_equal(found["gap"], own["gap"])
    # It is saved again, as what it has.
    twice = tmp_path / f"again.{extension}"
    again.save(twice)
    np.testing.assert_allclose(fl.Recording.load(twice, "quadruped").contacts["force"], found["force"], rtol=1e-12)
    if not is_whole:
        with pytest.raises(ValueError, match="save it as csv or parquet"):
            again.save(tmp_path / "again.jsonl")


def test_recordings_by_name(double):
    recording = smooth(double, [2.0, 1.0]).run(0.5)
    np.testing.assert_array_equal(recording["q.elbow"], recording.q[:, 1])
    elbow = recording["elbow"]
    np.testing.assert_array_equal(elbow.q, recording.q[:, 1])
    np.testing.assert_array_equal(elbow.v, recording.v[:, 1])
    np.testing.assert_array_equal(elbow.t, recording.t)
    part = recording[10:20]
    assert len(part) == 10
    np.testing.assert_array_equal(part.q, recording.q[10:20])
    assert recording.units["tau.shoulder"] == "N·m"
    with pytest.raises(KeyError, match="'elbow'"):
        recording["elbw"]
    with pytest.raises(IndexError, match="one by one"):
        recording[::2]
    with pytest.raises(TypeError):
        recording[0]  # type: ignore[call-overload]
    assert repr(recording) == "<featherline.Recording of 'double_pendulum': 51 samples, t = 0.0 to 0.5 s>"
    assert "no samples" in repr(smooth(double).record)
    # A floating base has seven entries in q and six in v.
    quadruped = fl.load("quadruped")
    base = next(iter(quadruped.joints.values()))
    history = smooth(quadruped, controller="gravity").run(0.02)[base.name]
    assert history.q.shape == (3, 7) and history.v.shape == (3, 6)


def test_representation(double):
    def law(t, q, v):
        return [0.0, 0.0]

    simulation = smooth(double, controller=law)
    text = repr(simulation)
    assert "double_pendulum" in text and "runge-kutta-4 in steps of 0.001 s" in text and "law" in text
    assert "tolerance" in repr(smooth(double, method="dormand-prince"))
    assert "ends the run" in repr(fl.Event(law))
    assert "0.5 Hz" in repr(fl.ProportionalDerivative([0.0], frequency=0.5))
    assert inspect.signature(fl.Simulation).parameters["loops"].default == "projection"


def test_memory_is_freed_although_controllers_know_their_simulation(double):
    class Robot:
        def __init__(self):
            self.simulation = smooth(double, controller=self.law)

        def law(self, t, q, v):
            return [0.0, 0.0]

    robot = Robot()
    robot.simulation.run(0.01)
    reference = weakref.ref(robot.simulation)
    del robot
    gc.collect()
    assert reference() is None


def test_recordings_are_pickled():
    recording = smooth(fl.load("hand"), v=np.full(17, 0.1)).run(0.02, every=0.01)
    again = pickle.loads(pickle.dumps(recording[1:]))
    assert again.model == recording.model and again.columns == recording.columns and len(again) == 2
    for name, values in again.to_dict().items():
        assert np.array_equal(values, recording[name][1:]), name


def test_an_event_of_a_vector_is_named():
    def stops(t, q, v):
        return v

    simulation = smooth(fl.load("double_pendulum"), events=stops)
    with pytest.raises(TypeError, match=r"event 'stops' returned an array of shape \(2,\), where one number"):
        simulation.run(0.1)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_files_of_columns_have_mimic_joints(format, tmp_path):
    recording = smooth(fl.load("hand"), v=np.full(17, 0.1)).run(0.02, every=0.01)
    path = tmp_path / f"hand.{format}"
    recording.save(path)
    if format == "csv":
        names = path.read_text().splitlines()[0].split(",")
        numbers = np.loadtxt(path, delimiter=",", skiprows=1)
        assert names == recording.columns
        assert np.array_equal(numbers, np.column_stack(list(recording.to_dict().values())))


@pytest.mark.filterwarnings("default:.* went beyond")
@pytest.mark.parametrize("method", ["runge-kutta-4", "time-stepping"])
def test_joints_beyond_limits_are_told_once(method: Literal["runge-kutta-4", "time-stepping"]) -> None:
    def told(work: Callable[[], None]) -> list[str]:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            work()
        texts = [str(one.message) for one in seen]
        return [text for text in texts if "went beyond" in text]

    def steps(count: int) -> None:
        for _ in range(count):
            simulation.step()

    def run(duration: float) -> None:
        simulation.run(duration)

    link = "<link name='{0}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
    joint = """<joint name='{2}' type='prismatic'><axis xyz='{3}'/><parent link='{0}'/><child link='{1}'/>
        <limit lower='-1' upper='1' effort='9' velocity='9'/></joint>"""
    parts = [link.format(name) for name in "abc"] + [joint.format(*"abx", "1 0 0"), joint.format(*"bcy", "0 1 0")]
    simulation = fl.Simulation(f"<robot name='cart'>{''.join(parts)}</robot>", method=method)
    assert told(lambda: simulation.step(steps=5)) == []
    # Written beyond its limit within a motion.
    simulation.q[0] = 3.0
    (first,) = told(lambda: steps(50))
    assert "joint `x` furthest, by 2.000 m" in first and "first at t = 0.005 s" in first and "began there" not in first
    assert told(lambda: run(0.01)) == [] and [it for it in simulation.warnings if "went beyond" in it] == [first]
    # Another joint is told by itself.
    simulation.q[1] = -2.0
    (second,) = told(lambda: steps(50))
    assert "1 joint coordinate" in second and "joint `y` furthest, by 1.000 m" in second
    simulation.reset([3.0, 0.0])
    (again,) = told(lambda: steps(50))
    assert "(it began there), first at t = 0 s" in again
