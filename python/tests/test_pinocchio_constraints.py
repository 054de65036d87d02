"""Rigid constraints of the module with Pinocchio's names beside Pinocchio."""

import copy
import warnings

import numpy as np
import pytest

import featherline.pinocchio as fp

pin = pytest.importorskip("pinocchio")

# In N, m/s² and the like, of the largest number.
TOLERANCE = 1e-8


@pytest.fixture(autouse=True)
def _deprecations():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def built(module):
    """A free-flying trunk with two arms of six joints."""
    random = np.random.default_rng(1)
    model = module.Model()
    trunk = model.addJoint(0, module.JointModelFreeFlyer(), module.SE3.Identity(), "trunk")
    inertias = [trunk]
    kinds = [
        module.JointModelRX,
        module.JointModelRY,
        module.JointModelRZ,
        module.JointModelPX,
        module.JointModelRY,
        module.JointModelRZ,
    ]
    for arm in "ab":
        parent = trunk
        for k, kind in enumerate(kinds):
            rotation = pin.exp3(random.normal(size=3))
            placement = module.SE3(rotation, random.normal(size=3) * 0.3)
            parent = model.addJoint(parent, kind(), placement, f"{arm}{k}")
            inertias.append(parent)
    for joint in inertias:
        factor = random.normal(size=(3, 3)) * 0.2
        rotational = factor @ factor.T
        inertia = module.Inertia(
            1.0 + random.uniform(), random.normal(size=3) * 0.1, np.trace(rotational) * np.eye(3) - rotational
        )
        model.appendBodyToJoint(joint, inertia, module.SE3.Identity())
    model.armature = random.uniform(0, 0.1, model.nv)
    return model


class Side:
    """A model with constraints in one of the modules."""

    def __init__(self, module, spec):
        self.p = module
        self.model = built(module)
        self.data = self.model.createData()
        self.models = module.StdVec_RigidConstraintModel()
        self.datas = module.StdVec_RigidConstraintData()
        random = np.random.default_rng(2)
        for kind, first, second, reference, gains in spec:
            placements = [module.SE3(pin.exp3(random.normal(size=3)), random.normal(size=3) * 0.2) for _ in range(2)]
            one = module.RigidConstraintModel(
                getattr(module.ContactType, kind),
                self.model,
                self.model.getJointId(first),
                placements[0],
                self.model.getJointId(second) if second else 0,
                placements[1],
                getattr(module.ReferenceFrame, reference),
            )
            one.m_baumgarte_parameters.Kp, one.m_baumgarte_parameters.Kd = gains
            self.models.append(one)
            self.datas.append(one.createData())
        module.initConstraintDynamics(self.model, self.data, self.models, self.datas)
        random = np.random.default_rng(3)
        self.q = pin.integrate(built(pin), pin.neutral(built(pin)), random.uniform(-0.5, 0.5, self.model.nv))
        self.v, self.tau = random.normal(size=(2, self.model.nv))

    def solve(self):
        return self.p.constraintDynamics(self.model, self.data, self.q, self.v, self.tau, self.models, self.datas)


def spec(reference, gains):
    return [("CONTACT_3D", "a5", None, reference, gains), ("CONTACT_6D", "b5", None, reference, gains)]


SPECS = {
    "local": spec("LOCAL", (0.0, 0.0)),
    "aligned": spec("LOCAL_WORLD_ALIGNED", (0.0, 0.0)),
    "local with damping": spec("LOCAL", (0.0, 7.0)),
    "local with gains": spec("LOCAL", (30.0, 7.0)),
    "aligned with gains": spec("LOCAL_WORLD_ALIGNED", (30.0, 7.0)),
}


@pytest.fixture(params=SPECS)
def sides(request):
    return Side(pin, SPECS[request.param]), Side(fp, SPECS[request.param])


def near(theirs, ours, tolerance=TOLERANCE):
    theirs, ours = np.asarray(theirs), np.asarray(ours)
    assert theirs.shape == ours.shape
    return np.abs(theirs - ours).max(initial=0) <= tolerance * max(1.0, np.abs(theirs).max(initial=0))


