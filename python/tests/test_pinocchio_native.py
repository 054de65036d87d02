"""The module with Pinocchio's names beside the native one, where Pinocchio is not installed, too."""

import ast
import importlib
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import featherline as fl
import featherline.pinocchio as fp


def link(name, mass):
    return (
        f'<link name="{name}"><inertial><origin xyz="0.1 0.02 {mass}"/><mass value="{mass}"/>'
        '<inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.4"/></inertial></link>'
    )


def joint(name, kind, parent, child, axis):
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.2 0 0.3" rpy="0.1 0.2 0.3"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/><limit lower="-1" upper="2" effort="3" velocity="4"/></joint>'
    )


TEXT = (
    '<robot name="branched">'
    + "".join(link(name, 1 + k / 4) for k, name in enumerate(["base", "left", "hand", "right", "wheel", "tool"]))
    + joint("b_left", "revolute", "base", "left", "0 0 1")
    + joint("hand", "prismatic", "left", "hand", "0.6 0 0.8")
    + joint("a_right", "revolute", "base", "right", "0 1 0")
    + joint("wheel", "continuous", "right", "wheel", "1 0 0")
    + joint("tool", "fixed", "hand", "tool", "1 0 0")
    + "</robot>"
)


@pytest.fixture(params=[False, True], ids=["fixed", "floating"])
def robot(request):
    native = fl.load(TEXT, pinocchio=True, floating_base=request.param)
    options = [fp.JointModelFreeFlyer()] if request.param else []
    model = fp.buildModelFromXML(TEXT, *options)
    v, a = np.random.default_rng(1).normal(size=(2, model.nv))
    q = native.integrate(native.neutral(), v)
    return native, model, model.createData(), q, v, a


def test_the_tree_is_alphabetical_and_frames_follow_their_joints(robot):
    _, model, *_ = robot
    names = ["universe", "a_right", "wheel", "b_left", "hand"]
    assert [name for name in model.names if name != "root_joint"] == names
    frames = [f.name for f in model.frames if f.name not in ("universe", "root_joint")]
    assert frames == ["base", "a_right", "right", "wheel", "wheel", "b_left", "left", "hand", "hand", "tool", "tool"]
    assert model.getFrameId("tool", fp.BODY) == model.nframes - 1
    assert model.getJointId("nobody") == model.njoints and model.getFrameId("nobody") == model.nframes
    with pytest.raises(ValueError, match="Several"):
        model.getFrameId("tool")


def test_dynamics(robot):
    native, model, data, q, v, a = robot
    assert (model.nq, model.nv) == (native.nq, native.nv)
    tau = fp.rnea(model, data, q, v, a)
    assert np.allclose(tau, native.rnea(q, v, a), atol=1e-12) and data.tau is tau
    assert np.allclose(fp.aba(model, data, q, v, tau), a, atol=1e-9)
    assert np.allclose(fp.crba(model, data, q) @ a + fp.nonLinearEffects(model, data, q, v), tau, atol=1e-10)
    assert fp.computeTotalMass(model) == pytest.approx(native.total_mass)
    assert fp.computeMechanicalEnergy(model, data, q, v) == pytest.approx(native.mechanical_energy(q, v))
    assert np.allclose(fp.centerOfMass(model, data, q, v, a), native.center_of_mass(q), atol=1e-12)
    assert np.allclose(data.vcom[0], native.center_of_mass_velocity(q, v), atol=1e-12)
    assert np.allclose(data.acom[0], native.center_of_mass_acceleration(q, v, a), atol=1e-12)
    rate = fp.computeCentroidalMomentumTimeVariation(model, data, q, v, a)
    assert np.allclose(rate.vector, native.centroidal_momentum_rate(q, v, a), atol=1e-10)


def test_without_a_configuration_the_last_one_serves(robot):
    native, model, data, q, v, a = robot
    for call in [fp.computeMinverse, fp.computeJointJacobians, fp.jacobianCenterOfMass]:
        with pytest.raises(ValueError, match="must be called before"):
            call(model, model.createData())
    fp.forwardKinematics(model, data, q)
    assert np.array_equal(fp.computeJointJacobians(model, data), fp.computeJointJacobians(model, data, q))
    assert np.array_equal(fp.jacobianCenterOfMass(model, data), native.center_of_mass_jacobian(q))
    fp.aba(model, data, q, v, a)
    assert np.array_equal(fp.computeMinverse(model, data), native.mass_matrix_inverse(q))


