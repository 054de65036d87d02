"""Calls that make no sense end in errors, never in a crash."""

import pathlib
import subprocess
import sys

import pytest

FUZZ = pathlib.Path(__file__).parent / "fuzz.py"


@pytest.mark.parametrize("seed", [1, 2])
def test_calls_without_sense(seed):
    done = subprocess.run([sys.executable, str(FUZZ), "1500", f"--seed={seed}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "1500 calls" in done.stdout
