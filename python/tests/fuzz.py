"""Calls every method with arguments that make no sense: `python tests/fuzz.py [CALLS] [--seed N]`.

Methods are found by themselves: those of `fl.Model`, and of every object of featherline that a call gives. A call
may give a result or raise an error of Python's usual kinds. It must not crash, hang, panic, or write to an
argument that is not `out`. The last call before a crash is printed.
"""

from __future__ import annotations

import argparse
import faulthandler
import functools
import inspect
import mmap
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import featherline as fl

# What a call may raise.
USUAL = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, OSError, NotImplementedError,
    MemoryError, ZeroDivisionError, StopIteration,
)  # fmt: skip

# Robots of one base, floating bases, mimic joints and branches.
ROBOTS = ["panda", "humanoid", "hand"]

CONFIGURATIONS = {"q", "q0", "q1", "q_start", "q_end", "q_goal"}
TANGENTS = {"v", "v0", "a", "tau", "b", "dv", "dq", "u", "qdd", "torque", "torques"}
WORDS = ["local", "world", "local_world_aligned", "rnea", "bias", "crba", "ab\0c", "", "ü", "q", "tau", "none", "x" * 300]
NUMBERS = [
    0, 1, 2, 3, 7, -1, -(2**63), 2**31, 2**63, 2**64, 10**30, 0.0, -0.0, 0.1, 1.0, 1e-300, 1e300, -1e300, float("inf"),
    float("nan"), True, 1 + 2j,
]  # fmt: skip


class Words(dict[str, str]):
    """A mapping that is no plain dictionary."""