def test_constraint_dynamics(sides):
    theirs, ours = sides
    assert near(theirs.solve(), ours.solve())
    assert near(theirs.data.lambda_c, ours.data.lambda_c) and near(theirs.data.ddq, ours.data.ddq)
    for name in ("M", "nle", "J"):
        their_field, our_field = getattr(theirs.data, name), getattr(ours.data, name)
        assert near(
            np.triu(their_field) if name == "M" else their_field, np.triu(our_field) if name == "M" else our_field
        )
    for a, b in zip(theirs.datas, ours.datas, strict=True):
        assert near(a.contact_force.vector, b.contact_force.vector)
        for name in ("oMc1", "oMc2", "c1Mc2"):
            assert near(getattr(a, name).homogeneous, getattr(b, name).homogeneous)
        for name in ("contact_placement_error", "contact_velocity_error"):
            assert near(getattr(a, name).vector, getattr(b, name).vector)


def test_derivatives(sides):
    theirs, ours = sides
    theirs.solve(), ours.solve()
    found = [s.p.computeConstraintDynamicsDerivatives(s.model, s.data, s.models, s.datas) for s in sides]
    assert len(found[0]) == len(found[1]) == 6
    names = ("ddq_dq", "ddq_dv", "ddq_dtau", "dlambda_dq", "dlambda_dv", "dlambda_dtau")
    # Pinocchio's by q, with kp and in the world's axes, are not what finite differences give.
    is_aligned = theirs.models[0].reference_frame == pin.LOCAL_WORLD_ALIGNED
    left_out = ("ddq_dq", "dlambda_dq") if is_aligned and theirs.models[0].m_baumgarte_parameters.Kp > 0 else ()
    for name, a, b in zip(names, *found, strict=True):
        assert near(getattr(ours.data, name), b, 0.0)
        if name not in left_out:
            assert near(a, b), name


def test_derivatives_are_differences():
    ours = Side(fp, SPECS["aligned with gains"])
    ours.solve()
    found = fp.computeConstraintDynamicsDerivatives(ours.model, ours.data, ours.models, ours.datas)
    q, h = ours.q, 1e-6
    for k, step in enumerate(np.eye(ours.model.nv) * h):
        ends = []
        for sign in (-1, 1):
            ours.q = fp.integrate(ours.model, q, sign * step)
            ends.append([ours.solve().copy(), ours.data.lambda_c.copy()])
        for of, by in zip(zip(*ends, strict=True), (found[0], found[3]), strict=True):
            assert near((of[1] - of[0]) / (2 * h), by[:, k], 1e-4)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_impulse_dynamics(sides, restitution):
    for s in sides:
        s.after = s.p.impulseDynamics(s.model, s.data, s.q, s.v, s.models, s.datas, restitution).copy()
        s.p.computeImpulseDynamicsDerivatives(s.model, s.data, s.models, s.datas, restitution)
    theirs, ours = sides
    assert near(theirs.after, ours.after) and near(theirs.data.dq_after, ours.data.dq_after)
    assert near(theirs.data.impulse_c, ours.data.impulse_c)
    for a, b in zip(theirs.datas, ours.datas, strict=True):
        assert near(a.contact_force.vector, b.contact_force.vector)
    for name in ("ddq_dq", "ddq_dv", "dlambda_dq", "dlambda_dv"):
        assert near(getattr(theirs.data, name), getattr(ours.data, name)), name


@pytest.mark.parametrize("kind", ["CONTACT_3D", "CONTACT_6D"])
def test_frames_of_two_links(kind):
    """Against a dense solution of Pinocchio's rows: its own leaves velocities of frames between links."""
    theirs, ours = (Side(p, [(kind, "a5", "b5", "LOCAL", (0.0, 0.0))]) for p in (pin, fp))
    for s in (theirs, ours):
        s.p.computeJointJacobians(s.model, s.data, s.q)
        one = s.models[0]
        # Where both frames are in one place.
        held = s.data.oMi[one.joint1_id] * one.joint1_placement
        one.joint2_placement = s.data.oMi[one.joint2_id].actInv(held)
        one.calc(s.model, s.data, s.datas[0])
    J = pin.getConstraintsJacobian(theirs.model, theirs.data, theirs.models, theirs.datas)
    assert near(J, fp.getConstraintsJacobian(ours.model, ours.data, ours.models, ours.datas))
    M = fp.crba(ours.model, ours.data, ours.q)
    response = np.linalg.solve(M, J.T)
    after = ours.v - response @ np.linalg.solve(J @ response, J @ ours.v)
    assert near(after, fp.impulseDynamics(ours.model, ours.data, ours.q, ours.v, ours.models, ours.datas))


