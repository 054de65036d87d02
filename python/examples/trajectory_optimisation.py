"""Trajectory optimisation with analytical derivatives: an arm reaches a posture, a quadruped rights itself in flight.

Differential dynamic programming with limits of the joint forces (Y. Tassa, N. Mansard and E. Todorov, "Control-limited
differential dynamic programming", 2014), with the Gauss-Newton Hessian (iLQR). States change in the tangent space: a
step of the linear model is δx' = A δx + B δu with δx = (δq, δv) and q ⊕ δq, so that a free-flying base is no special
case. One call differentiates the dynamics at all steps.

    python trajectory_optimisation.py [FOLDER]

With a folder it writes a picture of each motion.
"""

import pathlib
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import featherline as fl
from featherline.pictures import Panel, svg

Array = NDArray[np.floating]


class Task(NamedTuple):
    """What is to be done."""

    name: str
    model: fl.Model
    drives: Array  # the joint forces of each drive at its limit (drives, nv)
    step: float  # seconds of one step of symplectic Euler
    q: Array  # where the motion begins
    v: Array
    goal: Array  # the configuration in which it is to end at rest
    first: Array  # controls to begin with (steps, drives)
    posture_weight: Array  # of the last state's errors, for each coordinate
    velocity_weight: float  # of its squared velocity
    way_weight: Array  # of the errors on the way, for each coordinate
    effort_weight: float  # of the squared controls


class Motion(NamedTuple):
    """States, one more than there are steps; controls: forces of drives by their limits, −1 to 1; what it all costs."""

    q: Array
    v: Array
    u: Array
    cost: float


class Policy(NamedTuple):
    """The correction of one step's control: δu = open + feedback δx."""

    open: Array
    feedback: Array


def cost(task: Task, q: Array, v: Array, u: Array) -> float:
    squares = task.model.difference(task.goal, q) ** 2
    way = task.step * (task.effort_weight * np.sum(u**2) + np.sum(squares[:-1] @ task.way_weight))
    end = squares[-1] @ task.posture_weight + task.velocity_weight * v[-1] @ v[-1]
    return float(way + end) / 2


def cost_derivatives(task: Task, motion: Motion) -> tuple[Array, Array]:
    """Gradients (steps + 1, 2 nv) and Hessians by the states, without the curvature of ⊖."""
    n = task.model.nv
    weights = np.vstack([np.tile(task.step * task.way_weight, (len(motion.u), 1)), task.posture_weight])
    by_q = task.model.d_difference_dq1(task.goal, motion.q)
    weighted = by_q.transpose(0, 2, 1) * weights[:, None, :]
    gradient = np.zeros((len(weights), 2 * n))
    hessian = np.zeros((len(weights), 2 * n, 2 * n))
    gradient[:, :n] = np.einsum("kij,kj->ki", weighted, task.model.difference(task.goal, motion.q))
    gradient[-1, n:] = task.velocity_weight * motion.v[-1]
    hessian[:, :n, :n] = weighted @ by_q
    hessian[-1, n:, n:] = task.velocity_weight * np.eye(n)
    return gradient, hessian


def linear_models(task: Task, motion: Motion) -> tuple[Array, Array]:
    """A (steps, 2 nv, 2 nv) and B (steps, 2 nv, drives) of all steps: δx' = A δx + B δu."""
    model, h = task.model, task.step
    q, v = motion.q[:-1], motion.v[:-1]
    d = model.aba_derivatives(q, v, motion.u @ task.drives)
    v_by_q, v_by_v, v_by_u = h * d.dq, np.eye(model.nv) + h * d.dv, h * d.dtau @ task.drives.T
    displacement = h * (v + h * d.acceleration)
    by_q, by_v = model.d_integrate_dq(displacement), h * model.d_integrate_dv(displacement)
    A = np.block([[by_q + by_v @ v_by_q, by_v @ v_by_v], [v_by_q, v_by_v]])
    B = np.concatenate([by_v @ v_by_u, v_by_u], axis=1)
    return A, B


