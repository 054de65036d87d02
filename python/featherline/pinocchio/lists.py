"""Lists with the names that Pinocchio gives to them."""

from __future__ import annotations

import copy as copy_module
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex, TypeVar, overload

import numpy as np

T = TypeVar("T")
Kind = TypeVar("Kind", bound=list[Any])
_NOTHING = object()


class StdVec(list[T]):
    """A list, with the methods of Pinocchio's containers."""

    def __init_subclass__(cls) -> None:
        cls.__doc__ = vars(cls).get("__doc__") or f"A list: Pinocchio's {cls.__name__}."

    def __init__(self, other: Any = (), value: Any = _NOTHING, *, size: Any = None) -> None:
        """Of what can be iterated over, or (size, value)."""
        if value is _NOTHING:
            list.__init__(self, other)
        else:
            count = other if size is None else size
            list.__init__(self, (copy_module.copy(value) for _ in range(count)))

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> StdVec[T]: ...
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return filled(type(self), found) if isinstance(index, slice) else found

    def tolist(self, deep_copy: bool = False) -> list[T]:
        return copy_module.deepcopy(list(self)) if deep_copy else list(self)

    def id(self) -> int:
        return id(self)

    def copy(self) -> StdVec[T]:
        return filled(type(self), self)

    def reserve(self, new_cap: int) -> None:
        """Nothing: lists grow by themselves."""


def filled(kind: type[Kind], parts: Iterable[Any]) -> Kind:
    """A list of these parts, in the time of a plain list: half of what its constructor in Python takes."""
    made = kind.__new__(kind)
    made.extend(parts)
    return made


def are_equal(mine: dict[str, Any], others: dict[str, Any]) -> bool:
    """Whether objects have the same attributes, arrays with the same entries."""
    return mine.keys() == others.keys() and all(
        np.array_equal(value, others[name]) if isinstance(value, np.ndarray) else bool(value == others[name])
        for name, value in mine.items()
    )


class Changes:
    """How often parts of geometry models have changed: what is prepared of them is made anew then."""

    count = 0


def _counted(method: Callable[..., Any]) -> Callable[..., Any]:
    def changing(self: list[Any], *arguments: Any, **named: Any) -> Any:
        Changes.count += 1
        return method(self, *arguments, **named)

    return functools.wraps(method)(changing)


class CountedVec(StdVec[T]):
    """A list whose changes are counted."""


for _name in """__delitem__ __iadd__ __imul__ __setitem__ append clear extend insert pop remove reverse sort""".split():
    setattr(CountedVec, _name, _counted(getattr(list, _name)))


class StdVec_Bool(CountedVec[bool]): ...
class StdVec_BooleanVector(StdVec[Any]): ...
class StdVec_CollisionPair(CountedVec[Any]): ...
class StdVec_CollisionResult(CountedVec[Any]): ...
class StdVec_Contact(StdVec[Any]): ...
class StdVec_Data(StdVec[Any]): ...
class StdVec_DistanceResult(CountedVec[Any]): ...
class StdVec_Double(StdVec[float]): ...
class StdVec_EigenIndex(StdVec[int]): ...
class StdVec_EigenIndexVector(StdVec[Any]): ...
class StdVec_Force(StdVec[Any]): ...
class StdVec_Frame(StdVec[Any]): ...
class StdVec_GeometryData(StdVec[Any]): ...
class StdVec_GeometryModel(StdVec[Any]): ...
class StdVec_GeometryObject(CountedVec[Any]): ...
class StdVec_Index(StdVec[int]): ...
class StdVec_IndexVector(StdVec[Any]): ...
class StdVec_Inertia(StdVec[Any]): ...
class StdVec_JointDataVector(StdVec[Any]): ...
class StdVec_JointModelVector(StdVec[Any]): ...
class StdVec_Matrix6(StdVec[Any]): ...
class StdVec_Matrix6x(StdVec[Any]): ...
class StdVec_MatrixXs(StdVec[Any]): ...
class StdVec_Model(StdVec[Any]): ...
class StdVec_Motion(StdVec[Any]): ...
class StdVec_SE3(StdVec[Any]): ...
class StdVec_Scalar(StdVec[float]): ...
class StdVec_StdString(StdVec[str]): ...
class StdVec_StdVec_Int(StdVec[Any]): ...
class StdVec_Symmetric3(StdVec[Any]): ...
class StdVec_Vec3s(StdVec[Any]): ...
class StdVec_Vector3(StdVec[Any]): ...
class StdVec_int(StdVec[int]): ...


class _Entry(str):
    """A key, with Pinocchio's methods of an entry."""

    _value: Any

    def key(self) -> str:
        return str(self)

    def data(self) -> Any:
        return self._value


class StdMap_String_VectorXd(dict):  # type: ignore[type-arg]
    """A dictionary of configurations by name. Iteration gives names, which have `key()` and `data()`."""

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            entry = _Entry(name)
            entry._value = self[name]
            yield entry

    def todict(self) -> dict[str, Any]:
        return dict(self)


__all__ = [name for name in dir() if name.startswith(("StdVec_", "StdMap_"))]
