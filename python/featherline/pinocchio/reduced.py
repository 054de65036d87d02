"""Models with some joints locked."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.geometry import GeometryModel
from featherline.pinocchio.model import Model, as_vector
from featherline.pinocchio.surgery import Layout, marked


def _is_geometry(value: Any) -> bool:
    return isinstance(value, GeometryModel) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, GeometryModel) for one in value)
    )


def buildReducedModel(
    model: Model,
    *arguments: Any,
    list_of_joints_to_lock: Any = None,
    reference_configuration: Any = None,
    list_of_geom_models: Any = None,
    geom_model: Any = None,
) -> Any:
    """The model with joints locked: (model[, geometry], joints_to_lock, q), q their configuration.

    Bodies and frames of a locked joint become those of the joint that carries it; the joint's frame
    becomes that of a fixed joint.
    """
    if not isinstance(model, Model):
        raise TypeError(f"buildReducedModel: model is a {type(model).__name__}, where a Model is expected")
    parts = list(arguments)
    given = list_of_geom_models if list_of_geom_models is not None else geom_model
    geometries = [] if given is None else [given]
    if parts and _is_geometry(parts[0]):
        geometries = [parts.pop(0)]
    locked = parts.pop(0) if parts else list_of_joints_to_lock
    q = parts.pop(0) if parts else reference_configuration
    if locked is None or q is None or parts:
        raise TypeError("buildReducedModel takes a model, geometry models, joints to lock and a configuration")
    q = as_vector("reference_configuration", q, model.nq)
    locked = set(locked)
    for joint in locked:
        if not 0 < joint < model.njoints:
            raise ValueError(f"joint {joint} to lock, where joints are 1 to {model.njoints - 1}")
    names = [model.names[i] for i in sorted(locked)]
    layout = Layout(lambda: marked(model, "model").lock(names, q), model=model)
    place_of = [layout.places["model", i] for i in range(model.njoints)]
    reduced = layout.model(model.name, model._gravity, zip(place_of, model._inertias, strict=True))
    kept = [k for _, i, *_ in layout.joints for k in range(model.nq)[layout.entries_of_q(model, i)]]
    for name, reference in model.referenceConfigurations.items():
        reduced.referenceConfigurations[name] = np.asarray(reference)[kept].copy()
    for frame in model.frames[1:]:
        joint, placement = layout.moved("model", frame.parentJoint, frame.placement)
        kind = frame.type
        if kind == FrameType.JOINT and frame.parentJoint in locked:
            kind = FrameType.FIXED_JOINT
        reduced.frames.append(Frame(frame.name, joint, frame.parentFrame, placement, kind, frame.inertia))
    reduced.nbodies = reduced.njoints
    if not geometries:
        return reduced

    def moved_with(geometry: GeometryModel) -> GeometryModel:
        result = geometry.copy()
        for one in result.geometryObjects:
            one.parentJoint, one.placement = layout.moved("model", one.parentJoint, one.placement)
        return result

    if isinstance(geometries[0], GeometryModel):
        return reduced, moved_with(geometries[0])
    return reduced, [moved_with(geometry) for geometry in geometries[0]]
