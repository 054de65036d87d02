"""Models that are made of two."""

from __future__ import annotations

from typing import Any

from featherline._native import SE3
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.geometry import CollisionPair, GeometryModel
from featherline.pinocchio.model import Model
from featherline.pinocchio.surgery import Layout, Place, marked


def appendModel(modelA: Model, modelB: Model, *arguments: Any, **named: Any) -> Any:
    """Model B on a frame of model A: (modelA, modelB[, geomA, geomB], frame_in_modelA, aMb).

    Joints of B come after those that the frame's joint carries. Frames of each come in the order of their joints.
    """
    names: tuple[str, ...] = ("geomModelA", "geomModelB", "frame_in_modelA", "aMb")
    has_geometry = isinstance(arguments[0], GeometryModel) if arguments else "geomModelA" in named
    names = names if has_geometry else names[2:]
    given = dict(zip(names, arguments, strict=False)) | named
    if len(arguments) > len(names) or set(given) != set(names):
        raise TypeError(f"appendModel takes two models, and {', '.join(names)}")
    *geometries, frame_in_A, aMb = (given[name] for name in names)
    if len(geometries) not in (0, 2) or not all(isinstance(geometry, GeometryModel) for geometry in geometries):
        raise TypeError("appendModel takes two geometry models")
    if not 0 <= frame_in_A < modelA.nframes:
        raise ValueError(f"frame_in_modelA is {frame_in_A}, where frames are 0 to {modelA.nframes - 1}")
    # An order by joints that leaves those of one joint in their order.
    result, frame_of, layout = _appended(modelA, modelB, frame_in_A, aMb, lambda frame: frame.parentJoint)
    # Pinocchio counts a body for each joint, whatever it carries, and one for each universe.
    result.nbodies = modelA.njoints + modelB.njoints + 1
    for (word, i), k in frame_of.items():
        if word == "b" and modelB.frames[i].parentJoint and modelB.frames[i].parentFrame == 0:
            # There, too, frames of B's joints keep the universe's frame.
            result.frames[k].parentFrame = 0
    if not geometries:
        return result
    combined = GeometryModel()
    for word, geometry in zip("ab", geometries, strict=True):
        before = combined.ngeoms
        for one in geometry.geometryObjects:
            added = combined.geometryObjects[combined.addGeometryObject(one)]
            added.parentJoint, added.placement = layout.moved(word, one.parentJoint, one.placement)
            # Shapes may have no frame.
            if (word, one.parentFrame) in frame_of:
                added.parentFrame = frame_of[word, one.parentFrame]
        combined.collisionPairs += [CollisionPair(before + pair.first, before + pair.second) for pair in geometry.collisionPairs]
    # Objects of one model may collide with those of the other, where their joints differ.
    joints = [one.parentJoint for one in combined.geometryObjects]
    for i in range(geometries[0].ngeoms):
        for k in range(geometries[0].ngeoms, combined.ngeoms):
            if joints[i] != joints[k]:
                combined.addCollisionPair(CollisionPair(i, k))
    return result, combined


def add_to(model: Model, other: Model) -> None:
    """Add another model to a model, on its universe, with the frames of both in their order."""
    both, *_ = _appended(model, other, 0, SE3(), lambda frame: 0)
    both.name = other.name
    model.__setstate__(both.__getstate__())


def _appended(
    modelA: Model, modelB: Model, frame_in_A: int, aMb: SE3, order: Any
) -> tuple[Model, dict[tuple[str, int], int], Layout]:
    """The model of both, the new indices of their frames, and where their joints are."""
    models = {"a": modelA, "b": modelB}
    for name in modelB.names[1:]:
        if modelA.existJointName(name):
            raise ValueError(f"both models have a joint '{name}'")
    taken = {(frame.name, frame.type) for frame in modelA.frames}
    for frame in modelB.frames[1:]:
        if (frame.name, frame.type) in taken:
            raise ValueError(f"both models have a frame '{frame.name}' of type {frame.type.name}: rename it in one of them")
    target = modelA.frames[frame_in_A]
    carrier = marked(modelA, "a", target=Place(target.parentJoint, target.placement))
    layout = Layout(lambda: carrier.append(marked(modelB, "b").with_gravity(modelA._gravity.linear), "target", aMb), **models)
    result = layout.model(modelA.name, modelA._gravity, [(Place(0, SE3()), modelA._inertias[0])])
    # The native model B has no body on its universe.
    at = layout.places["b", 0]
    result._inertias[at.joint] = result._inertias[at.joint] + at.placement * modelB._inertias[0]
    result.nbodies = modelA.nbodies + modelB.nbodies - 1
    # Frames of B stand before those of joints that come after B's.
    split = max([target.parentJoint, *modelA.subtrees[target.parentJoint]]) if target.parentJoint else modelA.njoints
    own = {word: sorted(range(1, model.nframes), key=lambda i: order(model.frames[i])) for word, model in models.items()}
    first = [("a", i) for i in own["a"] if modelA.frames[i].parentJoint <= split]
    last = [("a", i) for i in own["a"] if modelA.frames[i].parentJoint > split]
    entries = [*first, *(("b", i) for i in own["b"]), *last]
    frame_of = {entry: k + 1 for k, entry in enumerate(entries)} | {("a", 0): 0}
    frame_of["b", 0] = frame_of["a", frame_in_A]
    for word, i in entries:
        frame = Frame(models[word].frames[i])
        frame.parentFrame = frame_of[word, frame.parentFrame]
        frame.parentJoint, frame.placement = layout.moved(word, frame.parentJoint, frame.placement)
        result.frames.append(frame)
    return result, frame_of, layout
