"""Calls that are generated from the signatures of Pinocchio's functions, beside Pinocchio.

Every function that this package has is called in every form that Pinocchio documents, on sample
models and robots: the same numbers, and the same kind of error for arguments that do not fit.
"""

import re
import warnings

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")
from test_pinocchio import FILES, load, numbers  # noqa: E402

# Functions that no generated call can compare, with the reason.
SKIPPED = {
    "buildModelFromUrdf": "reads files",
    "buildModelFromXML": "reads files",
    "buildModelsFromUrdf": "reads files",
    "buildModelFromMJCF": "reads files",
    "buildModelFromMJCFAndRootJoint": "reads files",
    "buildModelsFromMJCF": "reads files",
    "buildGeomFromMJCF": "reads files",
    "buildGeomFromUrdf": "reads files",
    "buildGeomFromUrdfString": "reads files",
    "removeCollisionPairs": "reads files",
    "removeCollisionPairsFromXML": "reads files",
    "buildReducedModel": "makes models, which test_pinocchio compares",
    "appendModel": "makes models, which test_pinocchio compares",
    "buildSampleGeometryModelHumanoid": "makes geometry, which test_pinocchio_shapes compares",
    "buildSampleGeometryModelManipulator": "makes geometry, which test_pinocchio_shapes compares",
    "buildSampleModelHumanoid": "makes models, which test_pinocchio compares",
    "buildSampleModelHumanoidRandom": "random",
    "buildSampleModelManipulator": "makes models, which test_pinocchio compares",
    "loadReferenceConfigurations": "reads files",
    "loadReferenceConfigurationsFromXML": "reads files",
    "loadRotorParameters": "reads files",
    "randomConfiguration": "random",
    "seed": "random",
    "transformJointIntoMimic": "makes models, which test_pinocchio_names compares",
    "getJointKinematicHessian": "Pinocchio's binding exchanges indices; in test_pinocchio_names",
    "getFrameKinematicHessian": "Pinocchio's binding exchanges indices; in test_pinocchio_names",
    "lieGroup": "makes objects, which test_pinocchio_names compares",
    "computeBodyRadius": "of geometry, which test_pinocchio_names compares",
    "computeCollisionsInParallel": "of geometry, which test_pinocchio_names compares",
    "createDatas": "makes objects",
    "checkVersionAtLeast": "says a version",
    "printVersion": "says a version",
    "sharedMemory": "a switch",
    "omp_get_max_threads": "says what the machine has",
    "rneaInParallel": "of pools, which test_pinocchio compares",
    "abaInParallel": "of pools, which test_pinocchio compares",
    "orthogonalization": "works in place, which test_pinocchio compares",
    "orthonormalization": "works in place, which test_pinocchio compares",
    "rotate": "of rpy",
    "computeCollision": "of geometry, which test_pinocchio_files compares",
    "computeCollisions": "of geometry, which test_pinocchio_files compares",
    "computeDistance": "of geometry, which test_pinocchio_files compares",
    "computeDistances": "of geometry, which test_pinocchio_files compares",
    "updateGeometryPlacements": "of geometry, which test_pinocchio_files compares",
    "initConstraintDynamics": "of constraints, which test_pinocchio_constraints compares",
    "constraintDynamics": "of constraints, which test_pinocchio_constraints compares",
    "computeConstraintDynamicsDerivatives": "of constraints, which test_pinocchio_constraints compares",
    "computeImpulseDynamicsDerivatives": "of constraints, which test_pinocchio_constraints compares",
    "getConstraintJacobian": "of constraints, which test_pinocchio_constraints compares",
    "getConstraintsJacobian": "of constraints, which test_pinocchio_constraints compares",
    "computeJointMinimalOrdering": "of constraints, which test_pinocchio_constraints compares",
    "lcaba": "of constraints, which test_pinocchio_constraints compares",
    "computeDampedDelassusMatrixInverse": "of constraints, which test_pinocchio_constraints compares",
    "computeDelassusMatrix": "of constraints, which test_pinocchio_constraints compares",
}
# Both give something for these, of which Pinocchio's is undefined.
NONSENSE = {
    "integrate", "computeStaticTorque",
}  # fmt: skip
# Forms of a call that are left out: function, and the names of its arguments.
FORMS = {
    # Pinocchio's data.M has one triangle then.
    ("computeMinverse", ("model", "data")): "after aba with a convention, which test_pinocchio compares",
    ("computeABADerivatives", ("model", "data")): "after aba with a convention, which test_pinocchio compares",
    ("computeABADerivatives", ("model", "data", "fext")): "after aba with a convention, which test_pinocchio compares",
    ("getCenterOfMassVelocityDerivatives", ("model", "data")): "of what jacobianCenterOfMass overwrites in Pinocchio; in test_pinocchio",
    ("getKKTContactDynamicMatrixInverse", ("model", "data", "constraint_jacobian")): "after forwardDynamics",
}
# Types that this package does not have.
ABSENT = {"StdVec_RigidConstraintModel", "GeometryModel"}
LOOSE = {
    "aba", "computeABADerivatives", "computeMinverse", "computeKKTContactDynamicMatrixInverse", "forwardDynamics", "impulseDynamics",
}  # fmt: skip
TRIANGLE = {"crba", "computeMinverse"}
SIGNATURE = re.compile(r"^(\w+)\((.*)\) -> ([\w.]+) ?:?$")
ARGUMENT = re.compile(r"\((\w[\w.]*)\)(\w+)")


