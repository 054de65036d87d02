"""Transmitted forces, articulated inertias and the terms of the articulated-body algorithm."""

import pathlib

import numpy as np
import pytest

import featherline as fl

FILES = pathlib.Path(__file__).parents[2] / "robots"
ROBOTS = [("panda", False), ("hand", False), ("ur5", True), ("quadruped", True), ("humanoid", True)]


@pytest.mark.parametrize(("name", "floats"), ROBOTS)
def test_bodies_beside_pinocchio(name, floats):
    pin = pytest.importorskip("pinocchio")
    path = FILES / f"{name}.urdf"
    model = fl.load(path, pinocchio=True, floating_base=floats)
    other = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floats else []))
    data = other.createData()
    rng = np.random.default_rng(3)
    v, a = rng.uniform(-1, 1, (2, model.nv))
    q = model.integrate(model.neutral(), v)
    pin.rnea(other, data, q, v, a)
    forces = model.transmitted_forces(q, v, a)
    assert np.allclose(forces, [f.vector for f in data.f[1:]], atol=1e-9)
    pin.aba(other, data, q, v, a, pin.Convention.LOCAL)
    felt = model.articulated_inertias(q)
    terms = model.aba_terms(q, v, a)
    assert np.allclose(terms.articulated_inertias, felt, atol=1e-12)
    for i, joint in enumerate(other.joints[1:]):
        own = felt[i]
        if other.parents[joint.id] != 0:
            # There the joint's motions are eliminated, here they are not.
            s = np.reshape(data.joints[joint.id].S, (6, joint.nv))
            armature = np.diag(other.armature[joint.idx_v : joint.idx_v + joint.nv])
            along = own @ s
            own = own - along @ np.linalg.inv(s.T @ along + armature) @ along.T
        assert np.allclose(own, data.Yaba[joint.id], atol=1e-8), joint
        own, columns = data.joints[joint.id], slice(joint.idx_v, joint.idx_v + joint.nv)
        assert np.allclose(terms.U[:, columns], np.reshape(own.U, (6, joint.nv)), atol=1e-8), joint
        identity = terms.D[columns, columns] @ np.reshape(own.Dinv, (joint.nv, joint.nv))
        assert np.allclose(identity, np.eye(joint.nv), atol=1e-8), joint


@pytest.mark.parametrize("name", ["panda", "quadruped", "hand"])
def test_accelerations_follow_from_the_terms_of_each_joint(name):
    model = fl.load(name)
    rng = np.random.default_rng(5)
    v, tau = rng.uniform(-1, 1, (2, model.nv))
    q = model.integrate(model.neutral(), v)
    push = rng.uniform(-1, 1, (len(model.joints), 6))
    terms = model.aba_terms(q, v, tau, push)
    qdd = model.aba(q, v, tau, push)
    # a' = ᵢXλ a_λ + c, where the world accelerates as -g.
    accelerations: dict[str | None, fl.Motion] = {None: fl.Motion(-np.array(model.gravity), [0, 0, 0])}
    placed: dict[str | None, fl.SE3] = {joint: fl.SE3(model.placement(q, joint)) for joint in model.joints}
    placed[None] = fl.SE3()
    for i, joint in enumerate(model.joints.values()):
        own = joint.evaluate(q, v)
        onto_parent = placed[joint.parent].inverse() * placed[joint.name]
        carried = onto_parent.act_inv(accelerations[joint.parent]).vector + terms.velocity_products[i]
        columns = slice(joint.idx_v, joint.idx_v + own.subspace.shape[1])
        if all(other.mimics is None for other in model.joints.values()):
            rest = terms.u[columns] - terms.U[:, columns].T @ carried
            assert np.allclose(terms.D[columns, columns] @ qdd[columns], rest, atol=1e-9), joint
        accelerations[joint.name] = fl.Motion(carried + own.subspace @ qdd[columns])
    # The bodies move as kinematics says, mimic joints too.
    found = np.array([accelerations[joint].vector for joint in model.joints])
    lifted = [placed[joint].act_inv(accelerations[None]).vector for joint in model.joints]
    assert np.allclose(found - lifted, model.accelerations(q, v, qdd), atol=1e-9)


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_the_articulated_inertia_of_a_free_base_is_the_schur_complement_of_the_mass_matrix(name):
    model = fl.load(name)
    q = model.integrate(model.neutral(), np.linspace(-1, 1, model.nv))
    m = model.crba(q)
    expected = m[:6, :6] - m[:6, 6:] @ np.linalg.solve(m[6:, 6:], m[6:, :6])
    assert np.allclose(model.articulated_inertias(q)[0], expected, atol=1e-9)


def test_external_forces_and_many_states():
    model = fl.load("panda")
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 4, 7))
    push = {"panda_link8": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]}
    forces = model.transmitted_forces(q, v, a, push)
    assert forces.shape == (4, 7, 6)
    assert np.allclose(forces[:, :, 5], model.rnea(q, v, a, push))
    assert model.articulated_inertias(q).shape == (4, 7, 6, 6)
