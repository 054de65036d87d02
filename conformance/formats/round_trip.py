"""Give MuJoCo what the MJCF writer makes of robot files. See ../README.md.

Robot files (URDF and MJCF) are written as MJCF by the program `round_trip`, which reads them again and
compares. MuJoCo then compiles what was written: of an MJCF file, every number of the model is compared
with that of the original, of a URDF the mass matrix and the bias force with ours.
"""

from __future__ import annotations

import argparse
import collections
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
TOLERANCE = 1e-8
# What follows from other fields: addresses in lists, sizes, trees of boxes, sparsity.
DERIVED = re.compile(r".*adr|.*bvhnum|(bvh|oct|text|name|names|B|D|M|efm0|efmC)_.*|map.*|names|paths|n[A-Za-z]+")
# Fields that may differ by more than rounding, by how much, and why.
REASONS = {
    "body_sameframe": (np.inf, "a flag of frames that coincide to the last bit"),
    "geom_sameframe": (np.inf, "a flag of frames that coincide to the last bit"),
    "site_sameframe": (np.inf, "a flag of frames that coincide to the last bit"),
    "body_simple": (np.inf, "a flag of principal axes that coincide to the last bit"),
    "dof_simplenum": (np.inf, "a count of bodies with that flag"),
    "body_inertia": (1e-7, "MuJoCo finds principal moments of meshes to about 1e-8"),
    "dof_length": (1e-6, "MuJoCo has sizes of meshes in single precision"),
}
PAGE = """\
# MJCF that is written, beside MuJoCo

Written by `formats/round_trip.py` with MuJoCo {version}; [README.md](README.md) says how to repeat it. *Read again*
is the worst difference of what is written from what was read: masses, inertias, drives, and at random states joint
forces, mass matrices and placements; limits are left out, because MJCF has none of velocity. *URDF again* is that of
the joint forces of a URDF that is written of it; a URDF has neither armature nor gravity. *MuJoCo* is the worst
difference of mass matrix and bias force: of an MJCF file from the original in MuJoCo, of a URDF from ours. *Fields*
are those of MuJoCo's model, of {fields}, that differ from the original's. *Lost* counts warnings of the writer.

"""


def files(paths: list[Path]) -> dict[str, str]:
    """Return the names of the MJCF and URDF files among the paths and in the folders."""
    named = {str(path): name for name, path in mjcf.files([it for it in paths if it.suffix != ".urdf"])}
    for path in paths:
        urdf = sorted(path.rglob("*.urdf")) if path.is_dir() else [path] if path.suffix == ".urdf" else []
        named |= {str(file.resolve()): str(file.relative_to(path if path.is_dir() else path.parent)) for file in urdf}
    return named


def written(program: list[str], paths: list[str], out: Path, states: int) -> list[dict[str, Any]]:
    """Write robots as MJCF, and return what became of each."""
    command = [*program, "--out", str(out), "--states", str(states), *paths]
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
        return mjcf.reason(error)


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


def numbers(value: object) -> dict[str, np.ndarray]:
    """Return all arrays and numbers of a structure, and of those in it, by name."""
    out = {}
    for name in dir(value):
        it = None if name.startswith("_") else getattr(value, name, None)
        if isinstance(it, bool | int | float | np.ndarray):
            out[name] = np.asarray(it)
    return out