def forms(name):
    """The arguments of each form of a function: pairs of type and name."""
    found = []
    for line in (getattr(pin, name).__doc__ or "").splitlines():
        match = SIGNATURE.match(line.strip())
        if match and match[1] == name:
            required, _, optional = match[2].partition("[")
            needed, more = ARGUMENT.findall(required), ARGUMENT.findall(optional)
            for count in range(len(more) + 1):
                form = needed + more[:count]
                if form not in found:
                    found.append(form)
    return found


NAMES = sorted(
    name
    for name in dir(pin)
    if not name.startswith("_") and name in dir(fp) and callable(getattr(pin, name)) and not isinstance(getattr(pin, name), type)
)


def by_hand(p):
    """A model of every kind of joint, in two branches."""
    m = p.Model()
    kinds = [p.JointModelFreeFlyer(), p.JointModelRX(), p.JointModelPY(), p.JointModelSpherical(), p.JointModelRUBZ()]
    kinds += [p.JointModelRevoluteUnaligned(np.array([1.0, 2.0, 3.0]) / np.sqrt(14)), p.JointModelPlanar()]
    # Pinocchio's rates of Jacobians leave out that the axes of JointModelSphericalZYX turn.
    kinds += [p.JointModelTranslation(), p.JointModelHX(0.2), p.JointModelPZ()]
    joint = 0
    for k, kind in enumerate(kinds):
        placement = p.SE3(p.exp3(np.array([0.1 * k, 0.2, -0.3])), np.array([0.1, 0.1, 0.4]))
        joint = m.addJoint(1 if k == 6 else joint, kind, placement, f"joint{k}")
        m.appendBodyToJoint(joint, p.Inertia(1.0 + k, np.array([0.0, 0.1, 0.2]), np.diag([1.0, 1.2, 0.9])), p.SE3.Identity())
        m.addJointFrame(joint)
        m.addBodyFrame(f"body{k}", joint, placement, -1)
    return m


SAMPLES = {
    "manipulator": lambda p: p.buildSampleModelManipulator(),
    "humanoid": lambda p: p.buildSampleModelHumanoid(),
    "by hand": by_hand,
}


