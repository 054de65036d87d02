"""Maximal coordinates: poses against kinematics, forces against Newton and Euler, loops against dense equations."""

import numpy as np
import pytest

import featherline as fl

ROBOTS = ["panda", "hand", "humanoid", "quadruped", "double_pendulum", "snake"]
LINKAGES = ["four_bar", "six_bar", "delta", "stewart"]
MODELS = {name: fl.load(name) for name in ROBOTS + LINKAGES}


def state(model, seed=0):
    random = np.random.default_rng(seed)
    if len(model.loops) == 0:
        return model.random_configuration(seed), random.normal(size=model.nv), random.normal(size=model.nv)
    q = model.reference_configurations().get("closed", model.neutral())
    return q, model.project_velocity(q, random.normal(size=model.nv)), random.normal(size=model.nv)


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def test_states_are_those_of_kinematics(model):
    q, v, _ = state(model)
    found = model.to_maximal(q, v)
    for name, pose, velocity in zip(model.joints, found.poses, found.velocities, strict=True):
        # A frame may have the joint's name and lie elsewhere in its body: motions of a body tell.
        if name in model.frames and model.frames[name].kind != "joint":
            continue
        assert np.allclose(pose, model.placement(q, name), atol=1e-12)
        assert np.allclose(velocity, model.velocity(q, v, name), atol=1e-12)
    back = model.from_maximal(*found, near=q)
    assert np.allclose(model.difference(q, back.q), 0, atol=1e-12)
    assert np.allclose(back.v, v, atol=1e-12)
    assert back.gap < 1e-12 and back.gap_velocity < 1e-11


def test_joint_coordinates_are_sought_nearby():
    panda = MODELS["double_pendulum"]
    q = np.array([0.3 + 4 * np.pi, -0.2 - 2 * np.pi])
    states = panda.to_maximal(q, [0, 0])
    assert np.allclose(panda.from_maximal(*states).q, [0.3, -0.2])
    assert np.allclose(panda.from_maximal(*states, near=q).q, q)
    # A body moved off its joint is a gap of that size.
    poses = states.poses.copy()
    poses[1, 1, 3] += 1e-3  # along the hinge's axis
    moved = panda.from_maximal(poses, states.velocities)
    assert moved.gap == pytest.approx(1e-3, rel=1e-9) and np.allclose(moved.q, [0.3, -0.2])
    velocities = states.velocities.copy()
    velocities[1, 1] += 0.25
    assert panda.from_maximal(states.poses, velocities).gap_velocity == pytest.approx(0.25)


def test_accelerations_are_those_of_the_tree(model):
    q, v, tau = state(model)
    joint = list(model.joints)[-1]
    for external in [None, {joint: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}]:
        found = model.maximal_dynamics(q, v, tau, external)
        a = model.loop_dynamics(q, v, tau, external).accelerations
        scale = 1 + np.abs(a).max()
        for name, acceleration in zip(model.joints, found.accelerations, strict=True):
            if name in model.frames and model.frames[name].kind != "joint":
                continue
            assert np.allclose(acceleration, model.acceleration(q, v, a, name), atol=1e-8 * scale)
        assert found.residual < 1e-7 * scale


def test_joint_forces_do_the_work_of_the_torques(model):
    """The component of a joint's force along its motion is its torque, where no loop is (and no armature)."""
    q, v, tau = state(model)
    if model.name in LINKAGES:
        return
    found = model.maximal_dynamics(q, v, tau)
    for joint, force in zip(model.joints.values(), found.joint_forces, strict=True):
        if joint.nv != 1 or any(joint.armature) or joint.name in model.frames and model.frames[joint.name].kind != "joint":
            continue
        # The joint's motion is what its own column of the Jacobian says.
        S = model.jacobian(q, joint.name)[:, joint.idx_v]
        others = [other for other in model.joints.values() if other.idx_v == joint.idx_v]
        if len(others) == 1:
            assert S @ force == pytest.approx(tau[joint.idx_v], abs=1e-7)