def test_jacobians_and_delassus(sides):
    theirs, ours = sides
    results = []
    for s in sides:
        s.p.computeJointJacobians(s.model, s.data, s.q)
        s.p.forwardKinematics(s.model, s.data, s.q)
        for one, own in zip(s.models, s.datas, strict=True):
            one.calc(s.model, s.data, own)
        results.append(
            [
                s.p.getConstraintsJacobian(s.model, s.data, s.models, s.datas),
                s.p.getConstraintJacobian(s.model, s.data, s.models[0], s.datas[0]),
                s.p.computeDelassusMatrix(s.model, s.data, s.q, s.models, s.datas),
            ]
        )
    *jacobians, delassus = zip(*results, strict=True)
    for a, b in jacobians:
        assert near(a, b)
    # Pinocchio's of LOCAL_WORLD_ALIGNED is not J M⁻¹ Jᵀ with its J.
    J = results[0][0]
    assert near(J @ np.linalg.solve(fp.crba(ours.model, ours.data, ours.q), J.T), delassus[1])
    if theirs.models[0].reference_frame == pin.LOCAL:
        assert near(*delassus)


def test_redundant_constraints_have_a_result():
    ours = Side(fp, SPECS["local"] + [("CONTACT_3D", "b5", None, "LOCAL", (0.0, 0.0))])
    once = Side(fp, SPECS["local"])
    ours.models[2] = fp.RigidConstraintModel(
        fp.ContactType.CONTACT_3D, ours.model, ours.models[1].joint1_id, ours.models[1].joint1_placement
    )
    for s in (ours, once):
        s.v = np.zeros(s.model.nv)
    assert near(once.solve(), ours.solve())


def test_constraint_models_are_values():
    for p in (pin, fp):
        model = built(p)
        one = p.RigidConstraintModel(p.ContactType.CONTACT_6D, model, 3)
        assert one.residualSize() == 6 and one.joint2_id == 0 and one.reference_frame == p.LOCAL
        assert p.RigidConstraintModel(one) == one and copy.copy(one.joint1_placement) == p.SE3.Identity()
        other = p.RigidConstraintModel(p.ContactType.CONTACT_3D, model, 3, p.SE3.Identity(), p.LOCAL_WORLD_ALIGNED)
        assert other != one and other.residualSize() == 3 and other.reference_frame == p.LOCAL_WORLD_ALIGNED
        with pytest.raises(ValueError, match="LOCAL"):
            p.RigidConstraintModel(p.ContactType.CONTACT_3D, model, 3, p.WORLD)
        settings = p.ProximalSettings(1e-10, 1e-3, 5)
        assert (settings.absolute_accuracy, settings.relative_accuracy, settings.mu, settings.max_iter) == (
            1e-10,
            1e-10,
            1e-3,
            5,
        )


def test_what_comes_before_is_said():
    ours = Side(fp, SPECS["local"])
    with pytest.raises(ValueError, match="constraintDynamics"):
        fp.computeConstraintDynamicsDerivatives(ours.model, ours.data, ours.models, ours.datas)
    with pytest.raises(ValueError, match="datas"):
        fp.initConstraintDynamics(ours.model, ours.data, ours.models, [])
    with pytest.raises(TypeError, match="contact_type"):
        fp.RigidConstraintModel(fp.ContactType.CONTACT_3D, 3, 4)


@pytest.mark.parametrize("mu", [0.0, 1e-3, np.linspace(0.1, 0.9, 9)])
def test_decompositions_of_constraints(sides, mu):
    found = []
    for side in sides:
        p, data = side.p, side.model.createData()
        p.crba(side.model, data, side.q)
        p.computeJointJacobians(side.model, data, side.q)
        for model, own in zip(side.models, side.datas, strict=True):
            model.calc(side.model, data, own)
        one = p.ConstraintCholeskyDecomposition(side.model, data, side.models, side.datas)
        assert isinstance(one, p.ContactCholeskyDecomposition)
        one.compute(side.model, data, side.models, side.datas, mu)
        both = np.linspace(-1, 1, one.size())
        delassus = one.getDelassusOperatorCholeskyExpression()
        assert (one.size(), one.constraintDim(), delassus.size(), delassus.rows()) == (side.model.nv + 9, 9, 9, 9)
        found.append([
            one.matrix(), np.array(one.U), np.array(one.D), np.array(one.Dinv), one.inverse(),
            one.solve(both), one.solve(np.stack([both, 2 * both]).T),
            one.getDamping(), one.getInverseMassMatrix(), one.getInverseOperationalSpaceInertiaMatrix(),
            one.getOperationalSpaceInertiaMatrix(), delassus.matrix(), delassus.matrix(True, False), delassus.inverse(),
            delassus.solve(both[:9]), one.getMassMatrixChoeslkyDecomposition(side.model, data).matrix(),
        ])  # fmt: skip
        assert one.copy() == one
        data.M = 0.5 * np.eye(side.model.nv)
        one.compute(side.model, data, side.models, side.datas, mu)
        found[-1] += [one.matrix(), np.array(one.D)]
    # Of Pinocchio 4.1 the matrix stays until it is computed again.
    delassus.updateDamping(0.3)
    assert near(one.U @ np.diag(one.D) @ one.U.T, one.matrix()) and one.matrix()[0, 0] == -0.3
    assert near(delassus.matrix(), found[-1][-2][:9, 9:] @ (2 * found[-1][-2][:9, 9:].T) + 0.3 * np.eye(9))
    # Solutions by another order: roundings of 1e-16 by the condition of the matrix, some thousands.
    assert [k for k, pair in enumerate(zip(*found, strict=True)) if not near(*pair)] == []