class Side:
    """One module with its model and the arguments of calls."""

    def __init__(self, module, model, values):
        self.p, self.model, self.values = module, model, values
        self.data = model.createData()

    def argument(self, function, kind, name):
        if name == "model":
            return self.model
        if name == "data":
            return self.data
        if kind == "StdVec_Force":
            forces = self.p.StdVec_Force()
            for row in self.values["forces"]:
                forces.append(self.p.Force(row))
            return forces
        if kind in ("SE3", "Motion", "Force"):
            given = self.values[kind + name]
            return getattr(self.p, kind)(given[:3, :3], given[:3, 3]) if kind == "SE3" else getattr(self.p, kind)(given)
        if kind in ("ReferenceFrame", "ArgumentPosition", "Convention", "KinematicLevel"):
            # Behind joints of two or three axes Pinocchio's derivatives in WORLD are not what finite differences give.
            several = any(joint.nv in (2, 3) for joint in self.model.joints)
            aligned = "LOCAL" if several and function.endswith("Derivatives") else "LOCAL_WORLD_ALIGNED"
            member = {"ReferenceFrame": aligned, "ArgumentPosition": "ARG1"}.get(kind)
            return getattr(getattr(self.p, kind), member or {"Convention": "WORLD", "KinematicLevel": "VELOCITY"}[kind])
        value = self.values[name]
        return value.copy() if isinstance(value, np.ndarray) else value

    def prepare(self):
        p, m, d, x = self.p, self.model, self.data, self.values
        p.computeAllTerms(m, d, x["q"], x["v"])
        p.computeRNEADerivatives(m, d, x["q"], x["v"], x["a"])
        p.computeForwardKinematicsDerivatives(m, d, x["q"], x["v"], x["a"])
        p.rnea(m, d, x["q"], x["v"], x["a"])
        p.computeJointJacobiansTimeVariation(m, d, x["q"], x["v"])
        p.jacobianCenterOfMass(m, d, x["q"])
        p.forwardKinematics(m, d, x["q"], x["v"], x["a"])
        p.updateFramePlacements(m, d)


def values_of(model):
    random = np.random.default_rng(11)
    nv = model.nv
    q, q2 = (pin.integrate(model, pin.neutral(model), random.uniform(-1, 1, nv)) for _ in range(2))
    v, a, tau = random.normal(size=(3, nv))
    R = pin.exp3(random.normal(size=3))
    w = random.normal(size=3)
    M, N = (pin.SE3(pin.exp3(random.normal(size=3)), random.normal(size=3)).homogeneous for _ in range(2))
    six = random.normal(size=(4, 6))
    joint, frame = model.njoints // 2, model.nframes - 1
    return {
        "q": q, "q1": q, "q2": q2, "v": v, "a": a, "tau": tau, "alpha": 0.3, "prec": 1e-8, "forces": random.normal(size=(model.njoints, 6)),
        "joint_id": joint, "root_joint_id": joint, "subtree_root_joint_id": joint, "frame_id": frame,
        "joint1_id": joint, "joint2_id": model.njoints - 1, "compute_subtree_coms": True, "with_subtree": True,
        "SE3placement": M, "SE3aMb": N, "Motionvelocity": six[0], "Motionacceleration": six[1], "Motionv": six[0], "Motiona": six[1],
        "Jin": random.normal(size=(nv, 3)), "u": w, "w": w, "R": R, "quat": np.array([0.1, 0.5, -0.3, 0.8]) / np.sqrt(0.99),
        "matrix": R, "basis": R, "threshold": 1e-3, "tuple": tuple(pin.SE3ToXYZQUAT(pin.SE3(M))), "array": pin.SE3ToXYZQUAT(pin.SE3(M)),
        "v_before": v, "constraint_jacobian": random.normal(size=(3, nv)), "constraint_drift": random.normal(size=3),
        "damping": 0.1, "restitution_coefficient": 0.2, "mat_in": random.normal(size=(nv, 3)), "SE3M": M, "Motionnu": six[2],
    }  # fmt: skip


CASES = {}


@pytest.fixture(params=[*SAMPLES, *FILES])
def sides(request):
    if request.param not in CASES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = (SAMPLES[request.param](p) if request.param in SAMPLES else load(p, request.param) for p in (pin, fp))
        values = values_of(theirs)
        CASES[request.param] = Side(pin, theirs, values), Side(fp, ours, values)
    return CASES[request.param]


def outcome(side, name, arguments):
    try:
        return getattr(side.p, name)(*arguments), None
    except Exception as error:
        return None, error


def callable_forms():
    for name in NAMES:
        if name not in SKIPPED:
            for form in forms(name):
                names = tuple(argument for _, argument in form)
                kinds = {kind for kind, _ in form}
                if (name, names) not in FORMS and "Model" in kinds and not ABSENT & kinds:
                    yield name, form


def generated():
    return list(callable_forms())


def test_calls_are_generated_for_all_functions_of_models():
    covered = {name for name, _ in generated()}
    of_models = {name for name in NAMES if any("Model" in [k for k, _ in form] for form in forms(name))}
    assert of_models - covered - set(SKIPPED) - {name for name, _ in FORMS} == set()
    assert len(covered) >= 60


