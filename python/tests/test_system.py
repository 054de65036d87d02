"""The sparse system: solutions, estimates and diagnosis against other algorithms and dense numpy."""

import _thread
import pickle
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest

import featherline as fl

GRAVITY = 9.81


@pytest.fixture(scope="module")
def panda():
    return fl.load("panda")


@pytest.fixture(scope="module")
def humanoid():
    return fl.load("humanoid")


@pytest.fixture(scope="module")
def inverse(panda):
    return fl.System(panda, known=["qdd", "no-external-forces"])


def state(model, seed, states=None):
    random = np.random.default_rng(seed)
    q = model.random_configuration(seed=seed, states=states)
    shape = (model.nv,) if states is None else (states, model.nv)
    return q, random.normal(size=shape), random.normal(size=shape)


def test_inverse_dynamics_is_rnea(panda, inverse):
    q, v, a = state(panda, 1)
    solution = inverse.solve(q, v, {"qdd": a})
    assert solution.keys() == ["tau"] == list(solution) and len(solution) == 1 and "tau" in solution
    np.testing.assert_allclose(solution["tau"], panda.rnea(q, v, a), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(solution["tau:panda_joint3"], panda.rnea(q, v, a)[2:3], rtol=1e-11, atol=1e-11)
    assert solution.status == "compiled" and solution.residual < 1e-13 and solution.condition > 1


def test_forward_dynamics_is_aba(panda):
    system = fl.System(panda, known=["tau", "no_external_forces"], want=["qdd", "transmitted-force:panda_joint1"])
    q, v, tau = state(panda, 2, 40)
    solution = system.solve(q, v, {"tau": tau})
    assert solution["qdd"].shape == (40, 7) and solution["transmitted-force:panda_joint1"].shape == (40, 6)
    np.testing.assert_allclose(solution["qdd"], panda.aba(q, v, tau), rtol=1e-9, atol=1e-9)
    assert set(solution.status) <= {"compiled", "factorised"} and len(solution.status) == 40
    array = system.solve(q, v, tau)
    np.testing.assert_array_equal(array["qdd"], solution["qdd"])
    np.testing.assert_allclose(solution["transmitted-force:panda_joint1"][:, 5], tau[:, 0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["humanoid", "four_bar", "delta"])
def test_inverse_and_forward_dynamics_of_other_robots(name):
    if name not in fl.ROBOTS:
        pytest.skip("no such robot")
    model = fl.load(name)
    q, v, a = state(model, 3)
    forward = fl.System(model, known=["tau", "no-external-forces"], cut_loops=name != "humanoid")
    tau = model.rnea(q, v, a)
    np.testing.assert_allclose(forward.solve(q, v, {"tau": tau})["qdd"], a, rtol=1e-6, atol=1e-6)


def test_passive_forces():
    humanoid = fl.load("humanoid")
    q, v, a = state(humanoid, 4)
    system = fl.System(humanoid, known=["qdd", "no-external-forces"], passive=True)
    expected = humanoid.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(system.solve(q, v, {"qdd": a})["tau"], expected, rtol=1e-9, atol=1e-9)


def redundant(panda, **options):
    sensors = [
        fl.Sensor.joint_force("torque", "all", sigma=[0.1] * 4 + [0.05] * 3),
        fl.Sensor.accelerometer("imu", "panda_link8", sigma=0.05),
        fl.Sensor.joint_acceleration("encoder", ["panda_joint1", "panda_joint2"], sigma=0.2),
    ]
    return fl.System(
        panda, known=["no-external-forces"], sensors=sensors, priors=[fl.Prior("qdd", sigma=10.0)], **options
    )


def test_estimate_is_weighted_least_squares(panda):
    system = redundant(panda)
    assert system.inputs["torque.panda_joint1"] == 1 and system.inputs["imu"] == 3
    q, v, a = state(panda, 5)
    random = np.random.default_rng(5)
    readings = {
        "torque": panda.rnea(q, v, a) + random.normal(size=7) * 0.1,
        "imu": random.normal(size=3) * 5,
        "encoder": a[:2] + random.normal(size=2) * 0.2,
    }
    estimate = system.estimate(q, v, readings, covariance=True)
    # In joint accelerations alone: tau = M a + h, the accelerometer J a + c, both by other algorithms.
    mass, bias = panda.crba(q), panda.bias(q, v)
    rotation = panda.placement(q, "panda_link8")[:3, :3]
    jacobian = panda.jacobian(q, "panda_link8")[:3]
    rest = panda.classical_acceleration(q, v, np.zeros(7), "panda_link8")[:3] + rotation.T @ [0, 0, GRAVITY]
    weights = 1 / np.concatenate([[0.1] * 4 + [0.05] * 3, [0.05] * 3, [0.2] * 2, [10.0] * 7])
    matrix = weights[:, None] * np.vstack([mass, jacobian, np.eye(7)[:2], np.eye(7)])
    right = weights * np.concatenate([readings["torque"] - bias, readings["imu"] - rest, readings["encoder"], np.zeros(7)])
    expected, cost = np.linalg.lstsq(matrix, right, rcond=None)[:2]
    covariance = np.linalg.inv(matrix.T @ matrix)
    np.testing.assert_allclose(estimate["qdd"], expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(estimate["tau"], mass @ expected + bias, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(estimate.covariance("qdd"), covariance, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(estimate.sigma("qdd"), np.sqrt(np.diag(covariance)), rtol=1e-6)
    np.testing.assert_allclose(estimate.covariance("tau"), mass @ covariance @ mass.T, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(estimate.cost, cost[0], rtol=1e-7)
    assert estimate.chi_square.statistic == pytest.approx(cost[0], rel=1e-7)
    # 19 weighted rows less 7 directions.
    assert estimate.chi_square.degrees_of_freedom == pytest.approx(12, abs=1e-6)
    residual = (right - matrix @ expected) / np.sqrt(1 - np.einsum("ij,jk,ik->i", matrix, covariance, matrix))
    np.testing.assert_allclose(estimate.residuals["imu"], residual[7:10], rtol=1e-5, atol=1e-6)


def test_estimates_of_many_states_and_failed_sensors(panda):
    system = redundant(panda)
    q, v, a = state(panda, 6, 30)
    readings = {"torque": panda.rnea(q, v, a), "imu": np.zeros((30, 3)), "encoder": a[:, :2]}
    readings["imu"][::2] = np.nan
    many = system.estimate(q, v, readings)
    assert many["qdd"].shape == (30, 7) and many.sigma("tau").shape == (30, 7)
    assert many.cost.shape == (30,) and len(many.largest) == 30
    for row in (0, 1):
        one = {name: values[row] for name, values in readings.items()}
        if row == 0:
            one["imu"] = None
        estimate = system.estimate(q[row], v[row], one)
        np.testing.assert_allclose(many["qdd"][row], estimate["qdd"], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(many.sigma("qdd")[row], estimate.sigma("qdd"), rtol=1e-9)
        assert many.cost[row] == pytest.approx(estimate.cost, rel=1e-6, abs=1e-12)
        assert np.isnan(estimate.residuals["imu"]).all() == (row == 0)


def test_an_outlier_is_named(panda):
    sensors = [
        fl.Sensor.joint_force("torque", "all", sigma=0.1),
        fl.Sensor.force_torque("wrist", "panda_link8", sigma=0.1),
    ]
    system = fl.System(panda, known=["qdd", "no-external-forces"], sensors=sensors)
    q, v, a = state(panda, 7)
    tau = panda.rnea(q, v, a)
    tau[2] += 2.0
    wrist = fl.System(panda, known=["qdd", "no-external-forces"], want=["transmitted-force:panda_joint7"])
    force = wrist.solve(q, v, {"qdd": a})["transmitted-force:panda_joint7"]
    placement = panda.placement(q, "panda_link8") @ np.eye(4)
    joint = panda.placement(q, "panda_joint7")
    relative = np.linalg.inv(placement) @ joint
    linear = relative[:3, :3] @ force[:3]
    angular = relative[:3, :3] @ force[3:] + np.cross(relative[:3, 3], linear)
    estimate = system.estimate(q, v, {"qdd": a, "torque": tau, "wrist": np.concatenate([linear, angular])})
    assert isinstance(estimate.largest, fl.results.Outlier) and isinstance(estimate.suspect, fl.results.Suspect)
    assert estimate.largest.sensor == "torque.panda_joint3" == estimate.suspect.sensor
    assert estimate.largest.is_outlier and estimate.largest.deviations == pytest.approx(20, rel=1e-6)
    assert estimate.sensor_test("wrist").statistic == pytest.approx(0, abs=1e-6)
    assert estimate.suspect.probability < 1e-9


CELLS = [[0.08, 0.03], [0.08, -0.03], [-0.08, 0.03], [-0.08, -0.03]]


def feet(humanoid, *more, known=()):
    sensors = [
        fl.Sensor.load_cells("left_cells", "left_sole", CELLS, sigma=0.5),
        fl.Sensor.load_cells("right_cells", "right_sole", CELLS, sigma=0.5),
        *more,
    ]
    return fl.System(humanoid, known=["qdd", "free-base", "no-external-forces", *known], sensors=sensors)


def test_diagnosis_and_advice(humanoid):
    system = feet(humanoid)
    assert system.unknowns == system.equations
    diagnosis = system.diagnose()
    assert not diagnosis.solvable and not diagnosis.solvable_in_general
    assert diagnosis.configurations[0].name == "neutral" and diagnosis.configurations[0].open == 3
    assert "Remark 5" in diagnosis.report and str(diagnosis) == diagnosis.report
    advice = system.advise()
    assert advice.smallest and advice.additions and all(len(set_) == 1 for set_ in advice.additions)
    contacts = [fl.Sensor.contact(f"{side}_floor", f"{side}_sole", "frictionless") for side in ("left", "right")]
    better = feet(humanoid, *contacts).diagnose()
    assert better.solvable and better.redundant_equations > 0


def test_files(panda, tmp_path):
    system = redundant(panda)
    path = tmp_path / "sensors.toml"
    path.write_text(system.to_toml())
    again = fl.System.from_file(panda, path)
    assert again.inputs == system.inputs and again.unknowns == system.unknowns
    path.write_text('known = ["qdd"]\n\n[[sensor]]\nname = "imu"\ntype = "accelerometr"\nframe = "panda_link8"\nsigma = 1\n')
    with pytest.raises(ValueError, match=r"sensors\.toml: line 5, column 8: .*did you mean `accelerometer`"):
        fl.System.from_file(panda, path)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.toml"):
        fl.System.from_file(panda, tmp_path / "nowhere.toml")


def test_errors(panda, inverse):
    q, v, a = state(panda, 8)
    with pytest.raises(KeyError, match="sensor 'imu': .*did you mean `panda_link8`"):
        fl.System(panda, sensors=[fl.Sensor.accelerometer("imu", "panda_lnk8", sigma=1)])
    with pytest.raises(ValueError, match="known: .*did you mean `tau`"):
        fl.System(panda, known=["tua"])
    with pytest.raises(TypeError, match="sensor 'imu' needs sigma"):
        fl.Sensor.accelerometer("imu", "panda_link8")
    with pytest.raises(ValueError, match="sensor 'imu'"):
        fl.System(panda, sensors=[fl.Sensor.accelerometer("imu", "panda_link8", covariance=-np.eye(3))])
    with pytest.raises(ValueError, match=r"inputs lack 'qdd' \(7\)"):
        inverse.solve(q, v)
    with pytest.raises(ValueError, match=r"inputs\['qdd'\] has shape \(6,\), where \(7,\) or \(n, 7\) is expected"):
        inverse.solve(q, v, {"qdd": a[:6]})
    with pytest.raises(KeyError, match="there is no input 'qddd'; did you mean 'qdd'"):
        inverse.solve(q, v, {"qddd": a})
    with pytest.raises(KeyError, match="there is no requested output 'tua'; did you mean 'tau'"):
        inverse.solve(q, v, {"qdd": a})["tua"]
    with pytest.raises(ValueError, match="rows"):
        inverse.solve(np.zeros((3, 7)), np.zeros((2, 7)), {"qdd": a})
    with pytest.raises(ValueError, match="want: .*did you mean"):
        fl.System(panda, known=["qdd"], want=["tua"])


def test_rows_without_a_solution(panda, inverse):
    q, v, a = state(panda, 9, 4)
    a[2, 3] = np.inf
    with pytest.warns(UserWarning, match="1 of 4 states have no result.*row 2"):
        solution = inverse.solve(q, v, {"qdd": a})
    assert np.isnan(solution["tau"][2]).all() and solution.status[2] == "failed"
    np.testing.assert_allclose(solution["tau"][3], panda.rnea(q[3], v[3], a[3]), rtol=1e-10, atol=1e-10)
    with pytest.raises(ValueError, match="not a finite number"):
        inverse.solve(q[2], v[2], {"qdd": a[2]})


def test_what_is_not_determined_is_nan():
    four_bar = fl.load("four_bar")
    system = fl.System(four_bar, known=["tau", "no-external-forces"])
    zeros = np.zeros(four_bar.nv)
    solution = system.solve(four_bar.neutral(), zeros, {"tau": zeros})
    assert solution.status == "partial" and np.isfinite(solution["qdd"]).all()
    force = next(solution[name] for name in solution if name.startswith("loop-force"))
    assert np.isnan(force).sum() == 3


TIP = """<robot name="tip">
  <link name="base"/>
  <link name="wheel"><inertial><mass value="2"/>
    <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.5"/></inertial></link>
  <link name="tip"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
  <joint name="loose" type="continuous"><parent link="wheel"/><child link="tip"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_a_massless_tip_leaves_its_own_acceleration_open_and_no_other():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fl.load(TIP)
    system = fl.System(model, known=["tau", "no-external-forces"], want=["qdd"])
    solution = system.solve([0.3, 0.1], [0, 0], {"tau": [1, 0]})
    # 1 N·m on 0.5 kg·m².
    assert solution.status == "partial" and solution["qdd"][0] == pytest.approx(2.0)
    assert np.isnan(solution["qdd"][1])
    with pytest.raises(ValueError, match="contradicts itself"):
        system.solve([0.3, 0.1], [0, 0], {"tau": [1, 1]})


@pytest.mark.parametrize("name", ["panda", "quadruped", "humanoid", "hand"])
def test_derivatives_are_those_of_the_algorithms(name):
    model = fl.load(name)
    q, v = model.random_configuration(1), np.linspace(-1, 1, model.nv)
    a = np.linspace(2, -1, model.nv)
    system = fl.System(model, known=["qdd", "no-external-forces"])
    found = system.solve_derivatives(q, v, {"qdd": a})["tau"]
    expected = model.rnea_derivatives(q, v, a)
    scale = np.abs(expected.dq).max()
    assert np.allclose(found.value, model.rnea(q, v, a), atol=1e-9 * scale)
    assert np.allclose(found.dq, expected.dq, atol=1e-9 * scale)
    assert np.allclose(found.dv, expected.dv, atol=1e-9 * scale)
    assert np.allclose(found.dinputs["qdd"], model.mass_matrix(q), atol=1e-9 * scale)
    system = fl.System(model, known=["tau", "no-external-forces"])
    tau = model.rnea(q, v, a)
    found = system.solve_derivatives(q, v, {"tau": tau}, want=["qdd"])["qdd"]
    forward = model.aba_derivatives(q, v, tau)
    for own, other in [(found.dq, forward.dq), (found.dv, forward.dv), (found.dinputs["tau"], forward.dtau)]:
        assert np.allclose(own, other, atol=1e-9 * (1 + np.abs(other).max()))


def test_derivatives_of_a_mixed_problem_are_slopes():
    """A reading of a wrist sensor, among knowns, in finite differences."""
    model = fl.load("panda")
    known = [f"qdd:panda_joint{k}" for k in range(1, 7)] + ["no-external-forces"]
    torque = fl.Sensor.joint_force("torque", "panda_joint7", sigma=0.1)
    system = fl.System(model, known=known, sensors=[torque], want=["tau", "qdd"])
    q, v = model.random_configuration(3), np.linspace(-1, 1, 7)
    numbers = np.r_[np.linspace(-1, 1, 6), 0.3]
    found = system.solve_derivatives(q, v, numbers)
    step = 1e-5
    for name in ["tau", "qdd"]:
        for k in range(7):
            turn = step * np.eye(7)[k]
            by_q = system.solve(model.integrate(q, turn), v, numbers)[name]
            by_q = by_q - system.solve(model.integrate(q, -turn), v, numbers)[name]
            by_v = system.solve(q, v + turn, numbers)[name] - system.solve(q, v - turn, numbers)[name]
            scale = np.abs(found[name].dq).max()
            assert np.allclose(found[name].dq[:, k], by_q / (2 * step), atol=1e-7 * scale)
            assert np.allclose(found[name].dv[:, k], by_v / (2 * step), atol=1e-7 * scale)
        more = system.solve(q, v, numbers + np.r_[np.zeros(6), 1.0])[name] - found[name].value
        assert np.allclose(found[name].dinputs["torque"][:, 0], more, atol=1e-8 * (1 + np.abs(more).max()))
    # Many states, and one that fails among them.
    states = np.array([q, q, q])
    by_name = system.solve_derivatives(states, v, numbers, want=["tau:panda_joint2"])
    assert list(by_name) == ["tau:panda_joint2"]
    many = by_name["tau:panda_joint2"]
    assert many.dq.shape == (3, 1, 7) and many.dinputs["torque"].shape == (3, 1, 1)
    assert np.array_equal(many.dq[1, 0], found["tau"].dq[1])
    states[1, 0] = np.nan
    with pytest.warns(UserWarning, match="1 of 3 states have no result"):
        some = system.solve_derivatives(states, v, numbers)["tau"].dq
    assert np.isnan(some[1]).all() and np.array_equal(some[2], found["tau"].dq)


def test_what_has_no_derivatives_is_an_error():
    four_bar = fl.load("four_bar")
    system = fl.System(four_bar, known=["tau", "no-external-forces"])
    zeros = np.zeros(3)
    with pytest.raises(ValueError, match="singular"):
        system.solve_derivatives(four_bar.neutral(), zeros, zeros)
    model = fl.load("panda")
    system = fl.System(model, known=["no-external-forces"])
    with pytest.raises(ValueError, match="equations for .* unknowns"):
        system.solve_derivatives(model.neutral(), np.zeros(7), np.zeros((7, 0))[0])


def test_pickles_and_threads(panda, inverse):
    again = pickle.loads(pickle.dumps(inverse))
    sensor = fl.Sensor.joint_force("torque", "all", sigma=0.1)
    assert pickle.loads(pickle.dumps(sensor)) == sensor
    q, v, a = state(panda, 10, 100)
    expected = panda.rnea(q, v, a)
    results: list[Any] = [None] * 4

    def work(k):
        results[k] = again.solve(q, v, {"qdd": a})["tau"]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


def test_texts(panda, inverse):
    text = repr(inverse)
    assert "unknowns" in text and "equations" in text and "operations" in text and "wants tau" in text
    assert repr(fl.Sensor.contact("floor", "panda_link8", "point")).startswith("Sensor('floor', contact")


def test_plans(panda):
    system = fl.System(panda, known=["tau", "no-external-forces"])
    reports = []
    plan = system.plan(0.0, progress=lambda done, best: reports.append((done, best)))
    assert reports[-1] == (1.0, plan.operations) and plan.checked_operations > plan.operations > 1000
    counts = system.count_operations(["aba", "markowitz"], programs=True)
    assert list(counts) == ["aba", "markowitz"]
    assert system.plan(changes=200).operations <= plan.operations
    numbers = (counts["aba"].program, counts["aba"].operations, counts["aba"].fill_in)
    assert None not in numbers and counts["aba"].reason is None
    assert (numbers[0] or 0) > (numbers[1] or 0) > 0
    q, v, tau = state(panda, 11, 50)
    np.testing.assert_allclose(plan.solve(q, v, {"tau": tau})["qdd"], panda.aba(q, v, tau), rtol=1e-8, atol=1e-8)
    again = pickle.loads(pickle.dumps(plan))
    assert again.pivots == plan.pivots
    np.testing.assert_array_equal(again.solve(q, v, tau)["qdd"], plan.solve(q, v, tau)["qdd"])
    with pytest.raises(KeyError, match="there is no order 'abba'; did you mean 'aba'"):
        system.count_operations(["abba"])  # type: ignore[list-item]


def test_the_same_changes_are_the_same_plan():
    arm = fl.load("panda")
    system = fl.System(arm, known=["tau", "no-external-forces"], want=["qdd:panda_joint1"])
    plans = [system.plan(changes=0, seed=3) for _ in range(2)]
    assert plans[0].pivots == plans[1].pivots


def test_a_callback_that_raises_ends_a_search(panda):
    system = fl.System(panda, known=["tau", "no-external-forces"])

    def interrupt(done, best):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        system.plan(600.0, progress=interrupt)


def test_a_compiled_estimate_is_the_estimate(panda):
    sensors = [
        fl.Sensor.joint_force("torque", "all", sigma=0.1),
        fl.Sensor.joint_acceleration("encoder", "all", sigma=0.5),
    ]
    system = fl.System(panda, known=["no-external-forces"], sensors=sensors, want=["tau"])
    program = system.compile()
    q, v, a = state(panda, 12, 70)
    random = np.random.default_rng(12)
    readings = {"torque": panda.rnea(q, v, a) + 0.1 * random.normal(size=a.shape), "encoder": a}
    compiled, expected = program.estimate(q, v, readings), system.estimate(q, v, readings)
    np.testing.assert_allclose(compiled["tau"], expected["tau"], rtol=1e-7, atol=1e-7)
    assert set(compiled.status) == {"compiled"}
    assert program.operations > 1000 and set(program.times) == {"estimator", "program", "program, many states"}
    assert program.gain == program.times["estimator"] / program.times["program"] and "µs" in repr(program)
    count = system.count_operations()
    assert list(count) == ["estimate", "check"] and all(one.operations for one in count.values())
    with pytest.raises(ValueError, match="priors"):
        redundant(panda).compile()


def test_simulation(panda):
    system = redundant(panda)
    simulation, again = system.simulate(200, seed=1), system.simulate(200, seed=1)
    assert simulation.q.shape == (200, 7) and simulation.time[1] == pytest.approx(0.02)
    np.testing.assert_array_equal(simulation.inputs["imu"], again.inputs["imu"])
    assert (simulation.inputs["imu"] != system.simulate(200, seed=2).inputs["imu"]).all()
    truth = panda.rnea(simulation.q, simulation.v, simulation.truth["qdd"])
    np.testing.assert_allclose(simulation.truth["tau"], truth, rtol=1e-7, atol=1e-7)
    noise = simulation.inputs["torque.panda_joint1"][:, 0] - truth[:, 0]
    assert 0.08 < noise.std() < 0.12
    estimate = system.estimate(simulation.q, simulation.v, simulation.inputs)
    error = (estimate["tau"] - truth) / estimate.sigma("tau")
    assert 0.85 < (np.abs(error) < 2).mean() <= 1.0
    assert estimate.chi_square.statistic.mean() < 2 * estimate.chi_square.degrees_of_freedom.mean()


def test_the_matrix(panda, inverse):
    q, v, a = state(panda, 13)
    assembly = inverse.assemble(q, v, {"qdd": a})
    matrix = assembly.dense()
    assert matrix.shape == assembly.shape == (inverse.equations, inverse.unknowns) == inverse.pattern().shape
    y = np.linalg.solve(matrix, assembly.right)
    names = inverse.unknown_names()
    assert len(set(names)) == inverse.unknowns and len(set(inverse.equation_names())) == inverse.equations
    assert names[11] == "acceleration panda_joint2 about z (link)"
    assert inverse.equation_names()[11] == "motion panda_joint2 about z (link)"
    torques = [k for k, name in enumerate(names) if name.startswith("joint-force ")]
    np.testing.assert_allclose(y[torques], panda.rnea(q, v, a), rtol=1e-9, atol=1e-9)
    many = inverse.assemble(np.array([q, q]), v, {"qdd": a})
    assert many.dense().shape == (2, *matrix.shape) and (many.dense()[1] == matrix).all()
    form = inverse.block_triangular()
    assert form.is_triangular and form.rank == inverse.unknowns and form.largest_block == 1
    assert not form.underdetermined and not form.overdetermined
    permuted = matrix[form.row_order][:, form.column_order]
    assert not np.triu(permuted, 1).any() or not np.tril(permuted, -1).any()
    pattern = inverse.pattern()
    assert len(pattern.indices) == inverse.entries == pattern.indptr[-1]
    assert (inverse.equation_variances() == 0).all()


def test_pictures(inverse, tmp_path):
    path = tmp_path / "spy.svg"
    text = inverse.draw(path)
    assert text.startswith("<svg") and "block triangular" in text and path.read_text() == text


def test_pictures_of_the_robot(panda, inverse):
    assert inverse.draw(of="mass-matrix", text=True).splitlines()[0] == " ".join("■" * 7)
    assert "28 of 28" in inverse.draw(of="ltdl")
    lines = fl.System(fl.load("quadruped"), known=["qdd"]).draw(of="mass-matrix", text=True).splitlines()
    # Four legs of three joints on a base of six coordinates: 21 + 4 (6 · 3 + 6) elements.
    assert lines[6] == " ".join("■" * 9 + "·" * 9) and lines[-1].startswith("18 coordinates: 117 of 171")
    with pytest.raises(KeyError, match="mass-matrix"):
        inverse.draw(of="mass")


@pytest.mark.parametrize("order", ["aba", "crba_ltdl", "markowitz", "minimum_degree"])
def test_factors(panda, order):
    q, v, tau = state(panda, 15)
    system = fl.System(panda, known=["tau", "no-external-forces"])
    assembly = system.assemble(q, v, {"tau": tau})
    factors = system.factors(q, v, {"tau": tau}, order=order)
    lower, upper = factors.lower.dense(), factors.upper.dense()
    assert not np.triu(lower, 1).any() and not np.tril(upper, -1).any() and factors.order == order
    permuted = assembly.dense()[factors.rows][:, factors.columns]
    np.testing.assert_allclose(lower @ upper + factors.coupling.dense(), permuted, rtol=0, atol=1e-9)
    np.testing.assert_allclose(assembly.dense() @ factors.y, assembly.right, rtol=0, atol=1e-8)
    np.testing.assert_allclose(factors.pivots, np.diag(lower) * np.diag(upper), rtol=1e-14)
    names = np.array(system.unknown_names())[factors.columns]
    pivots = factors.pivots[np.char.startswith(names, "joint-acceleration")]
    if order in ("aba", "crba_ltdl"):
        # Both are the D of M = LᵀDL: pivot k is a ratio of minors of M (Featherstone 2008, section 9.4).
        mass = panda.crba(q)
        minors = [1.0] + [np.linalg.det(mass[k:, k:]) for k in reversed(range(7))]
        np.testing.assert_allclose(pivots, np.divide(minors[1:], minors[:-1]), rtol=1e-7)
    with pytest.raises(KeyError, match="did you mean 'aba'"):
        system.factors(q, v, {"tau": tau}, order="abba")  # type: ignore[arg-type]


def test_reformulation(panda):
    q, v, tau = state(panda, 16)
    system = fl.System(panda, known=["tau", "no-external-forces"])
    own = system.reformulation(q, v, {"tau": tau})
    matrix = system.assemble(q, v, {"tau": tau}).dense()
    first, second, third, fourth = (factor.dense() for factor in own.factors)
    np.testing.assert_allclose(own.left.dense(), fourth @ third @ second @ first, rtol=1e-9, atol=1e-12)
    product = own.left.dense() @ matrix @ own.right.dense()
    np.testing.assert_allclose(product, own.triangular.dense(), rtol=0, atol=1e-9)
    assert not np.triu(own.triangular.dense()[own.rows][:, own.columns], 1).any()
    accelerations = [name.startswith("joint-acceleration") for name in system.unknown_names()]
    np.testing.assert_allclose(own.y[accelerations], panda.aba(q, v, tau), rtol=1e-8, atol=1e-8)
    with pytest.raises(ValueError, match="forward dynamics"):
        fl.System(panda, known=["qdd", "no-external-forces"]).reformulation(q, v, {"qdd": tau})


def test_an_estimate_of_the_matrix_is_dense_least_squares(panda):
    """All unknowns at once, exact equations by a null space."""
    system = redundant(panda)
    simulation = system.simulate(1, seed=4)
    inputs = {name: values[0] for name, values in simulation.inputs.items()}
    assembly = system.assemble(simulation.q[0], simulation.v[0], inputs)
    matrix, right, variance = assembly.dense(), assembly.right, system.equation_variances()
    exact = variance == 0
    particular = np.linalg.lstsq(matrix[exact], right[exact], rcond=None)[0]
    null = np.linalg.svd(matrix[exact])[2][exact.sum() :].T
    names = system.unknown_names()
    accelerations = [k for k, name in enumerate(names) if name.startswith("joint-acceleration ")]
    rows = np.vstack([matrix[~exact] / np.sqrt(variance[~exact])[:, None], np.eye(len(names))[accelerations] / 10.0])
    target = np.concatenate([right[~exact] / np.sqrt(variance[~exact]), np.zeros(7)])
    x = particular + null @ np.linalg.lstsq(rows @ null, target - rows @ particular, rcond=None)[0]
    estimate = system.estimate(simulation.q[0], simulation.v[0], inputs)
    np.testing.assert_allclose(estimate["qdd"], x[accelerations], rtol=1e-6, atol=1e-6)


def test_gains_are_derivatives(panda):
    system = redundant(panda)
    q, v, a = state(panda, 14)
    random = np.random.default_rng(14)
    readings = {"torque": random.normal(size=7), "imu": random.normal(size=3), "encoder": random.normal(size=2)}
    estimate = system.estimate(q, v, readings, gain=True, tests=False)
    gain = estimate.gain("qdd", "imu")
    assert gain.shape == (7, 3) and estimate.gain("tau:panda_joint2", "torque").shape == (1, 7)
    step = np.array([0.5, -1.0, 2.0])
    moved = system.estimate(q, v, readings | {"imu": readings["imu"] + step})
    np.testing.assert_allclose(moved["qdd"] - estimate["qdd"], gain @ step, rtol=1e-7, atol=1e-8)
    with pytest.raises(ValueError, match="without tests"):
        estimate.chi_square  # noqa: B018


def test_innovations_of_a_narrow_prior(panda):
    """One acceleration is 0 ± 10, and read with an error of 1: innovations have a variance of 101."""
    known = ["no-external-forces"] + [f"qdd:panda_joint{k}" for k in range(1, 7)]
    encoder = fl.Sensor.joint_acceleration("encoder", "panda_joint7", sigma=1.0)
    system = fl.System(panda, known=known, sensors=[encoder], priors=[fl.Prior("qdd:panda_joint7", sigma=10.0)])
    inputs = {f"qdd:panda_joint{k}": 0.0 for k in range(1, 7)} | {"encoder": np.array([10.0, 20.0])}
    innovations = fl.Estimator(system).innovations(panda.neutral(), np.zeros(7), inputs)
    np.testing.assert_allclose(innovations.chi_square.statistic, [100 / 101, 400 / 101], rtol=1e-6)
    np.testing.assert_allclose(innovations.normalised["encoder"][:, 0], [10 / 101**0.5, 20 / 101**0.5], rtol=1e-6)
    np.testing.assert_allclose(innovations.sensor_test("encoder").degrees_of_freedom, [1, 1])
    assert isinstance(innovations.largest, list)
    assert [one and one.sensor for one in innovations.largest] == ["encoder"] * 2


def test_what_is_left_without_a_sensor(humanoid):
    ankles = [fl.Sensor.force_torque(f"{side}_ankle", f"{side}_foot", sigma=0.5) for side in ("left", "right")]
    system = feet(humanoid, *ankles)
    assert system.diagnose().solvable and system.diagnose(without=["left_ankle"]).solvable
    assert not system.diagnose(without=["left_ankle", "right_ankle"]).solvable
    with pytest.raises(KeyError, match="there is no sensor 'left_ankel'; did you mean 'left_ankle'"):
        system.diagnose(without=["left_ankel"])


def test_priors_and_equations_with_errors(panda):
    system = redundant(panda)
    simulation = system.simulate(20, seed=3)
    exact = fl.Estimator(system, prior=None)
    assert "entries in the factor" in repr(exact)
    weighted = fl.Estimator(system, equation_sigma=1e-4)
    one, other = (e.estimate(simulation.q, simulation.v, simulation.inputs) for e in (exact, weighted))
    assert (np.abs(one["qdd"] - other["qdd"]) < 0.05 * one.sigma("qdd")).all()
    # Without any prior, external forces that nothing measures are an error that names one.
    free = fl.System(panda, known=["qdd", "no-external-forces"], unknown=["panda_link8"])
    with pytest.raises(ValueError, match="do not determine"):
        fl.Estimator(free, prior=None).estimate(panda.neutral(), np.zeros(7), {"qdd": np.zeros(7)})
    for wrong in ({"prior": "wide"}, {"prior": -1.0}, {"equation_sigma": 0.0}):
        with pytest.raises(ValueError):
            fl.Estimator(system, **wrong)


def test_a_contact_that_is_lost(panda):
    sensors = [
        fl.Sensor.joint_force("torque", "all", sigma=0.1),
        fl.Sensor.contact("touch", "panda_link8", "point"),
    ]
    system = fl.System(panda, known=["qdd", "no-external-forces"], sensors=sensors)
    q, v = [0.3, -0.8, 0.2, -2.0, 0.1, 1.6, 0.8], np.zeros(7)
    force = np.array([3.0, -2.0, 5.0, 0.0, 0.0, 0.0])
    tau = panda.rnea(q, v, v, {"panda_link8": force})
    estimate = system.estimate(q, v, {"qdd": v, "torque": tau})
    lost = system.estimate(q, v, {"qdd": v, "torque": tau, "touch": None})
    name = "external-force:panda_link8"
    # The joint's frame has the axes of the flange, 0.107 m behind it.
    np.testing.assert_allclose(estimate[name][:3], force[:3], atol=1e-6)
    np.testing.assert_allclose(estimate[name][3:], np.cross([0, 0, 0.107], force[:3]), atol=1e-6)
    assert (lost.sigma(name)[:3] > 1.5 * estimate.sigma(name)[:3]).any()
    assert dict(estimate)[estimate.keys()[0]].shape == (7,)
    assert [name for name, _ in estimate.items()] == estimate.keys()


def test_control_c_ends_a_search(panda):
    system = fl.System(panda, known=["tau", "no-external-forces"])
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        system.plan(600.0)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("sigma", [-1.0, 0.0, [1.0, -1.0, 1.0], np.nan, np.inf, 1e-200])
def test_sigma_is_positive(sigma):
    with pytest.raises(ValueError, match="sigma of 'imu' is .*, where a positive standard deviation"):
        fl.Sensor.accelerometer("imu", "panda_link8", sigma=sigma)
    with pytest.raises(ValueError, match="sigma of 'tau'"):
        fl.Prior("tau", sigma=sigma)


def test_what_is_not_pickled_says_what_is(panda, inverse):
    q, v = panda.neutral(), np.zeros(7)
    estimator = fl.Estimator(inverse)
    for value, instead in [
        (inverse.solve(q, v, {"qdd": v}), "to_dict"),
        (estimator, "System"),
        (estimator.estimate(q, v, {"qdd": v}), "to_dict"),
        (inverse.compile(), "system"),
        (fl.Simulation(panda), "record"),
        (fl.VariationalIntegrator(panda, 1e-3), "model"),
    ]:
        with pytest.raises(TypeError, match=f"not pickled; pickle .*{instead}"):
            pickle.dumps(value)