@pytest.mark.parametrize("reference", ["world", "local", "local_world_aligned"])
def test_frames(robot, reference):
    native, model, data, q, v, a = robot
    rf = fp.ReferenceFrame[reference.upper()]
    fp.computeJointJacobiansTimeVariation(model, data, q, v)
    fp.forwardKinematics(model, data, q, v, a)
    fp.updateFramePlacements(model, data)
    index = model.getFrameId("tool", fp.BODY)
    assert np.allclose(data.oMf[index].homogeneous, native.placement(q, "tool"), atol=1e-13)
    pairs = [
        (fp.getFrameJacobian(model, data, index, rf), native.jacobian(q, "tool", reference)),
        (fp.getFrameJacobianTimeVariation(model, data, index, rf), native.jacobian_rate(q, v, "tool", reference)),
        (fp.getFrameVelocity(model, data, index, rf), native.velocity(q, v, "tool", reference)),
        (fp.getFrameAcceleration(model, data, index, rf), native.acceleration(q, v, a, "tool", reference)),
        (
            fp.getFrameClassicalAcceleration(model, data, index, rf),
            native.classical_acceleration(q, v, a, "tool", reference),
        ),
    ]
    for ours, theirs in pairs:
        assert np.allclose(np.asarray(ours), theirs, atol=1e-12)


def test_derivatives_of_configurations(robot):
    native, model, _, q, v, _ = robot
    along_q, along_v = fp.dIntegrate(model, q, v)
    h = 1e-6
    for k, step in enumerate(np.eye(model.nv) * h):
        ends = [fp.integrate(model, fp.integrate(model, q, s), v) for s in (-step, step)]
        assert np.allclose(fp.difference(model, *ends) / (2 * h), along_q[:, k], atol=1e-8)
        ends = [fp.integrate(model, q, v + s) for s in (-step, step)]
        assert np.allclose(fp.difference(model, *ends) / (2 * h), along_v[:, k], atol=1e-8)


def test_products_with_derivatives_of_integrate(robot):
    _, model, _, q, v, _ = robot
    Jin = np.random.default_rng(3).normal(size=(model.nv, 5))
    for position, J in zip((fp.ARG0, fp.ARG1), fp.dIntegrate(model, q, v), strict=True):
        found = fp.dIntegrateTransport(model, q, v, Jin, position)
        assert found.shape == Jin.shape and np.allclose(found, J @ Jin, rtol=0, atol=1e-13)
        assert np.allclose(fp.dIntegrateTransport(model, q, v, np.eye(model.nv), position), J, rtol=0, atol=1e-13)
        with pytest.raises(ValueError, match="rows"):
            fp.dIntegrateTransport(model, q, v, Jin[1:], position)


def test_fields_that_are_written_change_results(robot):
    _, model, data, q, v, a = robot
    before = fp.rnea(model, data, q, v, a)
    model.armature[-1] = 0.5
    after = fp.rnea(model, data, q, v, a)
    assert after[-1] - before[-1] == pytest.approx(0.5 * a[-1]) and np.allclose(after[:-1], before[:-1])
    model.inertias[1].lever[0] += 0.3
    assert not np.allclose(fp.rnea(model, data, q, v, a), after)
    with pytest.raises(NotImplementedError, match="gravity"):
        model.gravity.angular[1] = 1.0
        fp.rnea(model, data, q, v, a)


def test_models_are_values(robot):
    _, model, data, q, v, a = robot
    twin = pickle.loads(pickle.dumps(model))
    assert twin == model == model.copy()
    twin.armature[0] = 3.0
    assert twin != model
    assert np.array_equal(fp.rnea(model.copy(), data.copy(), q, v, a), fp.rnea(model, data, q, v, a))


