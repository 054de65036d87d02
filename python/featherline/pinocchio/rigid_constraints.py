"""Frames that are held: Pinocchio's rigid constraint models, and what follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Force, FrameConstraint, Motion, log6
from featherline.pinocchio.absent import Absent
from featherline.pinocchio.data import Data
from featherline.pinocchio.enums import LOCAL, WORLD, ContactType, ReferenceFrame
from featherline.pinocchio.lists import StdVec
from featherline.pinocchio.model import Model, as_vector, of_model
from featherline.pinocchio.native import computeAllTerms, forwardKinematics

__all__ = [
    "BaumgarteCorrectorParameters", "ProximalSettings", "RigidConstraintData", "RigidConstraintModel",
    "StdVec_RigidConstraintData", "StdVec_RigidConstraintModel", "computeConstraintDynamicsDerivatives",
    "computeDampedDelassusMatrixInverse", "computeDelassusMatrix", "computeImpulseDynamicsDerivatives",
    "computeJointMinimalOrdering", "constraintDynamics", "getConstraintJacobian", "getConstraintsJacobian",
    "initConstraintDynamics", "lcaba",
]  # fmt: skip

Array = np.ndarray


class StdVec_RigidConstraintModel(StdVec[Any]):
    """A list: Pinocchio's StdVec_RigidConstraintModel."""


class StdVec_RigidConstraintData(StdVec[Any]):
    """A list: Pinocchio's StdVec_RigidConstraintData."""


class BaumgarteCorrectorParameters:
    """Gains Kp in 1/s² and Kd in 1/s of a constraint."""

    def __init__(self, Kp: float = 0.0, Kd: float = 0.0) -> None:
        self.Kp, self.Kd = float(Kp), float(Kd)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaumgarteCorrectorParameters) and (self.Kp, self.Kd) == (other.Kp, other.Kd)

    __hash__ = object.__hash__


class ProximalSettings:
    """Settings of Pinocchio's proximal method. Solutions are direct here: only the residual is written."""

    def __init__(self, *settings: Any, **named: Any) -> None:
        names = ("absolute_accuracy", "relative_accuracy", "mu", "max_iter")
        if len(settings) == 3:
            settings = (settings[0], *settings)
        if "accuracy" in named:
            named["absolute_accuracy"] = named["relative_accuracy"] = named.pop("accuracy")
        values = (
            dict(zip(names, (1e-12, 1e-12, 0.0, 1), strict=True)) | dict(zip(names, settings, strict=False)) | named
        )
        if set(values) != set(names) or len(settings) > 4:
            raise TypeError(
                "ProximalSettings takes accuracy, mu, max_iter; or absolute and relative accuracy, mu, max_iter"
            )
        self.absolute_accuracy, self.relative_accuracy = values["absolute_accuracy"], values["relative_accuracy"]
        self.mu, self.max_iter = float(values["mu"]), int(values["max_iter"])
        self.iter, self.absolute_residual, self.relative_residual = 0, -1.0, -1.0


_CONSTRUCTORS = (
    "RigidConstraintModel takes (contact_type, model, joint1_id[, joint1_placement[, joint2_id, joint2_placement]]"
    "[, reference_frame])"
)


