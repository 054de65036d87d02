"""The module with Pinocchio's names beside Pinocchio: the same arguments, the same numbers."""

import pathlib
import pickle
import warnings

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")


def robots():
    """The folder of robot descriptions of the package example-robot-data, where it is installed."""
    for folder in pathlib.Path(pin.__file__).parents:
        found = folder / "share" / "example-robot-data" / "robots"
        if found.is_dir():
            return found
    return None


FOLDER = robots()
FILES = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "panda_floating": ("panda_description/urdf/panda.urdf", True),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False),
    "solo12": ("solo_description/robots/solo12.urdf", True),
    "talos": ("talos_data/robots/talos_reduced.urdf", True),
    "romeo": ("romeo_description/urdf/romeo_small.urdf", True),
    "kinova": ("kinova_description/robots/kinova.urdf", False),
    "baxter": ("baxter_description/urdf/baxter.urdf", False),
    "tiago": ("tiago_description/robots/tiago.urdf", True),
    "icub": ("icub_description/robots/icub.urdf", True),
}
if FOLDER is None:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

TOLERANCE = 1e-9
# The inverse of an ill-conditioned mass matrix loses digits in both.
LOOSE = {
    "computeMinverse": 1e-8, "computeMinverse after aba": 1e-8,
    "computeABADerivatives": 1e-8, "computeABADerivatives with forces": 1e-8,
    "computeABADerivatives after aba": 1e-8, "computeABADerivatives after aba with forces": 1e-8,
}  # fmt: skip


def load(module, name):
    path, floats = FILES[name]
    options = [module.JointModelFreeFlyer()] if floats else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return module.buildModelFromUrdf(str(FOLDER / path), *options)


class Case:
    """One robot in both modules, with the same state."""

    def __init__(self, name):
        self.theirs, self.ours = load(pin, name), load(fp, name)
        self.their_data, self.our_data = self.theirs.createData(), self.ours.createData()
        random = np.random.default_rng(5)
        nv = self.theirs.nv
        self.q = pin.integrate(self.theirs, pin.neutral(self.theirs), random.uniform(-1, 1, nv))
        self.q2 = pin.integrate(self.theirs, self.q, random.uniform(-1, 1, nv))
        self.v, self.a, self.tau = random.normal(size=(3, nv))
        self.forces = random.normal(size=(self.theirs.njoints, 6))
        self.joint, self.frame = self.theirs.njoints - 1, self.theirs.nframes - 1

    def call(self, function):
        return function(pin, self.theirs, self.their_data), function(fp, self.ours, self.our_data)


CASES = {}


@pytest.fixture(params=FILES)
def case(request):
    if request.param not in CASES:
        CASES[request.param] = Case(request.param)
    return CASES[request.param]


def numbers(value):
    if isinstance(value, tuple):
        return np.concatenate([numbers(part) for part in value])
    if hasattr(value, "homogeneous") and hasattr(value, "rotation"):
        return value.homogeneous.ravel()
    if hasattr(value, "vector"):
        return np.asarray(value.vector).ravel()
    if hasattr(value, "lever"):
        return value.matrix().ravel()
    if isinstance(value, list) or type(value).__name__.startswith("StdVec"):
        parts = [numbers(part) for part in value]
        return np.concatenate(parts) if parts else np.zeros(0)
    return np.asarray(value, float).ravel()


def assert_same(theirs, ours, tolerance=TOLERANCE):
    theirs, ours = numbers(theirs), numbers(ours)
    assert theirs.shape == ours.shape
    scale = max(1.0, np.abs(theirs).max(initial=0))
    assert np.abs(theirs - ours).max(initial=0) <= tolerance * scale


def list_of_forces(module, rows):
    forces = module.StdVec_Force()
    for row in rows:
        forces.append(module.Force(row))
    return forces


def symmetric(derivatives):
    """Three derivatives, of the last of which Pinocchio may fill one triangle."""
    by_q, by_v, symmetric = derivatives
    return by_q.copy(), by_v.copy(), np.triu(symmetric)


REFERENCES = ["WORLD", "LOCAL", "LOCAL_WORLD_ALIGNED"]