def test_random_configurations_come_from_a_seed():
    model = fp.buildModelFromXML(TEXT)
    fp.seed(4)
    one = fp.randomConfiguration(model)
    fp.seed(4)
    assert np.array_equal(one, fp.randomConfiguration(model)) and fp.isNormalized(model, one)
    assert np.all(one >= model.lowerPositionLimit) and np.all(one <= model.upperPositionLimit)
    floating = fp.buildModelFromXML(TEXT, fp.JointModelFreeFlyer())
    with pytest.raises(ValueError, match="non bounded"):
        fp.randomConfiguration(floating)


def test_what_is_absent_says_so():
    with pytest.raises(NotImplementedError, match="computeInverseDynamicsConstraintForces"):
        _ = fp.computeInverseDynamicsConstraintForces
    with pytest.raises(NotImplementedError, match="dvc_dq"):
        _ = fp.Model().createData().dvc_dq
    with pytest.raises(AttributeError):
        _ = fp.Model().nothing_of_that_name
    with pytest.raises(AttributeError, match="no attribute 'forwardKinematic'; did you mean 'forwardKinematics'"):
        _ = fp.forwardKinematic
    with pytest.raises(NotImplementedError, match="branch"):
        model = fp.Model()
        first = model.addJoint(0, fp.JointModelRX(), fp.SE3(), "first")
        model.addJoint(0, fp.JointModelRX(), fp.SE3(), "second")
        model.addJoint(first, fp.JointModelRX(), fp.SE3(), "third")
        fp.neutral(model)


def test_models_as_files_and_strings(robot, tmp_path):
    _, model, data, q, v, a = robot
    for save, load in [("saveToText", "loadFromText"), ("saveToBinary", "loadFromBinary")]:
        with pytest.warns(fl.RobotWarning, match="cannot read"):
            getattr(model, save)(tmp_path / "model")
        twin = fp.Model()
        getattr(twin, load)(tmp_path / "model")
        assert twin == model
    twin = fp.Model()
    twin.loadFromString(model.saveToString())
    assert twin == model and np.array_equal(fp.rnea(twin, data, q, v, a), fp.rnea(model, data, q, v, a))
    (tmp_path / "model").write_text("nothing")
    with pytest.raises(ValueError, match="model holds no Model"):
        twin.loadFromText(tmp_path / "model")


def test_results_of_a_call_stay_and_placements_follow(robot):
    _, model, data, q, v, a = robot
    first, placement = fp.rnea(model, data, q, v, a), data.oMi[1]
    kept, before = first.copy(), placement.copy()
    other = fp.integrate(model, q, v)
    fp.rnea(model, data, other, v, a)
    fp.forwardKinematics(model, data, other)
    assert np.array_equal(first, kept) and placement == data.oMi[1] and placement != before
    data.oMi[1] = before
    assert placement == before
    com = fp.centerOfMass(model, data, q)
    assert np.array_equal(com, data.com[0]) and com.base is not data.com[0].base


def test_derivatives_of_dynamics(robot):
    _, model, data, q, v, a = robot
    tau = fp.rnea(model, data, q, v, a)
    along_q, along_v, mass = fp.computeRNEADerivatives(model, data, q, v, a)
    ddq_dq, ddq_dv, inverse = fp.computeABADerivatives(model, data, q, v, tau)
    assert np.allclose(mass, fp.crba(model, data, q), rtol=1e-12, atol=1e-12) and np.allclose(inverse @ mass, np.eye(model.nv), atol=1e-9)
    h = 1e-6
    for k, step in enumerate(np.eye(model.nv) * h):
        ends = [fp.rnea(model, data, fp.integrate(model, q, s), v, a) for s in (-step, step)]
        assert np.allclose((ends[1] - ends[0]) / (2 * h), along_q[:, k], atol=1e-6)
        ends = [fp.rnea(model, data, q, v + s, a) for s in (-step, step)]
        assert np.allclose((ends[1] - ends[0]) / (2 * h), along_v[:, k], atol=1e-6)
        ends = [fp.aba(model, data, fp.integrate(model, q, s), v, tau) for s in (-step, step)]
        assert np.allclose((ends[1] - ends[0]) / (2 * h), ddq_dq[:, k], rtol=1e-5, atol=1e-5)
        ends = [fp.aba(model, data, q, v + s, tau) for s in (-step, step)]
        assert np.allclose((ends[1] - ends[0]) / (2 * h), ddq_dv[:, k], rtol=1e-5, atol=1e-5)


