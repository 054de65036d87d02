"""Closed loops: numbers against dense equations of motion, differences, and geometry."""

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import featherline as fl

LINKAGES = ["four_bar", "parallelogram", "six_bar", "bennett", "delta", "stewart"]
MODELS = {name: fl.load(name) for name in LINKAGES}


@pytest.fixture(params=LINKAGES)
def linkage(request):
    return MODELS[request.param]


def closed(model, seed=0):
    """A configuration with closed loops, away from where the linkage is drawn, and a velocity."""
    random = np.random.default_rng(seed)
    start = model.reference_configurations().get("closed", model.neutral())
    v = model.project_velocity(start, random.normal(size=model.nv))
    q = model.assemble(model.integrate(start, 0.15 * v / np.abs(v).max()))
    return q, model.project_velocity(q, random.normal(size=model.nv))


def jacobian_of_loops(model, q):
    """K (loops · 6, nv) by differences of how each loop joint's frames lie to each other, for revolute
    and spherical loops: rows are what the joint holds."""
    rows = []
    for loop in model.loops.values():
        def apart(q, loop=loop):
            world = np.eye(4)
            ends = []
            for name, placement in [
                (loop.predecessor, loop.predecessor_placement),
                (loop.successor, loop.successor_placement),
            ]:
                ends.append((world if name is None else model.placement(q, name)) @ placement.homogeneous)
            return np.linalg.inv(ends[0]) @ ends[1]

        h = 1e-6
        here = np.linalg.inv(apart(q))
        rates = []
        for unit in np.eye(model.nv):
            change = here @ (apart(model.integrate(q, h * unit)) - apart(model.integrate(q, -h * unit))) / (2 * h)
            rates.append([*change[:3, 3], change[2, 1], change[0, 2], change[1, 0]])
        twists = np.array(rates).T
        assert loop.kind in ("revolute", "spherical")
        # The sample linkages' hinges are about y, Bennett's about z.
        axis = 5 if model.name == "bennett" else 4
        held = [0, 1, 2] if loop.kind == "spherical" else [k for k in range(6) if k != axis]
        assert len(held) == loop.constraints
        rows.append(twists[held])
    return np.vstack(rows)


def test_contacts_are_loops_to_the_world():
    robot = fl.load("quadruped")
    q, feet = robot.random_configuration(seed=3), ["front_left_foot", "rear_right_foot"]
    found = robot.with_contacts(q, feet)
    expected = robot
    for foot in feet:
        placed = robot.placement(q, foot)
        expected = expected.with_loop(f"contact:{foot}", "world", foot, "spherical", predecessor_placement=placed)
    assert list(found.loops) == list(expected.loops)
    rest, tau = np.zeros(robot.nv), np.linspace(-1, 1, robot.nv)
    ours, theirs = (m.loop_dynamics(q, rest, tau) for m in (found, expected))
    assert np.allclose(ours.accelerations, theirs.accelerations, rtol=1e-9, atol=1e-9)
    assert np.allclose(ours.loop_forces, theirs.loop_forces, rtol=1e-9, atol=1e-9)
    assert [loop.kind for loop in robot.with_contacts(q, feet[:1], "fixed").loops.values()] == ["fixed"]
    with pytest.raises(KeyError, match="front_left_foot"):
        robot.with_contacts(q, ["front_left_foo"])


def test_loops_are_told(linkage):
    counts = {"four_bar": 1, "parallelogram": 1, "six_bar": 2, "bennett": 1, "delta": 6, "stewart": 6}
    assert len(linkage.loops) == counts[linkage.name]
    first = next(iter(linkage.loops.values()))
    assert first.index == 0 and first.name in repr(first) and first.kind in repr(first)
    assert isinstance(first.predecessor_placement, fl.SE3)
    with pytest.raises(KeyError, match="loop"):
        linkage.loops["no such loop"]
    tree = linkage.without_loops()
    assert len(tree.loops) == 0 and tree.nv == linkage.nv
    assert pickle.loads(pickle.dumps(linkage)).loops.keys() == linkage.loops.keys()
    assert ("1 loop," if len(linkage.loops) == 1 else f"{len(linkage.loops)} loops,") in repr(linkage)