class RigidConstraintModel:
    """A frame of joint 1 that is held to a frame of joint 2: its origin (CONTACT_3D), or all of it (CONTACT_6D).

    desired_contact_placement, _velocity and _acceleration change no result, as in Pinocchio 4.1.
    """

    name: str
    m_baumgarte_parameters: BaumgarteCorrectorParameters

    def __init__(self, contact_type: Any = None, *arguments: Any, **named: Any) -> None:
        contact_type = named.pop("clone", contact_type)
        if isinstance(contact_type, RigidConstraintModel):
            other = contact_type
            self._set(
                other.type, other.joint1_id, other.joint1_placement, other.joint2_id, other.joint2_placement,
                other.reference_frame,
            )  # fmt: skip
            parameters = other.m_baumgarte_parameters
            self.m_baumgarte_parameters = BaumgarteCorrectorParameters(parameters.Kp, parameters.Kd)
            self.name = other.name
            return
        rest = list(arguments)
        if rest and isinstance(rest[-1], ReferenceFrame):
            named["reference_frame"] = rest.pop()
        names = ("model", "joint1_id", "joint1_placement", "joint2_id", "joint2_placement")
        if len(rest) > len(names):
            raise TypeError(_CONSTRUCTORS)
        given = dict(zip(names, rest, strict=False)) | named
        model, first = given.pop("model", None), given.pop("joint1_id", None)
        placement, reference = given.pop("joint1_placement", SE3()), given.pop("reference_frame", LOCAL)
        second, base = given.pop("joint2_id", 0), given.pop("joint2_placement", SE3())
        if (
            not isinstance(model, Model)
            or not isinstance(placement, SE3)
            or not isinstance(base, SE3)
            or given
            or first is None
        ):
            raise TypeError(_CONSTRUCTORS)
        for joint in (first, second):
            if not 0 <= joint < model.njoints:
                raise ValueError(f"there is no joint {joint}")
        if reference == WORLD:
            raise ValueError("reference_frame should be LOCAL or LOCAL_WORLD_ALIGNED")
        self._set(ContactType(contact_type), int(first), placement, int(second), base, ReferenceFrame(reference))

    def _set(
        self, kind: ContactType, first: int, placement: SE3, second: int, base: SE3, frame: ReferenceFrame
    ) -> None:
        self.type, self.reference_frame = kind, frame
        self.joint1_id, self.joint1_placement = first, placement.copy()
        self.joint2_id, self.joint2_placement = second, base.copy()
        self.desired_contact_placement = SE3()
        self.desired_contact_velocity, self.desired_contact_acceleration = Motion(), Motion()
        self.m_baumgarte_parameters = BaumgarteCorrectorParameters()
        self.name = ""

    def residualSize(self, sel: Any = None) -> int:
        """How many rows it has: 3 or 6, whatever is selected."""
        return {ContactType.CONTACT_3D: 3, ContactType.CONTACT_6D: 6}.get(self.type, 0)

    def createData(self) -> RigidConstraintData:
        return RigidConstraintData(self)

    def setBaumgarteCorrectorParameters(self, bp: BaumgarteCorrectorParameters, sel: Any = None) -> None:
        self.m_baumgarte_parameters = BaumgarteCorrectorParameters(bp.Kp, bp.Kd)

    def calc(self, model: Model, data: Data, constraint_data: RigidConstraintData) -> None:
        """Write placements and errors of its frames, after forwardKinematics."""
        placed = [
            (data.oMi[joint] * placement, placement.act_inv(data.v[joint]))
            for joint, placement in ((self.joint1_id, self.joint1_placement), (self.joint2_id, self.joint2_placement))
        ]
        own = constraint_data
        (own.oMc1, own.contact1_velocity), (own.oMc2, own.contact2_velocity) = placed
        own.c1Mc2 = own.oMc1.act_inv(own.oMc2)
        if self.type == ContactType.CONTACT_6D:
            own.contact_placement_error = -log6(own.c1Mc2)
            own.contact_velocity_error = own.contact1_velocity - own.c1Mc2.act(own.contact2_velocity)
        else:
            still = np.zeros(3)
            velocity = own.contact1_velocity.linear - own.c1Mc2.rotation @ own.contact2_velocity.linear
            own.contact_placement_error = Motion(-own.c1Mc2.translation, still)
            own.contact_velocity_error = Motion(velocity, still)
        gains = self.m_baumgarte_parameters
        pull = gains.Kp * own.contact_placement_error.vector + gains.Kd * own.contact_velocity_error.vector
        own.contact_acceleration_desired = Motion(-pull)

    def jacobian(self, model: Model, data: Data, constraint_data: RigidConstraintData) -> Array:
        """Its rows (3 or 6, nv), after an algorithm that took q."""
        return getConstraintJacobian(model, data, self, constraint_data)

    def cast(self) -> RigidConstraintModel:
        return RigidConstraintModel(self)

    copy = __copy__ = cast

    def __deepcopy__(self, _memo: Any) -> RigidConstraintModel:
        return self.cast()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RigidConstraintModel) and vars(self) == vars(other)

    __hash__ = object.__hash__

    def _held(self, model: Model) -> FrameConstraint:
        if self.type not in (ContactType.CONTACT_3D, ContactType.CONTACT_6D):
            raise ValueError("contact_type must be CONTACT_3D or CONTACT_6D")
        first, second = (model.names[joint] if joint else "world" for joint in (self.joint1_id, self.joint2_id))
        gains = self.m_baumgarte_parameters
        return FrameConstraint(
            first,
            "point" if self.type == ContactType.CONTACT_3D else "frame",
            reference="local" if self.reference_frame == LOCAL else "local_world_aligned",
            placement=self.joint1_placement,
            base=second,
            base_placement=self.joint2_placement,
            gains=(gains.Kp, gains.Kd),
        )