# The native functions have other names of these arguments.
OTHER_NAMES = {"subtree_root_joint_id", "kinematic_level"}
OTHER_FORMS = {"getFrameVelocityDerivatives", "getFrameAccelerationDerivatives"}


def test_arguments_by_name_give_what_they_give_by_position(sides):
    """One new data for each call, so that both find the same."""
    _, ours = sides
    wrong, count = [], 0
    for name, form in generated():
        names = [argument for _, argument in form]
        if OTHER_NAMES & set(names) or name in OTHER_FORMS:
            continue
        results = []
        for by_name in (False, True):
            ours.prepare()
            arguments = [ours.argument(name, *one) for one in form]
            call, given = getattr(fp, name), dict(zip(names, arguments, strict=True))
            try:
                results.append(call(**given) if by_name else call(*arguments))
            except Exception as error:
                results.append(f"{type(error).__name__}: {error}")
        count += 1
        if results[0] is not None and not isinstance(results[0], str):
            by_position, named = numbers(results[0]), numbers(results[1])
            same = np.allclose(by_position, named, rtol=1e-12, atol=1e-12, equal_nan=True)
        else:
            same = results[0] == results[1]
        if not same:
            wrong.append(f"{name}({', '.join(names)}): {results[1]!r}")
    assert count > 100 and not wrong, "\n".join(wrong)


def test_numbers(sides):
    failures = []
    for name, form in generated():
        results = []
        for side in sides:
            side.prepare()
            arguments = [side.argument(name, *one) for one in form]
            results.append((*outcome(side, name, arguments), arguments))
        (theirs, their_error, _), (ours, our_error, _) = results
        label = f"{name}({', '.join(argument for _, argument in form)})"
        if their_error or our_error:
            if type(their_error) is not type(our_error):
                failures.append(f"{label}: {their_error!r} beside {our_error!r}")
            continue
        if theirs is None:
            continue
        theirs, ours = numbers(theirs), numbers(ours)
        if name in TRIANGLE:
            theirs, ours = (np.triu(x.reshape(int(np.sqrt(x.size)), -1)) for x in (theirs, ours))
        if theirs.shape != ours.shape:
            failures.append(f"{label}: {theirs.shape} beside {ours.shape}")
            continue
        scale = max(1.0, np.abs(theirs).max(initial=0))
        tolerance = 1e-9
        if name in LOOSE:
            # The inverse of an ill-conditioned mass matrix loses digits in both; icub's condition is 7e14.
            tolerance = 1e-6 if scale > 1e3 else 1e-8
        if not np.abs(theirs - ours).max(initial=0) <= tolerance * scale:
            failures.append(f"{label}: {np.abs(theirs - ours).max():.2e} beside {scale:.2e}")
    assert not failures, "\n".join(failures)


def kind_of(error):
    if error is None:
        return "none"
    # Boost's ArgumentError is a TypeError.
    return "TypeError" if isinstance(error, TypeError) else type(error).__name__


def test_errors():
    """A vector of a wrong size, and text in the place of each argument."""
    values = values_of(pin.buildSampleModelManipulator())
    sides = [Side(p, p.buildSampleModelManipulator(), values) for p in (pin, fp)]
    failures = []
    for name, form in generated():
        for i, (kind, argument) in enumerate(form):
            wrongs = ["text"] if argument != "data" else []
            if kind == "numpy.ndarray" and argument in ("q", "q1", "q2", "v", "a", "tau"):
                wrongs += [np.zeros(2), np.zeros((3, 2))]
            for wrong in wrongs:
                errors = []
                for side in sides:
                    side.prepare()
                    arguments = [side.argument(name, *one) for one in form]
                    arguments[i] = wrong
                    errors.append(kind_of(outcome(side, name, arguments)[1]))
                if errors[0] != errors[1] and not (name in NONSENSE and errors[0] == "none"):
                    failures.append(f"{name}, {argument}={wrong!r}: {errors[0]} beside {errors[1]}")
    assert not failures, "\n".join(failures)


