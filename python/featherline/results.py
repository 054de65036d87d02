"""Results of several parts: named tuples of arrays.

Of one state, parts are as each field says; of many states, every array has one row more in front,
and a number is an array (states,).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from featherline._native import (
    SE3,
    Advice,
    Assembly,
    BlockTriangularForm,
    ChiSquare,
    Configuration,
    Diagnosis,
    Estimate,
    Innovations,
    OperationCount,
    Outlier,
    Pattern,
    Reformulation,
    SimulatedReadings,
    Solution,
    SparseMatrix,
    Suspect,
    SystemFactors,
)

__all__ = [
    "AbaTerms", "AccelerationDerivatives", "Advice", "AllTerms", "Assembly", "BaseParameters", "BlockTriangularForm",
    "CentroidalDerivatives", "ChiSquare", "Configuration", "Conservation", "ConstrainedDynamics",
    "ConstrainedDynamicsDerivatives", "Diagnosis", "Estimate", "Factors", "CollisionShape", "Distances",
    "ForwardDynamicsDerivatives", "HybridDerivatives", "HybridDynamics", "ImuReading", "ImpulseDynamics",
    "ImpulseDynamicsDerivatives", "Innovations", "KktInverse",
    "InverseDynamicsDerivatives", "InverseKinematics", "JointHistory", "JointMotion", "JointState", "KineticEnergyDerivatives",
    "KktBlocks", "KktRecursion", "LoopDynamics", "LoopDynamicsDerivatives", "LoopGap", "MaximalDynamics", "MaximalState", "Occurrence",
    "OperationCount", "Outlier", "PairSurvey", "PassiveForcesDerivatives", "Pattern", "Quantity", "Reformulation", "SimulatedReadings",
    "Solution", "SolutionDerivatives", "SparseMatrix", "State",
    "SimulationState", "Suspect", "SystemFactors", "Trajectory", "VelocityDerivatives",
]  # fmt: skip

# The command starts without numpy.
if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from ._native import WarmStart

    _Array: TypeAlias = NDArray[np.float64]


def _check(name: str, array: NDArray[np.floating], last: tuple[int, ...]) -> None:
    """Refuses an array whose last axes have other lengths."""
    if array.shape[-len(last) :] != last:
        expected = f"({last[0]},)" if len(last) == 1 else f"{last}"
        raise ValueError(f"{name} has shape {array.shape}, where {expected} is expected, or more axes before")


class InverseKinematics(NamedTuple):
    """A configuration in which links are where they should be, or as near as it gets."""

    q: _Array  #: The configuration (nq,).
    is_reached: bool  #: Whether no error is above the tolerance.
    position_error: float  #: The largest distance of a point from where it should be, in m.
    rotation_error: float  #: The largest angle of a frame from where it should be, in rad.
    iterations: int  #: Steps that were tried, those of all starts.
    restarts: int  #: Random starts that were tried after the first.


class LoopGap(NamedTuple):
    """How far loops are from closed."""

    position: float  #: The largest gap of a loop, in m and rad.
    velocity: float  #: The largest velocity with which a loop opens, in m/s and rad/s.
    widest: str | None  #: The name of the loop with the largest gap; None without loops.


class LoopDynamics(NamedTuple):
    """The forward dynamics of a robot with closed loops."""

    accelerations: _Array  #: The accelerations (nv,) of the tree's coordinates.
    #: The force (loops, 6), [force; moment], of each loop joint on its successor, in its frame there.
    loop_forces: _Array
    #: The largest violation of the loops' constraints, in m/s² and rad/s²: rounding, where they can be met.
    residual: float | _Array
    #: How many constraints are redundant: they restrict no motion that the others leave free.
    redundant: int | _Array
    #: How close the other constraints are to redundancy: from 1e6 on they are nearly singular.
    condition: float | _Array


class LoopDynamicsDerivatives(NamedTuple):
    """The derivatives of the dynamics of closed loops."""

    accelerations: _Array  #: The accelerations (nv,) themselves.
    dq: _Array  #: By changes of q in the tangent space (nv, nv).
    dv: _Array  #: By v (nv, nv).
    dtau: _Array  #: By tau (nv, nv): symmetric, of the rank that the loops leave.
    #: The force (loops, 6), [force; moment], of each loop joint on its successor, in its frame there.
    loop_forces: _Array
    loop_forces_dq: _Array  #: Its components by changes of q in the tangent space (loops, 6, nv).
    loop_forces_dv: _Array  #: By v (loops, 6, nv).
    loop_forces_dtau: _Array  #: By tau (loops, 6, nv).


class ConstrainedDynamics(NamedTuple):
    """The forward dynamics of a robot while frames are held."""

    accelerations: _Array  #: The accelerations (nv,).
    forces: _Array  #: The force (constraints, 6), [force; moment], on the link of each constraint, in its reference.
    loop_forces: _Array  #: The force (loops, 6) of each loop joint on its successor, in its frame there.
    multipliers: _Array  #: One number (m,) for each row: those of loop joints, then of the constraints, in N and N·m.
    #: The largest violation of the constraints, in m/s² and rad/s²: rounding, where they can be met.
    residual: float | _Array
    #: How many rows are redundant: the multipliers are then the shortest of those with the same effect.
    redundant: int | _Array


class ConstrainedDynamicsDerivatives(NamedTuple):
    """The derivatives of the dynamics while frames are held."""

    accelerations: _Array  #: The accelerations (nv,) themselves.
    dq: _Array  #: By changes of q in the tangent space (nv, nv).
    dv: _Array  #: By v (nv, nv).
    dtau: _Array  #: By tau (nv, nv): symmetric, of the rank that the constraints leave.
    multipliers: _Array  #: The multipliers (m,), as those of `ConstrainedDynamics`.
    multipliers_dq: _Array  #: By changes of q in the tangent space (m, nv).
    multipliers_dv: _Array  #: By v (m, nv).
    multipliers_dtau: _Array  #: By tau (m, nv).


class ImpulseDynamics(NamedTuple):
    """The velocities and impulses of an impact in which frames are caught."""

    velocities: _Array  #: The velocities (nv,) after it.
    #: The impulse (constraints, 6) on the link of each constraint, in its reference, in N·s and N·m·s.
    impulses: _Array
    loop_impulses: _Array  #: The impulse (loops, 6) of each loop joint on its successor, in its frame there.
    multipliers: _Array  #: One number (m,) for each row: those of loop joints, then of the constraints.
    residual: float | _Array  #: The largest violation, in m/s and rad/s: rounding, where the constraints can be met.
    redundant: int | _Array  #: How many rows are redundant.


class ImpulseDynamicsDerivatives(NamedTuple):
    """The derivatives of an impact."""

    velocities: _Array  #: The velocities (nv,) after it.
    dq: _Array  #: By changes of q in the tangent space (nv, nv).
    dv: _Array  #: By the velocities before it (nv, nv).
    multipliers: _Array  #: The multipliers (m,), as those of `ImpulseDynamics`.
    multipliers_dq: _Array  #: By changes of q in the tangent space (m, nv).
    multipliers_dv: _Array  #: By the velocities before it (m, nv).


class KktInverse(NamedTuple):
    """The blocks of the inverse of [[M, Kᵀ], [K, 0]]."""

    projected: _Array  #: Accelerations by joint forces (nv, nv) while the frames are held; symmetric.
    generalised: _Array  #: The dynamically consistent inverse (nv, m) of the Jacobian K.
    inertia: _Array  #: The inertia (m, m) that is felt at the frames: the inverse's last block is its negative.


class MaximalState(NamedTuple):
    """Where all bodies are and how they move, in the order of the model's joints."""

    poses: _Array  #: The poses (joints, 4, 4) of the joints' frames in the world, as homogeneous matrices.
    velocities: _Array  #: Their velocities (joints, 6), [linear; angular] in these frames.


