"""Resident memory over many calls of each kind: `python leaks.py [CALLS] [--seconds S] [--robot NAME]`.

Every method of `fl.Model` that takes arguments which are known by name is called CALLS times, or for S seconds
where it is slow; so are lists, many states, errors, programs and copies. Memory must stay flat: the table tells
the bytes a call that are left after a warm-up.
"""

from __future__ import annotations

import argparse
import copy
import gc
import importlib
import inspect
import os
import pathlib
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import featherline as fl

sys.path.insert(0, str(pathlib.Path(__file__).parent / "tests"))
import fuzz

# Growth below this is the allocator's, not a leak: pages that it keeps.
FLAT = 2 << 20


def resident() -> int:
    """Bytes of resident memory."""
    gc.collect()
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def attempt(call: Callable[[], object]) -> Callable[[], object]:
    """A call that fails as it should."""

    def run() -> None:
        try:
            call()
        except (ValueError, KeyError, TypeError):
            pass

    return run


def closing(plot: Callable[[], object]) -> Callable[[], object]:
    """A call that draws, whose figures are closed."""

    def run() -> None:
        plot()
        importlib.import_module("matplotlib.pyplot").close("all")

    return run


def calls(robot: str) -> dict[str, Callable[[], object]]:
    """The calls, by name."""
    model = fl.load(robot)
    found: dict[str, Callable[[], object]] = {}
    for name, signature in fuzz.methods(model).items():
        if signature is None or name == "compile":
            continue
        values = fuzz.Values(1, model, 0.0)
        values.states = None
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in signature.parameters.values():
            if parameter.default is not inspect.Parameter.empty:
                continue
            value = values.of(parameter.name, parameter.default)
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        method = getattr(model, name)
        try:
            result = method(*positional, **named)
        except fuzz.USUAL:
            continue
        found[name] = lambda method=method, positional=positional, named=named: method(*positional, **named)
        if name.startswith("plot"):
            # pyplot keeps a figure until it is closed.
            found[name] = closing(found[name])
        if "out" in signature.parameters and isinstance(result, np.ndarray):
            into = {**named, "out": np.empty_like(result)}
            found[f"{name}, out"] = lambda method=method, positional=positional, into=into: method(*positional, **into)
    q, v = model.neutral(), np.zeros(model.nv)
    rows = model.random_configuration(1, 100)
    lists = (q.tolist(), v.tolist(), v.tolist())
    single = rows.astype(np.float32)
    nan = rows * np.nan
    found["rnea of lists"] = lambda: model.rnea(*lists)
    found["rnea of 100 states"] = lambda: model.rnea(rows, v, v)
    found["crba of 100 states in float32"] = lambda: model.crba(single)
    found["rnea of 100 states that fail"] = lambda: model.rnea(nan, v, v)
    found["rnea with forces"] = lambda: model.rnea(q, v, v, {next(iter(model.joints)): [1.0] * 6})
    found["error of shape"] = attempt(lambda: model.rnea(v[:1], v, v))
    found["error of type"] = attempt(lambda: model.rnea("q", v, v))
    found["error of name"] = attempt(lambda: model.placement(q, "nothing"))
    found["error of a number"] = attempt(lambda: model.rnea(q * np.nan, v, v))
    program = model.compile("rnea", lean=False)
    out = np.empty(model.nv)
    found["program"] = lambda: program(q, v, v)
    found["program, out"] = lambda: program(q, v, v, out=out)
    found["program of 100 states"] = lambda: program(rows, v, v)
    found["program, error"] = attempt(lambda: program(q, v))
    found["program, copied"] = lambda: pickle.loads(pickle.dumps(program))
    found["compile"] = lambda: model.compile("center_of_mass", lean=False)
    found["load"] = lambda: fl.load("panda")
    found["pickle"] = lambda: pickle.loads(pickle.dumps(model))
    found["copy"] = lambda: copy.deepcopy(model)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="the longest for one kind of call")
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--only", default="", help="kinds whose name has this text")
    options = parser.parse_args()
    leaks = 0
    warnings.simplefilter("ignore")
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    print(f"{'call':34} {'calls':>9} {'µs':>8} {'kept, kB':>9} {'bytes a call':>13}")
    for name, call in calls(options.robot).items():
        if options.only not in name:
            continue
        begin = time.perf_counter()
        for _ in range(20):
            call()
        each = (time.perf_counter() - begin) / 20
        count = max(20, min(options.calls, int(options.seconds / max(each, 1e-9))))
        # Half of the calls warm up what is made once, and the allocator.
        for _ in range(count // 2):
            call()
        before = resident()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        each = (time.perf_counter() - begin) / count
        kept = resident() - before
        leaky = kept > max(FLAT, count // 10)
        leaks += leaky
        word = "  LEAK" if leaky else ""
        print(f"{name:34} {count:9} {1e6 * each:8.2f} {kept / 1024:9.0f} {kept / count:13.4f}{word}", flush=True)
    os.chdir("/")
    folder.cleanup()
    print(f"{leaks} leaks" if leaks else "flat")
    return min(leaks, 1)


if __name__ == "__main__":
    sys.exit(main())