def test_damped_delassus_matrices(sides):
    side = sides[1]
    data = side.model.createData()
    plain = fp.computeDelassusMatrix(side.model, data, side.q, side.models, side.datas)
    arguments = side.model, data, side.q, side.models, side.datas
    damped = fp.computeDampedDelassusMatrixInverse(*arguments, 0.2)
    assert near(np.eye(9), damped @ (plain + 0.2 * np.eye(9)))
    assert np.array_equal(fp.computeDampedDelassusMatrixInverse(*arguments, mu=0.2, scaled=True), 0.2 * damped)
    with pytest.raises(ValueError, match=r"mu is 0\.0, where a positive number"):
        fp.computeDampedDelassusMatrixInverse(*arguments)


def test_what_cannot_be_decomposed():
    twice = Side(fp, 2 * SPECS["local"][:1])
    fp.computeAllTerms(twice.model, twice.data, twice.q, twice.v)
    # As in Pinocchio 3, without data.
    one = fp.ContactCholeskyDecomposition(twice.model, twice.models)
    assert one.size() == twice.model.nv + 6
    for model in twice.models:
        model.joint1_placement = twice.models[0].joint1_placement
    with pytest.raises(ValueError, match="mu positive where constraints are redundant"):
        one.compute(twice.model, twice.data, twice.models, twice.datas, -1e-3)
    one.compute(twice.model, twice.data, twice.models, twice.datas, 1e-6)
    assert near(np.eye(one.size()), one.inverse() @ one.matrix(), 1e-6)
    for wrong in (np.ones(3), np.ones((one.size(), 1, 1))):
        with pytest.raises(ValueError, match=f"where {one.size()} rows are expected"):
            one.solve(wrong)
    with pytest.raises(ValueError, match="mu has 2 entries, where 6 are expected"):
        one.updateDamping([1.0, 2.0])
    with pytest.raises(NotImplementedError, match="constraints are rigid here"):
        one.getDelassusCholeskyExpression().updateCompliance(0.1)


def test_what_constraint_dynamics_works_with(sides):
    theirs, ours = sides
    found = []
    for side in sides:
        data = side.data
        side.solve()
        side.p.computeConstraintDynamicsDerivatives(side.model, data, side.models, side.datas)
        found.append([data.dac_da, data.osim, data.lambda_c_prox, data.primal_dual_contact_solution])
        if side is ours or theirs.models[0].reference_frame == pin.LOCAL:
            found[-1] += [data.primal_rhs_contact, data.constraint_chol.inverse()]
    for k, (one, other) in enumerate(zip(*found, strict=False)):
        assert near(one, other, 1e-6), k
    again = side.model.createData()
    assert again.dac_da.size == again.osim.size == again.primal_rhs_contact.size == 0


def test_lcaba(sides):
    found = []
    for side in sides:
        data = side.model.createData()
        side.p.computeJointMinimalOrdering(side.model, data, side.models)
        # Pinocchio's lcaba takes the accelerations that gains ask for as constraintDynamics left them.
        side.solve()
        settings = side.p.ProximalSettings(1e-12, 1e-12, 1e-6, 200)
        arguments = side.model, data, side.q, side.v, side.tau, side.models, side.datas, settings
        found.append(np.array(side.p.lcaba(*arguments)))
        assert np.array_equal(found[-1], data.ddq)
    # Pinocchio's iterates with mu = 1e-6 until its residual is some 1e-14; what is left has the order of mu.
    assert near(*found, 1e-7)
