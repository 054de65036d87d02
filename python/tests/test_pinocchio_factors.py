"""Factors of constraints, lcaba, sample models with a mimic joint and materials, beside identities and Pinocchio."""

import numpy as np
import pytest

import featherline.pinocchio as fp
from featherline.pinocchio.utils import npToTuple


def held(module):
    """An arm at q whose elbow and hand are held, after what the factors need."""
    model = module.buildSampleModelManipulator()
    data, q = model.createData(), 0.3 * np.arange(6) + 0.1
    models = [
        module.RigidConstraintModel(module.ContactType.CONTACT_3D, model, 5, module.SE3.Identity(), module.LOCAL),
        module.RigidConstraintModel(
            module.ContactType.CONTACT_6D, model, 6, module.SE3.Identity(), module.LOCAL_WORLD_ALIGNED
        ),
    ]
    datas = [one.createData() for one in models]
    module.crba(model, data, q, module.Convention.WORLD)
    module.computeJointJacobians(model, data, q)
    for one, own in zip(models, datas, strict=True):
        one.calc(model, data, own)
    factors = module.ConstraintCholeskyDecomposition(model, data, models, datas)
    factors.compute(model, data, models, datas, 1e-3)
    return factors, (model, data, models, datas)


def test_factors_and_solutions_are_those_of_the_matrix():
    factors, (model, data, models, datas) = held(fp)
    A, n = factors.matrix(), factors.constraintDim()
    J = fp.getConstraintsJacobian(model, data, models, datas)
    assert (n, factors.size()) == (9, 15)
    np.testing.assert_array_equal(A, np.block([[-1e-3 * np.eye(9), J], [J.T, data.M]]))
    np.testing.assert_allclose(factors.U @ np.diag(factors.D) @ factors.U.T, A, atol=1e-11)
    np.testing.assert_array_equal(np.tril(factors.U), np.eye(15))
    np.testing.assert_allclose(factors.Dinv * factors.D, 1.0, rtol=1e-15)
    # The condition of A is 1e5.
    np.testing.assert_allclose(A @ factors.solve(np.eye(15)), np.eye(15), atol=1e-9)
    np.testing.assert_allclose(factors.inverse() @ A, np.eye(15), atol=1e-9)
    delassus = factors.getInverseOperationalSpaceInertiaMatrix()
    np.testing.assert_allclose(delassus, J @ factors.getInverseMassMatrix() @ J.T + 1e-3 * np.eye(9), atol=1e-11)
    np.testing.assert_allclose(factors.getOperationalSpaceInertiaMatrix() @ delassus, np.eye(9), atol=1e-9)


def test_damping_can_be_changed_and_is_checked():
    factors, (model, data, models, datas) = held(fp)
    copied = factors.copy()
    factors.updateDamping(np.linspace(0.1, 0.9, 9))
    np.testing.assert_array_equal(factors.getDamping(), np.diag(np.linspace(0.1, 0.9, 9)))
    np.testing.assert_allclose(factors.U @ np.diag(factors.D) @ factors.U.T, factors.matrix(), atol=1e-11)
    factors.compute(model, data, contact_models=models, contact_datas=datas, mus=np.full(9, 0.2))
    np.testing.assert_array_equal(factors.getDamping(), 0.2 * np.eye(9))
    np.testing.assert_array_equal(copied.getDamping(), 1e-3 * np.eye(9))
    with pytest.raises(ValueError, match="mu has 2 entries, where 9 are expected"):
        factors.updateDamping([1.0, 2.0])
    with pytest.raises(TypeError, match="ConstraintCholeskyDecomposition of a int: only RigidConstraintModel"):
        fp.ConstraintCholeskyDecomposition(model, data, [1], datas)
    empty = fp.ContactCholeskyDecomposition(model, model.createData())
    with pytest.raises(ValueError, match="computeJointJacobians must be called before"):
        empty.compute(model, model.createData(), [], [])


def test_factors_are_pinocchios():
    pin = pytest.importorskip("pinocchio")
    (ours, _), (theirs, _) = held(fp), held(pin)
    for name in ("U", "D", "Dinv"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9)
    for name in (
        "matrix", "inverse", "getDamping", "getInverseMassMatrix", "getOperationalSpaceInertiaMatrix",
        "getInverseOperationalSpaceInertiaMatrix",
    ):  # fmt: skip
        reference = getattr(theirs, name)()
        np.testing.assert_allclose(getattr(ours, name)(), reference, rtol=0, atol=1e-10 * np.abs(reference).max())


def four_bars(module):
    """A chain of three bars whose end is held to the universe."""
    model = module.Model()
    parent, at = 0, module.SE3.Identity()
    for k, length in enumerate((0.6, 1.0, 0.6)):
        parent = model.addJoint(parent, module.JointModelRY(), at, f"bar{k}")
        at = module.SE3(np.eye(3), np.array([length, 0.0, 0.0]))
        middle = module.SE3(np.eye(3), np.array([length / 2, 0.0, 0.0]))
        model.appendBodyToJoint(parent, module.Inertia.FromBox(5.0, length, 0.01, 0.1), middle)
    base = module.SE3(np.eye(3), np.array([1.0, 0.0, 0.0]))
    end = module.RigidConstraintModel(module.ContactType.CONTACT_3D, model, parent, at, 0, base)
    return model, end


