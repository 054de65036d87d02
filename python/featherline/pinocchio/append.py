"""Models that are made of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.geometry import CollisionPair, GeometryModel
from featherline.pinocchio.model import OF_Q, OF_V, Model


def appendModel(modelA: Model, modelB: Model, *arguments: Any) -> Any:
    """Model B on a frame of model A: (modelA, modelB[, geomA, geomB], frame_in_modelA, aMb).

    Joints of B come after those that the frame's joint carries.
    """
    *geometries, frame_in_A, aMb = arguments
    if not 0 <= frame_in_A < modelA.nframes:
        raise ValueError(f"frame_in_modelA is {frame_in_A}, where frames are 0 to {modelA.nframes - 1}")
    carrier = modelA.frames[frame_in_A]
    placement: SE3 = carrier.placement * aMb
    split = max([carrier.parentJoint, *modelA.subtrees[carrier.parentJoint]])
    if carrier.parentJoint == 0:
        split = modelA.njoints - 1
    for name in modelB.names[1:]:
        if modelA.existJointName(name):
            raise ValueError(f"both models have a joint '{name}'")
    result = Model()
    result.name, result._gravity = modelA.name, modelA._gravity.copy()
    result._inertias[0] = modelA._inertias[0].copy()
    # Joints of the result: each model's, by index.
    order = [(modelA, i) for i in range(1, split + 1)]
    order += [(modelB, i) for i in range(1, modelB.njoints)]
    order += [(modelA, i) for i in range(split + 1, modelA.njoints)]
    joint_of: dict[tuple[int, int], int] = {(id(modelA), 0): 0, (id(modelB), 0): carrier.parentJoint}
    for model, i in order:
        parent = model.parents[i]
        at = model._jointPlacements[i]
        if model is modelB and parent == 0:
            at = placement * at
        joint = result.addJoint(joint_of[id(model), parent], model.joints[i], at, model.names[i])
        result._inertias[joint] = model._inertias[i].copy()
        joint_of[id(model), i] = joint
    moved = placement * modelB._inertias[0]
    result._inertias[carrier.parentJoint] = result._inertias[carrier.parentJoint] + moved
    for names, first, count in ((OF_Q, "idx_qs", "nqs"), (OF_V, "idx_vs", "nvs")):
        for name in names:
            parts = [
                getattr(model, name)[getattr(model, first)[i] :][: getattr(model, count)[i]] for model, i in order
            ]
            setattr(result, name, np.concatenate([*parts, np.zeros(0)]))
    frame_of = _add_frames(result, modelA, modelB, frame_in_A, placement, split, joint_of)
    result.nbodies = modelA.nbodies + modelB.nbodies - 1
    if not geometries:
        return result
    if len(geometries) != 2 or not all(isinstance(geometry, GeometryModel) for geometry in geometries):
        raise TypeError("appendModel takes two geometry models")
    combined = GeometryModel()
    for model, geometry in zip((modelA, modelB), geometries, strict=True):
        before = combined.ngeoms
        for one in geometry.geometryObjects:
            added = combined.geometryObjects[combined.addGeometryObject(one)]
            if model is modelB and one.parentJoint == 0:
                added.placement = placement * one.placement
            added.parentJoint = joint_of[id(model), one.parentJoint]
            added.parentFrame = frame_of[id(model), one.parentFrame]
        combined.collisionPairs += [CollisionPair(before + pair.first, before + pair.second) for pair in geometry.collisionPairs]
    # Objects of one model may collide with those of the other, where their joints differ.
    joints = [one.parentJoint for one in combined.geometryObjects]
    for i in range(geometries[0].ngeoms):
        for k in range(geometries[0].ngeoms, combined.ngeoms):
            if joints[i] != joints[k]:
                combined.addCollisionPair(CollisionPair(i, k))
    return result, combined


def _add_frames(
    result: Model,
    modelA: Model,
    modelB: Model,
    frame_in_A: int,
    placement: SE3,
    split: int,
    joint_of: dict[tuple[int, int], int],
) -> dict[tuple[int, int], int]:
    """Add the frames of both; returns their new indices."""
    first = [(modelA, i) for i, frame in enumerate(modelA.frames) if i and frame.parentJoint <= split]
    last = [(modelA, i) for i, frame in enumerate(modelA.frames) if i and frame.parentJoint > split]
    own = [(modelB, i) for i in range(1, modelB.nframes)]
    own.sort(key=lambda entry: modelB.frames[entry[1]].parentJoint > 0)
    frame_of: dict[tuple[int, int], int] = {(id(modelA), 0): 0}
    entries = [*first, *own, *last]
    for k, (model, i) in enumerate(entries):
        frame_of[id(model), i] = k + 1
    frame_of[id(modelB), 0] = frame_of[id(modelA), frame_in_A]
    for model, i in entries:
        frame = Frame(model.frames[i])
        if model is modelB and frame.parentJoint == 0:
            frame.placement = placement * frame.placement
        frame.parentFrame = frame_of[id(model), frame.parentFrame]
        frame.parentJoint = joint_of[id(model), frame.parentJoint]
        result.frames.append(frame)
    return frame_of
