"""Parts of a robot by name or place."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar, overload

from featherline._native import _closest

if TYPE_CHECKING:
    from featherline import FrameConstraint, Model

T = TypeVar("T")


class Names(dict[str, T], Generic[T]):
    """Parts of a robot by name, in the robot's order; a number or a slice takes them by place.

    Iteration gives the names, as that of all dictionaries; `values()` gives the parts.
    """

    def __init__(self, kind: str, values: dict[str, T]) -> None:
        super().__init__(values)
        self._kind = kind

    @overload
    def __getitem__(self, key: str | SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[T]: ...
    def __getitem__(self, key: str | SupportsIndex | slice, /) -> T | list[T]:
        if isinstance(key, str):
            return super().__getitem__(key)
        if isinstance(key, slice):
            return list(self.values())[key]
        try:
            place = operator.index(key)
        except TypeError:
            raise TypeError(f"a {self._kind} is taken by its name or place, not by {type(key).__name__}") from None
        if not -len(self) <= place < len(self):
            raise IndexError(f"there is no {self._kind} {place}: there are {len(self)}")
        return list(self.values())[place]

    def __missing__(self, name: str) -> T:
        near = _closest(str(name), list(self))
        hint = f"; did you mean '{near}'?" if near else ""
        raise KeyError(f"there is no {self._kind} '{name}'{hint}")


def part(model: Model, parts: str, name: str) -> Any:
    """A joint, frame or loop of a model, as it is pickled."""
    return getattr(model, parts)[name]


def constraint(
    frame: str, kind: Any, reference: Any, placement: Any, base: str, base_placement: Any, stabilisation: tuple[float, float]
) -> FrameConstraint:
    """A frame constraint, as it is pickled."""
    from featherline import FrameConstraint

    return FrameConstraint(
        frame, kind, reference=reference, placement=placement, base=base, base_placement=base_placement,
        stabilisation=stabilisation,
    )  # fmt: skip