def test_assembly_closes_loops(linkage):
    q, v = closed(linkage)
    assert linkage.loop_gap(q).position < 1e-10
    # The gaps, from where the frames of the loop joints are.
    for loop, gap in zip(linkage.loops.values(), linkage.loop_gaps(q), strict=True):
        ends = [
            (np.eye(4) if name is None else linkage.placement(q, name)) @ placement.homogeneous
            for name, placement in [
                (loop.predecessor, loop.predecessor_placement),
                (loop.successor, loop.successor_placement),
            ]
        ]
        assert np.allclose(ends[0][:3, 3], ends[1][:3, 3], atol=1e-9)
        assert np.abs(gap).max() < 1e-10
    # An open configuration has the distance of the two points as a gap.
    opened = linkage.integrate(q, 1e-3 * np.random.default_rng(1).normal(size=linkage.nv))
    loop = list(linkage.loops.values())[0]
    points = [
        ((np.eye(4) if name is None else linkage.placement(opened, name)) @ placement.homogeneous)[:3, 3]
        for name, placement in [
            (loop.predecessor, loop.predecessor_placement),
            (loop.successor, loop.successor_placement),
        ]
    ]
    gap = linkage.loop_gaps(opened)[0]
    assert np.linalg.norm(gap[:3]) == pytest.approx(np.linalg.norm(points[1] - points[0]), rel=1e-6)
    widest = linkage.loop_gap(opened)
    assert widest.position == pytest.approx(np.linalg.norm(linkage.loop_gaps(opened), axis=1).max())
    assert widest.widest in linkage.loops


def test_velocities_keep_loops_closed(linkage):
    q, v = closed(linkage)
    K = jacobian_of_loops(linkage, q)
    assert np.abs(K @ v).max() < 1e-7
    assert linkage.loop_gap(q, v).velocity < 1e-9
    # Of all velocities that keep the loops closed it is nearest in the kinetic energy's metric.
    u = np.random.default_rng(2).normal(size=linkage.nv)
    M = linkage.crba(q)
    change = M @ (linkage.project_velocity(q, u) - u)
    free = np.linalg.svd(K)[2][np.linalg.matrix_rank(K, 1e-6):]
    assert np.abs(free @ change).max() < 1e-6 * np.abs(change).max()
    assert linkage.loop_gap(q, u).velocity > 1e-3


def test_dynamics_solve_the_equations_of_motion(linkage):
    q, v = closed(linkage)
    random = np.random.default_rng(3)
    tau = random.normal(size=linkage.nv)
    joint = list(linkage.joints)[0]
    force = random.normal(size=6)
    for external in [None, {joint: force}]:
        result = linkage.loop_dynamics(q, v, tau, external)
        assert result.residual < 1e-8
        # M a + C − τ − Jᵀ f is a force of the loops: no motion that they leave free feels it.
        rest = linkage.rnea(q, v, result.accelerations, external) - tau
        K = jacobian_of_loops(linkage, q)
        rank = np.linalg.matrix_rank(K, 1e-6)
        free = np.linalg.svd(K)[2][rank:]
        assert np.abs(free @ rest).max() < 1e-6 * max(1.0, np.abs(rest).max())
        assert result.redundant == len(K) - rank
        # It is that of the loop forces on both of their bodies.
        on_bodies: dict[str, Any] = {}
        for loop, f in zip(linkage.loops.values(), result.loop_forces, strict=True):
            in_world = None
            placements = {}
            for name, placement in [
                (loop.predecessor, loop.predecessor_placement),
                (loop.successor, loop.successor_placement),
            ]:
                placements[name] = (fl.SE3() if name is None else fl.SE3(linkage.placement(q, name)), placement)
            body, own = placements[loop.successor]
            in_world = (body * own).act(fl.Force(f))
            for name, sign in [(loop.successor, 1.0), (loop.predecessor, -1.0)]:
                if name is not None:
                    on_bodies.setdefault(name, np.zeros(6))
                    on_bodies[name] += sign * placements[name][0].act_inv(in_world).vector
        if external:
            on_bodies[joint] = on_bodies.get(joint, 0) + force
        balanced = linkage.rnea(q, v, result.accelerations, on_bodies)
        assert np.allclose(balanced, tau, atol=1e-8)
    # Along the motion the loops stay closed to second order: differences of two steps.
    h = 1e-4
    for sign in (1, -1):
        a = linkage.loop_dynamics(q, v, tau).accelerations
        there = linkage.integrate(q, sign * h * v + h * h / 2 * a)
        assert linkage.loop_gap(there).position < 1e-8 * max(1.0, np.abs(v).max() ** 3)