def test_derivatives_are_those_of_the_last_state(robot):
    _, model, data, q, v, a = robot
    fp.computeRNEADerivatives(model, data, fp.neutral(model), v, a)
    expected = fp.computeCentroidalDynamicsDerivatives(model, data, q, v, a)
    for one, other in zip(fp.getCentroidalDynamicsDerivatives(model, data), expected, strict=True):
        assert np.array_equal(one, other)
    assert np.allclose(fp.getCoriolisMatrix(model, data), fp.computeCoriolisMatrix(model, model.createData(), q, v))
    twin, last = model.createData(), model.njoints - 1
    fp.computeForwardKinematicsDerivatives(model, twin, q, v, a)
    expected = fp.getJointAccelerationDerivatives(model, twin, last, fp.LOCAL)
    tau = fp.rnea(model, twin, q, v, a)
    for compute in (fp.computeRNEADerivatives, fp.computeABADerivatives, fp.computeCentroidalDynamicsDerivatives):
        data = model.createData()
        with pytest.raises(ValueError, match="must be called before"):
            fp.getJointAccelerationDerivatives(model, data, last, fp.LOCAL)
        compute(model, data, q, v, tau if compute is fp.computeABADerivatives else a)
        for one, other in zip(fp.getJointAccelerationDerivatives(model, data, last, fp.LOCAL), expected, strict=True):
            assert np.allclose(one, other, rtol=0, atol=1e-8 * (1 + np.abs(other).max()))


def test_what_each_coordinate_changes_in_the_bodies_that_it_carries(robot):
    native, model, data, q, v, a = robot
    assert not data.dFdq.any() and data.dHdq.shape == (6, model.nv)
    forces = fp.StdVec_Force()
    for row in np.random.default_rng(7).normal(size=(model.njoints, 6)):
        forces.append(fp.Force(row))
    by_q, by_v, mass = fp.computeRNEADerivatives(model, data, q, v, a, forces)
    joint_of = np.repeat(np.arange(1, model.njoints), [joint.nv for joint in model.joints[1:]])
    checked = 0
    for k, below in enumerate(joint_of):
        for i in list(model.supports[int(below)])[1:-1]:
            # τ_i = J_iᵀ F_i, and motions of what the joint carries leave J_i as it is.
            rows = np.flatnonzero(joint_of == i)
            J = data.J[:, rows]
            assert np.allclose(J.T @ data.dFdq[:, k], by_q[rows, k], atol=1e-10)
            assert np.allclose(J.T @ data.dFdv[:, k], by_v[rows, k], atol=1e-10)
            assert np.allclose(J.T @ data.dFda[:, k], mass[rows, k], atol=1e-10)
            checked += 1
    assert checked >= 2
    # A coordinate changes the momentum of what it carries, and no other.
    fp.getCentroidalDynamicsDerivatives(model, data)
    about = fp.SE3(np.eye(3), native.center_of_mass(q))
    assert np.allclose(about.actionInverse.T @ native.centroidal_map(q), data.dFda, atol=1e-10)
    h, twin = 1e-6, model.createData()
    for k, step in enumerate(h * np.eye(model.nv)):
        ends = []
        for near in (fp.integrate(model, q, -step), fp.integrate(model, q, step)):
            about = fp.SE3(np.eye(3), native.center_of_mass(near))
            ends.append(about.act(fp.computeCentroidalMomentum(model, twin, near, v)).vector)
        assert np.allclose(data.dHdq[:, k], (ends[1] - ends[0]) / (2 * h), atol=1e-6)
    names = ("dAdq", "dAdv", "dFdq", "dFdv", "dFda", "dHdq", "dtau_dq", "dtau_dv", "ddq_dq", "ddq_dv")
    fp.computeABADerivatives(model, data, q, v, a)
    for twin in (data.copy(), pickle.loads(pickle.dumps(data))):
        assert all(np.array_equal(getattr(twin, name), getattr(data, name)) for name in names)
    assert data.ddq_dq.any() and data.dAdv.any()
    data.dFda = 2 * data.dFda
    assert np.array_equal(data.dFda, 2 * twin.dFda)


