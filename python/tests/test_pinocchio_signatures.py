"""The public names of Pinocchio, and the arguments of its calls, beside those here; without Pinocchio.

pinocchio_generated_signatures.txt lists them, and pinocchio_generated_signatures.py says how it is written.
"""

import enum
import fnmatch
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import featherline.pinocchio as fp

FILE = pathlib.Path(__file__).parent / "pinocchio_generated_signatures.txt"
NAMES = FILE.read_text().splitlines()
CALL = re.compile(r"(static )?(\w+)\((.*)\)$")
CLASS = re.compile(r"class (\w+)(?: = (\w+)|\((\w+)\))?$")
# What Python and pyo3 say of a call whose arguments have no place.
REFUSED = re.compile(r"unexpected keyword|missing \d+ |takes .*argument|no keyword|multiple values|has no form")


def read():
    """Of each public name, with the class or module that has it: its forms, or None of a field or a constant."""
    entries, members, inside = {}, {}, []
    for line in NAMES:
        depth = len(line) - len(line.lstrip())
        inside, line = inside[:depth], line.strip()
        if line.startswith("module "):
            inside.append(line.removeprefix("module "))
            continue
        kind = CLASS.match(line)
        if kind:
            own = members[kind[1]] = dict(members.get(kind[2] or kind[3], {}))
            inside.append(kind[1])
            entries[".".join(inside)] = None
            entries.update({".".join([*inside, name]): forms for name, forms in own.items()})
            continue
        call = CALL.match(line)
        name = call[2] if call else line
        forms = [form(text) for text in call[3].split("; ")] if call else None
        entries[".".join([*inside, name])] = forms
        if inside and inside[-1] in members:
            members[inside[-1]][name] = forms
    return entries


def form(text):
    """The arguments that a form needs, and those that it may have."""
    needed, _, more = text.rstrip("]").partition("[")
    return tuple([name for name in re.split(r"[, ]+", part) if name] for part in (needed, more))


def found(path):
    """What has a name here, and an object that has it for a method."""
    owner = fp
    *modules, name = path.split(".")
    for part in modules:
        if part[0].islower() and owner is fp and not hasattr(fp, part):
            owner = importlib.import_module(f"featherline.pinocchio.{part}")
        else:
            owner = getattr(owner, part)
    if isinstance(owner, type) and not issubclass(owner, enum.Enum) and name != "__init__":
        owner = instance(owner)
    return owner if name == "__init__" else getattr(owner, name)


MADE = {}


def instance(kind):
    if kind not in MADE:
        MADE[kind] = MAKE.get(kind.__name__, kind)()
    return MADE[kind]


def arm():
    return fp.buildSampleModelManipulator()


def shapes():
    """A geometry model of one shape."""
    model = fp.GeometryModel()
    model.addGeometryObject(fp.GeometryObject("ball", 0, 0, fp.SE3.Identity(), None))
    return model


def constraint():
    return fp.RigidConstraintModel(fp.ContactType.CONTACT_3D, arm(), 1, fp.SE3.Identity())


# Objects of classes that are not made of nothing.
MAKE = {
    "BaumgarteCorrectorParameters": lambda: fp.BaumgarteCorrectorParameters(1),
    "CollisionPair": lambda: fp.CollisionPair(0, 1),
    "Data": lambda: arm().createData(),
    "GeometryData": lambda: fp.GeometryData(shapes()),
    "GeometryObject": lambda: shapes().geometryObjects[0],
    "GeometryPool": lambda: fp.GeometryPool(arm(), shapes()),
    "LogCholeskyParameters": lambda: fp.LogCholeskyParameters(np.zeros(10)),
    "PseudoInertia": lambda: fp.PseudoInertia(1.0, np.zeros(3), np.eye(3)),
    "JointModelUniversal": lambda: fp.JointModelUniversal([1, 0, 0], [0, 1, 0]),
    "JointModelMimic": lambda: fp.JointModelMimic(fp.JointModelRX(), 1.0, 0.0),
    "ModelPool": lambda: fp.ModelPool(arm()),
    "RigidConstraintData": lambda: fp.RigidConstraintData(constraint()),
    "RigidConstraintModel": constraint,
    "RobotWrapper": lambda: fp.RobotWrapper(arm()),
}


# Arguments that a call looks at before it takes its place of the others.
VALUES = {
    "model": arm,
    "data": lambda: arm().createData(),
    "geometry_model": shapes,
    "geometry_data": lambda: fp.GeometryData(shapes()),
}