@pytest.mark.parametrize("name", ["panda", "quadruped", "four_bar", "delta"])
def test_whole_robots_balance(name):
    """Forces from the ground, through joints and loops, and weight are the rate of the momentum."""
    model = MODELS[name]
    q, v, tau = state(model)
    found = model.maximal_dynamics(q, v, tau)
    a = model.loop_dynamics(q, v, tau).accelerations
    total = np.zeros(6)  # about the world's origin
    for joint, force in zip(model.joints.values(), found.joint_forces, strict=True):
        if joint.parent is None:
            placement = fl.SE3(model.to_maximal(q, v).poses[joint.index])
            total += placement.act(fl.Force(force)).vector
    for loop, force in zip(model.loops.values(), found.loop_forces, strict=True):
        for side, placement, sign, other in [
            (loop.successor, loop.successor_placement, 1, loop.predecessor),
            (loop.predecessor, loop.predecessor_placement, -1, loop.successor),
        ]:
            if other is None and side is not None:
                assert sign == 1  # the sample linkages end at bodies
                pose = fl.SE3(model.to_maximal(q, v).poses[model.joints[side].index])
                total += (pose * placement).act(fl.Force(force)).vector
    centre = model.center_of_mass(q)
    weight = model.total_mass * np.array(model.gravity)
    rate = model.centroidal_momentum_rate(q, v, a)
    about_origin = np.r_[rate[:3], rate[3:] + np.cross(centre, rate[:3])]
    expected = about_origin - np.r_[weight, np.cross(centre, weight)]
    assert np.allclose(total, expected, atol=1e-8 * (1 + np.abs(expected).max()))


def test_loop_forces_are_those_of_loop_dynamics():
    # Six balls of a hexapod: no constraint is redundant, so that the forces are unique.
    model = MODELS["stewart"]
    q, v, tau = state(model)
    other = model.loop_dynamics(q, v, tau)
    assert other.redundant == 0
    found = model.maximal_dynamics(q, v, tau)
    assert np.allclose(found.loop_forces, other.loop_forces, atol=1e-7 * np.abs(other.loop_forces).max())


def pulled_apart(model, seed=1):
    """A state whose bodies are not quite where their joints would have them."""
    q, v, tau = state(model, seed)
    poses, velocities = model.to_maximal(q, v)
    random = np.random.default_rng(seed)
    poses[:, :3, 3] += 0.01 * random.normal(size=(len(poses), 3))
    velocities += 0.1 * random.normal(size=velocities.shape)
    return poses, velocities, tau


TREES = ["panda", "humanoid", "quadruped", "double_pendulum", "snake"]


def test_a_state_stands_in_place_of_joints(model):
    q, v, tau = state(model)
    expected = model.maximal_dynamics(q, v, tau)
    found = model.maximal_dynamics(tau=tau, state=model.to_maximal(q, v))
    scale = 1 + np.abs(expected.accelerations).max()
    assert np.allclose(found.accelerations, expected.accelerations, atol=1e-8 * scale)
    with pytest.raises(TypeError, match="give q and v, or state"):
        model.maximal_dynamics(q, v, tau, state=model.to_maximal(q, v))
    with pytest.raises(TypeError, match="give q and v, or state"):
        model.maximal_dynamics(q, tau=tau)
    with pytest.raises(TypeError, match="state is .poses, velocities."):
        model.maximal_dynamics(tau=tau, state=q[0])


@pytest.mark.parametrize("name", TREES)
def test_states_that_violate_joints_obey_newton_and_the_constraints(name):
    """No step of the library's: Newton and Euler for each body, with the forces that were found."""
    model = MODELS[name]
    poses, velocities, tau = pulled_apart(model)
    assert model.from_maximal(poses, velocities).gap > 1e-3
    found = model.maximal_dynamics(tau=tau, state=(poses, velocities))
    joints = list(model.joints.values())
    parameters = model.dynamic_parameters().reshape(-1, 10)
    for k, joint in enumerate(joints):
        inertia = fl.Inertia.from_dynamic_parameters(parameters[k]).matrix()
        momentum = fl.Force(inertia @ velocities[k])
        fall = np.r_[poses[k, :3, :3].T @ np.array(model.gravity), np.zeros(3)]
        total = inertia @ (found.accelerations[k] - fall) + fl.Motion(velocities[k]).cross(momentum).vector
        for j, other in enumerate(joints):
            if other.parent == joint.name:
                below = fl.SE3(np.linalg.inv(poses[k]) @ poses[j])
                total = total + below.act(fl.Force(found.joint_forces[j])).vector
        size = np.abs(found.joint_forces).max()
        assert np.allclose(total, found.joint_forces[k], atol=1e-8 * size)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("apart", [False, True])
