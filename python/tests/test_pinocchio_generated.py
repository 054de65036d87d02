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
    "buildReducedModel": "makes models, which test_pinocchio compares",
    "appendModel": "makes models, which test_pinocchio compares",
    "buildSampleModelHumanoid": "makes models, which test_pinocchio compares",
    "buildSampleModelHumanoidRandom": "random",
    "buildSampleModelManipulator": "makes models, which test_pinocchio compares",
    "loadReferenceConfigurations": "reads files",
    "loadReferenceConfigurationsFromXML": "reads files",
    "loadRotorParameters": "reads files",
    "randomConfiguration": "random",
    "seed": "random",
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
    "updateGeometryPlacements": "of geometry, which is empty here",
}
# Both give something for these, of which Pinocchio's is undefined.
NONSENSE = {
    "integrate", "computeStaticTorque",
}  # fmt: skip
# Forms of a call that are left out: function, and the names of its arguments.
FORMS = {
    # Pinocchio's data.M has one triangle then.
    ("computeMinverse", ("model", "data")): "after aba with a convention, which test_pinocchio compares",
    ("computeABADerivatives", ("model", "data")): "raises NotImplementedError",
    ("computeABADerivatives", ("model", "data", "fext")): "raises NotImplementedError",
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
    if not name.startswith("_") and name in vars(fp) and callable(getattr(pin, name)) and not isinstance(getattr(pin, name), type)
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
            # Behind joints of several axes Pinocchio's in WORLD are not what finite differences give; those in
            # LOCAL_WORLD_ALIGNED are absent.
            aligned = "LOCAL" if function.endswith("Derivatives") else "LOCAL_WORLD_ALIGNED"
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


# What callers read of `data` after one call alone.
FIELDS = {
    "rnea": "tau a_gf f",
    "nonLinearEffects": "nle a_gf f",
    "aba": "ddq v a a_gf f",
    "crba": "M",
    "ccrba": "Ag hg",
    "computeAllTerms": "M nle g J dJ Ag dAg hg dhg v a a_gf f com vcom Jcom oMi kinetic_energy potential_energy",
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_after_one_call_on_new_data(sides, name):
    found = []
    for side in sides:
        p, model = side.p, side.model
        random = np.random.default_rng(3)
        q = p.integrate(model, p.neutral(model), random.normal(size=model.nv))
        data = model.createData()
        count = {"crba": 0, "rnea": 2, "aba": 2}.get(name, 1)
        motion = random.normal(size=(count, model.nv))
        getattr(p, name)(model, data, q, *motion)
        if name == "aba" and p is pin:
            # Pinocchio adds gravity in the axes of the world to accelerations in those of the joint.
            ddq = data.ddq.copy()
            assert np.allclose(data.a[1].vector - data.a_gf[1].vector, model.gravity.vector)
            pin.forwardKinematics(model, data, q, motion[0], ddq)
        fields = {}
        for field in FIELDS[name].split():
            value = getattr(data, field)
            if not isinstance(value, np.ndarray | float) and not hasattr(value, "vector"):
                # The universe's own differ: Pinocchio leaves gravity there, or nothing.
                value = [getattr(x, "vector", getattr(x, "homogeneous", x)) for x in list(value)[1:]]
            fields[field] = np.asarray(getattr(value, "vector", value), float)
        if name in ("crba", "computeAllTerms"):
            fields["M"] = np.triu(fields["M"])
        found.append(fields)
    for field, ours in found[0].items():
        theirs = found[1][field]
        scale = max(1.0, np.abs(theirs).max(initial=0))
        assert np.abs(ours - theirs).max(initial=0) < 1e-8 * scale, field
