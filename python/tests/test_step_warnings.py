"""Steps that go wrong are said, each kind once, and `warnings` has the figures of now."""

import json
import re
import warnings

import numpy as np
import pytest

import featherline as fl

# A double pendulum that whirls: in steps of 20 ms it gains energy.
Q, V = [1.0, 0.5], [4.0, -6.0]
GAIN = r"energy came from nothing, ([\d.e+-]+) J or ([\d.]+) % of the greatest kinetic energy"
INEXACT = r"in (\d+) steps, first at t = [\d.]+ s, .* by up to ([\d.e+-]+) m/s"


def whirl(dt=0.02):
    return fl.Simulation("double_pendulum", Q, V, method="time-stepping", dt=dt)


def said(go):
    """What is warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        go()
    return [str(it.message) for it in seen]


def numbers(pattern, texts):
    """The numbers of the one text that is of a kind."""
    (found,) = [it for it in (re.search(pattern, text) for text in texts) if it]
    return [float(it) for it in found.groups()]


@pytest.mark.parametrize("by", ["run", "parts", "steps", "one by one", "both"])
def test_energy_from_nothing_is_said_once_with_the_gain_of_now(by):
    reference = whirl()
    said(lambda: reference.run(2.0, every=0.02))
    gain, part = numbers(GAIN, reference.warnings)
    recording = reference.record
    # The text has three digits of the gain, and two places of per cents below ten.
    assert gain == pytest.approx(recording.energy_gain[-1], rel=5e-3)
    assert part == pytest.approx(100 * gain / recording.kinetic_energy.max(), abs=0.1) and part > 0.5
    simulation = whirl()

    def go():
        if by == "run":
            simulation.run(2.0)
        elif by == "steps":
            simulation.step(steps=100)
        elif by == "one by one":
            for _ in range(100):
                simulation.step(record=False)
        else:
            for k in range(20):
                if by == "both" and k % 2:
                    simulation.step(steps=5)
                else:
                    simulation.run(0.1)

    texts = said(go)
    assert len([it for it in texts if re.search(GAIN, it)]) == 1, texts
    assert numbers(GAIN, simulation.warnings) == [gain, part]


def test_steps_that_fit_the_motion_say_nothing():
    for simulation in (
        fl.Simulation("double_pendulum", Q, V, method="time-stepping", dt=1e-3),
        fl.Simulation("quadruped"),
        fl.Simulation("quadruped", dt=5e-3),
    ):
        assert said(lambda go=simulation: go.step(steps=500)) == [] and simulation.warnings == []
        assert simulation.record.energy_gain[-1] < 5e-3 * simulation.record.kinetic_energy.max()
    # Drives that pull hard to another place in each 10 ms: 16 robots that jump and land.
    batch, random = fl.SimulationBatch("quadruped", 16, dt=2e-3, drives=fl.Drives(100.0, 3.0)), np.random.default_rng(0)
    legs = np.arange(batch.targets.shape[1]) >= 6
    start = batch.targets.copy()
    for _ in range(40):
        batch.step(start + 0.3 * random.normal(size=start.shape) * legs, steps=5)
    assert not batch.failed.any(), batch.failures


PILE = "[ground]\n" + "".join(
    f"[[body]]\nname = 'b{k}'\nbox = [0.1, 0.1, 0.1]\nmass = {mass}\nposition = [{0.02 * k}, {0.013 * k}, {0.06 + 0.12 * k}]\nrpy = [{0.3 * k}, 0.2, 0.1]\n"
    for k, mass in enumerate([1e-3, 1e3, 1e-3])
)


STEPS = 60


def test_inexact_steps_are_counted():
    reference = fl.Simulation(PILE, dt=5e-3)
    residuals, counts = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            reference.step(record=False)
            residuals.append(reference.residual)
            counts.append(numbers(INEXACT, reference.warnings)[0] if reference.warnings else 0)
    assert counts[-1] > 4 and sorted(counts) == counts
    # A step that is counted is one more.
    inexact = [residual or 0.0 for residual, before, now in zip(residuals, [0, *counts], counts) if now == before + 1]
    expected = [counts[-1], float(f"{max(inexact):.1e}")]
    assert len(inexact) == counts[-1] and numbers(INEXACT, reference.warnings) == expected
    once = fl.Simulation(PILE, dt=5e-3)
    texts = said(lambda: once.step(steps=STEPS, record=False))
    assert len([it for it in texts if re.search(INEXACT, it)]) == 1 and once.warnings == reference.warnings
    # Parts of a run begin without impulses: their steps are others.
    parts = fl.Simulation(PILE, dt=5e-3)
    texts = said(lambda: [parts.run(0.005 * STEPS / 4) for _ in range(4)])
    assert len([it for it in texts if re.search(INEXACT, it)]) == 1
    count, residual = numbers(INEXACT, parts.warnings)
    assert count > 4 and residual == float(f"{np.nanmax(parts.record.residual):.1e}")


def test_a_batch_fails_where_energy_comes_from_nothing():
    batch = fl.SimulationBatch("double_pendulum", 3, Q, np.array([[0.1, 0], V, [0, 0.1]]), dt=0.05)
    with pytest.warns(UserWarning, match="1 of 3 simulations have stopped.* row 1: energy came from nothing"):
        batch.step(steps=100)
    assert batch.failed.tolist() == [False, True, False]
    assert [it is None for it in batch.failures] == [True, False, True] and re.search(GAIN, str(batch.failures[1]))
    # It stays in the state before the step that gained.
    held = batch.q[1].copy()
    alone = whirl(0.05)
    said(lambda: alone.step(steps=round(batch.t[1] / 0.05)))
    assert batch.t[1] < 2.0 and (alone.q == held).all()
    assert batch.energy_gain[1] > batch.energy_gain[[0, 2]].max()
    batch.step(steps=10)
    assert (batch.q[1] == held).all()
    batch.reset([1])
    assert not batch.failed.any() and batch.failures == [None] * 3


def test_a_batch_goes_on_from_noise():
    """Feet that begin a millimetre in the ground are put apart; that lifts the robot a little."""
    for robot in "humanoid", "quadruped":
        batch, random = fl.SimulationBatch(robot, 8), np.random.default_rng(0)
        batch.q[:, 7:] += 1e-3 * random.normal(size=batch.q[:, 7:].shape)
        batch.step(steps=50)
        assert not batch.failed.any(), batch.failures


def test_a_batch_fails_where_the_state_is_lost():
    batch = fl.SimulationBatch("double_pendulum", 2, effort_limits=False)
    with pytest.warns(UserWarning, match="1 of 2 simulations have stopped.* row 1"):
        batch.step(tau=np.array([[0, 0], [1e300, -1e300]]), steps=50)
    assert batch.failed.tolist() == [False, True] and np.isfinite(batch.q).all() and np.isfinite(batch.v).all()


def test_files_have_the_gain(tmp_path):
    simulation = whirl()
    said(lambda: simulation.run(2.0))
    for ending in ("jsonl", "mcap"):
        path = tmp_path / f"whirl.{ending}"
        simulation.record.save(path)
        again = fl.Recording.load(path, "double_pendulum")
        assert again.energy_gain[-1] == simulation.record.energy_gain[-1] > 0
    assert np.isnan(fl.Simulation("double_pendulum", method="runge-kutta-4").run(0.1).energy_gain).all()


# A foot of 2 kg on a ground that Python adds, on that of a scene, and on a plane of MJCF.
FOOT = """<robot name='r'><link name='foot'><inertial><mass value='2'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0'
iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>"""
SCENE = "[ground]\n[[body]]\nname = 'foot'\nsphere = 0.1\nmass = 2\nposition = [0, 0, 0.1]\n"
BODY = "<body name='foot' pos='0 0 0.1'><freejoint name='root'/><geom size='0.1' mass='2'/></body>"
PLANE = "<geom name='plane' type='plane' size='1 1 1'/>"
MJCF = "<mujoco><worldbody>{}</worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "options"),
    [(FOOT, {"floating_base": True}), (SCENE, {}), (MJCF.format(PLANE + BODY), {}), (MJCF.format(BODY + PLANE), {})],
)
def test_a_force_has_one_direction_through_every_door(text, options, tmp_path):
    robot = fl.load_robot(text, **options)
    simulation = fl.Simulation(robot)
    recording = simulation.run(0.2)
    path = tmp_path / "foot.jsonl"
    recording.save(path)
    (line,) = json.loads(path.read_text().splitlines()[-1])["contacts"]
    assert line["bodies"] == ["world", "foot"]
    batch = fl.SimulationBatch(robot, 1)
    batch.step(steps=200)
    doors = [simulation.contacts, recording.contacts[-1:], fl.Recording.load(path, robot).contacts[-1:], batch.contacts(0)]
    for (contact,) in doors:
        assert contact["links"].tolist() == ["world", "foot"]
        # It rests, to the tolerance of the solver.
        np.testing.assert_allclose(contact["force"], [0, 0, 2 * 9.81], atol=1e-6)
        np.testing.assert_allclose(contact["normal"], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose([line["force"][axis] for axis in "xyz"], simulation.contacts["force"][0], rtol=1e-12)
    (found,) = fl.Collision(robot, ground=0.0 if options else None).contacts(simulation.q, range=1e-3)
    assert found["links"].tolist() == ["world", "foot"] and found["normal"][2] > 0.99
    np.testing.assert_allclose(simulation.contact_force("foot")[:3], [0, 0, 2 * 9.81], atol=1e-6)
