"""Give MuJoCo what the MJCF writer makes of robot files. See ../README.md.

Robot files (URDF and MJCF) are written as MJCF by the program `round_trip`, which reads them again and
compares. MuJoCo then compiles what was written: of an MJCF file it is compared with what MuJoCo makes
of the original, of a URDF with our own mass matrix and bias force.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import mjcf

ROOT = Path(__file__).resolve().parents[2]
# MuJoCo keeps principal axes of inertias, to about 1e-8 for those of meshes.
TOLERANCE = 1e-8


def files(paths: list[Path]) -> list[Path]:
    """Return the URDF and MJCF files among the paths and in the folders."""
    found = mjcf.files(paths)
    for path in paths:
        if path.is_dir():
            found += sorted(path.rglob("*.urdf"))
    return found


def written(paths: list[Path], out: Path, states: int) -> list[dict[str, Any]]:
    """Write robots as MJCF, and return what became of each."""
    command = ["cargo", "run", "--quiet", "-p", "featherline-conformance", "--bin", "round_trip", "--"]
    command += ["--out", str(out), "--states", str(states), *map(str, paths)]
    lines = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """Return the greatest difference, relative to the largest entry; absolute where all are below 1e-3."""
    if first.size == 0:
        return 0.0
    return float(np.abs(first - second).max() / max(np.abs(second).max(), 1e-3))


def compiled(path: Path) -> mujoco.MjModel | str:
    """Return MuJoCo's model of a file, or why there is none."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return " ".join(str(error).split())


def without_meshes(path: Path) -> Path:
    """Return a copy of a written file without geoms and meshes, which no inertia depends on."""
    text = re.sub(r"^\s*<(mesh|geom|pair) .*$\n", "", path.read_text(), flags=re.MULTILINE)
    copy = path.with_suffix(".bare.xml")
    copy.write_text(text)
    return copy


def dynamics(model: mujoco.MjModel, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mass matrix and bias force."""
    data = mujoco.MjData(model)
    data.qpos, data.qvel = qpos, qvel
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    return mass, data.qfrc_bias.copy()


def parameters(model: mujoco.MjModel) -> list[np.ndarray]:
    """Return what a model must have of its own; ranges that are not in force are zero."""
    limited = [
        model.jnt_range * model.jnt_limited[:, None],
        model.actuator_ctrlrange * model.actuator_ctrllimited[:, None],
        model.actuator_forcerange * model.actuator_forcelimited[:, None],
        model.tendon_range * model.tendon_limited[:, None],
    ]
    own = [model.body_mass, model.qpos0, model.qpos_spring, model.jnt_stiffness, model.dof_frictionloss]
    actuators = [model.actuator_gear, model.actuator_gainprm, model.actuator_biasprm, model.actuator_dynprm]
    return [*own, *limited, *actuators, model.key_qpos]


def beside_mujoco(model: mujoco.MjModel, original: mujoco.MjModel, states: int) -> str | float:
    """Return the worst difference of two models of MuJoCo's."""
    sizes = [(it.nq, it.nv, it.nbody, it.nsite, it.nu, it.nsensor, it.ntendon, it.neq) for it in (model, original)]
    if sizes[0] != sizes[1]:
        return f"sizes nq, nv, nbody, nsite, nu, nsensor, ntendon, neq {sizes[0]}, not {sizes[1]}"
    worst = 0.0
    for ours, theirs in zip(parameters(model), parameters(original), strict=True):
        worst = max(worst, apart(ours, theirs))
    generator = np.random.default_rng(0)
    for _ in range(states):
        state = mjcf.random_state(original, generator)
        for ours, theirs in zip(dynamics(model, *state), dynamics(original, *state), strict=True):
            worst = max(worst, apart(ours, theirs))
    return worst


def beside_ours(model: mujoco.MjModel, record: dict[str, Any]) -> str | float | None:
    """Return the worst difference of MuJoCo's model from our numbers; none where there are none."""
    if not record["states"]:
        return None
    count = sum(joint[2] for joint in record["joints"])
    if model.nv != count:
        return f"nv is {model.nv}, not {count}"
    order = np.zeros(count, dtype=int)
    for name, first, _, _ in record["joints"]:
        order[first] = model.joint(name).dofadr[0]
    worst = 0.0
    for state in record["states"]:
        q, v = np.zeros(count), np.zeros(count)
        q[order], v[order] = state["q"], state["v"]
        mass, bias = dynamics(model, q, v)
        worst = max(worst, apart(bias[order], np.array(state["bias"])))
        ours = np.array(state["mass"]).reshape(count, count)
        worst = max(worst, apart(mass[np.ix_(order, order)], ours))
    return worst


def compare(record: dict[str, Any], states: int) -> tuple[str, str]:
    """Return what MuJoCo says of a written file, and why it is not the same, if it is not."""
    path = Path(record["written"])
    model = compiled(path)
    note = ""
    if isinstance(model, str) and re.search("mesh|Mesh|STL|OBJ|file|plane", model):
        note = f"without shapes: {model}"
        model = compiled(without_meshes(path))
    if isinstance(model, str):
        return "refused", model
    original = compiled(Path(record["file"])) if record["is_mjcf"] else None
    if isinstance(original, str):
        return "original refused", original
    worst = beside_ours(model, record) if original is None else beside_mujoco(model, original, states)
    if worst is None:
        return "compiled", note
    if isinstance(worst, str) and record["lost"]:
        return "in part", worst
    if isinstance(worst, str) or worst > TOLERANCE:
        return "**differs**", f"{worst} {note}"
    return f"{worst:.1e}", note


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="round_trip.py", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--states", type=int, default=20, help="random states of each file")
    parser.add_argument("--lost", action="store_true", help="list what the writer could not express")
    arguments = parser.parse_args()
    is_good = True
    print("| file | read again | URDF again | MuJoCo | lost | note |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for record in written(files(arguments.paths), Path(folder), arguments.states):
            name = record["file"]
            if "refused" in record:
                continue
            if "failed" in record:
                is_good = False
                print(f"| {name} | **failed**: {record['failed']} | | | | |")
                continue
            # MJCF has no bounds of velocity, and some other bounds are lost with a warning.
            numbers = [it for it in record["quantities"] if "limits" not in it[0]]
            worst = max(numbers, key=lambda it: np.inf if it[1] is None else it[1])
            again = f"{np.inf if worst[1] is None else worst[1]:.1e}"
            if worst[1] is None or worst[1] > TOLERANCE:
                is_good = False
                again = f"**{again}** ({worst[0]} at {worst[2]})"
            verdict, note = compare(record, arguments.states)
            is_good = is_good and verdict != "**differs**"
            urdf = "" if record["urdf"] is None else f"{record['urdf']:.1e}"
            print(f"| {name} | {again} | {urdf} | {verdict} | {len(record['lost'])} | {note} |")
            if arguments.lost:
                for what in record["lost"] + record["missing"]:
                    print(f"    {what}")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
