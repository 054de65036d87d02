"""Lie groups, pseudo-inertias, mimic joints, Hessians, joint data and saved objects beside Pinocchio."""

import copy
import pickle

import numpy as np
import pytest

import featherline as fl
import featherline.pinocchio as fp
from featherline.pinocchio import liegroups as our_groups

pin = pytest.importorskip("pinocchio")
from pinocchio import liegroups as their_groups  # noqa: E402
from test_pinocchio_files import both  # noqa: E402

LINK = "<inertial><mass value='1'/><origin xyz='.1 0 .2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
JOINT = "<origin xyz='0 .1 1'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
GRIPPER = f"""<robot name='g'><link name='a'/><link name='b'>{LINK}</link><link name='c'>{LINK}</link><link name='d'>{LINK}</link>
<joint name='j1' type='revolute'><parent link='a'/><child link='b'/>{JOINT}</joint>
<joint name='j2' type='prismatic'><parent link='b'/><child link='c'/>{JOINT}</joint>
<joint name='j3' type='revolute'><parent link='c'/><child link='d'/>{JOINT}<mimic joint='j1' multiplier='2' offset='.5'/></joint>
</robot>"""


def assert_near(theirs, ours, tolerance=1e-12):
    # Pinocchio returns matrices of one row as vectors.
    theirs, ours = np.array(theirs, float).ravel(), np.array(ours, float).ravel()
    assert theirs.shape == ours.shape
    assert np.abs(theirs - ours).max(initial=0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0))


GROUPS = {
    "R1": lambda g: g.R1(), "R2": lambda g: g.R2(), "R3": lambda g: g.R3(), "R5": lambda g: g.Rn(5), "SO2": lambda g: g.SO2(),
    "SO3": lambda g: g.SO3(), "SE2": lambda g: g.SE2(), "SE3": lambda g: g.SE3(),
    "product": lambda g: g.SE3() * g.R1() * g.SO2() * g.R2(),
}  # fmt: skip


@pytest.mark.parametrize("name", GROUPS)
def test_lie_groups(name):
    theirs, ours = (GROUPS[name](groups) for groups in (their_groups, our_groups))
    assert (theirs.name, theirs.nq, theirs.nv) == (ours.name, ours.nq, ours.nv)
    assert_near(theirs.neutral, ours.neutral)
    random = np.random.default_rng(2)
    q0, q1, v, J = theirs.random(), theirs.random(), random.normal(size=ours.nv), random.normal(size=(ours.nv, ours.nv))
    calls = {
        "difference": (q0, q1), "squaredDistance": (q0, q1),
        "distance": (q0, q1), "dIntegrate_dq": (q0, v), "dIntegrate_dv": (q0, v), "tangentMap": (q0,),
        "tangentMapProduct": (q0, J), "tangentMapTransposeProduct": (q0, random.normal(size=(ours.nq, 3))),
    }  # fmt: skip
    for function, arguments in calls.items():
        assert_near(getattr(theirs, function)(*arguments), getattr(ours, function)(*arguments), 1e-11)
    # Quaternions q and -q are the same rotation.
    assert_near(np.zeros(ours.nv), theirs.difference(theirs.integrate(q0, v), ours.integrate(q0, v)), 1e-7)
    assert_near(np.zeros(ours.nv), theirs.difference(theirs.interpolate(q0, q1, 0.3), ours.interpolate(q0, q1, 0.3)), 1e-7)
    for product in ((J, 0), (0, J)):
        assert_near(theirs.dIntegrate_dq(q0, v, *product), ours.dIntegrate_dq(q0, v, *product))
    for argument in ("ARG0", "ARG1"):
        a, b = getattr(pin, argument), getattr(fp, argument)
        assert_near(theirs.dIntegrate(q0, v, a), ours.dIntegrate(q0, v, b))
        assert_near(theirs.dDifference(q0, q1, a), ours.dDifference(q0, q1, b), 1e-11)
        assert_near(theirs.dIntegrateTransport(q0, v, J, a), ours.dIntegrateTransport(q0, v, J, b))
    doubled = 2 * q0
    ours.normalize(doubled)
    # In place: Pinocchio's binding changes a copy.
    assert name.startswith("R") == np.array_equal(doubled, 2 * q0)
    assert ours == GROUPS[name](our_groups) and ours.random().shape == (ours.nq,)


