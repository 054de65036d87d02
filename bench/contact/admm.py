"""The contact solver beside Pinocchio's ADMM, on the same problems: W, g, μ.

    python admm.py PROBLEMS [--out FILE] [--processor NAME]

PROBLEMS is what the program `cone_problems` of featherline-tools prints. Pinocchio's time is
what its solver measures itself, without that of Python; its W is given dense, ours is made anew from
mass matrix and Jacobian each time. What a solution is worth is measured here, for both alike.
"""

import argparse
import json
import math
import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pinocchio as pin

REPEATS = 5
MOST_ITERATIONS = 10_000
TOLERANCES = (1e-6, 1e-10)

# ADMM's own tolerances are for other residuals: the loosest of these parts that does counts.
PARTS = (1.0, 0.1, 0.01, 1e-3)


def projected(impulse, friction):
    """The nearest impulse of a cone of friction."""
    tangent, normal = math.hypot(impulse[0], impulse[1]), impulse[2]
    if friction * tangent <= -normal:
        return np.zeros(3)
    if tangent <= friction * normal:
        return impulse
    normal = (normal + friction * tangent) / (1 + friction * friction)
    return np.array([*(impulse[:2] * (friction * normal / tangent)), normal])


def violation(delassus, free, friction, impulses):
    """The largest entry of w (λ − Π(λ − u/w)), u with De Saxcé's term."""
    u = delassus @ impulses + free
    worst = 0.0
    for i, mu in enumerate(friction):
        own = slice(3 * i, 3 * i + 3)
        w = np.trace(delassus[own, own]) / 3
        v = u[own].copy()
        v[2] += mu * math.hypot(v[0], v[1])
        gap = w * (impulses[own] - projected(impulses[own] - v / w, mu))
        worst = max(worst, np.abs(gap).max())
    return worst


class Admm:
    """Pinocchio's solver for some contacts."""

    def __init__(self, friction):
        model = pin.Model()
        model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
        self.models, self.datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in friction:
            contact = pin.PointContactConstraintModel(model, 1)
            contact.setFriction(mu)
            self.models.append(pin.ConstraintModel(contact))
        for contact in self.models:
            self.datas.append(contact.createData())

    def solve(self, delassus, free, tolerance):
        """The median time in µs, the impulses and the iterations."""
        settings = pin.ADMMSolverSettings()
        settings.max_iterations = MOST_ITERATIONS
        settings.measure_timings = True
        for kind in ("feasibility", "complementarity"):
            setattr(settings, f"absolute_{kind}_tol", tolerance)
            setattr(settings, f"relative_{kind}_tol", 0.0)
        if tolerance < 1e-8:
            settings.mu_prox = 1e-10
        times = []
        for _ in range(REPEATS):
            operator = pin.DelassusOperatorDense(delassus)
            solver, result = pin.ADMMConstraintSolver(len(free)), pin.ADMMSolverResult()
            solver.solve(operator, free, self.models, self.datas, settings, result)
            times.append(solver.getElapsedTime())
        impulses = np.asarray(result.retrieveConstraintImpulses())
        return statistics.median(times), impulses, result.iterations


def compare(lines):
    """A row for each number of contacts and each tolerance."""
    cells = defaultdict(list)
    for line in lines:
        problem = json.loads(line)
        size = 3 * problem["contacts"]
        delassus = np.array(problem["delassus"]).reshape(size, size)
        delassus = np.asfortranarray((delassus + delassus.T) / 2)
        free, friction = np.array(problem["free"]), problem["friction"]
        first = violation(delassus, free, friction, np.zeros(size))
        if first == 0.0:
            # Nothing touches.
            continue
        admm = Admm(friction)
        for tolerance, own in zip(TOLERANCES, problem["featherline"]):
            most = tolerance * first
            impulses = np.array(own["impulses"])
            own_reached = violation(delassus, free, friction, impulses) <= most
            for part in PARTS:
                time, impulses, iterations = admm.solve(delassus, free, part * most)
                reached = violation(delassus, free, friction, impulses) <= most
                if reached:
                    break
            cells[problem["contacts"], tolerance].append(
                (own["microseconds"], time, own_reached, reached, iterations)
            )
    for (contacts, tolerance), cell in sorted(cells.items(), key=lambda it: (-it[0][1], it[0][0])):
        ours, theirs, own_reached, their_reached, iterations = zip(*cell)
        both = [b / a for a, b, x, y, _ in cell if x and y]
        yield (
            f"| {tolerance:.0e} | {contacts} | {len(cell)} | {sum(own_reached)} | {sum(their_reached)} "
            f"| {statistics.median(ours):.0f} | {statistics.median(theirs):.0f} "
            f"| {statistics.median(iterations):.0f} | "
            + (f"{statistics.median(both):.1f} |" if both else "– |")
        )


HEAD = """# Contact beside ADMM

Random cone problems, dense masses of 24 coordinates: featherline's solver and Pinocchio {version}'s
`ADMMConstraintSolver`, with De Saxcé's term, from zero impulses. Times in µs, medians of {repeats}
solutions and then of problems{processor}. A solution counts as reached where the natural map, relative to that
of no impulses, is within the tolerance; ADMM's own tolerances, for other residuals, are tightened up to a
thousandfold until it is. The ratio is that of the times, ADMM's over featherline's, where both reach it.
featherline's time has the factorisation of the mass matrix and all of W in it, ADMM takes W as given. It may take
{iterations} iterations. featherline is told that a hundred times the tolerance is acceptable; what it does not reach
is between both.

| tolerance | contacts | problems | reached by featherline | by ADMM | featherline, µs | ADMM, µs | iterations | ratio |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--processor")
    arguments = parser.parse_args()
    head = HEAD.format(
        version=pin.__version__,
        repeats=REPEATS,
        processor=f", on {arguments.processor}" if arguments.processor else "",
        iterations=MOST_ITERATIONS,
    )
    text = head + "\n".join(compare(arguments.problems.read_text().splitlines())) + "\n"
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
