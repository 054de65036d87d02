"""The command of the wheel."""

import subprocess
import sys

import pytest


@pytest.fixture
def run(tmp_path):
    """Python with some arguments, in a folder without the package's sources."""

    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    return run


def test_module(run):
    done = run("-m", "featherline", "check", "panda")
    assert done.returncode == 0, done.stderr
    assert run("-m", "featherline", "info", "pandora").returncode == 2
    assert "Usage" in run("-m", "featherline", "system", "--help").stdout


def test_no_numpy_and_default_interrupt(run):
    code = (
        "import sys; from featherline._native import run_command;"
        "run_command(['featherline', 'check', 'panda']); import signal;"
        "assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL; assert 'numpy' not in sys.modules"
    )
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