def test_group_of_a_model():
    assert fp.lieGroup(fp.buildSampleModelHumanoid()).name == pin.lieGroup(pin.buildSampleModelHumanoid()).name
    with pytest.raises(ValueError, match="Rn of -1"):
        our_groups.Rn(-1)


def test_log_cholesky_parameters_and_pseudo_inertias():
    random = np.random.default_rng(3)
    for numbers in random.normal(scale=0.7, size=(20, 10)):
        theirs, ours = pin.LogCholeskyParameters(numbers), fp.LogCholeskyParameters(numbers)
        assert_near(theirs.parameters, ours.parameters)
        assert_near(theirs.toDynamicParameters(), ours.toDynamicParameters())
        assert_near(theirs.calculateJacobian(), ours.calculateJacobian())
        assert_near(theirs.toInertia().matrix(), ours.toInertia().matrix())
        one, other = theirs.toPseudoInertia(), ours.toPseudoInertia()
        assert_near(one.toMatrix(), other.toMatrix())
        for name in ("mass", "h", "sigma"):
            assert_near(getattr(one, name), getattr(other, name))
        assert_near(theirs.toInertia().toPseudoInertia().toMatrix(), ours.toInertia().toPseudoInertia().toMatrix())
        assert_near(pin.Inertia.FromLogCholeskyParameters(theirs).matrix(), fp.Inertia.FromLogCholeskyParameters(ours).matrix())
        assert fp.PseudoInertia.FromDynamicParameters(other.toDynamicParameters()).toInertia().isApprox(ours.toInertia(), 1e-9)
    with pytest.raises(ValueError, match="4, 4"):
        fp.PseudoInertia.FromMatrix(np.eye(3))


def test_symmetric_matrices():
    random = np.random.default_rng(4)
    six, v, R = random.normal(size=6), random.normal(size=3), pin.exp3(random.normal(size=3))
    theirs, ours = pin.Symmetric3(six), fp.Symmetric3(six)
    for use in (
        lambda p, S: S.matrix(), lambda p, S: S.vtiv(v), lambda p, S: S * v, lambda p, S: (S + S).data,
        lambda p, S: (S - p.Symmetric3.Identity()).data, lambda p, S: S.rotate(R).data, lambda p, S: (S + np.eye(3)).data,
        lambda p, S: p.Symmetric3(S.matrix()).data, lambda p, S: p.Symmetric3.vxs(S, v), lambda p, S: p.Symmetric3(*six).data,
    ):  # fmt: skip
        assert_near(use(pin, theirs), use(fp, ours))
    inverse = np.empty((3, 3))
    ours.inverse(inverse)
    assert_near(np.eye(3), inverse @ ours.matrix(), 1e-9)


def test_rotations_and_placements():
    random = np.random.default_rng(5)
    for length in (0.0, 1e-3, 0.5, 3.0):
        direction, v = random.normal(size=(2, 3))
        R = pin.exp3(length * direction / np.linalg.norm(direction))
        q = pin.Quaternion(R).coeffs()
        assert_near(pin.log3(q), fp.log3(q))
        assert_near(pin.log3(-q), fp.log3(-q))
        assert_near(pin.log3(pin.Quaternion(q)), fp.log3(fp.Quaternion(q)))
        # Pinocchio's loses digits of small angles, and has none at zero.
        if length > 0:
            assert_near(pin.Hlog3(R, v), fp.Hlog3(R, v), 1e-6)
    angle = np.zeros(1)
    fp.log3(R, angle)
    assert_near(angle, [3.0])
    M = fp.SE3.Random()
    assert (~M * M).isIdentity() and fp.utils.npl is np.linalg


def pair_of(transforms=(), sample="buildSampleModelHumanoid"):
    models = []
    for p in (pin, fp):
        model = getattr(p, sample)()
        for arguments in transforms:
            model = p.transformJointIntoMimic(model, *arguments)
        models.append(model)
    return models


