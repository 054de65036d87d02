"""Lists with the names that Pinocchio gives to them."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


class StdVec(list[T]):
    """A list, with the methods of Pinocchio's containers."""

    def tolist(self) -> list[T]:
        return list(self)

    def copy(self) -> StdVec[T]:
        return type(self)(self)

    def reserve(self, _count: int) -> None:
        """Nothing: lists grow by themselves."""


def _named(name: str) -> Any:
    return type(name, (StdVec,), {"__doc__": f"A list: Pinocchio's {name}.", "__module__": __name__})


StdVec_Bool = _named("StdVec_Bool")
StdVec_Double = _named("StdVec_Double")
StdVec_Force = _named("StdVec_Force")
StdVec_Frame = _named("StdVec_Frame")
StdVec_Index = _named("StdVec_Index")
StdVec_IndexVector = _named("StdVec_IndexVector")
StdVec_Inertia = _named("StdVec_Inertia")
StdVec_Matrix6 = _named("StdVec_Matrix6")
StdVec_Motion = _named("StdVec_Motion")
StdVec_SE3 = _named("StdVec_SE3")
StdVec_Scalar = _named("StdVec_Scalar")
StdVec_StdString = _named("StdVec_StdString")
StdVec_Vector3 = _named("StdVec_Vector3")
StdVec_Vec3s = _named("StdVec_Vec3s")
StdVec_int = _named("StdVec_int")


class StdMap_String_VectorXd(dict):  # type: ignore[type-arg]
    """A dictionary of configurations by name."""

    def todict(self) -> dict[str, Any]:
        return dict(self)

__all__ = [name for name in dir() if name.startswith(("StdVec_", "StdMap_"))]
