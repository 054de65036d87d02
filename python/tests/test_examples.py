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


PAGES = [FOLDER / "README.md", *sorted((FOLDER.parent / "book/src").glob("python*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        exec(compile(code, str(page), "exec"), names)


def test_docstrings():
    assert doctest.testmod(featherline).failed == 0
