"""Reference numbers of MuJoCo for MJCF files, as lines of JSON on standard output. See ../README.md.

A line is a model: what MuJoCo made of a file, and its mass matrix, bias forces and site placements in
random states. Arguments are files and folders; in a folder, every file whose root element is `mujoco`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

ROOT = re.compile(r"<\s*mujoco[\s>/]")


def files(paths: list[Path]) -> list[tuple[str, Path]]:
    """Return the MJCF files among the paths and in the folders, with their names in the table."""
    found: list[tuple[str, Path]] = []
    for path in paths:
        xml = [path] if path.is_file() else sorted(path.rglob("*.xml"))
        robots = [file for file in xml if ROOT.search(file.read_text(errors="replace"))]
        found += [(str(file.relative_to(path.parent)), file.resolve()) for file in robots]
    return found


def inertia_in_body(model: mujoco.MjModel, body: int) -> np.ndarray:
    """Return the rotational inertia of a body about its centre of mass, in the body's axes."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
    axes = rotation.reshape(3, 3)
    return axes @ np.diag(model.body_inertia[body]) @ axes.T


def joints(model: mujoco.MjModel) -> list[list[float]]:
    """Return armature, damping, friction, stiffness, rest and range of each joint; 0 where one has none."""
    rows = []
    for joint in range(model.njnt):
        dof, at = model.jnt_dofadr[joint], model.jnt_qposadr[joint]
        row = [model.dof_armature[dof], model.dof_damping[dof], model.dof_frictionloss[dof], model.jnt_stiffness[joint]]
        is_scalar = int(model.jnt_type[joint]) in (2, 3)
        row.append(model.qpos_spring[at] if is_scalar else 0.0)
        row += model.jnt_range[joint].tolist() if is_scalar and model.jnt_limited[joint] else [0.0, 0.0]
        rows.append([float(value) for value in row])
    return rows


def loops(model: mujoco.MjModel) -> list[list[float]]:
    """Return of each active connection and weld the points in both bodies, and the rotation between them."""
    rows = []
    for equality in range(model.neq):
        kind, data = int(model.eq_type[equality]), model.eq_data[equality]
        if kind > 1 or not model.eq_active0[equality]:
            continue
        rotation = np.zeros(9)
        if int(model.eq_objtype[equality]) == mujoco.mjtObj.mjOBJ_SITE:
            sites = model.eq_obj1id[equality], model.eq_obj2id[equality]
            points = [model.site_pos[site] for site in sites]
        else:
            points = [data[3:6], data[:3]] if kind == 1 else [data[:3], data[3:6]]
            if kind == 1:
                mujoco.mju_quat2Mat(rotation, data[6:10])
        rows.append(np.concatenate([*points, rotation]).tolist())
    return rows


def random_state(model: mujoco.MjModel, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return qpos around the reference configuration, rotations uniform, and a normal qvel."""
    qpos = model.qpos0.copy()
    for joint in range(model.njnt):
        at = int(model.jnt_qposadr[joint])
        kind = mujoco.mjtJoint(int(model.jnt_type[joint]))
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            qpos[at : at + 3] = generator.uniform(-1, 1, 3)
            at += 3
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            quaternion = generator.standard_normal(4)
            qpos[at : at + 4] = quaternion / np.linalg.norm(quaternion)
        else:
            qpos[at] += generator.uniform(-1, 1)
    return qpos, generator.standard_normal(model.nv)


def without_spatial_springs(model: mujoco.MjModel) -> None:
    """Take springs and dampers off tendons through space, whose lengths featherline does not compute."""
    for tendon in range(model.ntendon):
        if model.wrap_type[model.tendon_adr[tendon]] != mujoco.mjtWrap.mjWRAP_JOINT:
            model.tendon_stiffness[tendon] = model.tendon_damping[tendon] = 0


def site_jacobian(model: mujoco.MjModel, data: mujoco.MjData, site: int) -> list[float]:
    """Return the Jacobian of a site, in the world's axes: three rows of velocity, three of angular velocity."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, linear, angular, site)
    return np.vstack([linear, angular]).ravel().tolist()


def named(name: str, kind: str, index: int) -> str:
    """Return a name, or the one that featherline gives to a part without one."""
    return name or f"{kind}_{index}"


def load_seconds(path: Path) -> float:
    """Return the shortest of five times that compiling a file takes."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        mujoco.MjModel.from_xml_path(str(path))
        times.append(time.perf_counter() - start)
    return min(times)


def reason(error: ValueError) -> str:
    """Return MuJoCo's message on one line, with files named without their folders, which are one machine's."""
    return re.sub(r"'/[^']*/([^'/]+)'", r"'\1'", " ".join(str(error).split()))


def record(name: str, path: Path, states: int, seed: int) -> dict[str, Any]:
    """Return the numbers of one file."""
    out: dict[str, Any] = {"name": name, "file": str(path)}
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return {**out, "refused": reason(error)}
    without_spatial_springs(model)
    data = mujoco.MjData(model)
    generator = np.random.default_rng(seed)
    bodies = range(1, model.nbody)
    out |= {
        "nq": model.nq,
        "nv": model.nv,
        "bodies": [named(model.body(i).name, "body", i) for i in bodies],
        "mass": [model.body_mass[i] for i in bodies],
        "com": [model.body_ipos[i].tolist() for i in bodies],
        "inertia": [inertia_in_body(model, i).ravel().tolist() for i in bodies],
        "joints": joints(model),
        "loops": loops(model),
        "sites": [named(model.site(i).name, "site", i) for i in range(model.nsite)],
        "qpos0": model.qpos0.tolist(),
        "load_seconds": load_seconds(path),
        "states": [],
    }
    for _ in range(states):
        qpos, qvel = random_state(model, generator)
        data.qpos, data.qvel = qpos, qvel
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        out["states"].append(
            {
                "qpos": qpos.tolist(),
                "qvel": qvel.tolist(),
                "mass_matrix": mass.ravel().tolist(),
                "bias": data.qfrc_bias.tolist(),
                "site_position": data.site_xpos.ravel().tolist(),
                "site_rotation": data.site_xmat.ravel().tolist(),
                "passive": (data.qfrc_spring + data.qfrc_damper).tolist(),
                "site_jacobian": [site_jacobian(model, data, site) for site in range(model.nsite)],
            }
        )
    return out


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="mjcf.py", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--states", type=int, default=20, help="random states of each file")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name, path in files(arguments.paths):
        json.dump(record(name, path, arguments.states, arguments.seed), sys.stdout)
        print()


if __name__ == "__main__":
    main()