class Refuses:
    """An object whose every conversion fails."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise ValueError("no array")

    def __float__(self) -> float:
        raise ValueError("no float")

    def __index__(self) -> int:
        raise ValueError("no index")

    def __len__(self) -> int:
        return 2**62

    def __str__(self) -> str:
        raise ValueError("no text")

    __fspath__ = __repr__ = __str__


class Values:
    """Arguments for one call, by the names of parameters."""

    def __init__(self, seed: int, model: fl.Model, hostility: float) -> None:
        self.random = random.Random(seed)
        self.model = model
        self.hostility = hostility
        # All arguments of a call are one state, or as many rows.
        self.states = self.random.choice([None, None, 1, 2, 5, 70])

    def hostile(self) -> bool:
        return self.random.random() < self.hostility

    def array(self, width: int) -> Any:
        """Numbers of one state or of many."""
        source = np.random.default_rng(self.random.getrandbits(32))
        shape = (width,) if self.states is None else (self.states, width)
        return self.spoilt(source.uniform(-1.0, 1.0, shape))

    def spoilt(self, good: Any) -> Any:
        """An array, often with something wrong."""
        if not self.hostile():
            return good
        pick = self.random.choice
        kind = self.random.randrange(16)
        if kind == 0:
            return good.astype(pick(["f4", "f2", "i8", "i1", "u1", "c16", "O", "U8", "S4", "?", "M8[s]", ">f8", ">f4"]))
        if kind == 1:
            return np.full(good.shape, pick([np.nan, np.inf, -np.inf, 1e308, -1e300, 1e-320, 1e160]))
        if kind == 2:
            return np.zeros(pick([(), (0,), (1,), good.shape + (1,), (0,) + good.shape, good.shape[::-1], (3, 0, 2)]))
        if kind == 3:
            return np.asfortranarray(good)
        if kind == 4:
            return np.repeat(good, 2, axis=-1)[..., ::2]
        if kind == 5:
            return good[..., ::-1]
        if kind == 6:
            return good.tolist()
        if kind == 7:
            return np.broadcast_to(good.flat[0] if good.size else 0.0, good.shape)
        if kind == 8:
            good.flags.writeable = False
            return good
        if kind == 9:
            # Doubles at odd addresses.
            raw = np.zeros(good.nbytes + 1, np.uint8)
            odd = raw[1:].view(np.float64).reshape(good.shape)
            odd[...] = good
            return odd
        if kind == 10:
            return np.ma.masked_array(good, good > 0)
        if kind == 11:
            return [good.tolist(), [1.0], "x"]
        if kind == 12:
            worse = good.copy()
            worse.flat[self.random.randrange(max(1, good.size)) :] = pick([np.nan, np.inf, 1e300])
            return worse
        if kind == 13:
            return good.view(np.int64)
        if kind == 14:
            return np.zeros(good.shape)
        return self.anything()

    def anything(self) -> Any:
        """A value of any type."""
        choice = self.random.randrange(12)
        if choice == 0:
            return None
        if choice <= 2:
            return self.random.choice(NUMBERS)
        if choice == 3:
            return self.random.choice(WORDS)
        if choice == 4:
            return [self.random.choice(NUMBERS) for _ in range(self.random.randrange(8))]
        if choice == 5:
            return {self.random.choice(WORDS): self.random.choice(NUMBERS)}
        if choice == 6:
            return Refuses()
        if choice == 7:
            return self.random.choice([b"bytes", (), set(), object, print, lambda *a, **k: None, range(7), Ellipsis])
        if choice == 8:
            return self.model
        if choice == 9:
            return np.array(self.random.choice([1.0, 2**62, "x", None]))
        if choice == 10:
            return [self.random.choice(WORDS), None]
        return self.array(self.model.nv)

    def name(self) -> str:
        """A frame's name."""
        return self.random.choice([*self.model.frames, *self.model.joints])

    def forces(self) -> Any:
        joints = len(self.model.joints)
        lead = () if self.states is None else (self.states,)
        return self.random.choice(
            [None, {self.name(): [1.0] * 6}, {self.name(): self.anything()}, np.ones((*lead, joints, 6)), Words()]
        )

    def path(self) -> Any:
        return self.random.choice(["file.bin", pathlib.Path("file.json"), "no/such/folder/file", "", ".", "file\0"])

    def of(self, name: str, default: Any) -> Any:
        """A value for a parameter of that name."""
        if self.random.random() < self.hostility / 4:
            return self.anything()
        if name in CONFIGURATIONS:
            if self.hostile():
                return self.array(self.model.nq)
            return self.spoilt(self.model.random_configuration(self.random.getrandbits(30), self.states))
        if name in TANGENTS:
            return self.array(self.model.nv)
        if "force" in name:
            return self.forces()
        if name in ("frames", "links", "joints", "names", "bodies"):
            names: Any = [self.name() for _ in range(self.random.randrange(4))]
            return [*names, self.anything()] if self.hostile() else names
        if "path" in name or name == "file":
            return self.path()
        if any(word in name for word in ["frame", "joint", "link", "body"]):
            return self.random.choice(WORDS) if self.hostile() else self.name()
        if isinstance(default, bool):
            return self.random.random() < 0.5
        if isinstance(default, (int, float)):
            return self.random.choice([default, *NUMBERS]) if self.hostile() else default
        if isinstance(default, str):
            return self.random.choice(WORDS) if self.hostile() else default
        if name in ("seed", "states", "count", "n", "steps", "index"):
            return self.random.choice([0, 1, 2, 5, *NUMBERS]) if self.hostile() else 3
        if name in ("t", "dt", "time", "duration", "tolerance"):
            return self.random.choice(NUMBERS) if self.hostile() else 0.01
        if name == "gravity":
            return self.spoilt(np.array([0.0, 0.0, -9.81]))
        if name == "algorithm":
            return self.random.choice(["rnea", "bias", "crba", "center_of_mass", "gravity_torque", *WORDS])
        if default is not inspect.Parameter.empty:
            return default
        return self.anything()


def methods(owner: object) -> dict[str, inspect.Signature | None]:
    """The public methods of an object, or functions of a module, with their signatures."""
    found: dict[str, inspect.Signature | None] = {}
    for name in dir(owner):
        if name.startswith("_") and name not in ("__call__", "__repr__", "__copy__", "__reduce__", "__getitem__"):
            continue
        value = inspect.getattr_static(owner, name)
        if not callable(getattr(owner, name, None)) or isinstance(value, type):
            continue
        try:
            found[name] = inspect.signature(getattr(owner, name))
        except (ValueError, TypeError):
            found[name] = None
    return found


