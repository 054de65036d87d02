"""The examples and the README run."""

import doctest
import pathlib
import re
import runpy
import sys

import pytest

import featherline

FOLDER = pathlib.Path(__file__).parent.parent


@pytest.mark.parametrize("path", sorted((FOLDER / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_example(path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(path), "2000"] if path.stem == "million_states" else [str(path)])
    runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("page", ["README.md", "../book/src/python.md"])
def test_page(page):
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / page).read_text(), re.S)
    assert blocks
    for code in blocks:
        exec(compile(code, page, "exec"), names)


def test_docstrings():
    assert doctest.testmod(featherline).failed == 0
