"""Reference numbers of Pinocchio for URDF files, as lines of JSON on standard output. See ../README.md.

A line is a file: what Pinocchio made of it, and in random states of the fixed base its mass matrix, joint forces,
placements of links, and placements of visual and collision shapes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

PACKAGE = "example-robot-data"
KINDS = {"visual": pin.GeometryType.VISUAL, "collision": pin.GeometryType.COLLISION}


def files() -> list[Path]:
    """Return the URDF files of the package."""
    listed = metadata.files(PACKAGE) or []
    return sorted(Path(str(file.locate())).resolve() for file in listed if file.suffix == ".urdf")


def packages(path: Path) -> list[str]:
    """Return the folders in which packages of a file may be."""
    return [str(folder) for folder in path.parents[:6]]


def shapes(model: pin.Model, path: Path, kind: str) -> pin.GeometryModel | str:
    """Return the shapes of a kind, or why there are none: a mesh that is missing refuses them all."""
    try:
        return pin.buildGeomFromUrdf(model, str(path), KINDS[kind], packages(path))
    except (ValueError, RuntimeError) as error:
        return " ".join(str(error).split())


def random_configuration(model: pin.Model, generator: np.random.Generator) -> np.ndarray:
    """Return a configuration near the neutral one."""
    return pin.integrate(model, pin.neutral(model), generator.uniform(-1, 1, model.nv))


def load_seconds(path: Path) -> float:
    """Return the shortest of five times that reading a file takes, without shapes."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        pin.buildModelFromUrdf(str(path))
        times.append(time.perf_counter() - start)
    return min(times)


def record(path: Path, states: int, seed: int) -> dict[str, Any]:
    """Return the numbers of one file."""
    out: dict[str, Any] = {"name": str(path).rpartition("/robots/")[2], "file": str(path)}
    try:
        model = pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError) as error:
        return {**out, "refused": " ".join(str(error).split())}
    data = model.createData()
    generator = np.random.default_rng(seed)
    geometry = {kind: shapes(model, path, kind) for kind in KINDS}
    links = [frame for frame in range(model.nframes) if model.frames[frame].type == pin.FrameType.BODY]
    links = [frame for frame in links if model.frames[frame].name != "universe"]
    out |= {"nq": model.nq, "nv": model.nv, "links": [model.frames[link].name for link in links]}
    out |= {"load_seconds": load_seconds(path), "states": []}
    for kind, found in geometry.items():
        objects = [] if isinstance(found, str) else found.geometryObjects
        out[kind] = {
            "refused": found if isinstance(found, str) else None,
            "names": [shape.name for shape in objects],
            "scales": [shape.meshScale.tolist() for shape in objects],
        }
    for _ in range(states):
        q = random_configuration(model, generator)
        v, a = generator.standard_normal(model.nv), generator.standard_normal(model.nv)
        state: dict[str, Any] = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
        state["tau"] = pin.rnea(model, data, q, v, a).tolist()
        mass = pin.crba(model, data, q)
        state["mass_matrix"] = (np.triu(mass) + np.triu(mass, 1).T).ravel().tolist()
        pin.framesForwardKinematics(model, data, q)
        state["links"] = [data.oMf[link].homogeneous.ravel().tolist() for link in links]
        for kind, found in geometry.items():
            state[kind] = []
            if not isinstance(found, str):
                placed = found.createData()
                pin.updateGeometryPlacements(model, data, found, placed)
                state[kind] = [placement.homogeneous.ravel().tolist() for placement in placed.oMg]
        out["states"].append(state)
    return out


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="urdf.py", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="FILE", help=f"by default those of {PACKAGE}")
    parser.add_argument("--states", type=int, default=20, help="random states of each file")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # Libraries print to standard output; it is for lines of JSON alone.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for path in arguments.paths or files():
        json.dump(record(path, arguments.states, arguments.seed), out)
        out.write("\n")


if __name__ == "__main__":
    main()