def arguments(signature: inspect.Signature | None, values: Values) -> tuple[list[Any], dict[str, Any]]:
    """Values for a signature; sometimes too few, too many, or none that it knows."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    if signature is None:
        return [values.anything() for _ in range(values.random.randrange(3))], {}
    for parameter in signature.parameters.values():
        optional = parameter.default is not inspect.Parameter.empty
        if parameter.name == "out" or (optional and values.random.random() < 0.5):
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += [values.of(name, None) for name in values.random.choice([["q"], ["q", "v"], ["q", "v", "a"]])]
        elif parameter.kind is parameter.VAR_KEYWORD:
            continue
        elif parameter.kind is parameter.KEYWORD_ONLY or (named and parameter.kind is not parameter.POSITIONAL_ONLY):
            named[parameter.name] = values.of(parameter.name, parameter.default)
        elif optional and values.random.random() < 0.5:
            named[parameter.name] = values.of(parameter.name, parameter.default)
        else:
            positional.append(values.of(parameter.name, parameter.default))
    chance = values.random.random()
    if chance < values.hostility / 20 and positional:
        positional.pop()
    elif chance < values.hostility / 10:
        positional.append(values.anything())
    elif chance < values.hostility / 7:
        named[values.random.choice(["nothing", "q", "out", "fr\udc80me", "ü"])] = values.anything()
    return positional, named


def out_for(result: Any, positional: list[Any], values: Values) -> Any:
    """An array for a result of that shape, often not a good one."""
    if not isinstance(result, np.ndarray):
        return values.anything() if values.hostile() else np.zeros(())
    arrays = [x for x in positional if isinstance(x, np.ndarray) and x.dtype == result.dtype]
    kind = values.random.randrange(9)
    if kind == 0 and arrays:
        return values.random.choice(arrays)
    if kind == 1 and arrays:
        # Memory of an argument, moved by one.
        flat = values.random.choice(arrays).reshape(-1)
        size = result.size
        if flat.size > size:
            return flat[1 : size + 1].reshape(result.shape)
    good = np.full(result.shape, 7.0, result.dtype)
    if kind == 2:
        return np.asfortranarray(good)
    if kind == 3:
        return np.repeat(good[..., None], 2, axis=-1)[..., 0]
    if kind == 4:
        good.flags.writeable = False
        return good
    return values.spoilt(good) if kind <= 6 else good


def frozen(value: Any) -> bytes | None:
    """The bytes of an argument's array."""
    return value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else None


