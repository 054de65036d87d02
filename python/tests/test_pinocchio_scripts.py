"""Programs for Pinocchio, with the import line changed, print what they print with Pinocchio."""

import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("pinocchio")

SCRIPTS = sorted((pathlib.Path(__file__).parent / "pinocchio_scripts").glob("*.py"))
IMPORT = re.compile(r"^(import|from) pinocchio\b", re.MULTILINE)


def changed(text):
    """The program with the import line changed."""
    text = re.sub(r"^import pinocchio$", "import featherline.pinocchio as pinocchio", text, flags=re.MULTILINE)
    return IMPORT.sub(r"\1 featherline.pinocchio", text)


def output(text):
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def words(text):
    """Words, and numbers rounded as they are printed."""
    return [word if re.search("[a-zA-Z_]", word) else float(word) for word in re.findall(r"[\w.+-]+", text)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_only_the_import_line_changes(script):
    text = script.read_text(encoding="utf-8")
    theirs, ours = words(output(text)), words(output(changed(text)))
    assert len(theirs) == len(ours) >= 5
    for a, b in zip(theirs, ours, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            assert abs(a - b) <= 2e-5 * max(1.0, abs(a)), (a, b)
        else:
            assert a == b