STATE = np.array([-1.4, 1.2, 1.3]), np.array([0.2, -0.1, 0.3]), np.array([1.0, 2.0, -1.0])


def test_lcaba_is_constrained_dynamics():
    model, end = four_bars(fp)
    data = model.createData()
    fp.computeJointMinimalOrdering(model, data, [end])
    settings = fp.ProximalSettings(1e-12, 1e-6, 100)
    found = fp.lcaba(model, data, *STATE, [end], [end.createData()], settings)
    np.testing.assert_array_equal(found, fp.constraintDynamics(model, data, *STATE, [end], [end.createData()]))
    mimic = fp.buildSampleModelManipulator(True)
    with pytest.raises(RuntimeError, match="does not support mimic joints"):
        fp.computeJointMinimalOrdering(mimic, mimic.createData(), [])


def test_lcaba_is_pinocchios():
    pin = pytest.importorskip("pinocchio")
    found = []
    for module in (fp, pin):
        model, end = four_bars(module)
        data = model.createData()
        module.computeJointMinimalOrdering(model, data, [end])
        settings = module.ProximalSettings(1e-12, 1e-6, 100)
        found.append(np.array(module.lcaba(model, data, *STATE, [end], [end.createData()], settings)))
    # Pinocchio's iterations stop at 1e-12, and the row of y is redundant.
    np.testing.assert_allclose(*found, rtol=1e-8)


def test_a_sample_arm_has_a_wrist_that_mimics():
    model = fp.buildSampleModelManipulator(mimic=True)
    assert (model.nq, model.nv, model.njoints, model.nvExtended) == (5, 5, 7, 6)
    wrist = model.joints[6]
    assert (wrist.shortname(), wrist.scaling, wrist.offset) == ("JointModelMimic", 2.5, 0.75)
    # At q the arm is as the free one with the wrist at 2.5 q + 0.75.
    free, q = fp.buildSampleModelManipulator(), np.linspace(0.1, 0.5, 5)
    places = [one.createData() for one in (model, free)]
    fp.forwardKinematics(model, places[0], q)
    fp.forwardKinematics(free, places[1], np.append(q, 2.5 * q[-1] + 0.75))
    np.testing.assert_allclose(places[0].oMi[6].homogeneous, places[1].oMi[6].homogeneous, atol=1e-14)
    humanoid = fp.buildSampleModelHumanoidRandom(mimic=True)
    assert (humanoid.nq, humanoid.nv, humanoid.nvExtended) == (32, 31, 32)
    assert humanoid.names[humanoid.joints[-1].id] == "larm6_joint"


def test_sample_models_with_a_mimic_joint_are_pinocchios():
    pin = pytest.importorskip("pinocchio")
    ours, theirs = fp.buildSampleModelManipulator(True), pin.buildSampleModelManipulator(True)
    for name in ("lowerPositionLimit", "upperEffortLimit", "upperVelocityLimit", "idx_vs", "nvs"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert list(ours.names) == list(theirs.names)
    assert [frame.name for frame in ours.frames] == [frame.name for frame in theirs.frames]
    q, v = np.linspace(0.1, 0.9, 5), np.linspace(1.0, -1.0, 5)
    tau = [module.rnea(model, model.createData(), q, v, v) for module, model in ((fp, ours), (pin, theirs))]
    np.testing.assert_allclose(*tau, atol=1e-12)
    ours, theirs = fp.buildSampleModelHumanoidRandom(True, True), pin.buildSampleModelHumanoidRandom(True, True)
    assert list(ours.names) == list(theirs.names)
    np.testing.assert_array_equal(ours.idx_vs, theirs.idx_vs)


def test_materials_have_colours_and_can_be_copied():
    material = fp.GeometryPhongMaterial()
    assert (material.meshEmissionColor == [0, 0, 0, 1]).all() and material.meshShininess == 0.0
    material = fp.GeometryPhongMaterial(np.ones(4), np.zeros(4), 0.5)
    copied = fp.GeometryPhongMaterial(material)
    copied.meshSpecularColor[0] = 1.0
    assert material.meshSpecularColor[0] == 0.0 and copied.meshShininess == 0.5
    with pytest.raises(TypeError, match="GeometryPhongMaterial takes nothing"):
        fp.GeometryPhongMaterial(np.ones(4))
    shape = fp.GeometryObject("ball", 0, fp.SE3.Identity(), fp.coal.Sphere(0.1))
    shape.meshMaterial = fp.GeometryPhongMaterial()
    assert shape.meshMaterial.meshShininess == 0.0


def test_tuples_of_arrays_keep_rows():
    m = np.arange(9)
    assert npToTuple(m) == npToTuple(m[None]) == npToTuple(m[:, None]) == tuple(range(9))
    assert npToTuple(m.reshape(3, 3)) == ((0, 1, 2), (3, 4, 5), (6, 7, 8))


def test_the_version_has_both_names():
    assert fp.__raw_version__ == fp.__version__ == "4.1.0"
