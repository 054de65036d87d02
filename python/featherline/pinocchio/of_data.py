"""Quantities computed from the placements and motions in `Data`, when no state is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3, Force, _centers

Array = np.ndarray


def kineticEnergy(model: Any, data: Any) -> float:
    """Half of v Y v of all bodies."""
    pairs = zip(model._inertias[1:], data.v[1:], strict=True)
    return float(sum(inertia.vtiv(v) for inertia, v in pairs) / 2)


def potentialEnergy(model: Any, data: Any) -> float:
    """Minus gravity times the centres of all masses."""
    pairs = zip(model._inertias[1:], _placements(data)[1:], strict=True)
    gravity = model._gravity.linear
    return -float(sum(Y.mass * (gravity @ M.act(Y.lever)) for Y, M in pairs))


def _placements(data: Any) -> list[SE3]:
    """The joints' placements in the world, from those in their parents: some algorithms leave these alone."""
    placed: list[SE3] = []
    for parent, relative in zip(data._parents, data.liMi, strict=True):
        placed.append(placed[parent] * relative if placed else relative)
    return placed


def _lists(data: Any) -> tuple[Any, Any, Any]:
    return _placements(data), data.v.copy(), data.a.copy()


def centerOfMass(model: Any, data: Any, level: int, subtrees: bool) -> Array:
    """The centre of mass, and its derivatives up to `level`."""
    masses = data.mass
    centers = [list(rows) for rows in (data.com, data.vcom, data.acom)[: level + 1]]
    _centers(model._inertias, model.parents, *_lists(data), subtrees, masses, centers)
    for rows, values in zip((data.com, data.vcom, data.acom), centers, strict=False):
        for i, value in enumerate(values):
            rows[i] = value
    data.mass = masses
    center: Array = data.com[0].copy()
    return center


def _composite(model: Any, data: Any) -> None:
    """The centre of mass, and the momenta's inertia."""
    centerOfMass(model, data, 0, False)
    if data._q is not None:
        data._late_inertia(model.native())


def _about_center(data: Any, forces: list[Force]) -> Force:
    """Forces of joints' frames, summed about the centre of mass in the world's axes."""
    total = Force()
    for M, force in zip(_placements(data)[1:], forces, strict=True):
        total = total + M.act(force)
    return SE3(np.eye(3), data.com[0]).act_inv(total)


def centroidalMomentum(model: Any, data: Any) -> Force:
    """The centroidal momentum, in data.hg too."""
    _composite(model, data)
    momenta = [inertia * v for inertia, v in zip(model._inertias[1:], data.v[1:], strict=True)]
    data.hg = _about_center(data, momenta)
    data.vcom[0] = data.hg.linear / data.mass[0]
    momentum: Force = data.hg
    return momentum


def centroidalMomentumRate(model: Any, data: Any) -> Force:
    """The rate of the centroidal momentum, in data.dhg too."""
    centroidalMomentum(model, data)
    bodies = zip(model._inertias[1:], data.v[1:], data.a[1:], strict=True)
    data.dhg = _about_center(data, [Y * a + Y.velocity_force(v) for Y, v, a in bodies])
    rate: Force = data.dhg
    return rate
