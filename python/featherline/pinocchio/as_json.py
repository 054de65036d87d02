"""Objects of this module as JSON: numbers, texts and names of classes. Nothing of it is run when it is read."""

from __future__ import annotations

import copy
import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import numpy as np

from featherline._native import SE3, Force, Inertia, Motion
from featherline.pinocchio import (
    coal,
    contact_patches,
    data,
    enums,
    geometry,
    joint_data,
    joints,
    lists,
    materials,
    model,
    pseudo_inertia,
    quaternion,
    rigid_constraints,
    symmetric3,
)
from featherline.pinocchio.frames import Frame
from featherline.robot_files import Geometry, MeshFile

# Classes whose objects are their attributes and entries: none has an effect when it is made without a constructor.
_MODULES = (
    coal, contact_patches, data, enums, geometry, joint_data, joints, lists, materials, model, pseudo_inertia, quaternion, rigid_constraints,
    symmetric3,
)  # fmt: skip
_KINDS: dict[str, type] = {
    kind.__name__: kind
    for module in _MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
}
# Those that are made of the numbers and texts that their constructors take.
_OF_PARTS: dict[str, Any] = {kind.__name__: kind for kind in (SE3, Motion, Force, Inertia, Frame, Geometry, MeshFile)}
# The types of numbers in arrays.
_NUMBERS = "?bBhHiIlLqQfd"
_DTYPES = {np.dtype(char).str: np.dtype(char) for char in _NUMBERS}
_PLAIN = frozenset((type(None), bool, int, float, str))


def _array(array: np.ndarray) -> dict[str, Any]:
    form = {"array": array.dtype.str, "shape": array.shape}
    if array.flags.fnc:
        # Native functions read matrices column by column.
        form["order"] = "F"
    form["base64"] = b2a_base64(array.tobytes("A"), newline=False).decode("ascii")
    return form


def _pairs(items: Iterable[tuple[Any, Any]]) -> list[Any]:
    return [[_form(key), value if type(value) in _PLAIN else _form(value)] for key, value in items]


def _parts(parts: Iterable[Any]) -> list[Any]:
    return [part if type(part) in _PLAIN else _form(part) for part in parts]


def _form(thing: Any) -> Any:
    """What JSON can hold of an object."""
    kind: type = type(thing)
    if kind in _PLAIN:
        return thing
    if kind is np.ndarray and thing.dtype.char in _NUMBERS:
        return _array(thing)
    if kind is list:
        return _parts(thing)
    if kind is tuple:
        return {"tuple": _parts(thing)}
    if kind is dict:
        return {"dict": _pairs(thing.items())}
    name = kind.__name__
    if _OF_PARTS.get(name) is kind:
        return {"made": name, "of": _parts(thing if isinstance(thing, tuple) else thing.__reduce__()[1])}
    if _KINDS.get(name) is not kind:
        return _other(thing)
    if issubclass(kind, IntEnum):
        return {"member": name, "of": int(thing)}
    if kind is data.Data:
        return {"data": _parts(thing.__reduce__()[1])}
    state = thing.__getstate__() if hasattr(kind, "__getstate__") else vars(thing)
    form = {"object": name, "state": _pairs(state.items()) if state else []}
    if issubclass(kind, list):
        form["entries"] = _parts(thing)
    elif issubclass(kind, dict):
        form["entries"] = _pairs(dict.items(thing))
    return form


def _other(thing: Any) -> Any:
    """What JSON can hold of an object of numpy, or of a shape of the package coal."""
    kind = type(thing)
    if isinstance(thing, np.generic) and thing.dtype.char in _NUMBERS:
        return {"number": _array(np.array(thing))}
    if kind.__module__ != "coal.coal_pywrap":
        raise TypeError(f"a {kind.__module__}.{kind.__name__} cannot be saved: it is no object of this package")
    own = coal.__dict__[kind.__name__]() if kind.__name__ in coal.__all__ else None
    if not own or not vars(own):
        what = "name its file, or take a box, a sphere, a cylinder or their like"
        raise TypeError(f"a shape coal.{kind.__name__} cannot be saved: {what}")
    for size in vars(own):
        setattr(own, size, copy.copy(getattr(thing, size)))
    return _form(own)


def written(thing: Any) -> bytes:
    """An object as JSON, in ASCII."""
    return json.dumps(_form(thing), check_circular=False).encode("ascii")


def _class(name: Any, kinds: dict[str, Any]) -> Any:
    kind = kinds.get(name) if type(name) is str else None
    if kind is None:
        raise ValueError(f"it names {name!r}, which is no class of saved objects")
    return kind


def _read_array(form: dict[str, Any]) -> np.ndarray:
    kind = _DTYPES.get(form["array"])
    if kind is None:
        raise ValueError(f"it names {form['array']!r}, which is no type of numbers")
    numbers = bytearray(a2b_base64(form["base64"]))
    return np.ndarray(form["shape"], kind, numbers, order="F" if "order" in form else "C")


def _read_made(form: dict[str, Any]) -> Any:
    return _class(form["made"], _OF_PARTS)(*form["of"])


def _read_member(form: dict[str, Any]) -> Any:
    kind = _class(form["member"], _KINDS)
    if not issubclass(kind, IntEnum):
        raise ValueError(f"it names a member of {form['member']}, which has none")
    return kind(form["of"])


def _read_object(form: dict[str, Any]) -> Any:
    kind = _class(form["object"], _KINDS)
    made: Any = kind.__new__(kind)
    if "entries" in form:
        fill: Any = list.extend if issubclass(kind, list) else dict.update
        fill(made, form["entries"])
    state = dict(form["state"])
    if hasattr(kind, "__setstate__"):
        made.__setstate__(state)
    else:
        vars(made).update(state)
    return made


_READ: dict[str, Any] = {
    "array": _read_array,
    "number": lambda form: form["number"][()],
    "tuple": lambda form: tuple(form["tuple"]),
    "dict": lambda form: dict(form["dict"]),
    "made": _read_made,
    "member": _read_member,
    "data": lambda form: data.restored(*form["data"]),
    "object": _read_object,
}


def _made(form: dict[str, Any]) -> Any:
    """The object that a part of JSON tells of."""
    first = next(iter(form), None)
    if first not in _READ:
        raise ValueError(f"it has {first!r}, where one of {', '.join(_READ)} is expected")
    return _READ[first](form)


def read(text: bytes | str) -> Any:
    """The object that was written."""
    return json.loads(text, object_hook=_made)
