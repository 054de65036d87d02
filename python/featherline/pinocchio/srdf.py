"""Content of SRDF files for a model: reference configurations, rotors, and pairs that do not collide."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

import featherline
from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.geometry import GeometryModel
from featherline.pinocchio.model import Model

__all__ = [
    "loadReferenceConfigurations", "loadReferenceConfigurationsFromXML", "loadRotorParameters",
    "removeCollisionPairs", "removeCollisionPairsFromXML",
]  # fmt: skip

Path = str | os.PathLike[str]


def _described(robot: str, srdf: Path, verbose: bool) -> featherline.Robot:
    """A robot with an SRDF; what the robot lacks is told on request."""
    with warnings.catch_warnings():
        if not verbose:
            warnings.simplefilter("ignore", featherline.RobotWarning)
        return featherline.load_robot(robot, srdf=srdf)


def _file(filename: Path) -> str:
    """The path of a file, which is not a text."""
    if not os.path.isfile(filename):
        raise ValueError(f"{os.fspath(filename)} does not seem to be a valid file.")
    return os.path.abspath(filename)


def _of_model(model: Model, srdf: Path, verbose: bool) -> featherline.Robot:
    return _described(model.native().to_json(), srdf, verbose)


def loadReferenceConfigurations(model: Model, srdf_filename: Path, verbose: bool = False) -> None:
    """Read `group_state` of an SRDF file into model.referenceConfigurations."""
    model.referenceConfigurations.update(_of_model(model, _file(srdf_filename), verbose).configurations)


def loadReferenceConfigurationsFromXML(model: Model, srdf_xml_stream: str, verbose: bool = False) -> None:
    """loadReferenceConfigurations of a text."""
    model.referenceConfigurations.update(_of_model(model, srdf_xml_stream, verbose).configurations)


def loadRotorParameters(model: Model, srdf_filename: Path, verbose: bool = False) -> bool:
    """Read `rotor_params` of an SRDF file into rotorInertia, rotorGearRatio and armature."""
    import json

    robot = _of_model(model, _file(srdf_filename), verbose)
    drives = [joint["drive"] for joint in json.loads(robot.model.to_json())["model"]["joints"]]
    inertia, ratio = (np.concatenate([drive[name] for drive in drives]) for name in ("rotor_inertia", "gear_ratio"))
    if not inertia.any():
        raise ValueError("no rotor params found in the srdf file")
    named = inertia != 0
    model.rotorInertia[named], model.rotorGearRatio[named] = inertia[named], ratio[named]
    model.armature = model.rotorGearRatio**2 * model.rotorInertia
    return True


def removeCollisionPairs(model: Model, geom_model: GeometryModel, srdf_filename: Path, verbose: bool = False) -> None:
    """Remove the pairs of objects whose links an SRDF file says not to collide."""
    _remove_pairs(model, geom_model, _file(srdf_filename), verbose)


def removeCollisionPairsFromXML(model: Model, geom_model: GeometryModel, srdf_xml_stream: str, verbose: bool = False) -> None:
    """removeCollisionPairs of a text."""
    _remove_pairs(model, geom_model, srdf_xml_stream, verbose)


def _remove_pairs(model: Model, geom_model: GeometryModel, srdf: Path, verbose: bool) -> None:
    # It imports much that nothing else here needs.
    from xml.sax.saxutils import quoteattr

    # An SRDF speaks of links, a model has frames: their names are all that counts.
    root, *others = (quoteattr(frame.name) for frame in model.frames if frame.type == FrameType.BODY)
    weld = "<link name={0}/><joint name={0} type='fixed'><parent link={1}/><child link={0}/></joint>"
    text = "".join(weld.format(name, root) for name in others)
    robot = _described(f"<robot name={quoteattr(model.name)}><link name={root}/>{text}</robot>", srdf, verbose)
    apart = {frozenset(links) for links in robot.contact_exclusions}
    links: list[Any] = [model.frames[one.parentFrame].name for one in geom_model.geometryObjects]
    geom_model.collisionPairs = [
        pair for pair in geom_model.collisionPairs if frozenset((links[pair.first], links[pair.second])) not in apart
    ]
