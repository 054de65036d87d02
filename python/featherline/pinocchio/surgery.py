"""Models that `featherline.Model.lock` and `append` make, with the fields that those do not know."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import featherline
from featherline._native import SE3
from featherline.pinocchio.joints import JointModelMimic
from featherline.pinocchio.model import OF_Q, OF_V, Model, read_inertia, read_placement

# Frames of native models that say where a joint of an older model is.
_MARK = "joint {} of {}"


class Place(NamedTuple):
    """The new position of parts fixed in a joint's frame: the joint that they are fixed in now, and their placement."""

    joint: int
    placement: SE3


class Joint(NamedTuple):
    """A joint of the new model: the old model and its number there, and what is new of it."""

    model: Model
    number: int
    parent: int
    placement: SE3
    inertia: Any
    mimic: Any


def marked(model: Model, word: str, **frames: Place) -> featherline.Model:
    """The native model with a frame at each joint, and others."""
    places = {_MARK.format(i, word): Place(i, SE3()) for i in range(model.njoints)} | frames
    return model.native_with(places)


class Layout:
    """Where joints are in a native model that was made of marked ones."""

    def __init__(self, operation: Callable[[], Any], **models: Model) -> None:
        import json

        with warnings.catch_warnings():
            # That a body has no mass was so before.
            warnings.simplefilter("ignore", featherline.RobotWarning)
            native = operation()[0]
        description = json.loads(native.to_json())["model"]
        frames = {frame["name"]: frame for frame in description["frames"]}
        of = {name: (model, i) for model in models.values() for i, name in enumerate(model.names) if i}
        self.places: dict[tuple[str, int], Place] = {}
        for word, model in models.items():
            for i in range(model.njoints):
                frame = frames[_MARK.format(i, word)]
                self.places[word, i] = Place(frame["joint"], read_placement(frame["placement"]))
        self.joints = [
            Joint(
                *of[one["name"]], one["parent"], read_placement(one["placement"]), read_inertia(one["inertia"]), one["mimic"]
            )
            for one in description["joints"][1:]
        ]

    def model(self, name: str, gravity: Any, carried: Iterable[tuple[Place, Any]]) -> Model:
        """The model of these joints; `carried` are inertias of joints that may be fixed in the universe now."""
        result = Model()
        result.name, result._gravity = name, gravity.copy()
        for old, i, parent, placement, inertia, mimic in self.joints:
            own = old.joints[i].copy()
            if isinstance(own, JointModelMimic):
                own.mimicked = mimic["source"]
            joint = result.addJoint(parent, own, placement, old.names[i])
            result._inertias[joint] = inertia
        for place, inertia in carried:
            if place.joint == 0:
                result._inertias[0] = result._inertias[0] + place.placement * inertia
        for names, entries in ((OF_Q, self.entries_of_q), (OF_V, self.entries_of_v)):
            for field in names:
                parts = [float(x) for old, i, *_ in self.joints for x in getattr(old, field)[entries(old, i)]]
                setattr(result, field, parts)
        return result

    @staticmethod
    def entries_of_q(model: Model, i: int) -> slice:
        return slice(model.idx_qs[i], model.idx_qs[i] + model.nqs[i])

    @staticmethod
    def entries_of_v(model: Model, i: int) -> slice:
        return slice(model.idx_vs[i], model.idx_vs[i] + model.nvs[i])

    def moved(self, word: str, joint: int, placement: SE3) -> Place:
        """Where something is now that was at a placement in a joint's frame."""
        place = self.places[word, joint]
        return Place(place.joint, place.placement * placement)
