"""Passive forces of the joints: damping, dry friction and springs, by the law that featherline documents.

Pinocchio keeps damping and friction of a URDF in its model, and no algorithm of it uses them; it has no springs. So the
law is written out here, in the coordinates of the expanded model, for each degree of freedom

    -damping v - friction sign(v) - stiffness (q (-) rest),

and mapped back by the chain rule, which carries the forces of mimics over to their masters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from coordinates import Array, Lifted


@dataclass(frozen=True)
class Drives:
    """Damping, friction and stiffness over v_full, and the configuration q_full in which the springs are at rest."""

    damping: Array
    friction: Array
    stiffness: Array
    rest: Array

    @staticmethod
    def of_model(model: pin.Model) -> Drives:
        """Take what Pinocchio read from a URDF; there are no springs in it."""
        friction = model.upperDryFrictionLimit.copy()
        return Drives(model.damping.copy(), friction, np.zeros(model.nv), pin.neutral(model))


def forces(model: pin.Model, drives: Drives, x: Lifted) -> Array:
    """Compute the passive forces on the coordinates under test."""
    full = -drives.damping * x.v - drives.friction * np.sign(x.v)
    if drives.stiffness.any():
        full = full - drives.stiffness * pin.difference(model, drives.rest, x.q)
    return x.push(full)