def follow(task: Task, before: Motion, policies: list[Policy], scale: float) -> Motion:
    """The motion from the start with the controls of another one, corrected by policies."""
    model, h = task.model, task.step
    q, v, controls = [task.q], [task.v], []
    for k, u in enumerate(before.u):
        if policies:
            moved = np.concatenate([model.difference(before.q[k], q[k]), v[k] - before.v[k]])
            u = np.clip(u + scale * policies[k].open + policies[k].feedback @ moved, -1.0, 1.0)
        controls.append(u)
        # v' = v + h q̈, q' = q ⊕ h v'
        v.append(v[k] + h * model.aba(q[k], v[k], u @ task.drives))
        q.append(model.integrate(q[k], h * v[k + 1]))
    states = np.array(q), np.array(v), np.array(controls)
    return Motion(*states, cost(task, *states))


def bounded_step(hessian: Array, gradient: Array, by_x: Array, u: Array) -> Policy:
    """The minimum of ½ δuᵀ H δu + gᵀ δu with −1 ≤ u + δu ≤ 1, and how it moves with δx: a projected Newton method."""
    step, feedback = np.zeros_like(u), np.zeros_like(by_x)
    for _ in range(20):
        slope = gradient + hessian @ step
        # Held at a limit: there, and pushed beyond.
        free = ~((u + step <= -1.0) & (slope > 0.0) | (u + step >= 1.0) & (slope < 0.0))
        feedback[:] = 0.0
        own = hessian[np.ix_(free, free)]
        np.linalg.cholesky(own)  # raises an error unless it is positive definite
        solved = np.linalg.solve(own, np.column_stack([slope, by_x])[free])
        feedback[free] = -solved[:, 1:]
        target = u + step
        target[free] -= solved[:, 0]
        moved = np.clip(target, -1.0, 1.0) - u
        change, step = np.abs(moved - step).max(), moved
        if change < 1e-9:
            break
    return Policy(step, feedback)


def policies_of(task: Task, motion: Motion, damping: float) -> list[Policy]:
    """The policy of each step, from the last to the first: the Riccati recursion."""
    A, B = linear_models(task, motion)
    gradients, hessians = cost_derivatives(task, motion)
    effort = task.step * task.effort_weight
    eye = np.eye(motion.u.shape[1])
    gradient, hessian = gradients[-1], hessians[-1]
    policies = []
    for k in reversed(range(len(motion.u))):
        by_a, by_b = A[k].T @ hessian, B[k].T @ hessian
        q_u = B[k].T @ gradient + effort * motion.u[k]
        q_ux, q_uu = by_b @ A[k], by_b @ B[k] + effort * eye
        policy = bounded_step(q_uu + damping * eye, q_u, q_ux, motion.u[k])
        feedback = policy.feedback.T
        cross = feedback @ q_ux
        gradient = gradients[k] + A[k].T @ gradient + feedback @ (q_uu @ policy.open + q_u) + q_ux.T @ policy.open
        hessian = hessians[k] + by_a @ A[k] + feedback @ q_uu @ policy.feedback + cross + cross.T
        policies.append(policy)
    return policies[::-1]


def improve(task: Task, motion: Motion, damping: float) -> tuple[Motion | None, float]:
    """A motion that costs less, if a step finds one, and the length of the step."""
    scale = 1.0
    try:
        policies = policies_of(task, motion, damping)
    except np.linalg.LinAlgError:
        return None, scale
    while scale > 1e-3:
        try:
            with np.errstate(over="raise", invalid="raise"):
                tried = follow(task, motion, policies, scale)
        except (ValueError, FloatingPointError):  # a step so large that numbers overflow is no better
            tried = None
        if tried is not None and tried.cost < motion.cost:
            return tried, scale
        scale *= 0.5
    return None, scale