def refused(call, needed, given, one_form):
    """What a call says of arguments without a place: those needed by name, and all of them in their order."""
    names = [*needed, *given]
    blank = object()
    values = [VALUES[name]() if name in VALUES else blank for name in names]
    named = dict(zip(names, values, strict=True))
    try:
        signature = inspect.signature(call)
    except ValueError:
        signature = None
    kinds = {p.kind for p in signature.parameters.values()} if signature else {inspect.Parameter.VAR_KEYWORD}
    if kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}:
        return refused_in_a_call(call, values, named)
    try:
        places = list(signature.bind(*values).arguments)
        if "_" not in names:
            signature.bind(**named)
    except TypeError as error:
        # A native method may take other names than those that it shows.
        return refused_in_a_call(call, values, named) if inspect.isbuiltin(call) else str(error)
    other = [f"{place} for {name}" for place, name in zip(places, names, strict=True) if name not in ("_", place)]
    return ", ".join(other) if one_form else None


def refused_in_a_call(call, values, named):
    attempts = [lambda: call(*values)]
    if "_" not in named:
        attempts.append(lambda: call(**named))
    for attempt in attempts:
        try:
            attempt()
        except Exception as error:
            if isinstance(error, TypeError) and REFUSED.search(str(error)):
                return str(error)
    return None


def difference(path, forms):
    """How a name differs from Pinocchio's; None if it does not."""
    try:
        value = found(path)
    except (AttributeError, NotImplementedError, ImportError) as error:
        return f"absent: {error}"
    except Exception as error:
        return f"cannot make: {error!r}"
    if (forms is not None) != (callable(value)) and not isinstance(value, type):
        return "a call" if forms is None else "a field"
    problems = []
    for needed, more in forms or []:
        for count in range(len(more) + 1):
            problem = refused(value, needed, more[:count], len(forms) == 1)
            if problem:
                problems.append(f"({', '.join([*needed, *more[:count]])}): {problem}")
    return "; ".join(problems) or None


# What differs, with the reason: names as the list has them; a class stands for its members.
SOLVERS = "the constraint solvers of Pinocchio 4 (ADMM, PGS) and their models: constraintDynamics is here"
BROAD_PHASE = "broad phases: computeCollisions prunes pairs by itself"
OF_CPP = "a type of the C++ library that carries values between its functions"
SERIALISED = "pickle and copy serialise it"
FILES = "readers of constraints and of SDF into Pinocchio 4's constraint models"
WORK = "an array that Pinocchio works with, which this package does not have"
DIFFERENT = {
    SOLVERS: """
        ADMM* PGS* AUTOMATIC CONSTANT LINEAR MANUAL OSQP SPECTRAL BoxSet *Cone Delassus*
        Constraint* ???*ConstraintModel ???*ConstraintData LanczosDecomposition TridiagonalSymmetricMatrix
        RigidConstraintModel.retrieveCompliance RigidConstraintModel.setCompliance
        computeInverseDynamicsConstraintForces contactInverseDynamics
    """,
    BROAD_PHASE: """
        GeometryPool.* computeCollisions
        *BroadPhaseManager* CollisionCallBack* CollisionObject StdVec_*CollisionObject*
    """,
    OF_CPP: """
        CollisionGeometry.* ScalarType.*
        ComputeCollision ComputeDistance Exception LogLevel
        deprecation.* JointData* *type_index map_indexing_suite_* StdVec_* graph *.cached_gjk_guess
        *.cached_support_func_guess *.timings GeometryData.*_functors
    """,
    SERIALISED: "*.saveTo* *.loadFrom* serialization.*",
    FILES: "buildModel*Constraints* *buildModels*Constraints* *buildModelsFromSdf RobotWrapper.*SDF",
    WORK: """
        Data.Fcrb Data.Ivx Data.dac_dq Data.dac_dv Data.dvc_dq Data.*mimic_parents_fromRow Data.iMf
        Data.mimic_subtree_joint Data.oK Data.oL Data.oYaba_augmented Data.of_augmented Data.vxI
        RigidConstraintData.contact?_acceleration_drift RigidConstraintData.contact_acceleration
        RigidConstraintData.contact_acceleration_deviation RigidConstraintData.contact_acceleration_error
        RigidConstraintData.extended_* RigidConstraintData.lambdas_joint1
    """,
    "data are made for a model": "Data.__init__",
    "Pinocchio's names are Model and Data, here they are model and data": "cholesky.*",
    "Pinocchio's names are shifted by one": "initConstraintDynamics *.getMassMatrixChoeslkyDecomposition",
    "not yet: contacts have no objects, and one point each": """
        Contact.__init__ Contact.?? *.nearest_points DistanceResult.?? CollisionResult.getContacts
        GeometryData.distanceRequests
        GeometryData.fillInnerOuterObjectMaps
    """,
    "viewers of other programs are absent, and meshcat's own objects": "visualize.*",
    "by position; a copy is made by copy()": "Symmetric3.*",
}