class JointMotion(NamedTuple):
    """The motion of a joint's output frame relative to its input frame, in the output frame."""

    placement: _Array  #: The output frame in the input frame (4, 4).
    subspace: _Array  #: The motion subspace S (6, columns), [linear; angular].
    bias: _Array  #: The bias acceleration c (6,): the rate of S in the output frame times the joint's velocity.
    velocity: _Array  #: The velocity S q̇ (6,).


class JointState(NamedTuple):
    """Joint coordinates and velocities for poses and velocities of bodies."""

    q: _Array  #: The configuration (nq,).
    v: _Array  #: The velocity (nv,).
    gap: float | _Array  #: The largest misplacement of a joint, in m and rad.
    gap_velocity: float | _Array  #: The largest velocity that a joint should not allow, in m/s and rad/s.


class MaximalDynamics(NamedTuple):
    """The forward dynamics of bodies with joints as constraints."""

    accelerations: _Array  #: The spatial accelerations (joints, 6) of the bodies, in the joints' frames.
    #: The force (joints, 6), [force; moment], that each joint passes on to its body, in its frame.
    joint_forces: _Array
    loop_forces: _Array  #: The force (loops, 6) of each loop joint on its successor, in its frame there.
    #: The largest violation of a loop, in m/s² and rad/s²: rounding, where loops can stay closed.
    residual: float | _Array