def solve(task: Task) -> Motion:
    """Improves the motion with the first controls until a full step gains less than 1/100."""
    still = Motion(task.q[None], task.v[None], task.first, np.inf)
    motion, damping = follow(task, still, [], 1.0), 1.0
    for iteration in range(100):
        print(f"  iteration {iteration}: cost {motion.cost:.6f}")
        better, scale = improve(task, motion, damping)
        if better is None:
            if damping > 1e8:
                break
            damping *= 10.0
            continue
        gain, motion = motion.cost - better.cost, better
        # Short steps say that the linear model holds near the motion only.
        damping *= 3.0 if scale < 0.5 else 0.2
        if scale == 1.0 and gain < 1e-2 * motion.cost:
            break
    return motion


def arm() -> Task:
    """An arm that hangs to one side is to stretch out to the other within a second."""
    model = fl.load("panda")
    limits = np.array([87.0] * 4 + [12.0] * 3)
    q = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
    return Task(
        name="arm",
        model=model,
        drives=np.diag(limits),
        step=0.01,
        q=q,
        v=np.zeros(7),
        goal=np.array([1.5, 0.6, 0.3, -1.2, -0.4, 2.0, 0.0]),
        first=np.tile(model.gravity_torque(q) / limits, (100, 1)),
        posture_weight=np.full(7, 1e2),
        velocity_weight=1.0,
        way_weight=np.zeros(7),
        effort_weight=1.0,
    )


def quadruped() -> Task:
    """A quadruped in flight, pitched by 0.3 rad, is to be level in its standing posture when it lands.

    Nothing but its legs can turn it.
    """
    model = fl.load("quadruped")
    n = model.nv
    standing = model.neutral()
    standing[7:] = np.tile([0.0, 0.7, -1.4], 4)
    pitch, rise = np.zeros(n), np.zeros(n)
    pitch[4], rise[2] = 0.3, 2.0
    legs = np.arange(n) >= 6
    return Task(
        name="quadruped",
        model=model,
        drives=33.0 * np.eye(n)[legs],
        step=0.005,
        q=model.integrate(standing, pitch),
        v=rise,
        goal=standing,
        first=np.zeros((80, n - 6)),
        posture_weight=np.where(legs, 1e2, np.repeat([0.0, 3e3, 0.0], [3, 3, n - 6])),
        velocity_weight=1e-2,
        way_weight=np.where(legs, 1.0, 0.0),
        effort_weight=1.0,
    )


def plot(task: Task, motion: Motion, path: pathlib.Path) -> None:
    """The errors of the weighted coordinates and the controls over time."""
    joints = task.model.joints.values()
    names = np.array([f"{j.name}.{k}" if j.nv > 1 else j.name for j in joints for k in range(j.nv)])
    errors = task.model.difference(task.goal, motion.q)
    shown = task.posture_weight > 0.0
    driven = names[np.argmax(task.drives != 0.0, axis=1)]
    way = Panel("way to the goal [rad]", dict(zip(names[shown], errors[:-1, shown].T, strict=True)))
    effort = Panel("joint forces by their limits", dict(zip(driven, motion.u.T, strict=True)))
    path.write_text(svg(task.step * np.arange(len(motion.u)), [way, effort]), encoding="utf-8")


def main(folder: pathlib.Path | None) -> None:
    for task in (arm(), quadruped()):
        print(f"{task.name}:")
        motion = solve(task)
        weighted = task.posture_weight > 0.0
        left = np.abs(task.model.difference(task.goal, motion.q[-1])[weighted]).max()
        print(f"  greatest error at the end: {left:.4f} rad")
        # A few thousandths of what the motion goes through, within the limits of the drives.
        assert left < 5e-3 and 0.05 < np.abs(motion.u).max() <= 1.0
        if folder is not None:
            plot(task, motion, folder / f"trajectory_{task.name}.svg")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None)
