"""Arguments by name, for calls that have several forms."""

from __future__ import annotations

from typing import Any


def in_order(function: str, forms: tuple[str, ...], given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call in the order of the form that has their names; a form is "needed [optional]".

    >>> in_order("Quaternion", ("R", "w x y z"), (1.0,), {"z": 4.0, "y": 3.0, "x": 2.0})
    (1.0, 2.0, 3.0, 4.0)
    """
    for form in forms:
        words = form.split()
        needed = sum(not word.startswith("[") for word in words)
        names = [word.strip("[]") for word in words[len(given) :][: len(named)]]
        if set(names) == set(named) and len(given) + len(named) >= needed:
            return (*given, *(named[name] for name in names))
    passed = ", ".join([f"{len(given)} by position"] * bool(given) + list(named))
    raise TypeError(f"{function} has no form with these arguments: {passed}. It takes ({'), ('.join(forms)})")