def test_derivatives_are_differences_along_closed_loops(linkage):
    q, v = closed(linkage)
    random = np.random.default_rng(6)
    tau, push = random.normal(size=linkage.nv), {list(linkage.joints)[-1]: random.normal(size=6)}
    here = linkage.loop_dynamics(q, v, tau, push)
    found = linkage.loop_dynamics_derivatives(q, v, tau, push)
    assert np.array_equal(found.accelerations, here.accelerations) and np.array_equal(found.loop_forces, here.loop_forces)
    assert found.loop_forces_dq.shape == (len(linkage.loops), 6, linkage.nv)
    # What is linear in tau has no error but rounding.
    for k, unit in enumerate(np.eye(linkage.nv)):
        there = linkage.loop_dynamics(q, v, tau + unit, push)
        for one, other, derivative in [
            (there.accelerations, here.accelerations, found.dtau),
            (there.loop_forces, here.loop_forces, found.loop_forces_dtau),
        ]:
            scale = 1 + np.abs(one).max() + np.abs(other).max()
            assert np.allclose(derivative[..., k], one - other, rtol=0, atol=1e-9 * scale)
    u, h = linkage.project_velocity(q, random.normal(size=linkage.nv)), 1e-5
    ends = []
    for sign in (-1, 1):
        near = linkage.assemble(linkage.integrate(q, sign * h * u))
        ends.append((near, linkage.project_velocity(near, v)))
    dq, dv = linkage.difference(ends[0][0], ends[1][0]) / (2 * h), (ends[1][1] - ends[0][1]) / (2 * h)
    assert np.abs(dq).max() > 0.1
    first, last = (linkage.loop_dynamics(*end, tau, push) for end in ends)
    pairs = [((last.accelerations - first.accelerations) / (2 * h), found.dq @ dq + found.dv @ dv)]
    if here.redundant == 0:
        by_state = found.loop_forces_dq @ dq + found.loop_forces_dv @ dv
        pairs.append(((last.loop_forces - first.loop_forces) / (2 * h), by_state))
    for expected, derivative in pairs:
        # Loops are closed to some 1e-12, which steps of 1e-5 divide.
        assert np.allclose(derivative, expected, rtol=0, atol=1e-5 * (1 + np.abs(expected).max()))


