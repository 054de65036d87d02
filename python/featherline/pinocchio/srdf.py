"""What SRDF files say of a model: reference configurations, rotors, and pairs that do not collide."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from featherline.pinocchio.geometry import GeometryModel
from featherline.pinocchio.native import neutral
from featherline.pinocchio.model import Model


def loadReferenceConfigurations(model: Model, srdf_filename: str | os.PathLike[str], verbose: bool = False) -> None:
    """Read `group_state` of an SRDF file into model.referenceConfigurations."""
    _read_states(model, _root(srdf_filename))


def loadReferenceConfigurationsFromXML(model: Model, srdf_xml_stream: str, verbose: bool = False) -> None:
    """loadReferenceConfigurations of a text."""
    _read_states(model, ElementTree.fromstring(srdf_xml_stream.strip()))


def _root(filename: str | os.PathLike[str]) -> Any:
    try:
        return ElementTree.parse(filename).getroot()
    except OSError as reason:
        raise ValueError(f"{os.fspath(filename)} does not seem to be a valid file: {reason}") from reason


def _read_states(model: Model, root: Any) -> None:
    for state in root.findall("group_state"):
        q = neutral(model)
        for joint in state.findall("joint"):
            index = model.getJointId(joint.get("name", ""))
            if index == model.njoints:
                continue
            values = np.array(joint.get("value", "").split(), float)
            first, count = model.idx_qs[index], model.nqs[index]
            if values.size == 1 and count == 2:
                values = np.array([np.cos(values[0]), np.sin(values[0])])
            if values.size == count:
                q[first : first + count] = values
        model.referenceConfigurations[state.get("name")] = q


def loadRotorParameters(model: Model, srdf_filename: str | os.PathLike[str], verbose: bool = False) -> bool:
    """Read `rotor_params` of an SRDF file into rotorInertia, rotorGearRatio and armature."""
    parameters = _root(srdf_filename).find("rotor_params")
    if parameters is None:
        raise ValueError("no rotor params found in the srdf file")
    for joint in parameters.findall("joint"):
        index = model.getJointId(joint.get("name", ""))
        if index < model.njoints:
            k = model.idx_vs[index]
            model.rotorInertia[k] = float(joint.get("mass", 0))
            model.rotorGearRatio[k] = float(joint.get("gear_ratio", 0))
    model.armature = model.rotorGearRatio**2 * model.rotorInertia
    return True


def removeCollisionPairs(
    model: Model, geom_model: GeometryModel, srdf_filename: str | os.PathLike[str], verbose: bool = False
) -> None:
    """Remove the pairs of objects whose links an SRDF file's `disable_collisions` names."""
    _remove_pairs(model, geom_model, _root(srdf_filename))


def removeCollisionPairsFromXML(model: Model, geom_model: GeometryModel, srdf_xml_stream: str, verbose: bool = False) -> None:
    """removeCollisionPairs of a text."""
    _remove_pairs(model, geom_model, ElementTree.fromstring(srdf_xml_stream.strip()))


def _remove_pairs(model: Model, geom_model: GeometryModel, root: Any) -> None:
    apart = {frozenset((pair.get("link1"), pair.get("link2"))) for pair in root.findall("disable_collisions")}
    links = [model.frames[one.parentFrame].name for one in geom_model.geometryObjects]
    geom_model.collisionPairs = [
        pair for pair in geom_model.collisionPairs if frozenset((links[pair.first], links[pair.second])) not in apart
    ]