MIMICS = {
    "file": lambda: [p.buildModelFromXML(GRIPPER, mimic=True) for p in (pin, fp)],
    "floating file": lambda: [p.buildModelFromXML(GRIPPER, p.JointModelFreeFlyer(), mimic=True) for p in (pin, fp)],
    "arm": lambda: pair_of([(1, 4, 2.0, 0.3), (2, 3, -1.0, 0.0)], "buildSampleModelManipulator"),
    "branches": lambda: pair_of([(5, 10, -1.5, 0.2), (3, 20, 0.7, -0.1), (12, 13, 2.0, 0.0)]),
}


@pytest.mark.parametrize("name", MIMICS)
def test_mimic_joints(name):
    theirs, ours = MIMICS[name]()
    for field in ("nq", "nv", "nvExtended"):
        assert getattr(theirs, field) == getattr(ours, field)
    for field in ("idx_qs", "idx_vs", "nqs", "nvs", "idx_vExtendeds", "nvExtendeds", "mimicking_joints", "parents"):
        assert list(getattr(theirs, field)) == list(getattr(ours, field)), field
    for field in ("mimic_joint_supports", "supports", "sparsity_pattern_vector", "span_indexes_vector"):
        assert [list(x) for x in getattr(theirs, field)] == [list(x) for x in getattr(ours, field)], field
    for i in theirs.mimicking_joints:
        one, other = theirs.joints[i].extract(), ours.joints[i]
        assert (one.scaling, one.offset, one.shortname()) == (other.scaling, other.offset, other.shortname())
    random = np.random.default_rng(6)
    q = pin.integrate(theirs, pin.neutral(theirs), random.normal(scale=0.5, size=theirs.nv))
    v, a = random.normal(size=(2, theirs.nv))
    found = []
    for p, m in ((pin, theirs), (fp, ours)):
        d = m.createData()
        results = [p.rnea(m, d, q, v, a), np.triu(p.crba(m, d, q)), p.nle(m, d, q, v), p.centerOfMass(m, d, q, v, a).copy()]
        results += [p.jacobianCenterOfMass(m, d, q), p.ccrba(m, d, q, v), p.computeJointJacobians(m, d, q).copy()]
        results.append(p.computeJointJacobiansTimeVariation(m, d, q, v).copy())
        p.updateFramePlacements(m, d)
        for joint in range(1, m.njoints):
            results.append(p.computeJointJacobian(m, d, q, joint))
            for reference in (p.WORLD, p.LOCAL, p.LOCAL_WORLD_ALIGNED):
                p.computeJointJacobiansTimeVariation(m, d, q, v)
                results.append(p.getJointJacobian(m, d, joint, reference))
                results.append(p.getJointJacobianTimeVariation(m, d, joint, reference))
                frame = m.nframes - joint
                results += [p.getFrameJacobian(m, d, frame, reference), p.computeFrameJacobian(m, d, q, frame, reference)]
        found.append(results)
    for one, other in zip(*found, strict=True):
        assert_near(one, other, 1e-9)
    with pytest.raises(RuntimeError, match="mimic"):
        fp.computeForwardKinematicsDerivatives(ours, ours.createData(), q, v, a)
    # Pinocchio has no forward dynamics here: it is the inverse of rnea.
    assert_near(a, fp.aba(ours, ours.createData(), q, v, found[1][0]), 1e-7)


def test_mimic_joints_that_cannot_be():
    model = fp.buildSampleModelManipulator()
    with pytest.raises(ValueError, match="comes first"):
        fp.transformJointIntoMimic(model, 4, 1, 1.0, 0.0)
    with pytest.raises(ValueError, match="already"):
        fp.transformJointIntoMimic(fp.transformJointIntoMimic(model, 1, 4, 1.0, 0.0), 2, 4, 1.0, 0.0)
    reduced = fp.buildReducedModel(fp.transformJointIntoMimic(model, 2, 4, 2.0, 0.0), [1], np.zeros(5))
    assert list(reduced.mimicking_joints) == [3] and list(reduced.mimicked_joints) == [1]


