"""New models from finished ones: the same mechanical systems."""

import warnings

import numpy as np
import pytest

import featherline as fl

PANDA = fl.load("panda")
QUADRUPED = fl.load("quadruped")


def state(model, seed=1):
    random = np.random.default_rng(seed)
    return model.random_configuration(seed), random.normal(size=model.nv), random.normal(size=model.nv)


def test_a_locked_robot_moves_as_the_robot_with_those_joints_at_rest():
    q, v, a = state(PANDA)
    v[[2, 6]] = a[[2, 6]] = 0
    with pytest.warns(UserWarning, match="reference configuration `home`"):
        locked, carried, back = PANDA.lock(["panda_joint3", "panda_joint7"], q)
    kept = [0, 1, 3, 4, 5]
    few_q, few_v = carried.configuration(q), carried.velocity(q, v)
    assert np.array_equal(few_q, q[kept]) and np.array_equal(few_v, v[kept])
    assert np.array_equal(back.configuration(few_q), q)
    assert np.allclose(locked.rnea(few_q, few_v, a[kept]), PANDA.rnea(q, v, a)[kept], atol=1e-12)
    assert np.allclose(locked.crba(few_q), PANDA.crba(q)[np.ix_(kept, kept)], atol=1e-12)


def test_an_arm_on_a_robot_and_off_again():
    frame = QUADRUPED.frames[-1].name
    both, robot, arm = QUADRUPED.append(PANDA, frame, prefix="arm_")
    assert both.nv == QUADRUPED.nv + PANDA.nv and both.joints["arm_panda_joint1"]
    q_robot, q_arm = state(QUADRUPED)[0], state(PANDA)[0]
    q = arm.configuration(q_arm, into=robot.configuration(q_robot))
    at = QUADRUPED.placement(q_robot, frame) @ PANDA.placement(q_arm, "panda_link7")
    assert np.allclose(both.placement(q, "arm_panda_link7"), at, atol=1e-12)
    less, _ = both.remove(["arm_panda_joint1"])
    assert less.nv == QUADRUPED.nv and less.total_mass == pytest.approx(QUADRUPED.total_mass)


def test_robots_side_by_side():
    at = fl.SE3(np.eye(3), [0, 1, 0])
    pair, maps = fl.Model.merge("pair", [("l_", PANDA, fl.SE3()), ("r_", PANDA, at)])
    q = maps[1].configuration(state(PANDA, 2)[0], into=maps[0].configuration(state(PANDA, 1)[0]))
    mass = pair.crba(q)
    assert np.allclose(mass[:7, :7], PANDA.crba(state(PANDA, 1)[0]), atol=1e-12)
    assert np.allclose(mass[7:, 7:], PANDA.crba(state(PANDA, 2)[0]), atol=1e-12)
    assert not mass[:7, 7:].any()


def test_another_base_is_another_choice_of_coordinates():
    q, v, _ = state(QUADRUPED)
    foot = QUADRUPED.joints[-1].name
    standing, carried = QUADRUPED.reroot(foot)
    q_new, v_new = carried.configuration(q), carried.velocity(q, v)
    assert standing.kinetic_energy(q_new, v_new) == pytest.approx(QUADRUPED.kinetic_energy(q, v), rel=1e-12)
    assert standing.potential_energy(q_new) == pytest.approx(QUADRUPED.potential_energy(q), rel=1e-10)


def test_mimic_joints_come_and_go():
    arm = fl.load("double_pendulum")
    coupled, _ = arm.mimic("elbow", "shoulder", ratio=-2, offset=0.1)
    freed, carried = coupled.free("elbow")
    assert freed == arm
    assert np.allclose(carried.configuration([0.3]), [0.3, -0.5])
    assert np.allclose(carried.velocity([0.3], [1.0]), [1.0, -2.0])


def test_what_cannot_be_done_says_why():
    with pytest.raises(ValueError, match="free-flyer"):
        PANDA.reroot("panda_link7")
    with pytest.raises(ValueError, match="two joints are named"):
        PANDA.append(PANDA, "panda_link7")
    with pytest.raises(KeyError, match="panda_joint7"):
        PANDA.lock(["panda_joint77"], PANDA.neutral())
    with pytest.raises(ValueError, match="mimics no other joint"):
        PANDA.free("panda_joint1")
    with pytest.raises(ValueError, match="into has shape"):
        PANDA.lock(["panda_joint1"], PANDA.neutral())[1].configuration(PANDA.neutral(), into=[0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert PANDA.with_inertia("panda_joint7", fl.Inertia()).total_mass < PANDA.total_mass