def reason(path, differences):
    """Why a name differs: itself, or the class that has it."""
    parts = path.split(".")
    above = [name for k in range(len(parts)) if (name := ".".join(parts[: k + 1])) in differences]
    for why, patterns in DIFFERENT.items():
        for pattern in patterns.split():
            if any(fnmatch.fnmatchcase(name, pattern) for name in above):
                return why, pattern
    return None


@pytest.fixture(scope="module")
def differences():
    found = {path: difference(path, forms) for path, forms in read().items()}
    return {path: text for path, text in found.items() if text}


def test_the_list_is_pinocchios(tmp_path):
    pytest.importorskip("pinocchio")
    written = tmp_path / "names.txt"
    subprocess.run([sys.executable, FILE.with_suffix(".py"), written], check=True)
    assert written.read_text() == FILE.read_text()


def test_the_list_has_calls_with_their_forms_and_members_of_bases():
    names = read()
    assert len(names) > 3000 and sum(forms is not None for forms in names.values()) > 1500
    assert names["aba"][1] == (["model", "data", "q", "v", "tau", "fext"], ["convention"])
    assert names["SE3.rotation"] is None
    assert names["visualize.GepettoVisualizer.play"] == names["visualize.BaseVisualizer.play"]


def test_names_and_arguments_are_pinocchios_or_differ_for_a_listed_reason(differences):
    assert [f"{path}: {text}" for path, text in differences.items() if not reason(path, differences)] == []


def test_every_listed_reason_is_needed(differences):
    used = {reason(path, differences) for path in differences}
    listed = {(why, pattern) for why, patterns in DIFFERENT.items() for pattern in patterns.split()}
    assert sorted(pattern for _, pattern in listed - used) == []


def test_what_the_module_calls_absent_is_what_is_absent(differences):
    absent = {path for path, text in differences.items() if "." not in path and text.startswith("absent")}
    assert fp.ABSENT - absent <= {"deprecated", "liegroups", "serialization"}
    # Boost.Python makes these for itself.
    own = {"boost_type_index", "map_indexing_suite_StdMap_String_VectorXd_entry", "std_type_index"}
    assert absent - fp.ABSENT == own


