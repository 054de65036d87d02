"""Materials of objects: those that are drawn, in meshColor alone, and those of contacts, which no algorithm here reads."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

_FIELDS = ("meshEmissionColor", "meshSpecularColor", "meshShininess")

__all__ = [
    "CONCRETE", "FrictionCoefficientMatrix", "GeometryNoMaterial", "GeometryPhongMaterial", "ICE", "METAL", "PLASTIC",
    "PhysicsMaterial", "PhysicsMaterialType", "WOOD", "getFrictionCoefficientMatrix",
]  # fmt: skip


class PhysicsMaterialType(IntEnum):
    ICE = 0
    METAL = 1
    CONCRETE = 2
    PLASTIC = 3
    WOOD = 4


ICE, METAL, CONCRETE, PLASTIC, WOOD = PhysicsMaterialType


class PhysicsMaterial:
    """(), (other), or (materialType, compliance, elasticity)."""

    def __init__(self, *parts: Any) -> None:
        if len(parts) == 1:
            parts = parts[0].materialType, parts[0].compliance, parts[0].elasticity
        if len(parts) not in (0, 3):
            raise TypeError(f"PhysicsMaterial takes 0, 1 or 3 arguments, not {len(parts)}")
        material, compliance, elasticity = parts or (PLASTIC, 0.0, 0.0)
        self.materialType = PhysicsMaterialType(material)
        self.elasticity, self.compliance = float(elasticity), float(compliance)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PhysicsMaterial) and vars(self) == vars(other)

    __hash__ = object.__hash__


# Coefficients of friction, by Pinocchio 4.1; it has none for the other pairs.
_FRICTION = {
    (ICE, ICE): 0.01, (ICE, CONCRETE): 0.25, (METAL, METAL): 0.75, (METAL, PLASTIC): 0.2, (METAL, WOOD): 0.5,
    (METAL, CONCRETE): 0.85, (PLASTIC, PLASTIC): 0.2, (WOOD, WOOD): 0.4, (CONCRETE, CONCRETE): 1.0,
}  # fmt: skip


class FrictionCoefficientMatrix:
    """Coefficients of friction of pairs of materials."""

    def getFrictionFromMaterialPair(self, type1: Any, type2: Any) -> float:
        """The coefficient of two materials, in any order; zero, as in Pinocchio, where it has none."""
        one, other = PhysicsMaterialType(type1), PhysicsMaterialType(type2)
        return _FRICTION.get((one, other), _FRICTION.get((other, one), 0.0))


def getFrictionCoefficientMatrix() -> FrictionCoefficientMatrix:
    """Pinocchio's coefficients of friction."""
    return FrictionCoefficientMatrix()


class GeometryNoMaterial:
    """No material but the colour."""

    def __init__(self, other: GeometryNoMaterial | None = None) -> None:
        del other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryNoMaterial)

    __hash__ = object.__hash__


class GeometryPhongMaterial:
    """The light that an object gives and reflects: (), (other), or (emission colour, specular colour, shininess)."""

    meshEmissionColor: np.ndarray
    meshSpecularColor: np.ndarray
    meshShininess: float

    def __init__(self, *parts: Any) -> None:
        if len(parts) == 1 and isinstance(parts[0], GeometryPhongMaterial):
            parts = tuple(getattr(parts[0], name) for name in _FIELDS)
        if len(parts) not in (0, 3):
            raise TypeError("GeometryPhongMaterial takes nothing, another one, or two colours and a shininess")
        black = (0.0, 0.0, 0.0, 1.0)
        emission, specular, shininess = tuple[Any, Any, Any](parts or (black, black, 0.0))
        self.meshEmissionColor, self.meshSpecularColor = (np.array(c, float).reshape(4) for c in (emission, specular))
        self.meshShininess = float(shininess)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GeometryPhongMaterial) and all(
            np.array_equal(value, getattr(other, name)) for name, value in vars(self).items()
        )

    __hash__ = object.__hash__
