"""Zero quaternions and infinite limits, which the native functions refuse, beside Pinocchio."""

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")
from test_pinocchio import numbers  # noqa: E402
from test_pinocchio_generated import Side, by_hand, generated, values_of  # noqa: E402

HUGE = np.finfo(float).max
# The first entries of quaternions and pairs (cos, sin), and how many there are.
UNITS = {"FreeFlyer": (3, 4), "Planar": (2, 2), "Spherical": (0, 4), "RUBZ": (0, 2)}
KINDS = [*UNITS, "Translation", "SphericalZYX", "RX"]


def model_of(p, kind):
    """One joint of a kind, between two of other kinds."""
    model = p.Model()
    first = model.addJoint(0, p.JointModelPY(), p.SE3.Identity(), "first")
    middle = model.addJoint(first, getattr(p, f"JointModel{kind}")(), p.SE3.Identity(), "middle")
    model.addJoint(middle, p.JointModelSpherical(), p.SE3.Identity(), "last")
    return model


def answer(p, kind, function, *values):
    return numbers(getattr(p, function)(model_of(p, kind), *values))


def without_infinity(array):
    return np.where(np.isfinite(array), array, np.nan)


@pytest.mark.parametrize("value", [HUGE, -HUGE, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("kind", UNITS)
def test_difference_to_infinite_limits_is_nan_in_the_rows_of_that_joint(kind, value):
    model = model_of(pin, kind)
    joint = model.joints[2]
    q, v = pin.integrate(model, pin.neutral(model), np.linspace(0.1, 0.9, model.nv)), slice(joint.idx_v, joint.idx_v + joint.nv)
    limit = q.copy()
    limit[joint.idx_q : joint.idx_q + joint.nq] = value
    limit[0] = np.inf
    for ends in [(q, limit), (limit, q)]:
        expected, found = (answer(p, kind, "difference", *ends) for p in (pin, fp))
        # Of pairs (cos, sin) that are huge Pinocchio gives some rows that are finite, and no angle.
        assert not np.isfinite(expected[v]).all() or kind in ("RUBZ", "Planar")
        assert np.isnan(found[v]).all() or np.array_equal(found[v], expected[v])
        found[v] = expected[v] = 0.0
        assert np.allclose(found, expected, atol=1e-12)
        assert np.isinf(found[0])


@pytest.mark.parametrize("kind", ["Translation", "SphericalZYX", "RX"])
def test_difference_of_entries_without_a_unit_is_infinite_as_in_pinocchio(kind):
    q = pin.neutral(model_of(pin, kind))
    limit = q.copy()
    limit[1] = -np.inf
    for ends in [(q, limit), (limit, q), (limit, limit)]:
        expected, found = (answer(p, kind, "difference", *ends) for p in (pin, fp))
        assert np.array_equal(expected, found, equal_nan=True)


@pytest.mark.parametrize("kind", UNITS)
def test_zero_quaternions(kind):
    model = model_of(pin, kind)
    first, count = UNITS[kind]
    v = np.linspace(0.1, 0.9, model.nv)
    q = pin.integrate(model, pin.neutral(model), 1 - v)
    zero = q.copy()
    zero[model.joints[2].idx_q + first :][:count] = 0.0
    calls = [("difference", q, zero), ("difference", zero, q), ("distance", q, zero), ("squaredDistance", zero, q)]
    calls += [("integrate", zero, v), ("normalize", zero)]
    if count == 4:
        calls.append(("interpolate", q, zero, 0.3))
    for function, *values in calls:
        expected, found = (answer(p, kind, function, *values) for p in (pin, fp))
        assert np.allclose(found, without_infinity(expected), atol=1e-12, equal_nan=True), function


ALGORITHMS = {
    "rnea": "qvv", "aba": "qvv", "crba": "q", "nonLinearEffects": "qv", "computeGeneralizedGravity": "q",
    "centerOfMass": "qv", "computeMinverse": "q", "ccrba": "qv", "computeJointJacobians": "q",
    "jacobianCenterOfMass": "q", "computeCoriolisMatrix": "qv", "computeKineticEnergy": "qv",
    "computePotentialEnergy": "q", "computeRNEADerivatives": "qvv", "computeJointTorqueRegressor": "qvv",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["FreeFlyer", "Spherical"])
@pytest.mark.parametrize("function", ALGORITHMS)
def test_algorithms_take_a_quaternion_of_length_zero_for_no_rotation(kind, function):
    found = []
    for p in (pin, fp):
        model = model_of(p, kind)
        for joint in range(1, model.njoints):
            body = p.Inertia(1.0 + joint, np.array([0.1, -0.2, 0.3]), np.diag([0.4, 0.5, 0.6]))
            model.appendBodyToJoint(joint, body, p.SE3.Identity())
        data, values = model.createData(), {"q": np.zeros(model.nq), "v": np.linspace(0.1, 0.9, model.nv)}
        result = getattr(p, function)(model, data, *(values[name] for name in ALGORITHMS[function]))
        result = np.array(result[0] if isinstance(result, tuple) else result)
        found.append(np.triu(result) if function in ("crba", "computeMinverse") else result)
    assert np.allclose(*found, atol=1e-10)


@pytest.mark.parametrize("kind", ["FreeFlyer", "Spherical"])
def test_placements_at_a_quaternion_of_length_zero(kind):
    placed = []
    for p in (pin, fp):
        model = model_of(p, kind)
        data, q, v = model.createData(), np.zeros(model.nq), np.ones(model.nv)
        p.forwardKinematics(model, data, q, v, v)
        p.updateFramePlacements(model, data)
        placed.append([*(x.homogeneous for x in data.oMi), *(x.vector for x in data.v), *(x.vector for x in data.a)])
    for one, other in zip(*placed, strict=True):
        assert np.allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("angle", [3.1, 3.2, 4.0, 6.0, 6.5, 9.0, 9.5, 13.0, 16.0])
def test_integrate_gives_quaternions_the_same_sign(kind, angle):
    random = np.random.default_rng(3)
    model = model_of(pin, kind)
    for _ in range(5):
        q, v = pin.integrate(model, pin.neutral(model), random.normal(size=model.nv)), random.normal(size=model.nv)
        own = v[model.joints[2].idx_v :][: model.joints[2].nv][-3:]
        own *= angle / np.linalg.norm(own)
        expected = answer(pin, kind, "integrate", q, v)
        for given in [(q, v), (list(q), list(v)), (q.reshape(-1, 1), v.reshape(-1, 1))]:
            assert np.allclose(answer(fp, kind, "integrate", *given), expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_what_else_is_refused():
    """Wrong sizes, infinite configurations of algorithms, pairs of length zero, and all of it in the native interface."""
    # Pinocchio goes on with a matrix that is no rotation.
    pair = model_of(fp, "RUBZ")
    with pytest.raises(ValueError, match="zero"):
        fp.crba(pair, pair.createData(), np.zeros(pair.nq))
    model = by_hand(fp)
    data, q = model.createData(), fp.neutral(model)
    infinite = q.copy()
    infinite[7] = np.inf
    for wrong in (np.zeros(model.nq), infinite, q[1:]):
        with pytest.raises(ValueError):
            fp.crba(model, data, wrong)
    for function in (fp.difference, fp.distance, fp.squaredDistance):
        with pytest.raises(ValueError):
            function(model, q, q[1:])
        with pytest.raises(TypeError):
            function(model, q, "text")
    with pytest.raises(ValueError):
        fp.integrate(model, q, np.full(model.nv, np.nan))
    native = model.native()
    for zeros in (np.zeros(model.nq), np.full(model.nq, HUGE)):
        with pytest.raises(ValueError):
            native.difference(q, zeros)
    with pytest.raises(ValueError):
        native.mass_matrix(np.zeros(model.nq))