class RigidConstraintData:
    """The results of algorithms for a constraint: forces, placements, velocities and accelerations."""

    def __init__(self, contact_model: RigidConstraintModel | RigidConstraintData) -> None:
        if isinstance(contact_model, RigidConstraintData):
            for name, value in vars(contact_model).items():
                setattr(self, name, value.copy())
            return
        self.contact_force = Force()
        self.oMc1, self.oMc2, self.c1Mc2 = SE3(), SE3(), SE3()
        self.contact1_velocity, self.contact2_velocity = Motion(), Motion()
        self.contact_placement_error, self.contact_velocity_error = Motion(), Motion()
        self.contact_acceleration_desired = Motion()

    def copy(self) -> RigidConstraintData:
        return RigidConstraintData(self)

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> RigidConstraintData:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RigidConstraintData) and vars(self) == vars(other)

    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        if name in ABSENT:
            raise Absent(f"RigidConstraintData.{name} has no counterpart in featherline yet")
        raise AttributeError(f"'RigidConstraintData' object has no attribute '{name}'")


ABSENT = frozenset(
    """contact1_acceleration_drift contact2_acceleration_drift contact_acceleration contact_acceleration_deviation
    contact_acceleration_error extended_motion_propagators_joint1 extended_motion_propagators_joint2
    lambdas_joint1""".split()
)


def _held(model: Model, models: Any, datas: Any) -> list[FrameConstraint]:
    if len(models) != len(datas):
        raise ValueError(f"there are {len(models)} contact models and {len(datas)} contact datas")
    return [one._held(model) for one in models]


def _write(model: Model, data: Data, models: Any, datas: Any, forces: Array, residual: float, settings: Any) -> None:
    for one, own, force in zip(models, datas, forces, strict=True):
        one.calc(model, data, own)
        own.contact_force = Force(force)
    if settings is not None:
        settings.absolute_residual, settings.iter = residual, 1


@of_model
def initConstraintDynamics(model: Model, data: Data, contact_models: Any, contact_datas: Any) -> None:
    """Check the constraints of later calls, and size data.lambda_c and data.impulse_c for them."""
    _held(model, contact_models, contact_datas)
    rows = sum(one.residualSize() for one in contact_models)
    data.lambda_c, data.impulse_c = np.zeros(rows), np.zeros(rows)


@of_model
def constraintDynamics(
    model: Model,
    data: Data,
    q: Any,
    v: Any,
    tau: Any,
    contact_models: Any,
    contact_datas: Any,
    prox_settings: Any = None,
) -> Array:
    """Accelerations (nv,) while frames are held, in data.ddq too; forces in data.lambda_c and the contact datas.

    data has what computeAllTerms fills, too. Redundant constraints share the forces by their least length.
    """
    held = _held(model, contact_models, contact_datas)
    q, v, tau = as_vector("q", q, model.nq), as_vector("v", v, model.nv), as_vector("tau", tau, model.nv)
    computeAllTerms(model, data, q, v)
    found = model.native().constrained_dynamics(q, v, tau, held)
    data.ddq, data.lambda_c = found.accelerations, found.multipliers
    data._constrained, data._held = ("constraintDynamics", (q.copy(), v.copy(), tau.copy())), held
    _write(model, data, contact_models, contact_datas, found.forces, float(found.residual), prox_settings)
    return found.accelerations


@of_model
def computeJointMinimalOrdering(model: Model, data: Data, constraint_models: Any) -> None:
    """Check the constraints of later calls of lcaba, which here needs no order of joints."""
    if model.mimicking_joints:
        raise RuntimeError("computeJointMinimalOrdering does not support mimic joints")
    _held(model, constraint_models, constraint_models)


@of_model
def lcaba(
    model: Model,
    data: Data,
    q: Any,
    v: Any,
    tau: Any,
    constraint_models: Any,
    constraint_datas: Any,
    prox_settings: Any = None,
) -> Array:
    """constraintDynamics by another name: Pinocchio's solves the same equations in another order."""
    if model.mimicking_joints:
        raise RuntimeError("lcaba does not support mimic joints")
    return constraintDynamics(model, data, q, v, tau, constraint_models, constraint_datas, prox_settings)


def _after(data: Data, function: str) -> tuple[Any, ...]:
    if data._constrained is None or data._constrained[0] != function:
        raise ValueError(f"{function} of contact models must be called before")
    state: tuple[Any, ...] = data._constrained[1]
    return state


