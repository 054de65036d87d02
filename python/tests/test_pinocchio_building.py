"""Models that are made of others, composite joints and active pairs, beside Pinocchio."""

import warnings

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")
from test_pinocchio import FILES, FOLDER, load  # noqa: E402


def test_one_robot_beside_another_in_one_model():
    """buildModelFromUrdf into a model, and frames of what is appended."""
    both = []
    for module in (pin, fp):
        model = module.Model()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module.buildModelFromUrdf(str(FOLDER / FILES["ur5"][0]), model)
            module.buildModelFromUrdf(str(FOLDER / FILES["panda"][0]), module.JointModelFreeFlyer(), model)
        both.append(model)
    assert_same_frames(*both)
    assert both[0].name == both[1].name == "panda" and both[0].nbodies == both[1].nbodies


@pytest.mark.parametrize("frame", ["panda_hand_tcp", "panda_link3", "universe", "panda_leftfinger"])
def test_frames_of_appended_models_come_by_joint(frame):
    made = []
    for module in (pin, fp):
        panda, other = load(module, "panda"), load(module, "ur5")
        made.append(module.appendModel(other, panda, other.getFrameId("tool0"), module.SE3(np.eye(3), np.ones(3))))
        made.append(module.appendModel(panda, other, panda.getFrameId(frame), module.SE3(np.eye(3), np.ones(3))))
    assert_same_frames(made[0], made[2])
    assert_same_frames(made[1], made[3])


def assert_same_frames(theirs, ours):
    assert list(theirs.names) == list(ours.names) and list(theirs.parents) == list(ours.parents)
    for one, other in zip(theirs.frames, ours.frames, strict=True):
        assert (one.name, one.parentJoint, one.parentFrame, int(one.type)) == (
            other.name, other.parentJoint, other.parentFrame, int(other.type),
        )  # fmt: skip
        assert np.allclose(one.placement.homogeneous, other.placement.homogeneous, atol=1e-12)
    for one, other in zip(theirs.inertias, ours.inertias, strict=True):
        assert np.allclose(one.toDynamicParameters(), other.toDynamicParameters(), atol=1e-12)


def test_pairs_that_are_not_tested():
    data = fp.GeometryData(fp.GeometryModel())
    data.activeCollisionPairs.append(True)
    data.deactivateCollisionPair(0)
    assert data.copy().activeCollisionPairs == [False]
    data.activateCollisionPair(0)
    assert data.activeCollisionPairs == [True]


def test_names_that_tab_shows():
    assert {"Any", "np", "annotations", "ABSENT"}.isdisjoint(dir(fp)) and {"rnea", "Model", "rpy"} <= set(dir(fp))


@pytest.mark.filterwarnings("ignore")
def test_composite_joints_move_as_in_pinocchio():
    results = []
    for module in (pin, fp):
        at = module.SE3(np.eye(3), np.array([0.1, 0.2, 0.3]))
        root = module.JointModelComposite(module.JointModelTranslation())
        root.addJoint(module.JointModelSphericalZYX(), at)
        model = module.buildModelFromUrdf(str(FOLDER / FILES["ur5"][0]), root)
        tool = module.JointModelComposite(2)
        tool.addJoint(module.JointModelRX())
        tool.addJoint(module.JointModelPZ(), at)
        limits = [np.array([1.0, 2.0]) * k for k in range(1, 5)]
        joint = model.addJoint(model.getJointId("wrist_3_joint"), tool, at, "tool", *limits)
        model.appendBodyToJoint(joint, module.Inertia(1.0, np.array([0.0, 0.1, 0.2]), np.eye(3)), module.SE3.Identity())
        assert model.getJointId("tool") == joint and tool.njoints == 2 and root.nq == 6
        q, v = np.linspace(-0.5, 0.6, model.nq), np.linspace(-1.0, 2.0, model.nv)
        data = model.createData()
        module.framesForwardKinematics(model, data, q)
        place = [data.oMi[joint].homogeneous, data.oMf[model.getFrameId("tool0")].homogeneous]
        limits = [model.effortLimit[-3:], model.velocityLimit[-2:], model.lowerPositionLimit[-2:], model.upperPositionLimit[-2:]]
        dynamics = [module.rnea(model, data, q, v, v), module.crba(model, data, q), module.aba(model, data, q, v, v)]
        results.append([model.nq, model.nv, *place, *limits, *dynamics])
    for one, other in zip(*results, strict=True):
        assert np.allclose(one, other, atol=1e-8)
    with pytest.raises(ValueError, match="has no joints"):
        fp.Model().addJoint(0, fp.JointModelComposite(), fp.SE3(), "none")