class KktBlocks(NamedTuple):
    """The blocks of a body and of the joint that carries it, which has m constraints and drives."""

    joint: str  #: The joint that carries the body.
    above: str | None  #: The joint that carries the body above; None for a root.
    constraints: int  #: How many rows of C are constraints. The others are drives with armature.
    M: _Array  #: The body's inertia (6, 6).
    f: _Array  #: The force (6,) on the body: gravity, gyroscopic, external forces and those of drives.
    C: _Array  #: The constraints (m, 6) on the body's acceleration.
    C_above: _Array  #: The same rows (m, 6) for the acceleration of the body above.
    d: _Array  #: The right-hand sides (m,) of the constraints.
    W: _Array  #: The body's acceleration (6, m) for each multiplier.
    w: _Array  #: The body's acceleration (6,) without multipliers.
    S: _Array  #: The multipliers (m, 6) for the acceleration of the body above.
    s: _Array  #: The multipliers (m,) where the body above does not accelerate.


class KktRecursion(NamedTuple):
    """The KKT system of a tree, block by block, and its solution, in the order of the joints."""

    blocks: list[KktBlocks]  #: The blocks of each body.
    accelerations: _Array  #: The spatial accelerations (joints, 6) of the bodies, in the joints' frames.
    multipliers: list[_Array]  #: The multipliers (m,) of each joint's constraints and drives.


class State(NamedTuple):
    """A configuration and a velocity."""

    q: _Array  #: The configuration (nq,).
    v: _Array  #: The velocity (nv,).


class Trajectory(NamedTuple):
    """The states of a motion. Of many motions, q and v have one axis more in front, t has not."""

    t: _Array  #: The times (samples,) in s.
    q: _Array  #: The configurations (samples, nq).
    v: _Array  #: The velocities (samples, nv).


class Quantity(NamedTuple):
    """A quantity of the library's catalogue. `Model` has a method of that name, but for three that the book's page of
    quantities lists, with the calls in their place; fields of its results, and shapes that suit numpy, are the method's."""

    name: str  #: The name, of the algorithm or of the result as the literature has it.
    others: tuple[str, ...]  #: Other names, which `Model.compile` and the command line understand, too.
    meaning: str  #: The meaning, in a sentence or two.
    parameters: tuple[str, ...]  #: Its parameters besides its inputs: `frame`, `joint`, `reference`.
    inputs: tuple[str, ...]  #: The inputs, in order; `f` are external forces, in brackets where they may be left out.
    outputs: tuple[str, ...]  #: The outputs with their dimensions, such as `jacobian: 6 × nv`.
    units: tuple[str, ...]  #: The unit of each output.
    cost: str  #: How the time grows: n joints, d the depth of the tree, nv coordinates of the velocity.
    source: str  #: Where the algorithm is from; empty for what follows from definitions.


class AllTerms(NamedTuple):
    """The terms of the equations of motion M q̈ + C = τ."""

    mass_matrix: _Array  #: The mass matrix M (nv, nv).
    bias: _Array  #: The bias force C (nv,), gravity included.
    gravity_torque: _Array  #: The gravity torque (nv,).
    centroidal_map: _Array  #: The centroidal momentum matrix A (6, nv).
    centroidal_momentum: _Array  #: The centroidal momentum A v (6,), [linear; angular about the centre of mass].
    centroidal_drift: _Array  #: Its rate (6,) while all q̈ are zero.
    center_of_mass: _Array  #: The centre of mass (3,) in the world, in m.
    kinetic_energy: float | _Array  #: The kinetic energy, in J.
    potential_energy: float | _Array  #: The potential energy of gravity, in J.


class AbaTerms(NamedTuple):
    """The terms of the articulated-body algorithm, [linear; angular] in the joints' frames."""

    articulated_inertias: _Array  #: Iᴬ (joints, 6, 6), in kg, kg·m and kg·m².
    bias_forces: _Array  #: pᴬ (joints, 6), in N and N·m.
    velocity_products: _Array  #: c = Ṡ q̇ + v × S q̇ (joints, 6), in m/s² and rad/s².
    U: _Array  #: U = Iᴬ S (6, nv).
    D: _Array  #: D = Sᵀ U, armature included (nv, nv): a block on the diagonal for each joint.
    u: _Array  #: u = τ − Sᵀ pᴬ (nv,), in N·m and N.