class Fuzzer:
    """Objects whose methods are called."""

    def __init__(self, seed: int, hostility: float = 0.35) -> None:
        self.seed, self.hostility = seed, hostility
        self.models = [fl.load(name) for name in ROBOTS]
        self.zoo: dict[str, list[Any]] = {"Model": list(self.models)}
        self.spent: dict[tuple[str, str], list[float]] = {}
        self.signatures: dict[str, dict[str, inspect.Signature | None]] = {"Model": methods(self.models[0])}
        self.raised: dict[str, int] = {}

    def pick(self, source: random.Random) -> tuple[str, str]:
        """A class and a method; slow ones seldom."""
        kind = "Model" if source.random() < 0.7 else source.choice(sorted(self.zoo))
        names = sorted(self.signatures[kind])
        weights = []
        for name in names:
            count, seconds = self.spent.get((kind, name), [0.0, 0.0])
            weights.append(1.0 / (1.0 + 3000.0 * seconds / max(count, 1.0)))
        return kind, source.choices(names, weights)[0]

    def call(self, number: int, tell: Callable[[str], None]) -> None:
        """One call, and one more with `out`."""
        source = random.Random(self.seed * 1_000_003 + number)
        kind, name = self.pick(source)
        target = source.choice(self.zoo[kind])
        model = target if isinstance(target, fl.Model) else source.choice(self.models)
        values = Values(source.getrandbits(60), model, self.hostility if source.random() < 0.8 else 0.0)
        signature = self.signatures[kind][name]
        positional, named = arguments(signature, values)
        tell(f"{kind}.{name}{shown(positional, named)}")
        begin = time.perf_counter()
        result = self.attempt(target, name, positional, named)
        takes_out = signature is not None and ("out" in signature.parameters or kind == "Program")
        if takes_out and (result is not None or values.hostile()):
            out = out_for(result, positional, values)
            tell(f"{kind}.{name}{shown(positional, {**named, 'out': out})}")
            with_out = self.attempt(target, name, positional, {**named, "out": out})
            plain = isinstance(result, np.ndarray) and isinstance(with_out, np.ndarray)
            if plain and not any(x is out or np.may_share_memory(x, out) for x in positional if isinstance(x, np.ndarray)):
                assert np.array_equal(with_out, result, equal_nan=True), "the result in `out` is another one"
        spent = self.spent.setdefault((kind, name), [0.0, 0.0])
        spent[0] += 1
        spent[1] += time.perf_counter() - begin
        self.keep(result, source)

    def attempt(self, target: Any, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        out = named.get("out")
        given = [*positional, *named.values()]
        before = [frozen(value) for value in given]
        result = None
        try:
            result = getattr(target, name)(*positional, **named)
            if inspect.isgenerator(result) or hasattr(result, "__next__"):
                result = next(result, None)
        except USUAL as error:
            self.raised[type(error).__name__] = self.raised.get(type(error).__name__, 0) + 1
        for value, old in zip(given, before):
            shares = value is out or (
                isinstance(out, np.ndarray) and isinstance(value, np.ndarray) and np.may_share_memory(value, out)
            )
            if not shares or (isinstance(value, np.ndarray) and not value.flags.writeable and value.base is None):
                assert frozen(value) == old, f"an argument was written to: {shown([value], {})}, out: {value is out}"
        return result

    def keep(self, result: Any, source: random.Random) -> None:
        """Keeps objects of featherline, whose methods are called next; those it found before are replaced."""
        if type(result).__module__.split(".")[0] != "featherline" or isinstance(result, dict):
            return
        kind = type(result).__name__
        if kind not in self.signatures:
            self.signatures[kind] = methods(result)
        if not self.signatures[kind]:
            return
        same = self.zoo.setdefault(kind, [])
        if len(same) < 8:
            same.append(result)
        elif kind != "Model":
            same[source.randrange(8)] = result


def shown(positional: list[Any], named: dict[str, Any]) -> str:
    """A call's arguments in few words."""

    def one(value: Any) -> str:
        if isinstance(value, np.ndarray):
            head = np.array2string(value.reshape(-1)[:2], precision=3) if value.dtype != object else ""
            return f"array{value.shape}:{value.dtype}:{value.strides}{head}"
        try:
            return repr(value)[:80]
        except Exception:
            return f"<{type(value).__name__}>"

    words = [one(value) for value in positional] + [f"{key}={one(value)}" for key, value in named.items()]
    return f"({', '.join(words)})"


def run(calls: int, seed: int, tell: Callable[[int, str], None]) -> Fuzzer:
    """Makes the calls of a seed."""
    fuzzer = Fuzzer(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number in range(calls):
            fuzzer.call(number, functools.partial(tell, number))
    return fuzzer


def child(calls: int, seed: int, log: pathlib.Path, seconds: float) -> None:
    """The calls, with the last one in a file that outlives a crash."""
    if sys.platform == "linux":
        import resource

        # What would take all memory fails instead.
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    with log.open("r+b") as file, mmap.mmap(file.fileno(), 4096) as memory:

        def tell(number: int, text: str) -> None:
            data = f"{number}: {text}".encode("utf-8", "backslashreplace")[:4000]
            memory[: 4 + len(data)] = struct.pack("<I", len(data)) + data
            faulthandler.dump_traceback_later(seconds, exit=True)

        fuzzer = run(calls, seed, tell)
    faulthandler.cancel_dump_traceback_later()
    print(f"{calls} calls of {sum(map(len, fuzzer.signatures.values()))} methods of {', '.join(sorted(fuzzer.signatures))}")
    print("raised:", ", ".join(f"{count} {name}" for name, count in sorted(fuzzer.raised.items())))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("calls", nargs="?", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="the longest that a call may take")
    parser.add_argument("--log", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.log:
        child(options.calls, options.seed, options.log, options.seconds)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "last")
        log.write_bytes(bytes(4096))
        command = [sys.executable, os.path.abspath(__file__), str(options.calls), f"--seed={options.seed}"]
        command += [f"--seconds={options.seconds}", f"--log={log}"]
        paths = os.pathsep.join([str(pathlib.Path(fl.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
        work = pathlib.Path(folder, "work")
        work.mkdir()
        done = subprocess.run(command, cwd=work, env={**os.environ, "PYTHONPATH": paths})
        if done.returncode:
            data = log.read_bytes()
            (length,) = struct.unpack_from("<I", data)
            last = re.sub(r"[^\x20-\x7e]", "?", data[4 : 4 + length].decode("utf-8", "replace"))
            print(f"FAILED with status {done.returncode} (seed {options.seed}) in call {last}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
