"""Models of which a joint moves with another."""

from __future__ import annotations

import numpy as np

from featherline.pinocchio.joints import JointModelMimic
from featherline.pinocchio.model import OF_Q, OF_V, Model, of_model

__all__ = ["transformJointIntoMimic"]


@of_model
def transformJointIntoMimic(
    input_model: Model, index_mimicked: int, index_mimicking: int, scaling: float, offset: float
) -> Model:
    """The model of which joint `index_mimicking` is at scaling · q + offset of joint `index_mimicked`."""
    if not 0 < index_mimicked < index_mimicking < input_model.njoints:
        raise ValueError(
            f"joint {index_mimicking} cannot mimic joint {index_mimicked}: of {input_model.njoints} joints, "
            "the one that is mimicked comes first, after the universe"
        )
    model = input_model.copy()
    replaced, source = model.joints[index_mimicking], model.joints[index_mimicked]
    for joint in (replaced, source):
        if isinstance(joint, JointModelMimic):
            raise ValueError(f"joint '{model.names[joint.id]}' is a mimic joint already")
    if (replaced.nq, replaced.nv) != (source.nq, source.nv):
        raise ValueError(
            f"joint '{model.names[index_mimicking]}' has {replaced.nq} entries of q, and joint "
            f"'{model.names[index_mimicked]}' {source.nq}: mimic joints are like those that they mimic"
        )
    entries = dict.fromkeys(OF_Q, slice(replaced.idx_q, replaced.idx_q + replaced.nq))
    entries |= dict.fromkeys(OF_V, slice(replaced.idx_v, replaced.idx_v + replaced.nv))
    for field, own in entries.items():
        numbers = getattr(model, field).tolist()
        del numbers[own]
        setattr(model, field, numbers)
    for name, q in model.referenceConfigurations.items():
        model.referenceConfigurations[name] = np.delete(q, range(replaced.idx_q, replaced.idx_q + replaced.nq))
    mimic = JointModelMimic(replaced, scaling, offset)
    mimic.mimicked = index_mimicked
    model.joints[index_mimicking] = mimic
    model._index()
    return model