def test_derivatives_of_many_states():
    model = MODELS["delta"]
    states = [closed(model, seed) for seed in range(20)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    tau = np.random.default_rng(0).normal(size=v.shape)
    many = model.loop_dynamics_derivatives(q, v, tau, stabilisation=0.1)
    one = model.loop_dynamics_derivatives(q[3], v[3], tau[3], stabilisation=0.1)
    for part, of_all in zip(one, many, strict=True):
        assert np.array_equal(part, of_all[3])
    again = model.loop_dynamics_derivatives(q[4], v[4], tau[4], stabilisation=0.1, out=one)
    for part, mine, of_all in zip(again, one, many, strict=True):
        assert part is mine and np.array_equal(part, of_all[4])


def test_derivatives_of_contact_forces():
    robot, feet = fl.load("quadruped"), ["front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"]
    random = np.random.default_rng(12)
    q = robot.integrate(robot.neutral(), 0.3 * random.normal(size=robot.nv))
    standing = robot
    for foot in feet:
        place = robot.placement(q, foot)
        standing = standing.with_loop(f"stance of {foot}", "world", foot, "spherical", predecessor_placement=place)
    rest, tau = np.zeros(robot.nv), random.normal(size=robot.nv)
    d = standing.loop_dynamics_derivatives(q, rest, tau)
    M, J = robot.crba(q), np.array([robot.jacobian(q, foot) for foot in feet])
    # M a + g = τ + Σ Jᵀ f with J a = 0 of points at rest, and its derivative by τ.
    force = np.einsum("fij,fi->j", J, d.loop_forces)
    scale = 1e-9 * (1 + np.abs(d.loop_forces).max())
    assert np.allclose(M @ d.accelerations + robot.gravity_torque(q), tau + force, rtol=0, atol=scale)
    by_tau = np.einsum("fij,fik->jk", J, d.loop_forces_dtau)
    assert np.allclose(M @ d.dtau, np.eye(robot.nv) + by_tau, rtol=0, atol=1e-9 * np.abs(M @ d.dtau).max())
    assert np.allclose(J[:, :3] @ d.dtau, 0, atol=1e-9 * np.abs(d.dtau).max())
    assert np.allclose(d.loop_forces[:, 3:], 0, atol=1e-12) and np.abs(d.loop_forces_dq[:, :3]).max() > 1


def test_many_states(linkage):
    states = [closed(linkage, seed) for seed in range(40)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    tau = np.random.default_rng(0).normal(size=v.shape)
    many = linkage.loop_dynamics(q, v, tau)
    assert many.loop_forces.shape == (40, len(linkage.loops), 6)
    for k in (0, 17, 39):
        one = linkage.loop_dynamics(q[k], v[k], tau[k])
        for a, b in zip(one, many, strict=True):
            assert np.array_equal(a, b[k])
    out = fl.results.LoopDynamics(*(np.full_like(part, np.nan) for part in many))
    again = linkage.loop_dynamics(q, v, tau, out=out)
    assert again.accelerations is out.accelerations
    assert np.array_equal(out.accelerations, many.accelerations)
    assert np.array_equal(linkage.assemble(q)[3], linkage.assemble(q[3]))
    assert np.array_equal(linkage.project_velocity(q, v)[5], linkage.project_velocity(q[5], v[5]))
    # Open loops have no dynamics: one of many is a row of NaN, and a warning tells.
    q[7] = linkage.integrate(q[7], 0.1 * np.ones(linkage.nv))
    with pytest.raises(ValueError, match=r"apart.*`assemble`"):
        linkage.loop_dynamics(q[7], v[7], tau[7])
    with pytest.warns(UserWarning, match="1 of 40 states have no result.*row 7.*apart"):
        some = linkage.loop_dynamics(q, v, tau)
    assert np.isnan(some.accelerations[7]).all()
    assert np.array_equal(some.accelerations[8], many.accelerations[8])


def test_calls_remember_nothing():
    model = MODELS["stewart"]
    q, v = closed(model)
    far = model.integrate(q, np.full(model.nv, 0.7))
    before = model.loop_gaps(far)
    model.loop_gaps(model.integrate(q, np.full(model.nv, -0.7)))
    assert np.array_equal(model.loop_gaps(far), before)
    found = []
    threads = [threading.Thread(target=lambda: found.append(model.loop_gaps(far))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(gaps, before) for gaps in found)


def test_stabilisation_pulls_loops_together():
    model = MODELS["four_bar"]
    q, v = closed(model)
    opened = model.integrate(q, [0.0, 1e-3, 0.0])
    alpha, beta = 30.0, 20.0
    # K q̈ = k − 2α K v − β² e: what the accelerations change against those of closed loops, by K.
    plain = model.loop_dynamics(q, v, np.zeros(3))
    assert np.allclose(
        model.loop_dynamics(q, v, np.zeros(3), stabilisation=(alpha, beta)).accelerations,
        plain.accelerations,
        atol=1e-6,
    )
    pulled = model.loop_dynamics(opened, 0 * v, np.zeros(3), stabilisation=(alpha, beta)).accelerations
    free = model.loop_dynamics(opened, 0 * v, np.zeros(3), stabilisation=(0.0, 1e-9)).accelerations
    gap = model.loop_gaps(opened)[0]
    K = jacobian_of_loops(model, opened)
    planar = [0, 2]  # what the hinge about y holds in the plane: x and z of its position
    assert np.allclose((K @ (pulled - free))[planar], -(beta**2) * gap[planar], rtol=1e-3)
    assert np.array_equal(
        model.loop_dynamics(opened, v, np.zeros(3), stabilisation=0.01).accelerations,
        model.loop_dynamics(opened, v, np.zeros(3), stabilisation=(100.0, 100.0)).accelerations,
    )
    misuses: list[Any] = [0.0, -1.0, (1.0, -1.0), "fast"]
    for bad in misuses:
        with pytest.raises(ValueError, match="stabilisation must be"):
            model.loop_dynamics(q, v, np.zeros(3), stabilisation=bad)


def test_a_loop_of_ones_own():
    # A double pendulum whose tip is pinned: a triangle of two rods and the ground.
    pendulum = fl.load("double_pendulum")
    q = np.array([0.6, -1.1])
    tip = pendulum.placement(q, "elbow") @ np.array([0, 0, -1.0, 1])
    for side, other in [("world", "elbow"), ("elbow", "world")]:
        placements = {"world": tip[:3], "elbow": [0, 0, -1]}
        pinned = pendulum.with_loop(
            "pin", side, other, axis=[0, 1, 0],
            predecessor_placement=placements[side], successor_placement=placements[other],
        )  # fmt: skip
        assert pinned.loop_gap(q).position < 1e-12
        # Nothing moves: two rods, two constraints in the plane. The pin carries what statics asks for.
        result = pinned.loop_dynamics(q, [0, 0], [0, 0])
        assert np.abs(result.accelerations).max() < 1e-9
        point = pendulum.jacobian(q, "elbow")
        J = point[:3] + np.cross(point[3:].T, [0, 0, -1]).T  # of the tip, in the elbow's axes
        R = pendulum.placement(q, "elbow")[:3, :3]
        f = result.loop_forces[0][:3]  # on the successor
        on_rod = R.T @ -f if other == "world" else f
        assert np.allclose(J.T @ on_rod, pendulum.gravity_torque(q), atol=1e-9)
    ball = pendulum.with_loop("ball", "world", "lower_rod", "spherical", predecessor_placement=[0.5, 0, -1.5])
    assert ball.loops["ball"].constraints == 3 and len(ball.loops) == 1 and len(pendulum.loops) == 0
    two = ball.with_loop("rail", "upper_rod", "world", "prismatic", axis=[1, 0, 0])
    assert list(two.loops) == ["ball", "rail"] and two.loops["rail"].predecessor == "shoulder"
    assert pickle.loads(pickle.dumps(two)) == two
    placed = fl.SE3(np.eye(3), [0.1, 0.2, 0.3])
    values: list[Any] = [placed, placed.homogeneous, [0.1, 0.2, 0.3]]
    for value in values:
        one = pendulum.with_loop("x", "world", "elbow", "fixed", predecessor_placement=value)
        assert one.loops["x"].predecessor_placement.is_close(placed)


def test_errors_of_loops():
    model = fl.load("double_pendulum")
    with pytest.raises(KeyError, match="elbow"):
        model.with_loop("pin", "world", "elbov", "spherical")
    with pytest.raises(ValueError, match="revolute joint needs axis"):
        model.with_loop("pin", "world", "elbow")
    with pytest.raises(ValueError, match="kind must be 'fixed'.*not 'ball'"):
        model.with_loop("pin", "world", "elbow", "ball")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="axis is for revolute"):
        model.with_loop("pin", "world", "elbow", "spherical", axis=[0, 0, 1])
    with pytest.raises(ValueError, match="one body"):
        model.with_loop("pin", "elbow", "lower_rod", "spherical")
    with pytest.raises(ValueError, match="elbow"):
        model.with_loop("elbow", "world", "lower_rod", "spherical")
    with pytest.raises(ValueError, match="is no placement"):
        model.with_loop("pin", "world", "elbow", "fixed", predecessor_placement=2 * np.eye(4))
    apart = model.with_loop("pin", "world", "elbow", "spherical", predecessor_placement=[9, 0, 0])
    with pytest.raises(ValueError, match="do not close: .*`pin`"):
        apart.assemble(model.neutral())
    with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
        apart.assemble([0, 0, 0])
    with pytest.raises(ValueError, match=r"q has shape"):
        apart.loop_gap(np.zeros((2, 2)))
    # A tree has no loops, and its dynamics are those of the articulated-body algorithm.
    tree = model.loop_dynamics([0.3, 0.2], [1, 2], [3, 4])
    assert np.allclose(tree.accelerations, model.aba([0.3, 0.2], [1, 2], [3, 4]))
    assert tree.loop_forces.shape == (0, 6) and tree.residual == 0 and tree.redundant == 0
    assert model.loop_gap([0, 0]) == (0, 0, None)
    assert model.loop_gaps([[0, 0], [1, 1]]).shape == (2, 0, 6)
    assert np.array_equal(model.assemble([0.3, 0.2]), [0.3, 0.2])
    with pytest.raises(KeyError):
        model.reference_configurations()["closed"]


def test_misspelt_ends_are_named_first():
    panda = fl.load("panda")
    misuses: list[dict[str, Any]] = [{}, {"axis": [1, 0]}, {"kind": "hinge"}, {"predecessor_placement": "there"}]
    for ends in [("world", "panda_lnik8"), ("panda_lnik8", "world")]:
        for others in misuses:
            with pytest.raises(KeyError, match="panda_link8"):
                panda.with_loop("tie", *ends, **others)
    with pytest.raises(ValueError, match=r"axis has shape \(2,\)"):
        panda.with_loop("tie", "world", "panda_link8", axis=[1, 0])