def fields(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Return all that a model of MuJoCo states in numbers, by field."""
    out = {name: it for name, it in numbers(model).items() if not DERIVED.fullmatch(name)}
    for part in ("opt", "stat"):
        out |= {f"{part}.{name}": it for name, it in numbers(getattr(model, part)).items()}
    for part in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        out |= {f"vis.{part}.{name}": it for name, it in numbers(getattr(model.vis, part)).items()}
    names = model.names
    for kind in ("body", "jnt", "geom", "site", "cam", "light", "mesh", "hfield", "tex", "mat"):
        addresses = getattr(model, f"name_{kind}adr")
        out[f"name_{kind}"] = np.array([names[at : names.index(b"\0", at)] for at in addresses], dtype=bytes)
    return out


def principal(moments: np.ndarray, quaternions: np.ndarray) -> np.ndarray:
    """Return the matrices that principal moments and their axes stand for: the axes are not unique."""
    out = np.zeros((len(moments), 3, 3))
    for i, (diagonal, quaternion) in enumerate(zip(moments, quaternions, strict=True)):
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, quaternion)
        axes = rotation.reshape(3, 3)
        out[i] = axes @ np.diag(diagonal) @ axes.T
    return out


def is_name(field: str) -> bool:
    """Tell whether a field is of names, which parts without one get."""
    return field.startswith("name_")


def differing(model: mujoco.MjModel, original: mujoco.MjModel) -> dict[str, float]:
    """Return the fields in which two models differ, and by how much: infinite for other sizes."""
    ours, theirs = fields(model), fields(original)
    for of, own in ((model, ours), (original, theirs)):
        # Principal axes are not unique, nor is the sign of a quaternion.
        own["body_inertia"] = principal(of.body_inertia, of.body_iquat)
        del own["body_iquat"]
        # Tendons over joints are not drawn, and have a look by defaults for others only.
        is_drawn = of.wrap_type[of.tendon_adr] != mujoco.mjtWrap.mjWRAP_JOINT
        own["tendon_rgba"] = of.tendon_rgba * is_drawn[:, None]
        own["tendon_width"] = of.tendon_width * is_drawn
    found = {}
    for name, one in ours.items():
        other = theirs[name]
        if is_name(name):
            named = [pair for pair in zip(one, other, strict=False) if pair[1]]
            difference = 0.0 if len(one) == len(other) and all(a == b for a, b in named) else np.inf
        elif one.shape != other.shape:
            difference = np.inf
        else:
            one, other = one.astype(float), other.astype(float)
            if name.endswith("quat") and one.size:
                one = one * np.sign(np.sum(one * other, axis=-1, keepdims=True))
            columns = zip(one.T, other.T, strict=True) if one.ndim == 2 else [(one, other)]
            difference = max((apart(*pair) for pair in columns), default=0.0)
        if not difference <= TOLERANCE:
            found[name] = difference
    return found


def dynamics_beside(model: mujoco.MjModel, original: mujoco.MjModel, states: int) -> float:
    """Return the worst difference of mass matrix and bias force at random states."""
    worst = 0.0
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


def verdict(record: dict[str, Any], states: int) -> tuple[str, dict[str, float] | None, str]:
    """Return what MuJoCo says of a written file, which fields differ from the original's, and a note."""
    path = Path(record["written"])
    model = compiled(path)
    note = ""
    if isinstance(model, str) and not record["is_mjcf"] and re.search("mesh|Mesh|STL|OBJ|file|plane", model):
        note = f"without shapes: {model}"
        model = compiled(without_meshes(path))
    original = compiled(Path(record["file"])) if record["is_mjcf"] else None
    if isinstance(original, str):
        return "original refused", None, original
    if isinstance(model, str):
        # What is impossible in a URDF is written anyway, with a warning.
        return "refused" if original is None else "**refused**", None, model
    if original is None:
        worst = beside_ours(model, record)
        return marked(worst), None, note
    differ = differing(model, original)
    if model.nq != original.nq or model.nv != original.nv:
        return "**differs**", differ, "other sizes"
    return marked(dynamics_beside(model, original, states)), differ, note


def marked(worst: str | float | None) -> str:
    """Return a difference for the table: one that is too large in bold."""
    if worst is None:
        return "compiled"
    if isinstance(worst, str):
        return f"**{worst}**"
    return f"{worst:.1e}" if worst <= TOLERANCE else f"**{worst:.1e}**"


def has_reason(field: str, difference: float) -> bool:
    """Tell whether a field may differ by so much."""
    return field in REASONS and difference <= REASONS[field][0]


def summary(all_fields: list[dict[str, float]]) -> str:
    """Return how many files are equal in every field, and which fields differ in how many."""
    counts = collections.Counter(field for fields in all_fields for field in fields)
    equal = sum(not fields for fields in all_fields)
    with_reason = sum(all(has_reason(*it) for it in fields.items()) for fields in all_fields) - equal
    files_in_all = f"{len(all_fields)} MJCF files that MuJoCo compiles: {equal} are equal in every field"
    lines = [f"{files_in_all}, {with_reason} in all\nbut those with a reason.\n"]
    if counts:
        lines += ["| field | files | reason |", "|---|---|---|"]
    for field, files_of in counts.most_common():
        reason = REASONS[field][1] if field in REASONS else "**none**"
        lines.append(f"| {field} | {files_of} | {reason} |")
    return "\n".join(lines) + "\n"


def row(name: str, record: dict[str, Any], states: int) -> tuple[str, dict[str, float] | None]:
    """Return the row of a file, and the fields that differ."""
    if "failed" in record:
        return f"| {name} | **failed**: {record['failed']} | | | | | |", None
    # MJCF has no bounds of velocity, and some other bounds are lost with a warning.
    kept = [it for it in record["quantities"] if "limits" not in it[0]]
    worst = max(kept, key=lambda it: np.inf if it[1] is None else it[1])
    again = f"{np.inf if worst[1] is None else worst[1]:.1e}"
    if worst[1] is None or worst[1] > TOLERANCE:
        again = f"**{again}** ({worst[0]} at {worst[2]})"
    said, differ, note = verdict(record, states)
    fields = ", ".join(it if has_reason(it, by) else f"**{it}**" for it, by in (differ or {}).items())
    urdf = "" if record["urdf"] is None else f"{record['urdf']:.1e}"
    return f"| {name} | {again} | {urdf} | {said} | {fields} | {len(record['lost'])} | {note} |", differ


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="round_trip.py", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--states", type=int, default=20, help="random states of each file")
    parser.add_argument("--lost", action="store_true", help="list what the writer could not express")
    parser.add_argument("--page", type=Path, help="the page to write")
    parser.add_argument("--program", help="the program `round_trip`, if it is built already")
    arguments = parser.parse_args()
    run = ["cargo", "run", "--quiet", "--release", "-p", "featherline-conformance"]
    run += ["--features", "comparisons", "--bin", "round_trip", "--"]
    program = [arguments.program] if arguments.program else run
    tables: dict[str, list[str]] = {"URDF": [], "MJCF": []}
    all_fields = []
    names = files(arguments.paths)
    with tempfile.TemporaryDirectory() as folder:
        for record in written(program, list(names), Path(folder), arguments.states):
            if "refused" in record:
                continue
            line, differ = row(names[record["file"]], record, arguments.states)
            tables["URDF" if record["file"].endswith(".urdf") else "MJCF"].append(line)
            if differ is not None:
                all_fields.append(differ)
            if arguments.lost:
                print(names[record["file"]], *record.get("lost", []), *record.get("missing", []), sep="\n    ")
    count = len(fields(mujoco.MjModel.from_xml_string("<mujoco/>")))
    page = PAGE.format(version=mujoco.__version__, fields=count) + summary(all_fields)
    head = "| file | read again | URDF again | MuJoCo | fields | lost | note |\n|---|---|---|---|---|---|---|\n"
    for kind, lines in tables.items():
        page += f"\n## {kind}\n\n{head}" + "\n".join(lines) + "\n" if lines else ""
    print(summary(all_fields))
    if arguments.page:
        arguments.page.write_text(page)
    bad = [line for lines in tables.values() for line in lines if "**" in line]
    print(*bad, sep="\n", file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
