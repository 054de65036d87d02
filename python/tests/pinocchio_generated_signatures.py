"""Writes the public names of Pinocchio, with the arguments of its calls, to pinocchio_generated_signatures.txt.

    python tests/pinocchio_generated_signatures.py [FILE]

needs the package `pin`. A line is a name of the module; names of classes and submodules are indented.
`f(a, b[, c]; d)` is a call of two forms: a and b, with c if it is given, or d alone. `_` is an argument
without a name, `static` a call without self. `class A = B` has the lines of B, and `class A(B)` those beside
its own. A line without brackets is a field or a constant.
"""

import importlib
import inspect
import pathlib
import re
import sys
import types

FILE = pathlib.Path(__file__).with_suffix(".txt")
HEADER = re.compile(r"^\w+\((.*)\) -> [\w.]+ ?:?$")
ARGUMENT = re.compile(r"\([\w.]+\)(\w+)")
# Of Python's own base classes.
INHERITED = {*dir(int), *dir(Exception)} - {"__init__"}
# The module under another name, and variables of its own making.
LEFT_OUT = {"pin", "pinocchio_pywrap_default", "submodules", "module_info"}


def documented(call, bound):
    """The forms of a call, from the first lines that Boost.Python writes for each."""
    forms = []
    for line in (call.__doc__ or "").splitlines():
        # What the call computes is indented.
        header = HEADER.match(line.rstrip())
        if header:
            required, _, optional = header[1].partition("[")
            needed, more = ARGUMENT.findall(required), ARGUMENT.findall(optional)
            forms.append(written(needed[bound:], more))
    # Boost.Python adds copies of other template instances, and names some arguments arg1, arg2.
    return list(dict.fromkeys(forms))


def written(needed, more):
    needed, more = ([re.sub(r"^arg\d+$", "_", name) for name in names] for names in (needed, more))
    return ", ".join(needed) + (f"[{', ' if needed else ''}{', '.join(more)}]" if more else "")


def in_python(function, bound):
    """The form of a function in Python."""
    parameters = list(inspect.signature(function).parameters.values())[bound:]
    parameters = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    needed, more = ([p.name for p in parameters if (p.default is p.empty) is b] for b in (True, False))
    return [written(needed, more)]


def line(name, value, bound):
    """A call with its forms, or the name of a field."""
    if isinstance(value, staticmethod):
        value, name, bound = value.__func__, f"static {name}", False
    if isinstance(value, types.FunctionType):
        forms = in_python(value, bound)
    elif callable(value) and type(value).__module__ != "builtins":
        forms = documented(value, bound) or [""]
    else:
        return name
    return f"{name}({'; '.join(forms)})"


def members(kind):
    """The lines of a class."""
    if issubclass(kind, int):
        # An enumeration of Boost.Python.
        return sorted(vars(kind)["names"])
    names = [n for n in dir(kind) if (not n.startswith("_") or n == "__init__") and n not in INHERITED]
    return [line(n, inspect.getattr_static(kind, n), True) for n in names]


def class_lines(name, kind, known):
    """The lines of a class, less those that `known` has of its base, and of a class that is the same."""
    found = members(kind)
    if found in known.values():
        return [f"class {name} = {next(other for other, lines in known.items() if lines == found)}"]
    base = kind.__base__.__name__
    inherited = known.get(base)
    known[name] = found
    if inherited is None:
        return [f"class {name}", *(f" {inner}" for inner in found)]
    return [f"class {name}({base})", *(f" {inner}" for inner in found if inner not in inherited)]


def module_lines(module, pinocchio):
    known: dict[str, list[str]] = {}
    lines = []
    for name in sorted(dir(module)):
        value = getattr(module, name)
        own = getattr(value, "__module__", None) or ""
        if name.startswith("_") or name in LEFT_OUT:
            continue
        if isinstance(value, types.ModuleType):
            if module is pinocchio and value.__name__.startswith("pinocchio."):
                lines += [f"module {name}", *(f" {inner}" for inner in module_lines(value, pinocchio))]
        elif isinstance(value, type):
            if module is not pinocchio and getattr(pinocchio, name, None) is value:
                continue
            lines += class_lines(name, value, known)
        elif module is pinocchio or own.startswith("pinocchio") or type(value).__module__.startswith("Boost"):
            lines.append(line(name, value, False))
    return lines


def main(file):
    # Boost.Python asks for these classes where it writes the docs of sparse matrices.
    for name in ("scipy", "scipy.sparse"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sparse = sys.modules["scipy.sparse"]
    setattr(sys.modules["scipy"], "sparse", sparse)
    for name in ("csc_matrix", "csr_matrix"):
        setattr(sparse, name, type(name, (), {}))
    # Pinocchio does not import its viewers.
    importlib.import_module("pinocchio.visualize")
    pinocchio = importlib.import_module("pinocchio")
    file.write_text("\n".join(module_lines(pinocchio, pinocchio)) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
