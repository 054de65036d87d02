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