# One call of each algorithm on new data: what Pinocchio fills, this package fills.
ONE_CALL = {
    "forwardKinematics": lambda p, m, d, q, v, a: p.forwardKinematics(m, d, q, v, a),
    "framesForwardKinematics": lambda p, m, d, q, v, a: p.framesForwardKinematics(m, d, q),
    "computeJointJacobians": lambda p, m, d, q, v, a: p.computeJointJacobians(m, d, q),
    "computeJointJacobian": lambda p, m, d, q, v, a: p.computeJointJacobian(m, d, q, m.njoints - 1),
    "computeFrameJacobian": lambda p, m, d, q, v, a: p.computeFrameJacobian(m, d, q, m.nframes - 1),
    "computeJointJacobiansTimeVariation": lambda p, m, d, q, v, a: p.computeJointJacobiansTimeVariation(m, d, q, v),
    "rnea": lambda p, m, d, q, v, a: p.rnea(m, d, q, v, a),
    "nonLinearEffects": lambda p, m, d, q, v, a: p.nonLinearEffects(m, d, q, v),
    "nle": lambda p, m, d, q, v, a: p.nle(m, d, q, v),
    "computeGeneralizedGravity": lambda p, m, d, q, v, a: p.computeGeneralizedGravity(m, d, q),
    "computeStaticTorque": lambda p, m, d, q, v, a: p.computeStaticTorque(m, d, q, forces(p, m)),
    "computeCoriolisMatrix": lambda p, m, d, q, v, a: p.computeCoriolisMatrix(m, d, q, v),
    "crba": lambda p, m, d, q, v, a: p.crba(m, d, q),
    "crba in the world": lambda p, m, d, q, v, a: p.crba(m, d, q, p.Convention.WORLD),
    "aba": lambda p, m, d, q, v, a: p.aba(m, d, q, v, a),
    "aba in the world": lambda p, m, d, q, v, a: p.aba(m, d, q, v, a, p.Convention.WORLD),
    "computeMinverse": lambda p, m, d, q, v, a: p.computeMinverse(m, d, q),
    "ccrba": lambda p, m, d, q, v, a: p.ccrba(m, d, q, v),
    "dccrba": lambda p, m, d, q, v, a: p.dccrba(m, d, q, v),
    "computeCentroidalMap": lambda p, m, d, q, v, a: p.computeCentroidalMap(m, d, q),
    "computeCentroidalMomentum": lambda p, m, d, q, v, a: p.computeCentroidalMomentum(m, d, q, v),
    "computeCentroidalMomentumTimeVariation": lambda p, m, d, q, v, a: p.computeCentroidalMomentumTimeVariation(m, d, q, v, a),
    "computeAllTerms": lambda p, m, d, q, v, a: p.computeAllTerms(m, d, q, v),
    "computeRNEADerivatives": lambda p, m, d, q, v, a: p.computeRNEADerivatives(m, d, q, v, a),
    "computeABADerivatives": lambda p, m, d, q, v, a: p.computeABADerivatives(m, d, q, v, a),
    "computeForwardKinematicsDerivatives": lambda p, m, d, q, v, a: p.computeForwardKinematicsDerivatives(m, d, q, v, a),
    "computeGeneralizedGravityDerivatives": lambda p, m, d, q, v, a: p.computeGeneralizedGravityDerivatives(m, d, q),
    "computeStaticTorqueDerivatives": lambda p, m, d, q, v, a: p.computeStaticTorqueDerivatives(m, d, q, forces(p, m)),
    "computeCentroidalDynamicsDerivatives": lambda p, m, d, q, v, a: p.computeCentroidalDynamicsDerivatives(m, d, q, v, a),
    "centerOfMass": lambda p, m, d, q, v, a: p.centerOfMass(m, d, q, v, a),
    "centerOfMass of q": lambda p, m, d, q, v, a: p.centerOfMass(m, d, q),
    "jacobianCenterOfMass": lambda p, m, d, q, v, a: p.jacobianCenterOfMass(m, d, q),
    "computeKineticEnergy": lambda p, m, d, q, v, a: p.computeKineticEnergy(m, d, q, v),
    "computePotentialEnergy": lambda p, m, d, q, v, a: p.computePotentialEnergy(m, d, q),
    "computeMechanicalEnergy": lambda p, m, d, q, v, a: p.computeMechanicalEnergy(m, d, q, v),
    "computeJointTorqueRegressor": lambda p, m, d, q, v, a: p.computeJointTorqueRegressor(m, d, q, v, a),
    "computeStaticRegressor": lambda p, m, d, q, v, a: p.computeStaticRegressor(m, d, q),
    "computeKineticEnergyRegressor": lambda p, m, d, q, v, a: p.computeKineticEnergyRegressor(m, d, q, v),
    "computePotentialEnergyRegressor": lambda p, m, d, q, v, a: p.computePotentialEnergyRegressor(m, d, q),
}
# Fields that are left out after all functions, and after some, with the reason.
ARRAYS = "an array that Pinocchio works with, which this package does not have"
LEFT_OUT = dict.fromkeys("Fcrb iMf oYaba_augmented of_augmented".split(), ARRAYS)
PASSING = "what Pinocchio leaves of its work: sums, or columns about another point"
OWN = "Pinocchio leaves the bodies' own inertias"
SUPPORT = "Pinocchio computes the joints alone that carry the joint"
LEFT_OUT_AFTER = {
    "aba": {"a": "Pinocchio adds gravity in the axes of the world to accelerations in those of the joint"},
    "aba in the world": {"oYcrb": OWN},
    "computeAllTerms": {"h": PASSING},
    "computeCentroidalDynamicsDerivatives": {of: "Pinocchio leaves those without gravity" for of in ("of", "oh", "tau")},
    "computeCentroidalMomentum": {"com": PASSING, "h": PASSING},
    "computeCentroidalMomentumTimeVariation": {"com": PASSING, "f": PASSING, "h": PASSING},
    "computeCoriolisMatrix": {"Ag": PASSING, "dFdv": PASSING, "oh": PASSING},
    "computeFrameJacobian": {"liMi": SUPPORT},
    "computeGeneralizedGravityDerivatives": {"Ag": PASSING, "oa_gf": "Pinocchio leaves the universe's"},
    "computeJointJacobian": {"liMi": SUPPORT},
    "computeStaticTorqueDerivatives": {"Ag": PASSING},
    "computeMinverse": {"oYcrb": OWN},
}
# Lists of which the universe's entry is left out: Pinocchio leaves gravity there, sums, or nothing.
WITHOUT_UNIVERSE = {"B", "Yaba", "oYaba", "Ycrb", "a_gf", "f", "h", "oYcrb", "oa_gf", "of", "oh"}
# Pinocchio fills the upper triangle.
UPPER = {"M", "Minv"}


