"""The examples and the README run."""

import ast
import doctest
import inspect
import pathlib
import re
import runpy
import subprocess
import sys
import webbrowser
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

import featherline

FOLDER = pathlib.Path(__file__).parent.parent


# tests/cluster runs the example with Ray.
EXAMPLES = [path for path in sorted((FOLDER / "examples").glob("*.py")) if path.stem != "ray_batches"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch, tmp_path):
    arguments = {"million_states": ["2000"], "trajectory_optimisation": [str(tmp_path)]}
    monkeypatch.setattr(sys, "argv", [str(path), *arguments.get(path.stem, [])])
    runpy.run_path(str(path), run_name="__main__")
    if path.stem == "trajectory_optimisation":
        pictures = [ElementTree.parse(picture).getroot() for picture in sorted(tmp_path.glob("*.svg"))]
        # The arm: errors and joint forces of seven joints. The quadruped: those of its attitude and of twelve joints.
        assert [len(picture.findall("{*}polyline")) for picture in pictures] == [7 + 7, 15 + 12]


ROOT = FOLDER.parent
BOOK = ROOT / "book/src"


def code_of(page):
    """The blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)


PAGES = [page for page in [ROOT / "README.md", FOLDER / "README.md", *sorted(BOOK.glob("*.md"))] if code_of(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_page(page, monkeypatch, tmp_path):
    if page.stem == "coming_from_mujoco":
        pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    # A page that shows a robot opens no browser here.
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    names: dict[str, Any] = {}
    known = set(sys.modules)
    for code in code_of(page):
        exec(compile(code, str(page), "exec"), names)
    # A page may let modules of featherline stand for those of other packages.
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__name__", name) != name:
            del sys.modules[name]


CHECKERS = {
    "mypy": ["mypy", "--strict", "--no-incremental"],
    "pyright": ["basedpyright", "--level", "error", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKERS.values(), ids=CHECKERS)
def test_types_of_pages(checker, tmp_path):
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    # MuJoCo has no types.
    for number, page in enumerate(page for page in PAGES if page.stem != "coming_from_mujoco"):
        (tmp_path / f"{page.stem}_{number}.py").write_text("".join(code_of(page)), encoding="utf-8")
    command = [sys.executable, "-P", "-m", *checker, "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_docstrings():
    names = {"fl": featherline, "np": np}
    # What the docstring of Model sets for the examples of its methods.
    example = doctest.DocTestParser().get_examples(featherline.Model.__doc__ or "")
    for line in example:
        exec(line.source, names)
    results = doctest.testmod(featherline, extraglobs=names)
    assert results.failed == 0
    assert results.attempted > 40


def test_the_reference_page_is_current():
    done = subprocess.run([sys.executable, "-P", FOLDER / "reference.py"], capture_output=True, check=True)
    page = BOOK / "python_reference.md"
    assert done.stdout.decode() == page.read_text(encoding="utf-8"), f"run: python reference.py > {page}"


def fields_of_named_tuples():
    """The fields of each named tuple in results.py and robot_files.py that have a text, behind `#:`."""
    for file in ("results.py", "robot_files.py"):
        text = (FOLDER / "featherline" / file).read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    above, own = lines[field.lineno - 2 : field.lineno]
                    if "#: " in own or above.lstrip().startswith("#: "):
                        yield node.name, field.target.id


TEXTLESS = """
import inspect
import featherline.spatial
for module in (featherline, featherline.spatial, featherline.results, featherline.robot_files):
    for name in module.__all__:
        value = getattr(module, name)
        if not inspect.isclass(value):
            continue
        if not value.__doc__:
            print(name)
        fields = getattr(value, "_fields", ())
        for attribute, own in vars(value).items():
            if not attribute.startswith("_") and (attribute in fields or not inspect.getdoc(own)):
                print(f"{name}.{attribute}")
"""


def test_all_attributes_have_texts():
    # Elsewhere the names of Pinocchio are added to classes.
    found = subprocess.run([sys.executable, "-P", "-c", TEXTLESS], capture_output=True, check=True, text=True).stdout
    told = {f"{name}.{field}" for name, field in fields_of_named_tuples()}
    assert told and set(found.split()) == told