def test_objects_of_data_stay(robot):
    native, model, data, q, v, a = robot
    joint, frame = model.njoints - 1, model.nframes - 1
    held = data.oMi[joint], data.oMf[frame], data.v[joint], data.oMi
    fp.framesForwardKinematics(model, data, q)
    last = native.placement(q, model.frames[frame].name)
    assert np.allclose(held[1].homogeneous, last, atol=1e-12) and data.oMf[frame] is held[1]
    # Frames stay where joints were when they were placed, whether anybody looked or not.
    unseen = data.oMf.copy()
    fp.forwardKinematics(model, data, fp.neutral(model))
    assert not held[0].isApprox(unseen[frame]) and np.allclose(data.oMf[frame].homogeneous, last, atol=1e-12)
    assert all(x == y for x, y in zip(data.oMf, unseen, strict=True))
    fp.rnea(model, data, q, v, a)
    assert np.allclose(held[2].vector, native.velocity(q, v, model.names[joint], "local"), atol=1e-12)
    data.oMi[1] = fp.SE3(np.eye(3), np.array([1.0, 2.0, 3.0]))
    assert held[3][1].translation.tolist() == [1, 2, 3] and len(data.oMi[1:3]) == 2
    with pytest.raises(IndexError):
        data.oMi[model.njoints]
    with pytest.raises(TypeError):
        data.v[1] = fp.SE3.Identity()
    # A copy has what was left to who asks.
    twin = data.copy()
    fp.rnea(model, data, q, 0 * v, 0 * a)
    assert not np.allclose(twin.f[joint].vector, data.f[joint].vector)
    assert np.allclose(twin.v[joint].vector, native.velocity(q, v, model.names[joint], "local"), atol=1e-12)


def test_regressors_are_linear_in_parameters(robot):
    _, model, data, q, v, a = robot
    parameters = np.concatenate([Y.toDynamicParameters() for Y in model.inertias[1:]])
    assert np.allclose(fp.computeJointTorqueRegressor(model, data, q, v, a) @ parameters, fp.rnea(model, data, q, v, a))
    energy = fp.computeKineticEnergyRegressor(model, data, q, v) @ parameters
    assert energy == pytest.approx(fp.computeKineticEnergy(model, data, q, v))
    energy = fp.computePotentialEnergyRegressor(model, data, q) @ parameters
    assert energy == pytest.approx(fp.computePotentialEnergy(model, data, q))
    first = parameters.reshape(-1, 10)[:, :4].ravel()
    assert np.allclose(fp.computeStaticRegressor(model, data, q) @ first, fp.centerOfMass(model, data, q))
    fp.rnea(model, data, q, v, a)
    joint = model.njoints - 1
    force = fp.jointBodyRegressor(model, data, joint) @ parameters[-10:]
    assert np.allclose(force, data.f[joint].vector)


def test_functions_without_a_state_go_on_from_the_last_one(robot):
    native, model, data, q, v, a = robot
    fp.rnea(model, data, q, v, a)
    assert np.allclose(fp.centerOfMass(model, data), native.center_of_mass(q), atol=1e-12)
    momentum = fp.computeCentroidalMomentum(model, data)
    assert np.allclose(momentum.vector, native.centroidal_momentum(q, v), atol=1e-12)
    other = native.integrate(q, a)
    fp.crba(model, data, other)
    assert np.allclose(fp.centerOfMass(model, data), native.center_of_mass(other), atol=1e-12)
    # The inverse is that of the last forward dynamics, wherever joints have been since.
    fp.aba(model, data, q, v, a)
    fp.forwardKinematics(model, data, other)
    assert np.allclose(fp.computeMinverse(model, data), native.mass_matrix_inverse(q), atol=1e-9)


