"""Materials of shapes. Pictures and the page are drawn in flat colours: only `meshColor` of a shape is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["GeometryNoMaterial", "GeometryPhongMaterial"]


class GeometryNoMaterial:
    """That of a shape without a material."""

    def __init__(self, other: GeometryNoMaterial | None = None) -> None: ...


class GeometryPhongMaterial:
    """Colours (4,) that a shape emits and reflects, and its shininess from 0 to 1."""

    meshEmissionColor: np.ndarray
    meshSpecularColor: np.ndarray
    meshShininess: float

    def __init__(self, *parts: Any) -> None:
        emission: Any = (0.0, 0.0, 0.0, 1.0)
        specular: Any = emission
        shininess: Any = 0.0
        if len(parts) == 1 and isinstance(parts[0], GeometryPhongMaterial):
            other = parts[0]
            emission, specular, shininess = other.meshEmissionColor, other.meshSpecularColor, other.meshShininess
        elif len(parts) == 3:
            emission, specular, shininess = parts
        elif parts:
            raise TypeError("GeometryPhongMaterial takes the colours that are emitted and reflected, and the shininess")
        self.meshEmissionColor, self.meshSpecularColor = np.array(emission, float), np.array(specular, float)
        self.meshShininess = float(shininess)
