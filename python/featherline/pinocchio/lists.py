"""Lists with the names that Pinocchio gives to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, SupportsIndex, TypeVar, overload

T = TypeVar("T")


class StdVec(list[T]):
    """A list, with the methods of Pinocchio's containers."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> StdVec[T]: ...
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return type(self)(found) if isinstance(index, slice) else found

    def tolist(self) -> list[T]:
        return list(self)

    def copy(self) -> StdVec[T]:
        return type(self)(self)

    def reserve(self, _count: int) -> None:
        """Nothing: lists grow by themselves."""


class StdVec_Bool(StdVec[bool]):
    """A list: Pinocchio's StdVec_Bool."""


class StdVec_Double(StdVec[float]):
    """A list: Pinocchio's StdVec_Double."""


class StdVec_Force(StdVec[Any]):
    """A list: Pinocchio's StdVec_Force."""


class StdVec_Frame(StdVec[Any]):
    """A list: Pinocchio's StdVec_Frame."""


class StdVec_Index(StdVec[int]):
    """A list: Pinocchio's StdVec_Index."""


class StdVec_IndexVector(StdVec[Any]):
    """A list: Pinocchio's StdVec_IndexVector."""


class StdVec_Inertia(StdVec[Any]):
    """A list: Pinocchio's StdVec_Inertia."""


class StdVec_JointModelVector(StdVec[Any]):
    """A list: Pinocchio's StdVec_JointModelVector."""


class StdVec_Matrix6(StdVec[Any]):
    """A list: Pinocchio's StdVec_Matrix6."""


class StdVec_Motion(StdVec[Any]):
    """A list: Pinocchio's StdVec_Motion."""


class StdVec_SE3(StdVec[Any]):
    """A list: Pinocchio's StdVec_SE3."""


class StdVec_Scalar(StdVec[float]):
    """A list: Pinocchio's StdVec_Scalar."""


class StdVec_StdString(StdVec[str]):
    """A list: Pinocchio's StdVec_StdString."""


class StdVec_Vector3(StdVec[Any]):
    """A list: Pinocchio's StdVec_Vector3."""


class StdVec_Vec3s(StdVec[Any]):
    """A list: Pinocchio's StdVec_Vec3s."""


class StdVec_int(StdVec[int]):
    """A list: Pinocchio's StdVec_int."""


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