def test_constrained_dynamics(robot):
    _, model, data, q, v, a = robot
    random = np.random.default_rng(2)
    J, drift, tau = random.normal(size=(2, model.nv)), random.normal(size=2), random.normal(size=model.nv)
    ddq = fp.forwardDynamics(model, data, q, v, tau, J, drift)
    assert np.allclose(J @ ddq + drift, 0, atol=1e-9)
    assert np.allclose(fp.rnea(model, data, q, v, ddq), tau + J.T @ data.lambda_c, atol=1e-8)
    after = fp.impulseDynamics(model, data, q, v, J, 0.5)
    assert np.allclose(J @ after, -0.5 * J @ v, atol=1e-9)
    K = fp.computeKKTContactDynamicMatrixInverse(model, data, q, J)
    whole = np.block([[fp.crba(model, data, q), J.T], [J, np.zeros((2, 2))]])
    assert np.allclose(K @ whole, np.eye(model.nv + 2), atol=1e-8)


def test_two_models_in_one(robot):
    _, model, *_ = robot
    other = fp.Model()
    joint = other.addJoint(0, fp.JointModelPZ(), fp.SE3.Identity(), "slide")
    other.appendBodyToJoint(joint, fp.Inertia(2.0, np.array([0.0, 0.1, 0.0]), np.eye(3)))
    frame = model.getFrameId("tool", fp.BODY)
    both = fp.appendModel(model, other, frame, fp.SE3.Identity())
    assert (both.nq, both.nv) == (model.nq + 1, model.nv + 1)
    assert fp.computeTotalMass(both) == pytest.approx(fp.computeTotalMass(model) + 2)
    data, own = both.createData(), model.createData()
    q = fp.neutral(both)
    fp.framesForwardKinematics(both, data, q)
    fp.framesForwardKinematics(model, own, fp.neutral(model))
    assert data.oMi[both.getJointId("slide")].isApprox(own.oMf[frame], 1e-12)
    with pytest.raises(ValueError, match="both models have"):
        fp.appendModel(model, model, frame, fp.SE3.Identity())
    # A frame of that name, but only one of another type, may be in both.
    other.addFrame(fp.Frame("tool", joint, 0, fp.SE3.Identity(), fp.OP_FRAME))
    fp.appendModel(model, other, frame, fp.SE3.Identity())
    other.addFrame(fp.Frame("tool", joint, 0, fp.SE3.Identity(), fp.BODY))
    with pytest.raises(ValueError, match="both models have a frame 'tool' of type BODY"):
        fp.appendModel(model, other, frame, fp.SE3.Identity())