EYE, ONE = np.eye(3), np.ones(1)
PLACED, BODY = fp.SE3(EYE, EYE[0]), fp.Inertia(2.0, EYE[0], EYE)
MOTION, FORCE = fp.Motion(EYE[1], EYE[0]), fp.Force(EYE[2], EYE[1])
# Calls by names, beside the same by position.
BY_NAME = {
    "Quaternion": (lambda: fp.Quaternion(w=0.1, x=0.5, y=-0.3, z=0.8), lambda: fp.Quaternion(0.1, 0.5, -0.3, 0.8)),
    "Quaternion of R": (lambda: fp.Quaternion(R=EYE), lambda: fp.Quaternion(1, 0, 0, 0)),
    "Quaternion of u and v": (lambda: fp.Quaternion(v=EYE[1], u=EYE[0]), lambda: fp.Quaternion(EYE[0], EYE[1])),
    "AngleAxis": (lambda: fp.AngleAxis(axis=EYE[1], angle=0.3), lambda: fp.AngleAxis(0.3, EYE[1])),
    "Frame": (
        lambda: fp.Frame(name="f", parent_joint=1, placement=fp.SE3(EYE, EYE[0]), type=fp.BODY),
        lambda: fp.Frame("f", 1, 0, fp.SE3(EYE, EYE[0]), fp.BODY),
    ),
    "JointModelRevoluteUnaligned": (
        lambda: fp.JointModelRevoluteUnaligned(z=0.8, y=0.6, x=0.0),
        lambda: fp.JointModelRevoluteUnaligned(np.array([0.0, 0.6, 0.8])),
    ),
    "JointModelHelicalUnaligned": (
        lambda: fp.JointModelHelicalUnaligned(x=0.0, y=0.6, z=0.8, pitch=0.2),
        lambda: fp.JointModelHelicalUnaligned(np.array([0.0, 0.6, 0.8]), 0.2),
    ),
    "StdVec_Double": (lambda: fp.StdVec_Double(size=2, value=0.5), lambda: [0.5, 0.5]),
    "XYZQUATToSE3": (
        lambda: fp.XYZQUATToSE3(array=[1, 2, 3, 0, 0, 0, 1]),
        lambda: fp.SE3(EYE, np.array([1.0, 2.0, 3.0])),
    ),
    "RigidConstraintModel": (lambda: fp.RigidConstraintModel(clone=constraint()), constraint),
    "SE3": (lambda: fp.SE3(translation=EYE[0], rotation=EYE), lambda: fp.SE3(EYE, EYE[0])),
    "SE3 of a quaternion": (lambda: fp.SE3(quat=fp.Quaternion(EYE), translation=EYE[0]), lambda: fp.SE3(EYE, EYE[0])),
    "SE3 and a name": (lambda: fp.SE3(EYE, translation=EYE[0]), lambda: fp.SE3(EYE, EYE[0])),
    "SE3 of an array": (lambda: fp.SE3(array=PLACED.homogeneous), lambda: PLACED),
    "SE3 of a number": (lambda: fp.SE3(int=1), fp.SE3.Identity),
    "copy of an SE3": (lambda: fp.SE3(clone=PLACED), lambda: PLACED),
    "Motion": (lambda: fp.Motion(angular=EYE[0], linear=EYE[1]), lambda: MOTION),
    "Motion of an array": (lambda: fp.Motion(array=MOTION.vector), lambda: MOTION),
    "copy of a Force": (lambda: fp.Force(clone=FORCE), lambda: FORCE),
    "Inertia": (lambda: fp.Inertia(inertia=EYE, mass=2.0, lever=EYE[0]), lambda: BODY),
    "copy of an Inertia": (lambda: fp.Inertia(clone=BODY), lambda: BODY),
    "FromDynamicParameters": (
        lambda: fp.Inertia.FromDynamicParameters(dynamic_parameters=BODY.toDynamicParameters()),
        lambda: fp.Inertia.FromDynamicParameters(BODY.toDynamicParameters()),
    ),
    "PseudoInertia": (lambda: fp.PseudoInertia(clone=BODY.toPseudoInertia()), BODY.toPseudoInertia),
    "LogCholeskyParameters": (
        lambda: fp.LogCholeskyParameters(log_cholesky_parameters=np.arange(10.0)),
        lambda: fp.LogCholeskyParameters(np.arange(10.0)),
    ),
    **{
        f"act({name}=)": (lambda name=name, value=value: PLACED.act(**{name: value}), lambda value=value: PLACED * value)
        for name, value in {"M": PLACED, "motion": MOTION, "force": FORCE, "inertia": BODY, "value": BODY}.items()
    },
    "actInv": (lambda: PLACED.actInv(motion=MOTION), lambda: PLACED.inverse() * MOTION),
    "cross of a motion": (lambda: MOTION.cross(m=MOTION), lambda: MOTION ^ MOTION),
    "cross of a force": (lambda: MOTION.cross(f=FORCE), lambda: MOTION ^ FORCE),
    "Motion.dot": (lambda: MOTION.dot(f=FORCE), lambda: MOTION.dot(FORCE)),
    "Force.dot": (lambda: FORCE.dot(m=MOTION), lambda: MOTION.dot(FORCE)),
    "vtiv": (lambda: BODY.vtiv(v=MOTION), lambda: BODY.vtiv(MOTION)),
    "vxiv": (lambda: BODY.vxiv(v=MOTION), lambda: MOTION ^ (BODY * MOTION)),
    "exp6": (lambda: fp.exp6(v=MOTION.vector), lambda: fp.exp6(MOTION)),
    "log6": (lambda: fp.log6(homegeneous_matrix=PLACED.homogeneous), lambda: fp.log6(PLACED)),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_arguments_by_name_have_their_places(name):
    by_name, by_position = BY_NAME[name]
    assert by_name() == by_position()


def test_logarithm_of_a_quaternion_and_its_angle():
    w, theta = np.array([0.1, 0.5, -0.3]), np.zeros((1, 1))
    quaternion = fp.Quaternion(fp.exp3(w))
    for by in ({"R": fp.exp3(w)}, {"quat": quaternion}, {"quat": quaternion.coeffs()}, {"quat": list(-quaternion.coeffs())}):
        theta[:] = 0
        assert np.allclose(fp.log3(**by, theta=theta), w, atol=1e-15)
        assert theta[0, 0] == pytest.approx(np.linalg.norm(w), abs=1e-15)


def test_jacobians_and_derivatives_by_name():
    model = arm()
    data = model.createData()
    q, v, frame = fp.neutral(model) + 0.3, np.ones(model.nv), model.nframes - 1
    fp.jacobianCenterOfMass(model, data, q)
    by_name = fp.jacobianSubtreeCenterOfMass(model=model, data=data, subtree_root_joint_id=2)
    assert np.array_equal(by_name, fp.jacobianSubtreeCenterOfMass(model, data, q, 2))
    assert np.array_equal(by_name, fp.jacobianSubtreeCenterOfMass(model, data, 2))
    fp.computeForwardKinematicsDerivatives(model, data, q, v, v)
    at = model.frames[frame]
    for function in (fp.getFrameVelocityDerivatives, fp.getFrameAccelerationDerivatives):
        by_position = function(model, data, frame, fp.LOCAL)
        named = [{"frame_id": frame}, {"joint_id": at.parentJoint, "placement": at.placement}]
        for names in named:
            assert np.array_equal(function(model=model, data=data, reference_frame=fp.LOCAL, **names), by_position)
            with pytest.raises(TypeError, match="reference_frame is missing"):
                function(model, data, **names)
    assert np.allclose(fp.centerOfMass(model, data, kinematic_level=fp.POSITION), fp.centerOfMass(model, data, q), atol=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fp.SE3(EYE, EYE[0], 1), lambda: fp.SE3(rotation=EYE), lambda: fp.SE3(EYE, rotation=EYE),
        lambda: fp.Inertia(1.0, EYE[0]), lambda: fp.Motion(vectors=np.ones(6)), lambda: fp.exp6(),
        lambda: fp.exp6(MOTION, v=MOTION), lambda: PLACED.act(), lambda: PLACED.act(MOTION, force=FORCE),
        lambda: MOTION.dot(m=FORCE), lambda: PLACED.act(name=MOTION), lambda: fp.log3(EYE, quat=EYE),
        lambda: fp.centerOfMass(arm(), arm().createData(), np.zeros(6), kinematic_level=0),
    ],
)  # fmt: skip
def test_arguments_without_a_place_are_refused(call):
    with pytest.raises(TypeError, match="has no form|takes one argument|takes q or|unexpected keyword argument '(m|name)'"):
        call()


