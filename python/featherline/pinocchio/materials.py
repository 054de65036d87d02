"""Materials of objects that are drawn: kept here, where objects are drawn in meshColor alone."""

from __future__ import annotations

from typing import Any

import numpy as np

_FIELDS = ("meshEmissionColor", "meshSpecularColor", "meshShininess")

__all__ = ["GeometryNoMaterial", "GeometryPhongMaterial"]


class GeometryNoMaterial:
    """No material but the colour."""

    def __init__(self, other: GeometryNoMaterial | None = None) -> None:
        del other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryNoMaterial)

    __hash__ = None  # type: ignore[assignment]


class GeometryPhongMaterial:
    """The light that an object gives and reflects: (), (other), or (emission colour, specular colour, shininess)."""

    meshEmissionColor: np.ndarray
    meshSpecularColor: np.ndarray
    meshShininess: float

    def __init__(self, *parts: Any) -> None:
        if len(parts) == 1:
            parts = tuple(getattr(parts[0], name) for name in _FIELDS)
        if len(parts) not in (0, 3):
            raise TypeError(f"GeometryPhongMaterial takes 0, 1 or 3 arguments, not {len(parts)}")
        black = (0.0, 0.0, 0.0, 1.0)
        emission, specular, shininess = parts or (black, black, 0.0)
        self.meshEmissionColor, self.meshSpecularColor = (np.array(c, float).reshape(4) for c in (emission, specular))
        self.meshShininess = float(shininess)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryPhongMaterial) and all(
            np.array_equal(value, getattr(other, name)) for name, value in vars(self).items()
        )

    __hash__ = None  # type: ignore[assignment]
