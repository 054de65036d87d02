"""Times of calls from Python, beside Pinocchio's (the package `pin`) and dynibo's where they are installed."""

from __future__ import annotations

import importlib
import pathlib
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import featherline as fl

URDF = pathlib.Path(__file__).parent.parent / "robots" / "humanoid.urdf"


def least(call: Callable[[], object], budget: float = 0.3) -> float:
    """The time of a call in microseconds: the least of many means."""
    begin = time.perf_counter()
    call()
    inner = max(1, int(2e-3 / max(time.perf_counter() - begin, 1e-7)))
    best = float("inf")
    end = time.perf_counter() + budget
    while time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(inner):
            call()
        best = min(best, (time.perf_counter() - begin) / inner)
    return 1e6 * best


def processor() -> str:
    """The processor's name."""
    cpu = pathlib.Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "cpu family"))]
    return ", family ".join(reversed(names[:2])) or platform.processor()


def calls(pin: Any) -> dict[str, Callable[[], Any]]:
    """The same calls of Pinocchio, or of the module that has its names."""
    robot = pin.buildModelFromUrdf(str(URDF), pin.JointModelFreeFlyer())
    data = robot.createData()
    frame, joint = robot.nframes - 1, robot.njoints - 1
    q = np.asarray(pin.neutral(robot))
    v = np.linspace(-1.0, 1.0, robot.nv)
    pin.computeJointJacobians(robot, data, q)
    return {
        "rnea": lambda: pin.rnea(robot, data, q, v, v),
        "aba": lambda: pin.aba(robot, data, q, v, v),
        "crba": lambda: pin.crba(robot, data, q),
        "computeMinverse": lambda: pin.computeMinverse(robot, data, q),
        "forwardKinematics": lambda: pin.forwardKinematics(robot, data, q, v),
        "framesForwardKinematics": lambda: pin.framesForwardKinematics(robot, data, q),
        "computeJointJacobians": lambda: pin.computeJointJacobians(robot, data, q),
        "getFrameJacobian": lambda: pin.getFrameJacobian(robot, data, frame, pin.LOCAL),
        "computeFrameJacobian": lambda: pin.computeFrameJacobian(robot, data, q, frame, pin.LOCAL),
        "computeJointJacobian": lambda: pin.computeJointJacobian(robot, data, q, joint),
        "centerOfMass": lambda: pin.centerOfMass(robot, data, q),
        "jacobianCenterOfMass": lambda: pin.jacobianCenterOfMass(robot, data, q),
        "ccrba": lambda: pin.ccrba(robot, data, q, v),
        "computeAllTerms": lambda: pin.computeAllTerms(robot, data, q, v),
        "integrate": lambda: pin.integrate(robot, q, v),
        "data.oMi[1].translation": lambda: data.oMi[1].translation,
    }


def overhead(path: pathlib.Path, floating_base: bool) -> None:
    """What a call from Python takes over the same call in Rust, and dynibo's call on a fixed base."""
    model = fl.load(path, floating_base=floating_base)
    random = np.random.default_rng(1)
    q, v = model.random_configuration(1), random.normal(size=model.nv)
    a = random.normal(size=model.nv)
    tau = model.rnea(q, v, a)
    out, matrix = np.empty(model.nv), np.empty((model.nv, model.nv), order="F")
    mine: dict[str, Callable[[], Any]] = {
        "rnea": lambda: model.rnea(q, v, a, out=out),
        "aba": lambda: model.aba(q, v, a, out=out),
        "bias": lambda: model.bias(q, v, out=out),
        "crba": lambda: model.crba(q, out=matrix),
    }
    theirs: dict[str, Callable[[], Any]] = {}
    try:
        dynibo: Any = importlib.import_module("dynibo")
    except ImportError:
        pass
    else:
        if not floating_base:
            robot = dynibo.Robot.from_urdf(str(path))
            # Joints may have another order; at equal angles it does not matter. Its gravity is the
            # standard one, 9.80665 m/s².
            same, ours = np.full(robot.joint_count, 0.3), np.full(model.nq, 0.3)
            found = robot.inverse_dynamics(same, same, same)
            expected = model.with_gravity([0.0, 0.0, -9.80665]).rnea(ours, ours, ours)
            assert np.allclose(sorted(found), sorted(expected), atol=1e-8)
            into, square = np.empty(model.nv), np.empty(model.nv**2)
            theirs = {
                "rnea": lambda: robot.inverse_dynamics(q, v, a, out=into),
                "aba": lambda: robot.forward_dynamics(q, v, a, out=into),
                "bias": lambda: robot.velocity_product_forces(q, v, out=into),
                "crba": lambda: robot.mass_matrix(q, out=square),
            }
    nothing = least(lambda: None)
    base = "floating" if floating_base else "fixed"
    print(f"{model.name}, {base} base, nv = {model.nv}, out=: µs in Rust, from Python, overhead; and compiled")
    programs = {name: model.compile(name) for name in ("rnea", "aba", "bias", "crba")}
    rows = np.empty((model.nv, model.nv))
    for name, call in mine.items():
        arguments = {"rnea": (q, v, a), "aba": (q, v, a), "bias": (q, v), "crba": (q,)}[name]
        program, result = programs[name], rows if name == "crba" else out
        # In turn, so that both see the same machine.
        rust = python = compiled = float("inf")
        for _ in range(10):
            rust = min(rust, 1e6 * model._seconds(name, q.tolist(), v.tolist(), a.tolist(), 2000))
            python = min(python, least(call, 0.03) - nothing)
            compiled = min(compiled, least(lambda: program(*arguments, out=result), 0.03) - nothing)
        line = f"  {name:8} {rust:8.2f} {python:8.2f} {python - rust:8.2f}   program {compiled:8.2f}"
        if name in theirs:
            line += f"   dynibo {least(theirs[name]) - nothing:8.2f}"
        print(line)
    assert np.allclose(model.aba(q, v, tau), a, atol=1e-6)


