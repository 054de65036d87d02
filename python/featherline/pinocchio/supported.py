"""Inertia and force of the bodies that a frame supports."""

from __future__ import annotations

import numpy as np

from featherline._native import Force, Inertia
from featherline.pinocchio.data import Data
from featherline.pinocchio.model import Model, of_model
from featherline.pinocchio.native import updateFramePlacements

__all__ = ["computeSupportedForceByFrame", "computeSupportedInertiaByFrame"]


@of_model
def computeSupportedInertiaByFrame(model: Model, data: Data, frame_id: int, with_subtree: bool) -> Inertia:
    """The inertia of what a frame carries, in the frame: frames of its body after it, and, if asked for, all
    joints that its joint carries."""
    if not 0 <= frame_id < model.nframes:
        raise ValueError(f"frame {frame_id} of {model.nframes}")
    if not isinstance(with_subtree, (bool, np.bool_)):
        raise TypeError("with_subtree must be True or False")
    updateFramePlacements(model, data)
    frame = model.frames[frame_id]
    kept = {frame_id}
    total = frame.placement * frame.inertia
    for i in range(frame_id + 1, model.nframes):
        other = model.frames[i]
        if other.parentJoint == frame.parentJoint and other.parentFrame in kept:
            kept.add(i)
            total = total + other.placement * other.inertia
    if with_subtree:
        here = data.oMi[frame.parentJoint]
        # As in Pinocchio, the first of the list is left out, which under the universe is a joint.
        for joint in model.subtrees[frame.parentJoint][1:]:
            total = total + here.act_inv(data.oMi[joint]) * model._inertias[joint]
    inertia: Inertia = frame.placement.act_inv(total)
    return inertia


@of_model
def computeSupportedForceByFrame(model: Model, data: Data, frame_id: int) -> Force:
    """The force of all that a frame carries, in the frame, after rnea."""
    frame = model.frames[frame_id]
    inertia = computeSupportedInertiaByFrame(model, data, frame_id, False)
    velocity = frame.placement.act_inv(data.v[frame.parentJoint])
    acceleration = frame.placement.act_inv(data.a_gf[frame.parentJoint])
    total = inertia * acceleration + inertia.velocity_force(velocity)
    forces = data.f
    children = model.children[frame.parentJoint]
    # As in Pinocchio, the first is left out under the universe.
    for child in children if frame.parentJoint else children[1:]:
        placed = frame.placement.inverse() * data.oMi[frame.parentJoint].act_inv(data.oMi[child])
        total = total + placed * forces[child]
    force: Force = total
    return force
