"""Dictionaries whose errors name the nearest key."""

from __future__ import annotations

import difflib
from typing import Generic, TypeVar

T = TypeVar("T")


class Names(dict[str, T], Generic[T]):
    """Parts of a robot by name, in the robot's order."""

    def __init__(self, kind: str, values: dict[str, T]) -> None:
        super().__init__(values)
        self._kind = kind

    def __missing__(self, name: str) -> T:
        near = difflib.get_close_matches(str(name), self, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise KeyError(f"there is no {self._kind} '{name}'{hint}")