class HybridDynamics(NamedTuple):
    """Accelerations and joint forces, those that were known and those that were found."""

    accelerations: _Array  #: The accelerations (nv,).
    forces: _Array  #: The joint forces (nv,).


class InverseDynamicsDerivatives(NamedTuple):
    """The derivatives of inverse dynamics."""

    tau: _Array  #: The joint forces (nv,) themselves.
    dq: _Array  #: By changes of q in the tangent space (nv, nv).
    dv: _Array  #: By v (nv, nv).
    da: _Array  #: By a (nv, nv): the mass matrix.

    def d_external_force(self, jacobian: NDArray[np.floating]) -> NDArray[np.floating]:
        """By the external force on a frame (nv, 6), of the frame's `jacobian` J in the axes of the force: −Jᵀ."""
        _check("jacobian", jacobian, (6, self.dq.shape[-1]))
        return -jacobian.swapaxes(-1, -2)


class ForwardDynamicsDerivatives(NamedTuple):
    """The derivatives of forward dynamics."""

    acceleration: _Array  #: The accelerations (nv,) themselves.
    dq: _Array  #: By changes of q in the tangent space (nv, nv).
    dv: _Array  #: By v (nv, nv).
    dtau: _Array  #: By tau (nv, nv): the inverse of the mass matrix.

    def d_external_force(self, jacobian: NDArray[np.floating]) -> NDArray[np.floating]:
        """By the external force on a frame (nv, 6), of the frame's `jacobian` J in the axes of the force: M⁻¹ Jᵀ."""
        _check("jacobian", jacobian, (6, self.dq.shape[-1]))
        derivative: NDArray[np.floating] = self.dtau @ jacobian.swapaxes(-1, -2)
        return derivative


class SolutionDerivatives(NamedTuple):
    """A requested output of a system, and its derivatives."""

    value: _Array  #: The output (m,) itself.
    dq: _Array  #: By changes of q in the tangent space (m, nv).
    dv: _Array  #: By v (m, nv).
    dinputs: dict[str, _Array]  #: By each input of the system, of k numbers, under its name (m, k).


class HybridDerivatives(NamedTuple):
    """The derivatives of hybrid dynamics by q, v and the values given."""

    accelerations_dq: _Array  #: Accelerations by changes of q in the tangent space (nv, nv).
    accelerations_dv: _Array  #: Accelerations by v (nv, nv).
    accelerations_dvalues: _Array  #: Accelerations by the values (nv, nv).
    forces_dq: _Array  #: Joint forces by changes of q in the tangent space (nv, nv).
    forces_dv: _Array  #: Joint forces by v (nv, nv).
    forces_dvalues: _Array  #: Joint forces by the values (nv, nv).


class PassiveForcesDerivatives(NamedTuple):
    """The derivatives of damping and springs of the joints."""

    dq: _Array  #: By changes of q in the tangent space (nv, nv): springs.
    dv: _Array  #: By v (nv, nv): minus the damping, on the diagonal.


class VelocityDerivatives(NamedTuple):
    """The derivatives of a frame's velocity."""

    dq: _Array  #: By changes of q in the tangent space (6, nv).
    dv: _Array  #: By v (6, nv): the Jacobian.


class AccelerationDerivatives(NamedTuple):
    """The derivatives of a frame's acceleration."""

    dq: _Array  #: By changes of q in the tangent space (6, nv).
    dv: _Array  #: By v (6, nv).
    da: _Array  #: By a (6, nv): the Jacobian.


class CentroidalDerivatives(NamedTuple):
    """The derivatives of the centroidal momentum h and of its rate."""

    momentum_dq: _Array  #: ∂h/∂q (6, nv), by changes of q in the tangent space.
    map: _Array  #: ∂h/∂v (6, nv), which is the rate's by a: the centroidal momentum matrix.
    rate_dq: _Array  #: The rate's by q (6, nv).
    rate_dv: _Array  #: The rate's by v (6, nv).


class KineticEnergyDerivatives(NamedTuple):
    """The derivatives of the kinetic energy."""

    dq: _Array  #: By changes of q in the tangent space (nv,).
    dv: _Array  #: By v (nv,): the momentum M v of the joints.