@of_model
def computeConstraintDynamicsDerivatives(
    model: Model, data: Data, contact_models: Any, contact_datas: Any, settings: Any = None
) -> tuple[Array, ...]:
    """Derivatives of constraintDynamics, which comes before: of ddq by q, v and tau, then of lambda_c.

    data.ddq_dq, ddq_dv, ddq_dtau, dlambda_dq, dlambda_dv and dlambda_dtau have them, too.
    """
    held = _held(model, contact_models, contact_datas)
    q, v, tau = _after(data, "constraintDynamics")
    found = model.native().constrained_dynamics_derivatives(q, v, tau, held)
    data.ddq_dq, data.ddq_dv = found.dq, found.dv
    data._constrained_dtau = found.dq, found.dtau
    by = found.multipliers_dq, found.multipliers_dv, found.multipliers_dtau
    data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau = by
    return found.dq, found.dv, found.dtau, *by


def impulse_of_models(
    model: Model, data: Data, q: Any, v: Any, contact_models: Any, contact_datas: Any, r_coeff: float = 0.0,
    prox_settings: Any = None,
) -> Array:  # fmt: skip
    """impulseDynamics of contact models."""
    held = _held(model, contact_models, contact_datas)
    q, v = as_vector("q", q, model.nq), as_vector("v", v, model.nv)
    forwardKinematics(model, data, q, v)
    found = model.native().impulse_dynamics(q, v, held, float(r_coeff))
    data.dq_after, data.impulse_c = found.velocities, found.multipliers
    data._constrained = "impulseDynamics", (q.copy(), v.copy())
    _write(model, data, contact_models, contact_datas, found.impulses, float(found.residual), prox_settings)
    return found.velocities


@of_model
def computeImpulseDynamicsDerivatives(
    model: Model, data: Data, contact_models: Any, contact_datas: Any, r_coeff: float = 0.0, prox_settings: Any = None
) -> None:
    """Derivatives of impulseDynamics of contact models, which comes before, by q and v.

    data.ddq_dq and ddq_dv are those of the change of velocity; dlambda_dq and dlambda_dv those of the impulses.
    """
    held = _held(model, contact_models, contact_datas)
    q, v = _after(data, "impulseDynamics")
    found = model.native().impulse_dynamics_derivatives(q, v, held, float(r_coeff))
    data.ddq_dq, data.ddq_dv = found.dq, found.dv - np.eye(model.nv)
    data.dlambda_dq, data.dlambda_dv = found.multipliers_dq, found.multipliers_dv


def _last(data: Data) -> Array:
    if data._q is None:
        raise ValueError("computeJointJacobians must be called before")
    q: Array = np.array(data._q)
    return q


@of_model
def getConstraintsJacobian(model: Model, data: Data, constraint_models: Any, constraint_datas: Any) -> Array:
    """The rows (m, nv) of constraints, after an algorithm that took q."""
    held = _held(model, constraint_models, constraint_datas)
    return model.native().constraint_jacobian(_last(data), held)


@of_model
def getConstraintJacobian(model: Model, data: Data, constraint_model: Any, constraint_data: Any) -> Array:
    """The rows (3 or 6, nv) of one constraint, after an algorithm that took q."""
    return getConstraintsJacobian(model, data, [constraint_model], [constraint_data])


@of_model
def computeDelassusMatrix(
    model: Model, data: Data, q: Any, contact_models: Any, contact_datas: Any, mu: float = 0.0
) -> Array:
    """J M⁻¹ Jᵀ (m, m) of constraints."""
    if mu != 0.0:
        raise NotImplementedError("computeDelassusMatrix with mu")
    held = _held(model, contact_models, contact_datas)
    native, q = model.native(), as_vector("q", q, model.nq)
    J = native.constraint_jacobian(q, held)
    forwardKinematics(model, data, q)
    delassus: Array = J @ native.mass_matrix_inverse(q) @ J.T
    return delassus


@of_model
def computeDampedDelassusMatrixInverse(
    model: Model, data: Data, q: Any, contact_models: Any, contact_datas: Any, mu: float = 0.0, scaled: bool = False
) -> Array:
    """(J M⁻¹ Jᵀ + mu)⁻¹ (m, m) of constraints; `scaled` by mu."""
    if not mu > 0:
        raise ValueError(f"mu is {mu}, where a positive number is expected")
    delassus = computeDelassusMatrix(model, data, q, contact_models, contact_datas)
    inverse: Array = np.linalg.inv(delassus + mu * np.eye(len(delassus)))
    return mu * inverse if scaled else inverse
