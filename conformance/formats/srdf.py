"""Reference numbers of Pinocchio for SRDF files, as lines of JSON on standard output. See ../README.md.

A line is an SRDF read for a robot, with a fixed or a floating base: reference configurations, joint by joint,
pairs of links whose collision pairs Pinocchio removes, and the rotors that it finds. Arguments are SRDF files and
folders. The URDF of an SRDF is the one near it that has most of the names in the SRDF.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pinocchio as pin

NAMES = re.compile(r'\b(?:name|link|link1|link2|base_link|tip_link|parent_link|child_link)\s*=\s*"([^"]+)"')
MESH = re.compile(r"<mesh\b[^>]*?/>|<mesh\b[^>]*>.*?</mesh>", re.DOTALL)


def files(paths: list[Path]) -> list[Path]:
    """Return the SRDF files among the paths and in the folders."""
    found: list[Path] = []
    for path in paths:
        found += [path] if path.is_file() else sorted(path.rglob("*.srdf"))
    return found


def names(path: Path) -> set[str]:
    """Return the names of parts in a file."""
    return set(NAMES.findall(path.read_text()))


def urdf_of(srdf: Path) -> Path | None:
    """Return the URDF that has most of the names of an SRDF; of several, that of the most similar name."""
    wanted = names(srdf)
    folder = srdf.parent.parent

    def score(urdf: Path) -> tuple[int, int, int, str]:
        both = len(wanted & names(urdf))
        same = len([1 for a, b in zip(srdf.stem, urdf.stem, strict=False) if a == b])
        return both, same, -len(urdf.stem), urdf.stem

    return max(folder.rglob("*.urdf"), key=score, default=None)


def links(model: pin.Model, geometry: pin.GeometryModel) -> set[tuple[str, str]]:
    """Return the pairs of links between which there are collision pairs."""

    def link(index: int) -> str:
        return str(model.frames[geometry.geometryObjects[index].parentFrame].name)

    pairs = ((link(pair.first), link(pair.second)) for pair in geometry.collisionPairs)
    return {(min(pair), max(pair)) for pair in pairs}


def record(srdf: Path, urdf: Path, floating: bool) -> dict[str, Any]:
    """Return what Pinocchio reads of one file."""
    # Which link a shape is of does not depend on the shape: no mesh is opened.
    text = MESH.sub('<sphere radius="0.1"/>', urdf.read_text())
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
    geometry = pin.buildGeomFromUrdfString(model, text, pin.GeometryType.COLLISION)
    geometry.addAllCollisionPairs()
    before = links(model, geometry)
    pin.removeCollisionPairs(model, geometry, str(srdf))
    rotors: dict[str, list[float]] = {}
    if "<rotor_params" in srdf.read_text():
        pin.loadRotorParameters(model, str(srdf))
        for name, joint in zip(model.names, model.joints, strict=True):
            if joint.nv == 1 and (at := joint.idx_v) >= 0 and model.rotorInertia[at] != 0:
                rotors[name] = [float(model.rotorInertia[at]), float(model.rotorGearRatio[at])]
    pin.loadReferenceConfigurations(model, str(srdf))
    configurations: dict[str, dict[str, list[float]]] = {}
    for entry in model.referenceConfigurations:
        name, q = entry.key(), entry.data()
        joints = list(zip(model.names, model.joints, strict=True))[1:]
        configurations[name] = {joint: q[it.idx_q : it.idx_q + it.nq].tolist() for joint, it in joints}
    return {
        "srdf": str(srdf),
        "urdf": str(urdf),
        "floating": floating,
        "configurations": configurations,
        "disabled": sorted(before - links(model, geometry)),
        "rotors": rotors,
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="srdf.py", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    for srdf in files(arguments.paths):
        urdf = urdf_of(srdf)
        if urdf is None:
            print(json.dumps({"srdf": str(srdf), "refused": "there is no URDF near it"}))
            continue
        for floating in (False, True):
            print(json.dumps(record(srdf, urdf, floating)))


if __name__ == "__main__":
    main()
