"""Contacts as structured arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# After t, shapes and links: a name, and how many numbers it has.
_NUMBERS = (("point", 3), ("normal", 3), ("gap", 1), ("friction", 1), ("force", 3), ("velocity", 3))


def _structured(
    shapes: Sequence[str], links: Sequence[str], times: Sequence[float], pairs: Sequence[tuple[int, int]], numbers: NDArray[np.float64]
) -> NDArray[Any]:
    """Contacts, each with its time, the names of two shapes and of their links, and its numbers."""
    import numpy as np

    shape_names, link_names = np.array(shapes or [""]), np.array(links or [""])
    fields: list[Any] = [("t", float), ("shapes", shape_names.dtype, (2,)), ("links", link_names.dtype, (2,))]
    fields += [(name, float, (width,)) if width > 1 else (name, float) for name, width in _NUMBERS]
    contacts = np.zeros(len(times), fields)
    if not len(times):
        return contacts
    indices = np.array(pairs)
    contacts["t"], contacts["shapes"], contacts["links"] = times, shape_names[indices], link_names[indices]
    rows, start = numbers.reshape(len(times), -1), 0
    for name, width in _NUMBERS:
        contacts[name] = rows[:, start : start + width] if width > 1 else rows[:, start]
        start += width
    return contacts