def test_the_recursion_solves_one_dense_system(name, apart):
    """All blocks in one matrix, solved at once by numpy, and the recursion's own equations."""
    model = MODELS[name]
    if name == "snake":
        model = fl.load("snake_5")
    if apart:
        poses, velocities, tau = pulled_apart(model)
        given = {"state": (poses, velocities), "tau": tau}
    else:
        q, v, tau = state(model)
        given = {"q": q, "v": v, "tau": tau}
    external = {list(model.joints)[-1]: [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]}
    found = model.kkt_recursion(**given, external_forces=external)
    assert [block.joint for block in found.blocks] == list(model.joints)
    where = {block.joint: k for k, block in enumerate(found.blocks)}
    rows = np.cumsum([6 * len(found.blocks)] + [len(block.d) for block in found.blocks])
    matrix, right = np.zeros((rows[-1], rows[-1])), np.zeros(rows[-1])
    for k, block in enumerate(found.blocks):
        own, held = slice(6 * k, 6 * k + 6), slice(rows[k], rows[k + 1])
        matrix[own, own], right[own] = block.M, block.f
        matrix[held, own], matrix[own, held], right[held] = block.C, block.C.T, block.d
        drives = np.arange(len(block.d)) >= block.constraints
        matrix[held, held] = -np.diag(drives.astype(float))
        if block.above is not None:
            above = slice(6 * where[block.above], 6 * where[block.above] + 6)
            matrix[held, above], matrix[above, held] = block.C_above, block.C_above.T
            above_rate = found.accelerations[where[block.above]]
        else:
            above_rate = np.zeros(6)
        assert np.allclose(block.S @ above_rate + block.s, found.multipliers[k])
        assert np.allclose(block.W @ found.multipliers[k] + block.w, found.accelerations[k])
    solved = np.linalg.solve(matrix, right)
    scale = np.abs(found.accelerations).max()
    assert np.allclose(solved[: rows[0]], found.accelerations.ravel(), atol=1e-7 * scale)
    expected = model.maximal_dynamics(**given, external_forces=external).accelerations
    assert np.allclose(found.accelerations, expected, atol=1e-7 * scale)


def test_the_recursion_refuses_loops_and_mimic_joints():
    zeros = np.zeros(3)
    with pytest.raises(ValueError, match="closes a loop"):
        MODELS["four_bar"].kkt_recursion(zeros, zeros, zeros)
    hand = MODELS["hand"]
    with pytest.raises(ValueError, match="mimic joint"):
        hand.kkt_recursion(hand.neutral(), np.zeros(hand.nv), np.zeros(hand.nv))
    with pytest.raises(TypeError, match="tau is missing"):
        MODELS["panda"].kkt_recursion(np.zeros(7), np.zeros(7))


def test_many_states(model):
    many = [state(model, seed) for seed in range(20)]
    if model.name in LINKAGES:
        many = [(many[0][0], *one[1:]) for one in many]
    q, v, tau = (np.array(part) for part in zip(*many, strict=True))
    states = model.to_maximal(q, v)
    assert states.poses.shape == (20, len(model.joints), 4, 4)
    back = model.from_maximal(*states, near=q)
    assert np.allclose(back.v, v, atol=1e-11) and back.gap.shape == (20,)
    found = model.maximal_dynamics(q, v, tau)
    one = model.maximal_dynamics(q[7], v[7], tau[7])
    for a, b in zip(one, found, strict=True):
        assert np.array_equal(a, b[7])
    again = model.maximal_dynamics(q, v, tau, out=found)
    assert again.accelerations is found.accelerations


def test_errors():
    model = MODELS["panda"]
    states = model.to_maximal(model.neutral(), np.zeros(7))
    with pytest.raises(ValueError, match=r"poses has shape \(6, 4, 4\), where \(7, 4, 4\) or \(n, 7, 4, 4\)"):
        model.from_maximal(states.poses[1:], states.velocities)
    broken = states.poses.copy()
    broken[3] *= 2
    with pytest.raises(ValueError, match="the pose of joint `panda_joint4`"):
        model.from_maximal(broken, states.velocities)
    linkage = MODELS["four_bar"]
    with pytest.raises(ValueError, match="apart.*`assemble`, or let `stabilisation` pull"):
        linkage.maximal_dynamics([0.4, 0, 0], [0] * 3, [0] * 3)
    assert np.isfinite(linkage.maximal_dynamics([0.05, 0, 0], [0] * 3, [0] * 3, stabilisation=0.1).accelerations).all()
    hand = MODELS["hand"].with_loop("tie", "world", list(MODELS["hand"].joints)[3], "spherical")
    with pytest.raises(ValueError, match="mimic joint.*`loop_dynamics`"):
        hand.maximal_dynamics(hand.neutral(), np.zeros(hand.nv), np.zeros(hand.nv))
