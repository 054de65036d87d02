"""Materials of shapes. Pictures and the page are drawn in flat colours: only `meshColor` of a shape is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["GeometryNoMaterial", "GeometryPhongMaterial"]


class GeometryNoMaterial:
    """That of a shape without a material."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryNoMaterial)

    __hash__ = None  # type: ignore[assignment]


class GeometryPhongMaterial:
    """Colours (4,) that a shape emits and reflects, and its shininess from 0 to 1."""

    def __init__(
        self,
        meshEmissionColor: Any = (0.0, 0.0, 0.0, 1.0),
        meshSpecularColor: Any = (0.0, 0.0, 0.0, 1.0),
        meshShininess: float = 0.0,
    ) -> None:
        self.meshEmissionColor = np.array(meshEmissionColor, float)
        self.meshSpecularColor = np.array(meshSpecularColor, float)
        self.meshShininess = float(meshShininess)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryPhongMaterial) and (
            np.array_equal(self.meshEmissionColor, other.meshEmissionColor)
            and np.array_equal(self.meshSpecularColor, other.meshSpecularColor)
            and self.meshShininess == other.meshShininess
        )

    __hash__ = None  # type: ignore[assignment]