def main() -> None:
    robots = URDF.parent
    print(processor())
    overhead(robots / "panda.urdf", False)
    overhead(URDF, False)
    overhead(URDF, True)
    model = fl.load(URDF, floating_base=True, pinocchio=True)
    n = 4096
    q = model.random_configuration(1, n)
    random = np.random.default_rng(1)
    v, a = random.normal(size=(2, n, model.nv))
    tau = model.rnea(q, v, a)
    out, matrix = np.empty(model.nv), np.empty((model.nv, model.nv), order="F")
    q0, v0, a0, tau0 = q[0], v[0], a[0], tau[0]
    ours: dict[str, Callable[[], Any]] = {
        "rnea": lambda: model.rnea(q0, v0, a0, out=out),
        "aba": lambda: model.aba(q0, v0, tau0, out=out),
        "crba": lambda: model.crba(q0, out=matrix),
        "bias": lambda: model.bias(q0, v0, out=out),
        "mass_matrix_inverse": lambda: model.mass_matrix_inverse(q0, out=matrix),
        "center_of_mass": lambda: model.center_of_mass(q0),
    }
    theirs: dict[str, Callable[[], Any]] = {}
    try:
        pin: Any = importlib.import_module("pinocchio")
    except ImportError:
        print("Pinocchio is not installed: `pip install pin==4.1.0` to compare")
    else:
        robot = pin.buildModelFromUrdf(str(URDF), pin.JointModelFreeFlyer())
        data = robot.createData()
        assert np.allclose(pin.rnea(robot, data, q0, v0, a0), tau0, atol=1e-8)
        theirs = {
            "rnea": lambda: pin.rnea(robot, data, q0, v0, a0),
            "aba": lambda: pin.aba(robot, data, q0, v0, tau0),
            "crba": lambda: pin.crba(robot, data, q0),
            "bias": lambda: pin.nonLinearEffects(robot, data, q0, v0),
            "mass_matrix_inverse": lambda: pin.computeMinverse(robot, data, q0),
            "center_of_mass": lambda: pin.centerOfMass(robot, data, q0),
        }
        loops: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "rnea": (
                lambda: model.rnea(q, v, a),
                lambda: [pin.rnea(robot, data, *row) for row in zip(q, v, a)],
            ),
            "aba": (
                lambda: model.aba(q, v, tau),
                lambda: [pin.aba(robot, data, *row) for row in zip(q, v, tau)],
            ),
        }
    print(f"{processor()}; humanoid, nv = {model.nv}; µs a call, least of many")
    for name, call in ours.items():
        mine = least(call)
        if name in theirs:
            other = least(theirs[name])
            print(f"{name:22} {mine:8.2f}   pin {other:8.2f}   ratio {mine / other:.2f}")
        else:
            print(f"{name:22} {mine:8.2f}")
    if theirs:
        for name, (mine_of_many, their_loop) in loops.items():
            mine, other = least(mine_of_many), least(their_loop)
            print(f"{name} of {n} states: {mine:.0f}, loop over pin {other:.0f}: {other / mine:.1f} times")
        print("featherline.pinocchio beside Pinocchio")
        door = calls(importlib.import_module("featherline.pinocchio"))
        for name, call in calls(pin).items():
            mine, other = least(door[name]), least(call)
            print(f"{name:24} {mine:8.2f}   pin {other:8.2f}   ratio {mine / other:.2f}")


if __name__ == "__main__":
    main()
