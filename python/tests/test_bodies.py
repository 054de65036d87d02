"""Transmitted forces and articulated inertias."""

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
    for i, joint in enumerate(other.joints[1:]):
        own = felt[i]
        if other.parents[joint.id] != 0:
            # There the joint's motions are eliminated, here they are not.
            s = np.reshape(data.joints[joint.id].S, (6, joint.nv))
            armature = np.diag(other.armature[joint.idx_v : joint.idx_v + joint.nv])
            along = own @ s
            own = own - along @ np.linalg.inv(s.T @ along + armature) @ along.T
        assert np.allclose(own, data.Yaba[joint.id], atol=1e-8), joint


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