def test_limits_of_joints_by_name():
    model = fp.Model()
    add = {"joint_model": fp.JointModelRX(), "joint_placement": fp.SE3.Identity()}
    limits = {"max_effort": 2 * ONE, "max_velocity": 4 * ONE, "min_config": -5 * ONE, "max_config": 6 * ONE}
    model.addJoint(0, joint_name="four", **add, **limits)
    limits |= {"min_effort": -1 * ONE, "min_velocity": -3 * ONE, "config_limit_margin": 0.5 * ONE}
    limits |= {"min_friction": -7 * ONE, "max_friction": 8 * ONE, "damping": 9 * ONE}
    model.addJoint(1, joint_name="ten", **add, **limits)
    # Of Pinocchio 4.1, which takes max_velocity for the least velocity, too.
    expected = {
        "lowerEffortLimit": [-2, -1], "upperEffortLimit": [2, 2],
        "lowerVelocityLimit": [4, 4], "upperVelocityLimit": [4, 4],
        "lowerPositionLimit": [-5, -5], "upperPositionLimit": [6, 6], "positionLimitMargin": [0, 0.5],
        "lowerDryFrictionLimit": [0, -7], "upperDryFrictionLimit": [0, 8], "damping": [0, 9],
    }  # fmt: skip
    assert {name: getattr(model, name).tolist() for name in expected} == expected
    with pytest.raises(TypeError, match=r"addJoint has no form.*min_config.*It takes.*max_config"):
        model.addJoint(2, joint_name="one", **add, min_config=ONE)
    with pytest.raises(TypeError, match="addJoint takes 0, 4, 9, 10 limits, not 2"):
        model.addJoint(2, *add.values(), "two", ONE, ONE)


def test_names_without_a_form_are_refused_with_the_forms():
    with pytest.raises(TypeError, match=r"Quaternion has no form with .*: w, x. It takes \(w x y z\), \(u v\)"):
        fp.Quaternion(w=1.0, x=0.0)
    with pytest.raises(TypeError, match="1 by position, roll"):
        fp.rpy.rpyToMatrix(0.1, roll=0.2)