def forces(p, model):
    rows = np.random.default_rng(4).normal(size=(model.njoints, 6))
    found = p.StdVec_Force()
    for row in rows:
        found.append(p.Force(row))
    return found


def field(data, name):
    value = getattr(data, name)
    if name in WITHOUT_UNIVERSE:
        value = list(value)[1:]
    try:
        found = numbers(value)
    except (TypeError, ValueError):
        return None
    if name in UPPER:
        found = np.triu(found.reshape(int(np.sqrt(found.size)), -1))
    return found.copy()


FIELDS = [name for name in dir(pin.Data) if not name.startswith("_") and not callable(getattr(pin.Data, name))]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ONE_CALL)
def test_fields_after_one_call_on_new_data(sides, name):
    random = np.random.default_rng(3)
    theirs, ours = sides
    v, a = random.normal(size=(2, theirs.model.nv))
    q = pin.integrate(theirs.model, pin.neutral(theirs.model), random.normal(size=theirs.model.nv))
    data, our_data = theirs.model.createData(), ours.model.createData()
    before = {of: field(data, of) for of in FIELDS}
    ONE_CALL[name](pin, theirs.model, data, q, v, a)
    ONE_CALL[name](fp, ours.model, our_data, q, v, a)
    wrong = []
    for of in FIELDS:
        expected = field(data, of)
        if of in LEFT_OUT or of in LEFT_OUT_AFTER.get(name, {}) or expected is None or np.array_equal(before[of], expected, equal_nan=True):
            continue
        found = field(our_data, of)
        scale = max(1.0, np.abs(expected).max(initial=0))
        if found.shape != expected.shape or not np.abs(found - expected).max(initial=0) <= 1e-7 * scale:
            wrong.append(of)
    assert not wrong, ", ".join(wrong)
