"""Writes the book's reference of the Python package: signatures from the stubs, texts from the docstrings.

    python reference.py > ../book/src/python_reference.md
"""

import ast
import inspect
import itertools
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import featherline

HEAD = """# Python reference

Made from the stubs and the docstrings of the package; `help(featherline.Model.rnea)` shows the same. The names of
Pinocchio have [a page of their own](python_pinocchio.md).
"""

FIRST = ["Model", "load"]


def plain(text: str) -> str:
    """A type as a reader names it, without the stub's aliases."""
    text = re.sub(r"^Final\[(.*)\]$", r"\1", text)
    text = re.sub(r"NDArray\[[\w.\[\]]*?\]|_Array\b|_Doubles\b", "array", text)
    return re.sub(r"\b_(?=[A-Z])", "", text)


def signature(node: ast.FunctionDef, name: str) -> str:
    """The call as it is written, without the stub's types of arguments."""
    text = ast.unparse(node.args)
    parsed = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    for argument in [*parsed.args.posonlyargs, *parsed.args.args, *parsed.args.kwonlyargs]:
        argument.annotation = None
    words = re.sub(r"^(self|cls)(, )?", "", ast.unparse(parsed.args)).replace("=...", "=…")
    result = f" → {plain(ast.unparse(node.returns))}" if node.returns else ""
    return f"{name}({words}){result}"


def prose(documentation: str | None) -> str:
    """A docstring as Markdown: examples become blocks of code."""
    if not documentation:
        return ""
    lines: list[str] = []
    code = False
    for line in inspect.cleandoc(documentation).splitlines():
        if line.startswith(">>>") and not code:
            lines.append("```py")
            code = True
        elif code and not line:
            lines.append("```")
            code = False
        lines.append(line)
    if code:
        lines.append("```")
    return "\n".join(lines)


def comment(lines: list[str], field: ast.AnnAssign) -> str | None:
    """The text behind `#:` on the field's line, or in the lines above it."""
    _, mark, text = lines[field.lineno - 1].partition("#: ")
    above = itertools.takewhile(lambda line: line.lstrip().startswith("#: "), reversed(lines[: field.lineno - 1]))
    return text if mark else " ".join(line.lstrip()[3:] for line in reversed([*above])) or None


def members(node: ast.ClassDef, lines: list[str], known: Any) -> Iterator[str]:
    fields = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if not item.target.id.startswith("_"):
                text = comment(lines, item) or inspect.getdoc(getattr(known, item.target.id, None))
                fields.append((item.target.id, item.annotation, text))
        elif isinstance(item, ast.FunctionDef) and item.returns:
            decorators = {ast.unparse(decorator) for decorator in item.decorator_list}
            if "property" in decorators:
                fields.append((item.name, item.returns, inspect.getdoc(getattr(known, item.name))))
    for name, kind, text in fields:
        about = " ".join(prose(text).split())
        yield f"* `{name}`: `{plain(ast.unparse(kind))}`" + (f": {about}" if about else "")
    if fields:
        yield ""
    seen: set[str] = set()
    for item in node.body:
        if not isinstance(item, ast.FunctionDef) or item.name.startswith("_") or item.name in seen:
            continue
        decorators = {ast.unparse(decorator) for decorator in item.decorator_list}
        if "property" in decorators or any(name.endswith(".setter") for name in decorators):
            continue
        seen.add(item.name)
        yield f"### `{signature(item, item.name)}`\n"
        yield prose(inspect.getdoc(getattr(known, item.name))) + "\n"


def page() -> str:
    folder = pathlib.Path(__file__).parent / "featherline"
    body = []
    classes = {}
    for file in ("_native.pyi", "results.py", "robot_files.py", "descriptions.py"):
        text = (folder / file).read_text()
        nodes = ast.parse(text).body
        body += nodes
        classes |= {node.name: (node, text.splitlines()) for node in nodes if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    parts = [HEAD]
    modules = [
        ("", featherline),
        ("spatial.", featherline.spatial),
        ("results.", featherline.results),
        ("robot_files.", featherline.robot_files),
    ]
    for prefix, module in modules:
        # What everybody needs first, then the alphabet.
        for name in sorted(module.__all__, key=lambda name: (name not in FIRST, name.lower())):
            known = getattr(module, name)
            if prefix and getattr(featherline, name, None) is known:
                continue
            if name in classes:
                parts.append(f"## {prefix}{name}\n")
                parts.append(prose(known.__doc__) + "\n")
                parts.extend(members(*classes[name], known))
            elif name in functions:
                parts.append(f"## `{prefix}{signature(functions[name], name)}`\n")
                parts.append(prose(known.__doc__) + "\n")
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip() + "\n"
    return text


if __name__ == "__main__":
    sys.stdout.write(page())
