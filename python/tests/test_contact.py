"""Contact, limits, friction and drives in simulations."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest

import featherline as fl

G = 9.81
SLOPE = """
[ground]
friction = {friction}
slope = 0.4
[[body]]
name = 'block'
box = [0.2, 0.2, 0.1]
mass = 2.0
position = [{x}, 0, {z}]
rpy = [0, 0.4, 0]
"""
ROD = """<robot name='rod'><link name='base'/><link name='rod'>
<inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.01'/></inertial></link>
<joint name='hinge' type='continuous'><axis xyz='0 1 0'/><parent link='base'/><child link='rod'/></joint></robot>"""
BALL = """
[ground]
friction = 0.5
restitution = {restitution}
[[body]]
name = 'ball'
sphere = 0.1
mass = 1.5
position = [0, 0, {z}]
velocity = [{vx}, 0, 0, 0, 0, 0]
"""


def block(friction):
    # The block lies on the slope: its middle is half its height above it, along the normal.
    return SLOPE.format(friction=friction, x=0.05 * np.sin(0.4), z=0.05 * np.cos(0.4))


def quadruped(**options):
    return fl.Simulation("quadruped", dt=2e-3, **options)


def test_a_block_on_a_slope_sticks_or_slides():
    # Friction of the pair is the geometric mean with 0.8 of the body.
    for pair, sticks in ((np.tan(0.4) * 1.001, True), (0.2, False)):
        simulation = fl.Simulation(block(pair**2 / 0.8))
        assert simulation.method == "time-stepping"
        simulation.run(1.0, record=False)
        way = np.linalg.norm(simulation.q[:3] - simulation.record.model.neutral()[:3] - [0.05 * np.sin(0.4), 0, 0.05 * np.cos(0.4)])
        # v_k = k h a, summed over 1000 steps of 1 ms.
        expected = 0.0 if sticks else 0.5 * G * (np.sin(0.4) - pair * np.cos(0.4)) * (1.0 + 1e-3)
        assert abs(way - expected) < 1e-8


def test_scenes_begin_with_their_state_and_velocity():
    text = BALL.format(restitution=0, z=0.1, vx=1.4)
    for robot in (text, fl.load(text), fl.load_robot(text)):
        simulation = fl.Simulation(robot)
        assert simulation.q[2] == 0.1 and simulation.v[0] == 1.4
        simulation.run(1.0, record=False)
        # It rolls at 5/7 of its speed, whatever its axes are by then.
        assert abs(np.linalg.norm(simulation.v[:3]) - 1.0) < 1e-6
        simulation.reset()
        assert simulation.v[0] == 1.4


def test_contacts_are_arrays():
    simulation = fl.Simulation(BALL.format(restitution=0, z=0.1, vx=0))
    assert len(simulation.contacts) == 0 and simulation.residual is None and simulation.residual_asked is None
    simulation.step()
    (contact,) = simulation.contacts
    assert list(contact["links"]) == ["world", "ball"] and contact["shapes"][0] == "ground"
    assert np.allclose(contact["force"], [0, 0, 1.5 * G])
    assert np.allclose(contact["normal"], [0, 0, 1])
    assert np.allclose(contact["point"], 0, atol=1e-9) and abs(contact["gap"]) < 1e-12
    assert np.allclose(contact["velocity"], 0, atol=1e-9) and contact["t"] == simulation.t
    assert simulation.residual is not None and simulation.residual < 1e-8 and simulation.penetration == 0
    assert simulation.residual_asked is not None and simulation.residual <= simulation.residual_asked < 1e-5
    assert np.allclose(simulation.contact_force("ball"), [0, 0, 1.5 * G, 0, 0, 0])


def test_what_is_recorded():
    simulation = fl.Simulation(BALL.format(restitution=0.5, z=0.3, vx=0))
    recording = simulation.run(1.0)
    assert np.isnan(recording.residual[0]) and (recording.residual[1:] < 1e-8).all()
    assert (recording.penetration[1:] < 1e-6).all()
    contacts = recording.contacts
    assert set(contacts["t"]) <= set(recording.t)
    touches = contacts[np.abs(contacts["force"][:, 2]) > 0]
    # It has come to rest, and its weight is carried.
    assert touches["t"][-1] == recording.t[-1]
    assert abs(abs(touches["force"][-1, 2]) - 1.5 * G) < 1e-6
    part = recording[50:]
    assert len(part.contacts) == (contacts["t"] >= part.t[0]).sum()
    again = pickle.loads(pickle.dumps(part))
    assert (again.contacts == part.contacts).all() and (again.residual == part.residual).all()
    smooth = fl.Simulation(ROD).run(0.1)
    assert np.isnan(smooth.residual).all() and len(smooth.contacts) == 0


def test_steps_and_runs_are_the_same_motion():
    one, other = quadruped(), quadruped()
    one.run(0.2, every=0.01)
    for _ in range(20):
        other.step(steps=5)
    assert np.abs(one.q - other.q).max() < 1e-8
    assert len(one.record) == 21 and len(other.record) == 101
    assert np.allclose(one.record.q, other.record.q[::5], atol=1e-8)
    assert np.allclose(one.drive_forces, other.drive_forces, atol=1e-3)


def test_torques_of_drives_are_recorded():
    simulation = fl.Simulation(ROD, drives=fl.Drives(20.0, 5.0), dt=2e-3)
    simulation.targets = [1.0]
    recording = simulation.run(6.0)
    # At rest they balance gravity.
    assert np.allclose(recording.tau[-1], simulation.model.gravity_torque(simulation.q), atol=1e-6)
    assert (recording.tau[-1] == simulation.drive_forces).all() and abs(recording.tau[-1, 0]) > 1.0
    assert (recording["hinge"].tau == recording.tau[:, 0]).all()
    # Targets that are moved count from the next step on, and joint forces are added.
    before = recording.tau[-1].copy()
    simulation.targets = [0.0]
    simulation.step([0.5])
    assert np.allclose(recording.tau[-1], before + 0.5, atol=1e-12)
    assert (simulation.record.tau[-1] == 0.5 + simulation.drive_forces).all()
    last = simulation.record.tau[-1].copy()
    simulation.targets = [0.5]
    simulation.run(0.1)
    assert np.allclose(simulation.record.tau[len(recording)], last - 0.5, atol=1e-12)


def balance(recording):
    given = recording.drive_work + recording.force_work
    return recording.energy - given + recording.friction_loss + recording.impact_loss + recording.other_loss


def test_the_account_of_the_energy():
    # A cube that slides to rest loses m v²/2 to friction.
    cube = "[ground]\n[[body]]\nname='cube'\nbox=[0.1, 0.1, 0.1]\nmass=2\nposition=[0, 0, 0.05]\nvelocity=[1.5, 0, 0, 0, 0, 0]"
    whole, parts, steps = (fl.Simulation(cube) for _ in range(3))
    whole.run(1.0, every=0.1)
    for _ in range(5):
        parts.run(0.1, every=0.1)
        parts.step(steps=100)
    for _ in range(10):
        steps.step(steps=100)
    for simulation in (whole, parts, steps):
        recording = simulation.record
        assert abs(recording.friction_loss[-1] - 0.5 * 2 * 1.5**2) < 1e-3
        assert recording.friction_loss[0] == 0 and (np.diff(recording.friction_loss) >= -1e-12).all()
        assert np.allclose(balance(recording), recording.energy[0], atol=1e-12)
        # What slides is solved to a millionth of its speed.
        assert abs(recording.friction_loss[-1] - whole.record.friction_loss[-1]) < 3e-9
    # It begins anew where the state is set; unrecorded steps count.
    steps.v = [1.5, 0, 0, 0, 0, 0]
    steps.step(steps=50, record=False)
    steps.step()
    assert 0.5 < steps.record.friction_loss[-1] < 1.2
    smooth = fl.Simulation(ROD).run(0.1)
    assert np.isnan(smooth.drive_work).all() and "drive_work" not in smooth.columns


def test_recordings_in_files_have_contacts_and_the_account(tmp_path):
    simulation = quadruped()
    simulation.step(steps=5)
    simulation.run(0.2)
    recording = simulation.record
    columns = recording.to_dict()
    assert list(columns) == recording.columns
    assert recording.units["contact_force.front_left_calf.z"] == "N"
    assert (columns["drive_work"] == recording.drive_work).all() and recording.drive_work[-1] != 0
    assert np.array_equal(columns["penetration"][1:], recording.penetration[1:])
    part = pickle.loads(pickle.dumps(recording[2:]))
    for rows, name in ((recording, "all"), (part, "part")):
        columns = rows.to_dict()
        rows.save(tmp_path / f"{name}.csv")
        lines = (tmp_path / f"{name}.csv").read_text().splitlines()
        assert lines[0].split(",") == list(columns)
        table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
        # Forces are the impulses over the step, and again their product with it.
        assert np.allclose(table, np.array(list(columns.values())).T, rtol=1e-14, atol=1e-14)
        rows.save(tmp_path / f"{name}.jsonl")
        lines = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]
        last = lines[-1]
        weight = G * simulation.model.total_mass
        assert abs(sum(it["force"]["z"] for it in last["contact_forces"]) - weight) < 0.05 * weight
        assert sum(len(line["contacts"]) for line in lines) == len(rows.contacts)
        assert last["other_loss"] == rows.other_loss[-1] and last["solver_residual"] == rows.residual[-1]


def test_defaults_are_those_of_the_command():
    assert fl.Simulation(ROD).method == "runge-kutta-4"
    assert fl.Simulation("panda").method == "time-stepping"
    assert len(fl.Simulation("panda").driven) == 0
    assert fl.Simulation("panda", tolerance=1e-6, method="dormand-prince").method == "dormand-prince"
    with pytest.warns(UserWarning, match="may pass through each other"):
        assert fl.Simulation("panda", limits=True).method == "runge-kutta-4"
    stands = quadruped()
    assert len(stands.driven) == 12
    assert abs(stands.run(0.5).q[-1, 2] - stands.record.q[0, 2]) < 0.01
    falls = quadruped(ground=None)
    assert len(falls.driven) == 0
    falls.run(0.5)
    assert abs(falls.q[2] - falls.record.q[0, 2] + 0.5 * G * 0.5**2) < 1e-9
    driven = quadruped(controller="gravity")
    assert len(driven.driven) == 0


def test_the_robot_stands_on_the_ground_and_not_in_it():
    simulation = quadruped(ground=0.5)
    low = fl.Collision("quadruped", ground=0.5).nearest(simulation.q)
    assert low is not None and "ground" in low[0] and abs(low[1]) < 1e-12
    # What begins in the ground is pushed out, which lifts it.
    q = simulation.q.copy()
    q[2] -= 0.01
    below = quadruped(q=q, ground=0.5)
    assert not below.left_out
    with pytest.warns(UserWarning, match="energy came from nothing.*or with bodies in each other"):
        below.run(0.5)
    assert below.q[2] > simulation.q[2] - 0.02


def test_drives():
    simulation = quadruped(drives=fl.Drives(200.0, 4.0, effort=20.0))
    start = simulation.q[7:].copy()
    for k in range(500):
        # Away from the limits of the calves, where they begin.
        simulation.targets[simulation.driven] = start - 0.1 * min(1.0, k / 250)
        simulation.step(record=False)
        assert np.abs(simulation.drive_forces).max() <= 20.0
    assert np.abs(simulation.q[7:] - start + 0.1).max() < 0.05
    only = quadruped(drives=fl.Drives({"front_left_calf_joint": 50.0}, 1.0))
    assert len(only.driven) == 12
    only = quadruped(drives=fl.Drives({"front_left_calf_joint": 50.0}, {"front_left_calf_joint": 1.0}))
    assert list(only.driven) == [quadruped().model.joints["front_left_calf_joint"].idx_v]


def test_an_equilibrium_of_a_drive():
    simulation = fl.Simulation(ROD, drives=fl.Drives(20.0, 5.0), dt=2e-3)
    assert simulation.method == "time-stepping"
    simulation.targets = [1.0]
    simulation.run(6.0, record=False)
    # kp (target - q) = m g l sin q.
    assert abs(20.0 * (1.0 - simulation.q[0]) - 2.0 * G * 0.5 * np.sin(simulation.q[0])) < 1e-6
    assert np.allclose(simulation.drive_forces, simulation.model.gravity_torque(simulation.q), atol=1e-6)


def test_controllers_move_targets():
    def controller(t, q, v):
        simulation.targets[simulation.driven[2]] = -1.2
        return np.zeros(len(v))

    simulation = quadruped(controller=controller, drives="hold")
    simulation.run(0.5)
    assert abs(simulation.q[9] + 1.2) < 0.05
    simulation.reset()
    simulation.step(steps=250)
    assert abs(simulation.q[9] + 1.2) < 0.05


def test_inertial_measurement():
    simulation = fl.Simulation(BALL.format(restitution=0, z=5.0, vx=0))
    with pytest.raises(RuntimeError, match="before the first step"):
        simulation.imu("ball")
    simulation.step()
    assert np.allclose(simulation.imu("ball").acceleration, 0, atol=1e-12)
    simulation.v = [0, 0, 0, 0, 0, 2.0]
    simulation.step()
    assert np.allclose(simulation.imu("ball").angular_velocity, [0, 0, 2])
    tilted = quadruped()
    tilted.run(1.0)
    rotation = tilted.model.placement(tilted.q, "trunk")[:3, :3]
    assert np.allclose(tilted.imu("trunk").acceleration, rotation.T @ [0, 0, G], atol=1e-2)


def test_states_are_restored():
    simulation = quadruped()
    simulation.step(steps=20)
    saved = simulation.state
    results = []
    for _ in range(2):
        simulation.state = saved
        simulation.step(steps=30)
        results.append(simulation.q.copy())
    assert (results[0] == results[1]).all() and (results[0] != saved.q).any()
    with pytest.raises(ValueError, match="targets has shape"):
        simulation.state = (0.0, saved.q, saved.v, [1.0])
    with pytest.raises(TypeError, match="SimulationState"):
        simulation.state = 3  # type: ignore[assignment]


def test_saved_states_go_on_with_the_same_bits():
    simulation = quadruped()
    simulation.step(steps=20)
    saved = simulation.state
    simulation.step(steps=30)
    copy = quadruped()
    copy.state = saved
    copy.step(steps=30)
    assert (copy.q == simulation.q).all() and (copy.v == simulation.v).all()
    batch = fl.SimulationBatch(quadruped().model, 2)
    batch.q[0, 2] += 0.01
    batch.step(steps=100)
    batch.set_state(1, batch.state(0))
    batch.step(steps=50)
    assert (batch.q[0] == batch.q[1]).all() and (batch.v[0] == batch.v[1]).all()
    with pytest.raises(IndexError, match="no row 2"):
        batch.state(2)


@pytest.mark.parametrize(("law", "lifts"), [("exact", False), ("convex", True)])
def test_laws_of_friction(law, lifts):
    scene = "[ground]\n[[body]]\nname = 'cube'\nbox = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.05]\nvelocity = [6, 0, 0, 0, 0, 0]\n"
    named = fl.Simulation(scene, dt=5e-3, friction_law=law)
    read = fl.Simulation(f"[contact]\nfriction_law = '{law}'\n{scene}", dt=5e-3)
    for simulation in (named, read):
        simulation.step()
        assert (simulation.v[2] > 1.0) == lifts
    with pytest.raises(ValueError, match="friction_law must be 'exact' or 'convex'"):
        fl.Simulation(scene, friction_law="soft")  # type: ignore[arg-type]


def test_a_smaller_tolerance_keeps_the_laws_more_closely():
    scene = "[ground]\n[[body]]\nname = 'ball'\nsphere = 0.1\nposition = [0, 0, 0.1]\nvelocity = [3, 0, 0, 0, 0, 0]\n"
    worst = []
    for tolerance in (1e-3, 1e-12):
        batch = fl.SimulationBatch(scene, 1, tolerance=tolerance)
        simulation = fl.Simulation(scene, method="time-stepping", tolerance=tolerance)
        batch.step(steps=100)
        simulation.step(steps=100)
        assert batch.residual[0] == simulation.residual
        assert batch.residual_asked[0] == simulation.residual_asked
        worst.append(float(batch.residual[0]))
    assert worst[1] < 1e-11 and worst[1] <= worst[0] < 3e-3
    with pytest.raises(ValueError, match="tolerance is -1"):
        fl.SimulationBatch(scene, 1, tolerance=-1.0)


def test_a_soft_ground_yields():
    scene = "[ground]\nstiffness = 2000\ndamping = 120\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 2\nposition = [0, 0, 0.1]\n"
    simulation = fl.Simulation(scene)
    simulation.run(2.0)
    assert np.isclose(simulation.q[2], 0.1 - 2 * G / 2000, atol=1e-9)


def test_reflections_hand_an_impact_on():
    balls = "".join(
        f"[[body]]\nname = 'b{k}'\nsphere = 0.05\nmass = 1\nfriction = 0\nrestitution = 1\nposition = [{0.1 * k}, 0, 0]\n"
        for k in range(1, 5)
    )
    first = "[[body]]\nname = 'a'\nsphere = 0.05\nmass = 1\nfriction = 0\nrestitution = 1\nposition = [-0.05, 0, 0]\nvelocity = [1, 0, 0, 0, 0, 0]\n"
    simulation = fl.Simulation(f"gravity = [0, 0, 0]\n{balls}{first}", impact_law="reflections")
    simulation.run(0.2)
    last = simulation.v[18]
    assert np.isclose(last, 1.0, atol=1e-9)


def test_resets_are_as_new():
    simulation, fresh = quadruped(), quadruped()
    simulation.step(steps=50)
    simulation.reset()
    for one in (simulation, fresh):
        one.step(steps=50)
    assert (simulation.q == fresh.q).all()


def test_what_has_no_effect_is_an_error():
    for options, text in (
        ({"ground": 0.0, "method": "runge-kutta-4"}, "ground has no effect: runge-kutta-4"),
        ({"friction": 0.5, "limits": True}, "friction has no effect"),
        ({"drives": "hold", "passive": False}, "drives has no effect"),
        ({"method": "time-stepping", "limits": True}, "limits has no effect: time-stepping has"),
        ({"friction": -1.0}, "friction is -1"),
        ({"ground": np.inf}, "ground is inf"),
    ):
        with pytest.raises(ValueError, match=text):
            quadruped(**options)
    for wrong in ({"ground": "high"}, {"drives": "go"}):
        with pytest.raises(TypeError, match="must be"):
            quadruped(**wrong)
    with pytest.raises(ValueError, match="nothing can touch"):
        fl.Simulation(ROD, friction=0.3)
    with pytest.raises(ValueError, match="stiffness has -1"):
        fl.Drives(-1.0, 1.0)
    with pytest.raises(KeyError, match="front_left_calf_joint"):
        quadruped(drives=fl.Drives({"front_left_calf_join": 1.0}, 1.0))
    with pytest.raises(ValueError, match=r"targets\[7\] is NaN"):
        simulation = quadruped()
        simulation.targets[7] = np.nan
        simulation.step()


def test_shapes_that_were_lost_are_reported():
    robot = fl.load("quadruped")
    with pytest.warns(UserWarning, match="its shapes are lost"):
        falls = fl.Simulation(pickle.loads(pickle.dumps(robot)))
    assert len(falls.driven) == 0
    assert pickle.loads(pickle.dumps(robot)) == robot and copy.copy(robot) is robot
    locked = robot.lock(["front_left_hip_joint"], robot.neutral())[0]
    with pytest.warns(UserWarning, match="its shapes are lost"):
        fl.Simulation(locked)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.Simulation(locked, ground=None)
    with pytest.raises(ValueError, match="ground has no effect"):
        fl.Simulation(locked, ground=0.0)


@pytest.mark.filterwarnings("ignore:in . of . simulations impulses")
def test_batches_are_simulations():
    n = 7
    q = np.tile(quadruped().q, (n, 1))
    q[:, 2] += np.linspace(0, 0.05, n)
    results = []
    for threads in (1, 2, 5):
        batch = fl.SimulationBatch("quadruped", n, q, dt=2e-3, threads=threads)
        batch.step(batch.targets + 0.02 * np.arange(n)[:, None], steps=60)
        batch.step(tau=np.zeros(18), steps=40)
        results.append((batch.q.copy(), batch.v.copy(), batch.residual.copy()))
    for one in results[1:]:
        assert all((a == b).all() for a, b in zip(one, results[0], strict=True))
    alone = quadruped(q=q[3])
    # Drives of the batch hold as those of its first row.
    alone.targets = batch.targets[3]
    alone.step(steps=100)
    assert np.abs(alone.q - batch.q[3]).max() < 1e-4
    assert np.allclose(batch.t, 0.2) and batch.converged.all() and not batch.failed.any()
    force = batch.contact_force("front_left_foot")
    assert force.shape == (n, 6)
    row = batch.contacts(3)
    own = (row["links"] == "front_left_foot").any(axis=1)
    assert abs(np.linalg.norm(row["force"][own].sum(axis=0)) - np.linalg.norm(force[3, :3])) < 1e-9


def test_batches_begin_anew():
    batch = fl.SimulationBatch("quadruped", 3, threads=2)
    start = batch.q.copy()
    batch.step(steps=20)
    after = batch.q.copy()
    batch.reset([1])
    assert (batch.q[1] == start[1]).all() and (batch.q[0] == after[0]).all()
    batch.step(steps=20)
    assert (batch.q[1] == after[1]).all()
    batch.reset([0], q=start[0] + np.eye(19)[2], v=np.zeros(18))
    assert batch.q[0, 2] == start[0, 2] + 1
    with pytest.raises(IndexError, match="no row 3"):
        batch.reset([3])
    with pytest.raises(ValueError, match="n is -1"):
        fl.SimulationBatch("quadruped", -1)
    with pytest.raises(ValueError, match=r"targets has shape \(2, 18\)"):
        batch.step(np.zeros((2, 18)))
    batch.q[2, 0] = np.nan
    with pytest.raises(ValueError, match=r"q\[2, 0\] is NaN"):
        batch.step()


def test_a_motion_that_is_lost_stops_alone():
    batch = fl.SimulationBatch("quadruped", 3, dt=0.1)
    tau = np.zeros((3, 18))
    tau[1] = 1e308
    with pytest.warns(UserWarning, match="1 of 3 simulations have stopped.* row 1"):
        batch.step(tau=tau)
    assert list(batch.failed) == [False, True, False]
    batch.reset([1])
    assert not batch.failed.any()


def test_distances_of_a_robot():
    collision = fl.load_robot("panda").collision
    model = collision.model
    random = np.random.default_rng(4)
    q = random.uniform(model.lower_limits, model.upper_limits, (5, 7))
    found = collision.distances(q)
    pairs = len(collision.pairs)
    assert found.distance.shape == (5, pairs) and found.points.shape == (5, pairs, 2, 3)
    gap = found.points[:, :, 1] - found.points[:, :, 0]
    assert np.allclose(gap, found.distance[..., None] * found.normal)
    one = collision.distances(q[2])
    assert (one.distance == found.distance[2]).all() and (one.normal == found.normal[2]).all()
    nearest = collision.nearest(q[2])
    assert nearest is not None
    assert nearest[0] == collision.pairs[int(one.distance.argmin())] and nearest[1] == one.distance.min()
    # A single shape touches what is within range.
    touches = collision.contacts(q[2], range=nearest[1] + 1e-6)
    assert len(touches) and set(map(tuple, touches["shapes"])) == {nearest[0]}
    overlapping = [pair for pair, distance in zip(collision.pairs, one.distance, strict=True) if distance <= 0]
    assert collision.collisions(q[2]) == overlapping


def test_distance_jacobians_are_differences():
    for name in ("panda", "quadruped"):
        collision = fl.Collision(name, ground=-0.6)
        model = collision.model
        random = np.random.default_rng(2)
        q = model.integrate(model.neutral(), random.uniform(-0.3, 0.3, model.nv))
        step = 1e-6 * random.normal(size=model.nv)
        difference = collision.distances(model.integrate(q, step)).distance - collision.distances(model.integrate(q, -step)).distance
        assert np.abs(collision.distance_jacobian(q) @ (2 * step) - difference).max() < 1e-9


def test_pairs_are_chosen():
    collision = fl.Collision("panda")
    first, second = collision.pairs[0]
    fewer = collision.without([(first, second)])
    assert len(fewer.pairs) == len(collision.pairs) - 1 and fewer.with_pair(second, first).pairs == collision.pairs
    survey = collision.survey(200, seed=3)
    assert survey.samples == 200 and set(survey.never) <= set(collision.pairs)
    with pytest.raises(KeyError, match="did you mean"):
        collision.with_pair(first[:-1] + "x", second)
    with pytest.raises(ValueError, match="has no shapes"):
        fl.Collision(pickle.loads(pickle.dumps(fl.load("panda"))))


def test_steps_that_did_not_converge_are_a_warning():
    # Forces of 1e12 N press the trunk on its legs: the impulses are found to fewer digits than are asked for.
    simulation = quadruped(drives="hold")
    press = np.zeros(18)
    press[:6] = 1e12 * np.array([1.0, 0.3, -1.0, 0.2, 0.5, 0.1])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        is_within = True
        for _ in range(5):
            simulation.step(press)
            q = simulation.q[7:]
            lower, upper = simulation.model.lower_limits[7:], simulation.model.upper_limits[7:]
            is_within &= bool(np.all(q > lower - 1e-6) and np.all(q < upper + 1e-6))
    told = [str(one.message) for one in seen]
    # In later steps joints turn by radians: perhaps beyond lower or upper limits, each said once, and with energy.
    for texts in (told, simulation.warnings):
        assert len([text for text in texts if "not found exactly" in text]) == 1
        rest = [text for text in texts if "not found exactly" not in text]
        beyond = [text for text in rest if "went beyond" in text]
        # Said of those that are, and of no others.
        assert len(beyond) <= 2 and (beyond or is_within)
        assert all("went beyond" in text or "energy came from nothing" in text for text in rest)
    assert np.isfinite(simulation.v).all()


WORLD = """<mujoco><option timestep='0.004'/><worldbody>
<geom name='floor' type='plane' size='5 5 1'/>
<body pos='-1 0 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.5'/></body>
<body pos='1 0.5 1'><joint name='lift' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/></body>
</worldbody>{more}</mujoco>"""
ACTUATORS = """<tendon><fixed name='t'><joint joint='lift' coef='1'/></fixed></tendon>
<actuator><position joint='lift' kp='1000' kv='100'/>{more}</actuator>"""


def test_worlds_of_mjcf_begin_in_their_reference_configuration_and_their_actuators_act():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulation = fl.Simulation(WORLD.format(more=ACTUATORS.format(more="")))
    assert simulation.method == "time-stepping" and simulation.dt == 0.004
    assert list(simulation.q[:3]) == [-1, 0, 0.05] and not simulation.left_out
    simulation.run(2.0, record=False)
    # The spring yields by m g / kp, and the box rests.
    assert abs(simulation.q[7] + 2 * G / 1000) < 1e-6 and abs(simulation.q[2] - 0.05) < 1e-6
    assert abs(simulation.contact_force("body_1")[2] - 0.5 * G) < 1e-6
    batch = fl.SimulationBatch(WORLD.format(more=ACTUATORS.format(more="")), 2, dt=0.004)
    batch.step(steps=500)
    assert np.allclose(batch.q, simulation.q, atol=1e-9)


def test_actuators_that_do_nothing_are_warnings():
    text = WORLD.format(more=ACTUATORS.format(more="<muscle name='pulls' tendon='t' lengthrange='0 1'/>"))
    robot = fl.load(text)
    with pytest.warns(UserWarning, match="pulls"):
        fl.Simulation(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        free = fl.Simulation(robot, drives=None)
    free.run(0.1, record=False)
    assert free.q[7] < -0.04
    with pytest.raises(ValueError, match="no actuators that act"):
        fl.Simulation("quadruped", drives="actuators")


def test_actuators_of_tendons_act_and_follow_controls():
    simulation = fl.Simulation(WORLD.format(more=ACTUATORS.format(more="<motor tendon='t' gear='2'/>")))
    assert simulation.decision["tendons"] == 0
    simulation.controls[:] = [0, 5]
    simulation.run(2.0, record=False)
    # 2 · 5 N beside the spring of 1000 N/m.
    assert abs(simulation.q[7] - (10 - 2 * G) / 1000) < 1e-6
    # Together they carry the weight, after a run as after a step.
    assert abs(simulation.drive_forces[6] - 2 * G) < 1e-3
    simulation.step()
    assert abs(simulation.drive_forces[6] - 2 * G) < 1e-3
    held = WORLD.format(more=ACTUATORS.format(more="")).replace("name='t'", "name='t' stiffness='500'")
    simulation = fl.Simulation(held)
    assert simulation.decision["tendons"] == 1
    simulation.run(2.0, record=False)
    assert abs(simulation.q[7] + 2 * G / 1500) < 1e-6
    batch = fl.SimulationBatch(held, 2, dt=0.004)
    batch.step(steps=500)
    assert np.allclose(batch.q, simulation.q, atol=1e-9)


def test_a_state_has_the_controls():
    text = WORLD.format(more=ACTUATORS.format(more="<motor joint='lift'/>"))
    simulation = fl.Simulation(text)
    simulation.controls[:] = [0.1, 3]
    simulation.run(0.1, record=False)
    other = fl.Simulation(text)
    other.state = simulation.state
    assert list(other.controls) == [0.1, 3]
    for it in (simulation, other):
        it.run(0.2, record=False)
    assert np.array_equal(simulation.q, other.q)
    batch = fl.SimulationBatch(text, 2, dt=0.004)
    batch.set_state(1, simulation.state)
    assert list(batch.controls[1]) == [0.1, 3]
    assert np.array_equal(batch.state(1).controls, [0.1, 3])  # type: ignore[arg-type]


def test_scenes_keep_equalities_of_lengths(tmp_path):
    body = "<body pos='{0} 0 0'><joint name='{1}' type='slide'/><geom size='.1' contype='0'/></body>"
    text = "<mujoco><option gravity='0 0 0'/><worldbody>" + body.format(0, "a") + body.format(1, "b")
    text += "</worldbody><equality><joint joint1='b' joint2='a' polycoef='0 .5 1 0 0'/></equality></mujoco>"
    (tmp_path / "e.xml").write_text(text)
    scene = tmp_path / "e.toml"
    scene.write_text("[[robot]]\nfile = 'e.xml'\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulation = fl.Simulation(scene, v=[1, 0.5])
    assert simulation.decision["tendons"] == 1
    simulation.run(0.5, record=False)
    a, b = simulation.q
    assert a > 0.3 and abs(b - (0.5 * a + a * a)) < 1e-4


def test_a_robot_without_collision_shapes_is_said_to_fall():
    stone = "<robot name='stone'><link name='stone'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>"
    robot = fl.load(stone, floating_base=True)
    with pytest.warns(UserWarning, match="`stone` has no collision shapes"):
        fl.Simulation(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.Simulation(robot, ground=None)


def test_a_robot_of_a_scene_begins_within_its_limits():
    simulation = fl.Simulation("[ground]\n[[robot]]\nfile = 'quadruped'\nposition = [0, 0, 0.5]\n")
    lower, upper = simulation.model.lower_limits, simulation.model.upper_limits
    assert np.all(simulation.q[7:] >= lower[7:]) and np.all(simulation.q[7:] <= upper[7:])


def falls(simulation):
    """Whether nothing holds the quadruped: its trunk comes down within 0.4 s without joint forces."""
    return simulation.q[2] < 0.2


def test_a_tau_of_step_takes_the_place_of_drives_that_nobody_asked_for():
    tau = np.zeros(18)
    free, held, asked = quadruped(), quadruped(), quadruped(drives="hold")
    assert "drives that hold the joints" in repr(free) and len(free.driven) == 12
    for _ in range(200):
        free.step(tau, record=False)
        held.step(record=False)
        asked.step(tau, record=False)
    assert falls(free) and not falls(held) and not falls(asked)
    assert np.abs(held.q - asked.q).max() < 1e-9
    assert "no drives until reset" in repr(free) and len(free.driven) == 0 and not free.drive_forces.any()
    with pytest.raises(ValueError, match="drives='hold' keeps them"):
        free.targets = np.zeros(18)
    # The motion is that without drives.
    bare = quadruped(drives=None)
    for _ in range(200):
        bare.step(tau, record=False)
    np.testing.assert_array_equal(free.q, bare.q)
    free.reset()
    free.step(steps=200, record=False)
    assert len(free.driven) == 12 and np.abs(free.q - held.q).max() < 1e-9


def test_drives_whose_targets_are_moved_stay_beside_a_tau():
    simulation = quadruped()
    simulation.targets[simulation.driven] += 0.01
    simulation.step(np.zeros(18), steps=200, record=False)
    assert not falls(simulation) and len(simulation.driven) == 12


def test_a_controller_that_is_set_takes_the_place_of_drives():
    simulation = quadruped()
    simulation.controller = lambda t, q, v: np.zeros(18)
    simulation.run(0.4, record=False)
    assert falls(simulation)
    # It is there after a reset, too.
    simulation.reset()
    assert len(simulation.driven) == 0
    simulation.controller = None
    simulation.reset()
    assert len(simulation.driven) == 12


def test_the_last_force_of_drives_is_recorded_when_they_go():
    simulation = quadruped()
    simulation.step(steps=5)
    last = simulation.drive_forces.copy()
    tau = np.linspace(0.0, 1.0, 18)
    simulation.step(tau)
    np.testing.assert_allclose(simulation.record.tau[-2], last + tau, atol=1e-12)
    np.testing.assert_allclose(simulation.record.tau[-1], tau, atol=1e-12)


def test_actuators_of_a_file_stay_beside_a_tau():
    text = """<mujoco><worldbody><body><joint name='hinge' axis='0 1 0'/><geom size='0.1' mass='2' pos='0 0 -0.5'/></body></worldbody>
        <actuator><{actuator}/></actuator></mujoco>"""
    held = fl.Simulation(text.format(actuator="position joint='hinge' kp='100' kv='5' gear='2'"))
    assert held.dt == 1e-3 and "actuators" in repr(held)
    # As the page for those who come from MuJoCo says: a target is the control over the gear.
    held.targets[0] = 0.6 / 2
    held.step([0.5], steps=3000, record=False)
    angle = held.q[0]
    assert abs(2 * 100 * (0.6 - 2 * angle) + 0.5 - held.model.gravity_torque(held.q)[0]) < 1e-3
    motor = fl.Simulation(text.format(actuator="motor joint='hinge' gear='3'"))
    motor.step([3 * 0.7], record=False)
    bare = fl.Simulation(text.format(actuator="motor joint='hinge' gear='3'"), drives=None, method="time-stepping")
    bare.step([3 * 0.7], record=False)
    assert motor.v[0] == bare.v[0] != 0


def test_a_tau_of_a_batch_takes_the_place_of_drives_that_nobody_asked_for():
    tau = np.zeros(18)
    free, asked = fl.SimulationBatch("quadruped", 2, dt=2e-3), fl.SimulationBatch("quadruped", 2, dt=2e-3, drives="hold")
    for _ in range(200):
        free.step(tau=tau)
        asked.step(tau=tau)
    assert (free.q[:, 2] < 0.2).all() and (asked.q[:, 2] > 0.2).all()
    assert len(free.driven) == 0 and len(asked.driven) == 12
    with pytest.raises(ValueError, match="drives='hold' keeps them"):
        free.step(free.targets)
    free.reset()
    free.step(free.targets, tau, steps=200)
    assert (free.q[:, 2] > 0.2).all() and len(free.driven) == 12


def test_times_of_steps_have_one_rounding():
    simulation, batch = quadruped(), fl.SimulationBatch("quadruped", 1, dt=2e-3)
    for _ in range(1500):
        simulation.step(record=False)
        batch.step()
    assert simulation.t == 3.0 and batch.t[0] == 3.0
    simulation.t = 0.5
    simulation.step(steps=2)
    simulation.step()
    assert simulation.t == 0.5 + 3 * 2e-3 and simulation.record.t[-1] == simulation.t


def test_a_start_in_the_ground_is_a_warning():
    cube = "[ground]\n[[body]]\nname='cube'\nbox=[0.1, 0.1, 0.1]\nposition=[0, 0, {}]"
    with pytest.warns(UserWarning, match=r"`cube` begins 0\.03 m inside `ground`"):
        fl.Simulation(cube.format(0.02))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.Simulation(cube.format(0.05))