def test_names_are_exported_for_type_checkers():
    # Else `mypy --strict` refuses each of them: "does not explicitly export".
    tree = ast.parse(pathlib.Path(fp.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    names = [alias for node in imports for alias in node.names if alias.name in dir(fp)]
    assert all(alias.asname == alias.name for alias in names)
    # A module of which all is imported says what that is.
    modules = [node.module for node in imports if node.names[0].name == "*"]
    starred = [name for module in modules for name in importlib.import_module(module).__all__]
    assert len(names) + len(starred) > 80 and set(starred) <= set(dir(fp))

    (later,) = (node for node in tree.body if isinstance(node, ast.If) and node.body[0] in imports)
    package, *modules = (node for node in later.body if isinstance(node, ast.ImportFrom))
    assert {alias.name for alias in package.names} | {"hppfcl"} == fp._SUBMODULES
    for node in modules:
        module, said = importlib.import_module(node.module), [alias.name for alias in node.names]
        expected = module.__all__ if said == ["*"] else said
        assert sorted(expected) == sorted(fp._LATER[node.module.rpartition(".")[2]].split())
        assert all(getattr(fp, name) is getattr(module, name) for name in expected)
    assert len(modules) == len(fp._LATER)


def test_what_takes_long_to_load_is_loaded_when_it_is_read():
    code = """
        import sys, numpy
        before = set(sys.modules)
        import featherline.pinocchio as fp
        own = [f"featherline.pinocchio.{name}" for name in (*fp._LATER, *fp._SUBMODULES)]
        slow = "base64 dataclasses inspect json numpy.random pickle random xml featherline.results featherline.robot_files"
        found = (set(sys.modules) - before) & {*slow.split(), *own}
        assert not found, found
        assert fp.buildModelFromUrdf.__module__ == "featherline.pinocchio.urdf" and fp.hppfcl is fp.coal
        names = {}
        exec("from featherline.pinocchio import *", names)
        assert {"Model", "RobotWrapper", "rpy", "XAxis"} <= names.keys() and "model" not in names
        import featherline
        assert {"results", "robot_files", "RobotWarning"} <= set(dir(featherline)) and not hasattr(featherline, "nothing")
        assert featherline.RobotWarning is featherline.robot_files.RobotWarning and featherline.results.Solution
    """
    subprocess.run([sys.executable, "-P", "-c", textwrap.dedent(code)], check=True)


def test_a_part_is_taken_from_an_inertia():
    rng = np.random.default_rng(0)
    whole, part = (
        fp.Inertia(mass, rng.normal(size=3), np.diag([1.0, 1.2, 0.9])) for mass in (3.0, 1.0)
    )
    left = whole - part
    assert np.allclose(left.matrix(), whole.matrix() - part.matrix())
    assert (left + part).isApprox(whole, 1e-12)
    assert (whole - whole).mass == 0


def test_objects_are_equal_by_value_and_may_be_keys(robot):
    _, model, *_ = robot
    things = [model, model.frames[1], model.joints[1], fp.Quaternion.Identity(), fp.CollisionPair(0, 1)]
    assert len({thing: k for k, thing in enumerate(things)}) == 5
    shapes, same = fp.GeometryModel(), fp.GeometryModel()
    for geometry in (shapes, same):
        geometry.addGeometryObject(fp.GeometryObject("ball", 0, fp.SE3.Identity(), fp.coal.Sphere(0.1)))
    assert shapes == same and shapes.geometryObjects[0] == same.geometryObjects[0] != same
    same.geometryObjects[0].meshColor[0] = 0.5
    assert shapes != same
    same = shapes.copy()
    same.geometryObjects[0].geometry = fp.coal.Sphere(0.2)
    assert shapes != same


def test_functions_of_numpy_take_the_entries():
    motion, A = fp.Motion(np.arange(6.0)), np.arange(36.0).reshape(6, 6)
    for found, expected in (
        (A @ motion, A @ motion.vector),
        (motion + np.ones(6), motion.vector + 1),
        (np.ones(6) - motion, 1 - motion.vector),
        (np.abs(-motion), motion.vector),
        (np.eye(4) @ fp.SE3.Identity(), np.eye(4)),
        (np.sum(motion), np.float64(15)),
    ):
        assert type(found) is type(expected) and np.array_equal(found, expected)
    # A number of numpy scales as another number does.
    assert np.float64(2) * motion == motion * 2.0 == motion * np.float64(2)


def test_sums_in_place_are_seen_where_the_object_is_kept(robot):
    _, model, data, q, v, *_ = robot
    changed = model.copy()
    inertia, before = changed.inertias[1], changed.inertias[1].copy()
    inertia += fp.Inertia.Identity()
    assert changed.inertias[1] == before + fp.Inertia.Identity()
    fp.forwardKinematics(model, data, q, v)
    motion, twice = data.v[1], data.v[1] * 2.0
    motion += motion.copy()
    assert data.v[1] == twice
    motion -= motion.copy()
    assert data.v[1] == fp.Motion.Zero()
    placement = fp.updateFramePlacement(model, data, 1)
    placement.translation += 1.0
    assert data.oMf[1] != placement


def test_a_data_of_two_threads_is_refused(robot):
    _, model, data, q, v, *_ = robot
    seen = set()

    def work():
        for _ in range(200):
            try:
                fp.computeRNEADerivatives(model, data, q, v, v)
            except RuntimeError as reason:
                seen.add(str(reason))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("give each thread its own" in reason for reason in seen)


def test_limits_that_are_none_have_a_difference():
    free, turning = fp.Model(), fp.Model()
    free.addJoint(0, fp.JointModelFreeFlyer(), fp.SE3.Identity(), "root")
    turning.addJoint(0, fp.JointModelRX(), fp.SE3.Identity(), "hinge")
    assert np.isnan(fp.difference(free, fp.neutral(free), free.upperPositionLimit)).all()
    assert fp.difference(turning, turning.lowerPositionLimit, turning.upperPositionLimit).tolist() == [np.inf]
    assert fp.isSameConfiguration(free, np.zeros(7), np.zeros(7))

