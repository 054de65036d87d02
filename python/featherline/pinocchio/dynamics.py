"""Inverse and forward dynamics, masses and subtrees, beside the native functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.model import Model, of_model
from featherline.pinocchio.native import dccrba

__all__ = ["computeCentroidalMapTimeVariation", "computeSubtreeMasses", "computeTotalMass"]

Array = np.ndarray


@of_model
def computeSubtreeMasses(model: Model, data: Data) -> None:
    """Masses of subtrees in data.mass."""
    data.mass = [sum(model._inertias[j].mass for j in subtree) for subtree in model.subtrees]


@of_model
def computeTotalMass(model: Model, data: Data | None = None) -> float:
    """The mass of all moving bodies in kg."""
    mass = float(sum(inertia.mass for inertia in model._inertias[1:]))
    if data is not None:
        data.mass = [mass, *data.mass[1:]]
    return mass


@of_model
def computeCentroidalMapTimeVariation(model: Model, data: Data, q: Any, v: Any) -> Array:
    """The rate (6, nv) of the centroidal momentum matrix, in data.dAg too."""
    rate: Array = dccrba(model, data, q, v)
    return rate
