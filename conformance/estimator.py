"""Estimates of iDynTree's BERDY for the check of the estimator. See README.md.

Writes the problems and their states with BERDY's estimates to standard output. Then reads lines from standard input:
`time P` is answered by a line with the nanoseconds that an estimate takes in each state of problem P, one after the
other.
"""

from __future__ import annotations

import argparse
import sys
from importlib import metadata

import numpy as np

import record
from berdy import Berdy, Question

QUESTIONS = (
    Question("fixed base, external wrenches measured", floating=False, external_wrenches=True),
    Question("fixed base, joint torques measured", floating=False, external_wrenches=False, joint_torques=True),
    Question("floating base, external wrenches measured", floating=True, external_wrenches=True),
    Question("floating base", floating=True, external_wrenches=False),
    Question("fixed base, wide priors", floating=False, external_wrenches=False, joint_torques=True, prior=1e4),
    Question("floating base, wide priors", floating=True, external_wrenches=False, prior=1e4),
)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="estimator.py", description=__doc__)
    parser.add_argument("--states", type=int, default=20, help="random states for each problem")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    out = sys.stdout.buffer
    packages = ("example-robot-data", "idyntree", "numpy")
    header = {"versions": {p: metadata.version(p) for p in packages}, "seed": arguments.seed}
    record.write(out, "estimator", header | {"problems": len(QUESTIONS)}, {})
    problems = []
    for number, question in enumerate(QUESTIONS):
        rng = np.random.default_rng([arguments.seed, number])
        problem = Berdy(question, rng)
        states = list(problem.states(arguments.states, rng))
        record.write(out, "problem", problem.header | {"states": len(states)}, problem.payload())
        for state in states:
            given = {"q": state.q, "v": state.v, "omega": state.omega, "readings": state.readings}
            record.write(out, "estimate", {}, given | problem.estimate(state))
        problems.append((problem, states))
    out.flush()
    for line in sys.stdin:
        problem, states = problems[int(line.split()[1])]
        print(*(problem.time(state) for state in states), flush=True)


if __name__ == "__main__":
    main()