@pytest.mark.parametrize("sample", ["buildSampleModelManipulator", "buildSampleModelHumanoid"])
def test_kinematic_hessians(sample):
    theirs, ours = pair_of(sample=sample)
    q = pin.integrate(theirs, pin.neutral(theirs), np.random.default_rng(7).normal(size=theirs.nv))
    d, e = theirs.createData(), ours.createData()
    pin.computeJointKinematicHessians(theirs, d, q)
    fp.computeJointKinematicHessians(ours, e, q)
    frame, joint = ours.nframes - 1, ours.njoints - 1
    pin.updateFramePlacements(theirs, d)
    references = ("WORLD", "LOCAL_WORLD_ALIGNED", "LOCAL") if ours.nq == ours.nv else ("WORLD", "LOCAL_WORLD_ALIGNED")
    for name in references:
        for get, index in (("getJointKinematicHessian", joint), ("getFrameKinematicHessian", frame)):
            expected = getattr(pin, get)(theirs, d, index, getattr(pin, name))
            # The binding gives numbers column by column as if they were row by row.
            expected = expected.ravel().reshape(expected.shape, order="F")
            assert_near(expected, getattr(fp, get)(ours, e, index, getattr(fp, name)), 1e-9)


def test_joint_data_and_rows_of_the_tree():
    theirs, ours = pair_of()
    d, e = theirs.createData(), ours.createData()
    for field in ("lastChild", "nvSubtree_fromRow", "parents_fromRow", "start_idx_v_fromRow", "end_idx_v_fromRow"):
        assert list(getattr(d, field)) == list(getattr(e, field))
    assert list(d.nvSubtree)[1:] == list(e.nvSubtree)[1:]
    assert [list(x) for x in d.supports_fromRow] == [list(x) for x in e.supports_fromRow]
    random = np.random.default_rng(8)
    q, v = pin.integrate(theirs, pin.neutral(theirs), random.normal(size=theirs.nv)), random.normal(size=theirs.nv)
    pin.crba(theirs, d, q)
    fp.crba(ours, e, q)
    pin.cholesky.decompose(theirs, d)
    fp.cholesky.decompose(ours, e)
    assert_near(d.U, e.U, 1e-9)
    assert_near(d.D, e.D, 1e-9)
    pin.forwardKinematics(theirs, d, q, v)
    fp.forwardKinematics(ours, e, q, v)
    for data in (e, copy.deepcopy(e), pickle.loads(pickle.dumps(e))):
        for one, other in zip(list(d.joints)[1:], data.joints[1:], strict=True):
            assert one.shortname() == other.shortname()
            assert_near(one.M.homogeneous, other.M.homogeneous)
            for a, b in ((one.S, other.S), (one.v.vector, other.v.vector), (one.joint_q, other.joint_q)):
                assert_near(a, b, 1e-10)


def test_body_radii_and_parallel_collisions():
    radii, found = [], []
    for p, (model, geometry) in zip((pin, fp), both(), strict=True):
        geometry.addAllCollisionPairs()
        data = geometry.createData()
        p.computeBodyRadius(model, geometry, data)
        radii.append(list(data.radius))
        # The columns are angles of the continuous joint, as (cos, sin).
        q = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        pool = p.GeometryPool(model, geometry, 2)
        found.append([bool(x) for x in p.computeCollisionsInParallel(1, pool, q)])
    assert_near(*radii, 1e-9)
    assert found[0] == found[1] and len(found[1]) == 3


def test_saved_objects(tmp_path):
    model = fp.buildSampleModelManipulator()
    path = str(tmp_path / "model.xml")
    with pytest.warns(fl.RobotWarning, match="other programs cannot read"):
        model.saveToXML(path, "arm")
    twin = fp.Model()
    twin.loadFromXML(path, "arm")
    assert twin == model
    with pytest.raises(ValueError, match="no element <leg>; it has <arm>"):
        twin.loadFromXML(path, "leg")
    pin.buildSampleModelManipulator().saveToXML(path, "arm")
    with pytest.raises(ValueError, match="boost_serialization"):
        twin.loadFromXML(path, "arm")
    data, other, buffer = model.createData(), model.createData(), fp.serialization.StreamBuffer()
    fp.forwardKinematics(model, data, np.full(6, 0.3))
    data.saveToBinary(buffer)
    other.loadFromBinary(buffer)
    assert_near(data.oMi[6].homogeneous, other.oMi[6].homogeneous)
    short = fp.serialization.StaticBuffer(10)
    with pytest.raises(ValueError, match="are needed"):
        fp.serialization.saveToBinary(model, short)