class BaseParameters(NamedTuple):
    """The combinations of dynamic parameters that motion can tell apart."""

    columns: NDArray[np.int64]  #: The columns (base,) of the regressor that form the basis.
    map: _Array  #: The matrix (base, 10 joints) from dynamic parameters to base parameters.

    def values(self, parameters: _Array) -> _Array:
        """The values (base,) that dynamic parameters (10 joints,) give."""
        if parameters.shape != self.map.shape[1:]:
            raise ValueError(f"parameters has shape {parameters.shape}, where {self.map.shape[1:]} is expected")
        values: _Array = self.map @ parameters
        return values

    def select(self, regressor: NDArray[np.floating]) -> NDArray[np.floating]:
        """The columns of the basis, from one regressor (n, 10 joints) or many."""
        _check("regressor", regressor, self.map.shape[1:])
        return regressor[..., self.columns]


class Factors(NamedTuple):
    """The factors of a mass matrix, M = Lᵀ D L."""

    L: _Array  #: Unit lower triangular (nv, nv).
    D: _Array  #: The diagonal (nv,).


class JointHistory(NamedTuple):
    """A joint over time: arrays (n,), or (n, entries) where the joint has several."""

    t: _Array  #: The times, in s.
    q: _Array  #: Its configuration, in rad or m; the displacement of a mimic joint.
    v: _Array  #: Its velocity, in rad/s or m/s.
    #: The force of controller and drives, in N·m or N; None for a mimic joint, which the joint that it mimics drives.
    tau: _Array | None


class Occurrence(NamedTuple):
    """An event that happened, and the state before its action."""

    event: str  #: The event's name.
    t: float  #: The time, in s.
    q: _Array  #: The configuration (nq,).
    v: _Array  #: The velocity (nv,).


class Conservation(NamedTuple):
    """How well a simulation kept what gravity alone does not change: the greatest changes since the start."""

    #: The greatest change of the energy, relative to `energy_scale`; of robots that float freely, that about the
    #: centre of mass.
    energy_error: float
    #: The greatest kinetic energy, in J; of robots that float freely, that about the centre of mass.
    energy_scale: float
    energy_drift: float  #: The slope of a straight line through the energy, relative to `energy_scale`, in 1/s.
    energy_drift_error: float  #: The standard error of the slope, in 1/s.
    linear_momentum_error: float  #: The greatest change of the linear momentum without what gravity gave, in N·s.
    angular_momentum_error: float  #: The greatest change of the angular momentum without what gravity gave, in N·m·s.
    loop_gap: float  #: The largest gap of a loop, in m and rad.


class ImuReading(NamedTuple):
    """The reading of an inertial measurement unit, in its axes."""

    angular_velocity: _Array  #: The angular velocity (3,) in rad/s.
    acceleration: _Array  #: The acceleration (3,) in m/s² without gravity: at rest, minus gravity.


class SimulationState(NamedTuple):
    """Where a simulation is."""

    t: float  #: The time in s.
    q: _Array  #: The configuration (nq,).
    v: _Array  #: The velocity (nv,).
    targets: _Array  #: The targets (nv,) of the drives.
    #: The state of time stepping after the last step, with the motion of moved bodies: with it, the same bits follow.
    warm_start: WarmStart | None = None
    controls: _Array | None = None  #: The controls (nu,) of the actuators.


class CollisionShape(NamedTuple):
    """A shape that a robot touches with. It is convex: a mesh is replaced by its convex hull."""

    name: str  #: The name in the file; that of the link where it has none.
    link: str  #: The link that carries it.
    joint: str | None  #: The joint that moves it; None for the world.
    placement: SE3  #: Its placement in the frame of that joint.
    kind: str  #: Such as "sphere", "box" or "convex".


class Distances(NamedTuple):
    """Distances of pairs of shapes, and where they are taken."""

    distance: _Array  #: The distances (pairs,) in m; negative where shapes overlap: minus the depth.
    #: A point on each shape (pairs, 2, 3), in the world: the second less the first is distance times normal.
    points: _Array
    normal: _Array  #: The unit vectors (pairs, 3) from the first shape to the second, in the world.


class PairSurvey(NamedTuple):
    """The pairs of shapes that overlap in none, or in all, of some sampled configurations."""

    samples: int  #: How many configurations.
    never: list[tuple[str, str]]  #: Pairs that overlapped in none of them.
    always: list[tuple[str, str]]  #: Pairs that overlapped in all of them.