PARTS = ("axis", "pitch", "axis1", "axis2", "radius_x", "radius_y", "radius_z")


def test_joint_models_have_their_axes_and_sizes():
    def read(p):
        kinds = [
            p.JointModelHX(pitch=0.3), p.JointModelHelicalUnaligned(x=0.6, y=0.0, z=-0.8, pitch=0.3),
            p.JointModelPrismaticUnaligned(axis=np.array([0.0, 0.6, 0.8])),
            p.JointModelRevoluteUnaligned(0.0, 0.6, 0.8),
            p.JointModelUniversal(x1=1.0, y1=0.0, z1=0.0, x2=0.0, y2=1.0, z2=0.0),
            p.JointModelUniversal(axis2=np.array([0.0, 0.0, 1.0]), axis1=np.array([0.0, 1.0, 0.0])),
            p.JointModelEllipsoid(radius_x=1.0, radius_y=2.0, radius_z=3.0), p.JointModelRUBY(), p.JointModelPZ(),
            p.JointModelFreeFlyer(), p.JointModelPlanar(),
        ]  # fmt: skip
        found = []
        for k, joint in enumerate(kinds):
            joint.setIndexes(joint_id=k + 1, idx_q=k, idx_v=2)
            parts = [getattr(joint, name) for name in PARTS if hasattr(joint, name)]
            axis = [joint.getMotionAxis()] if hasattr(joint, "getMotionAxis") else []
            # Pinocchio has two entries of the one coordinate of a helical joint.
            limited = list(joint.hasConfigurationLimit)[: joint.nq]
            limited += list(joint.hasConfigurationLimitInTangent)[: joint.nv]
            rounded = [np.round(x, 12).tolist() for x in parts + axis]
            found.append([joint.shortname(), joint.id, joint.idx_q, limited, rounded])
        kinds[0].pitch = 0.7
        row = p.JointModelComposite(joint_model=p.JointModelRX(), joint_placement=p.SE3.Identity(), name="first")
        row.addJoint(joint_model=p.JointModelPZ(), name="second")
        with pytest.raises(ValueError):
            row.getJointId("third")
        return found, kinds[0].pitch, row.njoints, row.getJointId("second")

    (theirs, *others), (ours, *own) = read(pin), read(fp)
    for one, other in zip(theirs, ours, strict=True):
        assert one == other
    assert others == own


@pytest.mark.parametrize("upper", [True, False])
def test_maps_of_pairs(upper):
    entries = np.random.default_rng(2).uniform(size=(4, 4))

    def read(p, shape):
        model = p.GeometryModel()
        for k in range(4):
            one = {"name": f"{k}", "parent_joint": k, "placement": p.SE3.Identity(), "collision_geometry": shape}
            model.addGeometryObject(p.GeometryObject(**one))
        for pair in ((0, 1), (2, 0), (1, 3), (3, 2)):
            model.addCollisionPair(p.CollisionPair(*pair))
        data = model.createData()
        data.setSecurityMargins(model, entries, upper)
        found = [[request.security_margin for request in data.collisionRequests]]
        data.setActiveCollisionPairs(model, entries > 0.5, upper)
        found.append(list(data.activeCollisionPairs))
        data.setGeometryCollisionStatus(geom_model=model, geom_id=2, enable_collision=True)
        found.append(list(data.activeCollisionPairs))
        data.deactivateAllCollisionPairs()
        return [*found, list(data.activeCollisionPairs)]

    assert read(fp, None) == read(pin, pytest.importorskip("coal").Sphere(0.1))


@pytest.mark.parametrize("steps", [1, 3, 10, 1000])
def test_the_largest_eigenvector(steps):
    matrix = np.random.default_rng(0).normal(size=(5, 5))
    matrix = matrix @ matrix.T
    theirs, ours = (p.linalg.computeLargestEigenvector(mat=matrix, max_it=steps) for p in (pin, fp))
    assert np.allclose(ours, theirs, rtol=1e-9)
    assert fp.linalg.retrieveLargestEigenvalue(ours) == pytest.approx(pin.linalg.retrieveLargestEigenvalue(theirs))


def test_data_of_every_model_of_a_pool_and_of_none():
    model = fp.buildSampleModelManipulator()
    pool = fp.ModelPool(model=model, size=2)
    data = model.createData()
    data.tau[:] = 3.0
    pool.update(data=data)
    assert fp.ModelPool(other=pool).size() == 2 and pool.getData(1).tau.tolist() == [3.0] * 6
    assert fp.createDatas(None, model)[0] is None
