"""Packages over Pinocchio (pink, pyroboplan, figaroh, robot_descriptions) compute with this module what they do with it.

Each program runs twice: with Pinocchio, and with `featherline.pinocchio` under its name. Both must be installed, with
the package that a program's name begins with.
"""

import pathlib
import subprocess
import sys

import pytest
from test_pinocchio_scripts import words

pytest.importorskip("pinocchio")

TESTS = pathlib.Path(__file__).parent
ROBOTS = TESTS.parent.parent / "robots"
PROGRAMS = sorted((TESTS / "pinocchio_scripts" / "clients").glob("*.py"))
# The packages import Pinocchio and coal themselves: their import lines are changed by these names.
CHANGED = """
import importlib
import pkgutil
import sys
import featherline.pinocchio
sys.modules["pinocchio"] = featherline.pinocchio
for part in pkgutil.walk_packages(featherline.pinocchio.__path__, "featherline.pinocchio."):
    sys.modules[part.name.removeprefix("featherline.")] = importlib.import_module(part.name)
sys.modules["coal"] = sys.modules["hppfcl"] = featherline.pinocchio.coal
"""


def output(first, text):
    program = [sys.executable, "-W", "ignore", "-c", first + text, ROBOTS]
    done = subprocess.run(program, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return words(done.stdout)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_package_over_pinocchio_computes_the_same(program):
    pytest.importorskip(program.stem.rpartition("_")[0])
    text = program.read_text(encoding="utf-8")
    theirs, ours = output("", text), output(CHANGED, text)
    assert len(theirs) == len(ours) >= 5
    for a, b in zip(theirs, ours, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            # As printed, and as far as solvers of quadratic programs carry differences of rounding.
            assert abs(a - b) <= 2e-5 * max(1.0, abs(a)), (a, b)
        else:
            assert a == b