# Name: what is called, with the module p, its model m, its data d, and the case c.
FUNCTIONS = {
    "rnea": lambda p, m, d, c: p.rnea(m, d, c.q, c.v, c.a),
    "rnea with forces": lambda p, m, d, c: p.rnea(m, d, c.q, c.v, c.a, list_of_forces(p, c.forces)),
    "nonLinearEffects": lambda p, m, d, c: p.nonLinearEffects(m, d, c.q, c.v),
    "nle": lambda p, m, d, c: p.nle(m, d, c.q, c.v),
    "aba": lambda p, m, d, c: p.aba(m, d, c.q, c.v, c.tau),
    "aba with forces": lambda p, m, d, c: p.aba(m, d, c.q, c.v, c.tau, list_of_forces(p, c.forces)),
    "crba": lambda p, m, d, c: np.triu(p.crba(m, d, c.q)),
    "computeMinverse": lambda p, m, d, c: np.triu(p.computeMinverse(m, d, c.q)),
    "computeMinverse after aba": lambda p, m, d, c: (
        p.aba(m, d, c.q, c.v, c.tau, p.Convention.WORLD), np.triu(p.computeMinverse(m, d)),
    )[1],
    "computeJointJacobians without q": lambda p, m, d, c: (
        p.forwardKinematics(m, d, c.q) or 0.0, p.computeJointJacobians(m, d),
    ),
    "jacobianCenterOfMass without q": lambda p, m, d, c: (
        p.forwardKinematics(m, d, c.q) or 0.0, p.jacobianCenterOfMass(m, d),
    ),
    "computeGeneralizedGravity": lambda p, m, d, c: p.computeGeneralizedGravity(m, d, c.q),
    "computeStaticTorque": lambda p, m, d, c: p.computeStaticTorque(m, d, c.q, list_of_forces(p, c.forces)),
    "computeCoriolisMatrix": lambda p, m, d, c: p.computeCoriolisMatrix(m, d, c.q, c.v),
    "computeKineticEnergy": lambda p, m, d, c: p.computeKineticEnergy(m, d, c.q, c.v),
    "computePotentialEnergy": lambda p, m, d, c: p.computePotentialEnergy(m, d, c.q),
    "computeMechanicalEnergy": lambda p, m, d, c: p.computeMechanicalEnergy(m, d, c.q, c.v),
    "energies of data": lambda p, m, d, c: (
        p.forwardKinematics(m, d, c.q, c.v) or 0.0,
        p.computeKineticEnergy(m, d),
        p.computePotentialEnergy(m, d),
        p.computeMechanicalEnergy(m, d),
    ),
    "computeTotalMass": lambda p, m, d, c: (p.computeTotalMass(m), p.computeTotalMass(m, d), d.mass[0]),
    "computeSubtreeMasses": lambda p, m, d, c: (p.computeSubtreeMasses(m, d), d.mass)[1],
    "centerOfMass": lambda p, m, d, c: (p.centerOfMass(m, d, c.q), d.com),
    "centerOfMass with v": lambda p, m, d, c: (p.centerOfMass(m, d, c.q, c.v), d.com, d.vcom),
    "centerOfMass with a": lambda p, m, d, c: (p.centerOfMass(m, d, c.q, c.v, c.a), d.com, d.vcom, d.acom),
    "centerOfMass of the whole": lambda p, m, d, c: (p.centerOfMass(m, d, c.q, c.v, c.a, False), d.acom[0]),
    "centerOfMass of data": lambda p, m, d, c: (
        p.forwardKinematics(m, d, c.q, c.v, c.a) or 0.0,
        p.centerOfMass(m, d),
        d.acom[0],
    ),
    "jacobianCenterOfMass": lambda p, m, d, c: (p.jacobianCenterOfMass(m, d, c.q), d.com, d.Jcom),
    "jacobianSubtreeCenterOfMass": lambda p, m, d, c: p.jacobianSubtreeCenterOfMass(m, d, c.q, 1),
    "getJacobianSubtreeCenterOfMass": lambda p, m, d, c: (
        p.jacobianCenterOfMass(m, d, c.q),
        p.getJacobianSubtreeCenterOfMass(m, d, 1),
    ),
    "ccrba": lambda p, m, d, c: (p.ccrba(m, d, c.q, c.v), d.hg, d.Ig, d.com[0]),
    "dccrba": lambda p, m, d, c: (p.dccrba(m, d, c.q, c.v), d.Ag, d.hg),
    "computeCentroidalMap": lambda p, m, d, c: p.computeCentroidalMap(m, d, c.q),
    "computeCentroidalMapTimeVariation": lambda p, m, d, c: p.computeCentroidalMapTimeVariation(m, d, c.q, c.v),
    "computeCentroidalMomentum": lambda p, m, d, c: (p.computeCentroidalMomentum(m, d, c.q, c.v), d.com[0], d.vcom[0]),
    "computeCentroidalMomentumTimeVariation": lambda p, m, d, c: (
        p.computeCentroidalMomentumTimeVariation(m, d, c.q, c.v, c.a),
        d.hg,
    ),
    "computeAllTerms": lambda p, m, d, c: (
        p.computeAllTerms(m, d, c.q, c.v) or 0.0,
        np.triu(d.M), d.nle, d.g, d.J, d.com[0], d.vcom[0], d.Jcom, d.kinetic_energy, d.potential_energy,
        list(d.oMi), list(d.v)[1:],
    ),
    "computeRNEADerivatives": lambda p, m, d, c: symmetric(p.computeRNEADerivatives(m, d, c.q, c.v, c.a)),
    "computeRNEADerivatives with forces": lambda p, m, d, c: symmetric(
        p.computeRNEADerivatives(m, d, c.q, c.v, c.a, list_of_forces(p, c.forces)),
    ),
    "computeABADerivatives": lambda p, m, d, c: symmetric(p.computeABADerivatives(m, d, c.q, c.v, c.tau)),
    "computeABADerivatives with forces": lambda p, m, d, c: symmetric(
        p.computeABADerivatives(m, d, c.q, c.v, c.tau, list_of_forces(p, c.forces)),
    ),
    "computeABADerivatives after aba": lambda p, m, d, c: (
        p.aba(m, d, c.q, c.v, c.tau, p.Convention.WORLD), *symmetric(p.computeABADerivatives(m, d)),
    )[1:],
    "computeABADerivatives after aba with forces": lambda p, m, d, c: (
        p.aba(m, d, c.q, c.v, c.tau, list_of_forces(p, c.forces), p.Convention.WORLD),
        *symmetric(p.computeABADerivatives(m, d, list_of_forces(p, c.forces))),
    )[1:],
    "computeGeneralizedGravityDerivatives": lambda p, m, d, c: p.computeGeneralizedGravityDerivatives(m, d, c.q),
    "computeStaticTorqueDerivatives": lambda p, m, d, c: p.computeStaticTorqueDerivatives(
        m, d, c.q, list_of_forces(p, c.forces),
    ),
    "computeCentroidalDynamicsDerivatives": lambda p, m, d, c: (
        p.computeCentroidalDynamicsDerivatives(m, d, c.q, c.v, c.a), d.hg, d.dhg, d.com[0],
    ),
    "getCentroidalDynamicsDerivatives": lambda p, m, d, c: (
        p.computeRNEADerivatives(m, d, c.q, c.v, c.a), p.getCentroidalDynamicsDerivatives(m, d),
    )[1],
    "derivatives of motions after those of dynamics": lambda p, m, d, c: (
        p.computeRNEADerivatives(m, d, c.q, c.v, c.a),
        *p.getJointVelocityDerivatives(m, d, c.joint, p.LOCAL), *p.getJointAccelerationDerivatives(m, d, c.joint, p.WORLD),
        *p.getFrameVelocityDerivatives(m, d, c.frame, p.LOCAL_WORLD_ALIGNED),
        *p.getFrameAccelerationDerivatives(m, d, c.frame, p.LOCAL),
    )[1:],
    "derivatives of motions after those of momenta": lambda p, m, d, c: (
        p.computeCentroidalDynamicsDerivatives(m, d, c.q, c.v, c.a),
        *p.getJointVelocityDerivatives(m, d, c.joint, p.LOCAL), *p.getJointAccelerationDerivatives(m, d, c.joint, p.WORLD),
        *p.getFrameAccelerationDerivatives(m, d, c.frame, p.LOCAL),
    )[1:],
    "getCenterOfMassVelocityDerivatives": lambda p, m, d, c: (
        p.centerOfMass(m, d, c.q, c.v), p.getCenterOfMassVelocityDerivatives(m, d),
    )[1],
    "getCenterOfMassVelocityDerivatives after computeAllTerms": lambda p, m, d, c: (
        p.computeAllTerms(m, d, c.q, c.v), p.getCenterOfMassVelocityDerivatives(m, d),
    )[1],
    "computeJointTorqueRegressor": lambda p, m, d, c: p.computeJointTorqueRegressor(m, d, c.q, c.v, c.a),
    "computeStaticRegressor": lambda p, m, d, c: p.computeStaticRegressor(m, d, c.q),
    "computeKineticEnergyRegressor": lambda p, m, d, c: p.computeKineticEnergyRegressor(m, d, c.q, c.v),
    "computePotentialEnergyRegressor": lambda p, m, d, c: p.computePotentialEnergyRegressor(m, d, c.q),
    "jointBodyRegressor": lambda p, m, d, c: (p.rnea(m, d, c.q, c.v, c.a), p.jointBodyRegressor(m, d, c.joint))[1],
    "frameBodyRegressor": lambda p, m, d, c: (p.rnea(m, d, c.q, c.v, c.a), p.frameBodyRegressor(m, d, c.frame))[1],
    "bodyRegressor": lambda p, m, d, c: p.bodyRegressor(p.Motion(c.forces[0]), p.Motion(c.forces[-1])),
    "forwardKinematics": lambda p, m, d, c: (
        p.forwardKinematics(m, d, c.q, c.v, c.a) or 0.0, list(d.oMi), list(d.v)[1:], list(d.a)[1:], list(d.liMi)[1:],
    ),
    "framesForwardKinematics": lambda p, m, d, c: (p.framesForwardKinematics(m, d, c.q), d.oMf)[1],
    "updateFramePlacement": lambda p, m, d, c: p.updateFramePlacement(m, d, c.frame),
    "updateFramePlacements": lambda p, m, d, c: (p.updateFramePlacements(m, d), d.oMf)[1],
    "computeJointJacobians": lambda p, m, d, c: p.computeJointJacobians(m, d, c.q),
    "computeJointJacobian": lambda p, m, d, c: p.computeJointJacobian(m, d, c.q, c.joint),
    "computeFrameJacobian": lambda p, m, d, c: p.computeFrameJacobian(m, d, c.q, c.frame),
    "computeJointJacobiansTimeVariation": lambda p, m, d, c: p.computeJointJacobiansTimeVariation(m, d, c.q, c.v),
    "frameJacobianTimeVariation": lambda p, m, d, c: p.frameJacobianTimeVariation(m, d, c.q, c.v, c.frame, p.WORLD),
    "findCommonAncestor": lambda p, m, d, c: tuple(p.findCommonAncestor(m, c.joint, c.joint // 2)),
    "integrate": lambda p, m, d, c: p.integrate(m, c.q, c.v),
    "difference": lambda p, m, d, c: p.difference(m, c.q, c.q2),
    "interpolate": lambda p, m, d, c: p.interpolate(m, c.q, c.q2, 0.3),
    "neutral": lambda p, m, d, c: p.neutral(m),
    "distance": lambda p, m, d, c: p.distance(m, c.q, c.q2),
    "squaredDistance": lambda p, m, d, c: p.squaredDistance(m, c.q, c.q2),
    "normalize": lambda p, m, d, c: p.normalize(m, c.q * 1.5),
    "isNormalized": lambda p, m, d, c: (p.isNormalized(m, c.q), p.isNormalized(m, c.q * 1.5)),
    "isSameConfiguration": lambda p, m, d, c: (
        p.isSameConfiguration(m, c.q, c.q, 1e-8), p.isSameConfiguration(m, c.q, c.q2, 1e-8),
    ),
    "dIntegrate": lambda p, m, d, c: (p.dIntegrate(m, c.q, c.v), p.dIntegrate(m, c.q, c.v, p.ARG1)),
    "dDifference": lambda p, m, d, c: (p.dDifference(m, c.q, c.q2), p.dDifference(m, c.q, c.q2, p.ARG0)),
    "dIntegrateTransport": lambda p, m, d, c: (
        p.dIntegrateTransport(m, c.q, c.v, np.eye(m.nv), p.ARG0),
        p.dIntegrateTransport(m, c.q, c.v, np.eye(m.nv), p.ARG1),
        p.dIntegrateTransport(m, c.q, c.v, np.arange(3.0 * m.nv).reshape(m.nv, 3) - m.nv, p.ARG0),
        p.dIntegrateTransport(m, c.q, c.v, np.arange(3.0 * m.nv).reshape(m.nv, 3) - m.nv, p.ARG1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_same_numbers(case, name):
    function = FUNCTIONS[name]
    theirs, ours = case.call(lambda p, m, d: function(p, m, d, case))
    assert_same(theirs, ours, LOOSE.get(name, TOLERANCE))


@pytest.mark.parametrize("reference", ["LOCAL", "LOCAL_WORLD_ALIGNED"])
def test_points_have_the_same_derivatives(case, reference):
    def everything(p, m, d):
        rf = getattr(p, reference)
        p.computeForwardKinematicsDerivatives(m, d, case.q, case.v, case.a)
        placement = p.SE3(p.exp3(np.array([0.3, -0.5, 0.2])), np.array([0.1, -0.2, 0.3]))
        results = []
        for joint in range(1, m.njoints, 4):
            results += p.getPointVelocityDerivatives(m, d, joint, placement, rf)
            results += p.getPointClassicAccelerationDerivatives(m, d, joint, placement, rf)
        return tuple(results)

    theirs, ours = case.call(everything)
    assert_same(theirs, ours)


@pytest.mark.parametrize("reference", REFERENCES)
def test_frames_have_the_same_numbers(case, reference):
    def everything(p, m, d):
        rf = getattr(p, reference)
        p.computeJointJacobiansTimeVariation(m, d, case.q, case.v)
        p.forwardKinematics(m, d, case.q, case.v, case.a)
        p.updateFramePlacements(m, d)
        results = []
        for joint in range(1, m.njoints, 5):
            results += [p.getVelocity(m, d, joint, rf), p.getAcceleration(m, d, joint, rf)]
            results += [p.getClassicalAcceleration(m, d, joint, rf), p.getJointJacobian(m, d, joint, rf)]
            results += [p.getJointJacobianTimeVariation(m, d, joint, rf)]
        for frame in range(0, m.nframes, 7):
            results += [p.getFrameVelocity(m, d, frame, rf), p.getFrameAcceleration(m, d, frame, rf)]
            results += [p.getFrameClassicalAcceleration(m, d, frame, rf), p.getFrameJacobian(m, d, frame, rf)]
            results += [p.getFrameJacobianTimeVariation(m, d, frame, rf)]
        placement = m.frames[case.frame].placement
        results += [p.getFrameVelocity(m, d, 1, placement, rf), p.getFrameJacobian(m, d, 1, placement, rf)]
        return results

    for theirs, ours in zip(*case.call(everything), strict=True):
        assert_same(theirs, ours)


FIELDS = """nq nv njoints nframes nbodies idx_qs nqs idx_vs nvs parents armature damping friction lowerPositionLimit
upperPositionLimit velocityLimit effortLimit gravity inertias jointPlacements rotorInertia rotorGearRatio
upperDryFrictionLimit lowerDryFrictionLimit upperVelocityLimit lowerVelocityLimit upperEffortLimit lowerEffortLimit
positionLimitMargin""".split()


@pytest.mark.parametrize("field", FIELDS)
def test_fields_of_the_model(case, field):
    assert_same(getattr(case.theirs, field), getattr(case.ours, field))


def test_the_tree(case):
    theirs, ours = case.theirs, case.ours
    assert list(theirs.names) == ours.names and theirs.name == ours.name
    for name in ["children", "subtrees", "supports"]:
        assert [list(x) for x in getattr(theirs, name)] == getattr(ours, name)
    assert [j.shortname() for j in theirs.joints][1:] == [j.shortname() for j in ours.joints][1:]
    assert [f.name for f in theirs.frames] == [f.name for f in ours.frames]
    for a, b in zip(theirs.frames, ours.frames, strict=True):
        assert (int(a.type), a.parentJoint, a.parentFrame) == (int(b.type), b.parentJoint, b.parentFrame)
        assert_same(a.placement, b.placement)
        assert_same(a.inertia, b.inertia)
    assert list(theirs.hasConfigurationLimit()) == ours.hasConfigurationLimit()
    assert list(theirs.hasConfigurationLimitInTangent()) == ours.hasConfigurationLimitInTangent()
    for name in [*theirs.names, "nobody"]:
        assert theirs.getJointId(name) == ours.getJointId(name)
        assert theirs.existJointName(name) == ours.existJointName(name)
        assert theirs.existFrame(name) == ours.existFrame(name)


def test_writing_fields_changes_the_robot():
    def everything(p, m, d):
        q, v = p.neutral(m), np.ones(m.nv)
        results = []
        m.gravity.linear = np.array([0.0, 1.0, -3.0])
        results.append(p.nonLinearEffects(m, d, q, v).copy())
        m.armature = np.full(m.nv, 0.25)
        m.armature[1] = 0.5
        results.append(np.triu(p.crba(m, d, q)))
        m.inertias[3] = p.Inertia(2.0, np.array([0.1, 0.0, 0.2]), np.eye(3))
        results.append(np.triu(p.crba(m, d, q)))
        m.inertias[4].mass = 7.0
        results.append(np.triu(p.crba(m, d, q)))
        m.jointPlacements[2] = p.SE3(np.eye(3), np.array([0.3, 0.2, 0.1]))
        p.forwardKinematics(m, d, q)
        results.append(d.oMi[6].homogeneous)
        m.jointPlacements[2].translation[0] = 0.7
        p.forwardKinematics(m, d, q)
        results.append(d.oMi[6].homogeneous)
        m.appendBodyToJoint(2, p.Inertia(1.0, np.zeros(3), np.eye(3)), p.SE3.Identity())
        frame = m.addFrame(p.Frame("tool", 5, 0, p.SE3(np.eye(3), np.array([0.0, 0.0, 0.5])), p.FrameType.OP_FRAME))
        d = m.createData()
        p.framesForwardKinematics(m, d, q)
        results += [d.oMf[frame].homogeneous, p.rnea(m, d, q, v, v)]
        return results

    theirs = load(pin, "ur5")
    ours = load(fp, "ur5")
    for a, b in zip(
        everything(pin, theirs, theirs.createData()), everything(fp, ours, ours.createData()), strict=True
    ):
        assert_same(a, b)


def test_building_by_hand():
    def build(p):
        m = p.Model()
        joint = 0
        placement = p.SE3(np.eye(3), np.array([0.0, 0.1, 0.4]))
        kinds = [p.JointModelFreeFlyer(), p.JointModelRX(), p.JointModelPY(), p.JointModelSpherical(), p.JointModelRUBZ()]
        kinds += [p.JointModelRevoluteUnaligned(np.array([1.0, 2.0, 3.0]) / np.sqrt(14)), p.JointModelPlanar()]
        kinds += [p.JointModelTranslation(), p.JointModelSphericalZYX(), p.JointModelHX(0.2)]
        for k, kind in enumerate(kinds):
            joint = m.addJoint(joint, kind, placement, f"joint{k}")
            m.appendBodyToJoint(joint, p.Inertia(1.0 + k, np.array([0.0, 0.1, 0.2]), np.eye(3)), p.SE3.Identity())
            m.addJointFrame(joint)
            m.addBodyFrame(f"body{k}", joint, p.SE3.Identity(), -1)
        return m

    theirs, ours = build(pin), build(fp)
    assert (theirs.nq, theirs.nv, theirs.nframes) == (ours.nq, ours.nv, ours.nframes)
    v = np.linspace(-1, 1, theirs.nv)
    q = pin.integrate(theirs, pin.neutral(theirs), v)
    assert_same(q, fp.integrate(ours, fp.neutral(ours), v))
    a, b = theirs.createData(), ours.createData()
    assert_same(pin.rnea(theirs, a, q, v, v), fp.rnea(ours, b, q, v, v))
    assert_same(pin.aba(theirs, a, q, v, v), fp.aba(ours, b, q, v, v))
    assert_same(pin.dIntegrate(theirs, q, v), fp.dIntegrate(ours, q, v))
    assert pickle.loads(pickle.dumps(ours)) == ours == ours.copy()


@pytest.mark.parametrize("name", ["buildSampleModelManipulator", "buildSampleModelHumanoid"])
def test_sample_models(name):
    theirs, ours = getattr(pin, name)(), getattr(fp, name)()
    assert_same_models(theirs, ours)
    v = np.linspace(-1, 1, theirs.nv)
    q = pin.integrate(theirs, pin.neutral(theirs), v)
    assert_same(pin.rnea(theirs, theirs.createData(), q, v, v), fp.rnea(ours, ours.createData(), q, v, v))


def assert_same_models(theirs, ours):
    for field in FIELDS:
        assert_same(getattr(theirs, field), getattr(ours, field))
    assert list(theirs.names) == ours.names
    ours_by_name = {(frame.name, frame.type): frame for frame in ours.frames}
    for frame in theirs.frames:
        twin = ours_by_name[frame.name, int(frame.type)]
        assert frame.parentJoint == twin.parentJoint
        assert_same(frame.placement, twin.placement)


def test_reduced_models(case):
    locked = [2, case.theirs.njoints - 1]
    theirs = pin.buildReducedModel(case.theirs, locked, case.q)
    ours = fp.buildReducedModel(case.ours, locked, case.q)
    assert_same_models(theirs, ours)


def test_reference_configurations():
    text = """<robot name="ur5"><group_state name="up" group="all"><joint name="elbow_joint" value="0.5"/>
        <joint name="nothing" value="1"/></group_state></robot>"""
    theirs, ours = load(pin, "ur5"), load(fp, "ur5")
    pin.loadReferenceConfigurationsFromXML(theirs, text)
    fp.loadReferenceConfigurationsFromXML(ours, text)
    assert_same(theirs.referenceConfigurations["up"], ours.referenceConfigurations["up"])


def test_many_states(case):
    states = 70
    random = np.random.default_rng(3)
    v, a = random.normal(size=(2, case.theirs.nv, states))
    q = np.array([pin.integrate(case.theirs, case.q, column) for column in v.T]).T
    theirs, ours = pin.ModelPool(case.theirs, 2), fp.ModelPool(case.ours, 2)
    # One of these states makes icub's mass matrix singular to rounding (condition 7e14).
    for name in ["rneaInParallel"] if case is CASES.get("icub") else ["rneaInParallel", "abaInParallel"]:
        together = getattr(pin, name)(2, theirs, q, v, a)
        assert_same(together, getattr(fp, name)(2, ours, q, v, a))


def test_orthogonalization():
    basis, theirs = np.asfortranarray(np.linalg.qr(np.arange(12.0).reshape(4, 3) ** 2)[0]), np.ones(4)
    ours = theirs.copy()
    pin.orthogonalization(basis, theirs)
    fp.orthogonalization(basis, ours)
    assert_same(theirs, ours)
    assert fp.isOrthonormal(basis, 1e-12) and not fp.isOrthonormal(1.1 * basis)


def test_spatial_functions_have_the_same_numbers():
    random = np.random.default_rng(7)
    w, x, rpy, rate = random.normal(size=3), random.normal(size=6), random.uniform(-1, 1, 3), random.normal(size=3)
    R = pin.exp3(w)
    calls = {
        "exp": lambda p: (p.exp(w), p.exp(x), p.exp(p.Motion(x))),
        "log": lambda p: (p.log(R), p.log(p.SE3(R, w))),
        "exp3_quat": lambda p: p.exp3_quat(w),
        "exp6_quat": lambda p: p.exp6_quat(x),
        "log6_quat": lambda p: p.log6_quat(pin.exp6_quat(x)),
        "Jexp and Jlog": lambda p: (p.Jexp3(w), p.Jlog3(R), p.Jexp6(p.Motion(x)), p.Jlog6(p.SE3(R, w))),
        "skew": lambda p: (p.skew(w), p.unSkew(p.skew(w)), p.skewSquare(w, rate)),
        "XYZQUAT": lambda p: (p.SE3ToXYZQUAT(p.SE3(R, w)), p.SE3ToXYZQUATtuple(p.SE3(R, w))),
        "XYZQUATToSE3": lambda p: p.XYZQUATToSE3(pin.exp6_quat(x)),
        "rpy": lambda p: (p.rpy.rpyToMatrix(rpy), p.rpy.rpyToMatrix(*rpy), p.rpy.matrixToRpy(R), p.rpy.rotate("y", 0.3)),
        "rpy's Jacobians": lambda p: tuple(
            f
            for rf in (p.LOCAL, p.WORLD, p.LOCAL_WORLD_ALIGNED)
            for f in (
                p.rpy.computeRpyJacobian(rpy, rf),
                p.rpy.computeRpyJacobianInverse(rpy, rf),
                p.rpy.computeRpyJacobianTimeDerivative(rpy, rate, rf),
            )
        ),
        "Interpolate": lambda p: p.SE3.Interpolate(p.SE3(R, w), p.SE3(R @ R, rpy), 0.3),
        "shapes": lambda p: (
            p.Inertia.FromBox(2.0, 0.1, 0.2, 0.3).matrix(),
            p.Inertia.FromCylinder(2.0, 0.1, 0.3).matrix(),
            p.Inertia.FromCapsule(2.0, 0.1, 0.3).matrix(),
            p.Inertia.FromEllipsoid(2.0, 0.1, 0.2, 0.3).matrix(),
            p.Inertia.FromSphere(2.0, 0.1).matrix(),
        ),
        "inertia": lambda p: (
            (Y := p.Inertia(2.0, w, np.diag([3.0, 4.0, 5.0]))).variation(p.Motion(x)),
            Y.vxi(p.Motion(x)), Y.ivx(p.Motion(x)), Y.vxiv(p.Motion(x)), Y.vtiv(p.Motion(x)), Y.inverse(),
        ),
        "quaternion": lambda p: (
            p.Quaternion(R).coeffs(), p.Quaternion(R).slerp(0.3, p.Quaternion(R @ R)).coeffs(),
            (p.Quaternion(R) * p.Quaternion(0.5, 0.5, 0.5, 0.5)).coeffs(), p.Quaternion(R) * w,
            p.Quaternion.FromTwoVectors(w, rpy).matrix(), p.AngleAxis(0.3, np.array([0.0, 0.0, 1.0])).matrix(),
        ),
        "classicAcceleration": lambda p: p.classicAcceleration(p.Motion(x), p.Motion(x[::-1].copy())),
    }  # fmt: skip
    for call in calls.values():
        assert_same(call(pin), call(fp))


def test_misuse_raises_the_same_kind():
    theirs, ours = load(pin, "ur5"), load(fp, "ur5")
    bad = np.zeros(2)
    for call in [
        lambda p, m, d: p.rnea(m, d, bad, bad, bad),
        lambda p, m, d: p.crba(m, d, bad),
        lambda p, m, d: p.integrate(m, bad, bad),
        lambda p, m, d: p.buildModelFromUrdf("nowhere.urdf"),
    ]:
        with pytest.raises(Exception) as theirs_raised:
            call(pin, theirs, theirs.createData())
        with pytest.raises(theirs_raised.type):
            call(fp, ours, ours.createData())


def test_robot_wrapper():
    ours = fp.RobotWrapper.BuildFromURDF(str(FOLDER / FILES["ur5"][0]), [str(FOLDER.parent.parent)])
    assert ours.collision_model.ngeoms == len(ours.collision_data.oMg) == 8
    theirs = pin.RobotWrapper(load(pin, "ur5"))
    q, v = pin.neutral(theirs.model) + 0.3, np.ones(6)
    assert_same(theirs.q0, ours.q0)
    for name, arguments in {"com": (q,), "mass": (q,), "nle": (q, v), "gravity": (q,), "Jcom": (q,), "placement": (q, 4)}.items():
        assert_same(getattr(theirs, name)(*arguments), getattr(ours, name)(*arguments))


def test_what_is_absent_says_so():
    for name in dir(pin):
        if name in fp.ABSENT:
            with pytest.raises(NotImplementedError, match=name):
                getattr(fp, name)
    with pytest.raises(AttributeError):
        _ = fp.nothing_of_that_name
    with pytest.raises(NotImplementedError, match=r"Data\.dvc_dq"):
        _ = fp.Model().createData().dvc_dq


ROOTS = {
    "FreeFlyer": (), "Planar": (), "Spherical": (), "SphericalZYX": (), "Translation": (), "RZ": (), "PX": (), "RUBZ": (),
    "HX": (0.2,), "RevoluteUnaligned": (np.array([0.6, 0.0, 0.8]),),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROOTS)
@pytest.mark.parametrize("robot", ["panda", "solo12"])
def test_root_joints(robot, kind):
    path = str(FOLDER / FILES[robot][0])
    theirs, ours = (p.buildModelFromUrdf(path, getattr(p, f"JointModel{kind}")(*ROOTS[kind])) for p in (pin, fp))
    assert list(theirs.names) == list(ours.names) and list(theirs.parents) == list(ours.parents)
    for name in ("inertias", "jointPlacements", "lowerPositionLimit", "upperPositionLimit", "upperVelocityLimit", "upperEffortLimit"):
        assert_same(getattr(theirs, name), getattr(ours, name))
    for one, other in zip(theirs.frames, ours.frames, strict=True):
        assert (one.name, one.parentJoint, one.parentFrame, int(one.type)) == (
            other.name, other.parentJoint, other.parentFrame, int(other.type),
        )  # fmt: skip
        assert_same(one.inertia, other.inertia)
    assert theirs.nbodies == ours.nbodies
    random = np.random.default_rng(6)
    q = pin.integrate(theirs, pin.neutral(theirs), random.uniform(-1, 1, theirs.nv))
    v, a = random.normal(size=(2, theirs.nv))
    assert_same(pin.rnea(theirs, theirs.createData(), q, v, a), fp.rnea(ours, ours.createData(), q, v, a))
    wrapped = fp.RobotWrapper.BuildFromURDF(path, [str(FOLDER.parent.parent)], getattr(fp, f"JointModel{kind}")(*ROOTS[kind]))
    assert wrapped.model == ours


def test_lists_are_read_alike(case):
    case.call(lambda p, m, d: p.framesForwardKinematics(m, d, case.q))

    def read(p, m, d):
        lists = [d.oMi, d.oMf, d.v, d.a, d.liMi, d.f, d.com, d.mass, m.inertias, m.jointPlacements, m.parents, m.idx_qs, m.nvs]
        lengths = [len(x) for x in (*lists, m.names, m.joints, m.frames, m.supports)]
        slices = [len(x[1:3]) for x in (*lists, m.names, m.joints, m.frames)]
        wholes = [len(x.tolist()) for x in (*lists, m.names, m.frames, m.joints, m.names[1:])]
        ends = [m.names[-1], m.frames[-1].name, m.joints[-1].shortname(), m.joints[1:][0].shortname(), m.names[1:3].tolist()]
        ends += [m.getFrameId("nobody"), m.getJointId("nobody"), m.names[1] in m.names, m.subtrees[1].tolist(), [f.name for f in m.frames]]
        return lengths, slices, wholes, ends, [numbers(d.oMi[-1]), numbers(d.oMf[1:]), numbers(list(d.oMi)), numbers(d.oMi.tolist())]

    theirs, ours = case.call(read)
    assert theirs[:4] == ours[:4]
    assert_same(tuple(theirs[4]), tuple(ours[4]))


# Each is an error of the same kind in both.
ERRORS = {
    "getFrameJacobian": lambda p, m, d, c: p.getFrameJacobian(m, d, m.nframes, p.LOCAL),
    "getFrameJacobian of a negative index": lambda p, m, d, c: p.getFrameJacobian(m, d, -1, p.LOCAL),
    "getFrameVelocityDerivatives": lambda p, m, d, c: p.getFrameVelocityDerivatives(m, d, m.nframes, p.LOCAL),
    "getFrameAccelerationDerivatives": lambda p, m, d, c: p.getFrameAccelerationDerivatives(m, d, m.nframes, p.LOCAL),
    "getJointVelocityDerivatives": lambda p, m, d, c: p.getJointVelocityDerivatives(m, d, m.njoints, p.LOCAL),
    "getPointVelocityDerivatives in the world": lambda p, m, d, c: p.getPointVelocityDerivatives(
        m, d, 1, p.SE3.Identity(), p.WORLD,
    ),
    "getPointClassicAccelerationDerivatives in the world": lambda p, m, d, c: p.getPointClassicAccelerationDerivatives(
        m, d, 1, p.SE3.Identity(), p.WORLD,
    ),
    "computeABADerivatives of q": lambda p, m, d, c: p.computeABADerivatives(m, d, c.q),
    "getJointJacobianTimeVariation": lambda p, m, d, c: p.getJointJacobianTimeVariation(m, d, m.njoints, p.LOCAL),
    "jacobianSubtreeCenterOfMass": lambda p, m, d, c: p.jacobianSubtreeCenterOfMass(m, d, c.q, m.njoints),
    "Data of Data": lambda p, m, d, c: p.Data(d),
    "Data of a number": lambda p, m, d, c: p.Data(1),
    "frames": lambda p, m, d, c: m.frames[m.nframes],
    "joints": lambda p, m, d, c: m.joints[m.njoints],
    "names": lambda p, m, d, c: m.names[m.njoints],
    "oMi": lambda p, m, d, c: d.oMi[m.njoints],
    "oMf": lambda p, m, d, c: d.oMf[-m.nframes - 1],
    "addJoint": lambda p, m, d, c: m.copy().addJoint(m.njoints, p.JointModelRX(), p.SE3.Identity(), "one"),
    "addFrame": lambda p, m, d, c: m.copy().addFrame(p.Frame("one", m.njoints, 0, p.SE3.Identity(), p.OP_FRAME)),
    "addBodyFrame": lambda p, m, d, c: m.copy().addBodyFrame("one", 1, p.SE3.Identity(), m.nframes),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_the_same_kind(name):
    found = []
    for p in (pin, fp):
        m = p.buildSampleModelManipulator()
        d = m.createData()
        case = type("Case", (), {"q": np.zeros(m.nq)})
        p.computeForwardKinematicsDerivatives(m, d, case.q, np.zeros(m.nv), np.zeros(m.nv))
        with pytest.raises(Exception) as error:
            ERRORS[name](p, m, d, case)
        # Boost's ArgumentError is a TypeError.
        found.append("TypeError" if isinstance(error.value, TypeError) else error.type.__name__)
    assert found[0] == found[1]


def test_angles_and_axes():
    R = pin.exp3(np.array([0.3, -0.2, 0.5]))
    theirs, ours = pin.AngleAxis(R), fp.AngleAxis(R)
    assert ours.angle == pytest.approx(theirs.angle) and np.allclose(ours.axis, theirs.axis)
    for one in (pin, fp):
        turn = one.AngleAxis(0.3, np.array([0.0, 0.6, 0.8]))
        assert turn == one.AngleAxis(turn) and turn.isApprox(one.AngleAxis(turn)) and not turn.isApprox(turn.inverse())
        turn.fromRotationMatrix(R)
        assert np.allclose(turn.toRotationMatrix(), R)
        turn.angle, turn.axis = 0.2, np.array([1.0, 0.0, 0.0])
        assert np.allclose(turn.matrix(), pin.exp3(np.array([0.2, 0.0, 0.0])))
