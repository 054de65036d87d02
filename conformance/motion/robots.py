"""Print how far robots of packages are from those of MuJoCo after 0.1 s and 2 s. See ../README.md.

Each MJCF file that opens on both sides, with at most 100 degrees of freedom, begins at rest in its first
keyframe or in `qpos0`, with constant controls.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
from compare import KEY, OUR_STEP, Motion, apart, initial, ours, theirs

MOST = 100
SECONDS = (0.1, 2.0)
# Above this, causes are named.
FAR = 1e-2
# Controls are at this part of their range.
PART = 0.6


def files(folder: Path) -> Iterator[Path]:
    """Give the MJCF files below a folder that MuJoCo opens and that are not too large."""
    for path in sorted(folder.rglob("*.xml")):
        if "<mujoco" not in path.read_text(errors="ignore"):
            continue
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        if 0 < model.nv <= MOST:
            yield path


def started(path: Path) -> Path:
    """Write the file again, beside it, with a keyframe that has controls."""
    model = mujoco.MjModel.from_xml_path(str(path))
    qpos = model.key_qpos[0] if model.nkey else model.qpos0
    low, high = model.actuator_ctrlrange.T if model.nu else np.zeros((2, 0))
    limited = model.actuator_ctrllimited.astype(bool)
    ctrl = np.where(limited, low + PART * (high - low), 0.1)
    written = path.with_name(f"{path.stem}_started.xml")
    held = model.body_mocapid >= 0
    numbers = {"qpos": qpos, "ctrl": ctrl, "mpos": model.body_pos[held], "mquat": model.body_quat[held]}
    stated = "".join(f" {name}='{' '.join(map(str, it.ravel()))}'" for name, it in numbers.items() if it.size)
    key = f"<keyframe><key name='{KEY}'{stated}/></keyframe>"
    before, end, after = path.read_text().rpartition("</mujoco>")
    written.write_text(f"{before}{key}{end}{after}")
    return written


def causes(path: Path, motion: Motion) -> str:
    """Name what may set the motions apart: what we warn of, and what is soft in MuJoCo."""
    model, data = initial(path)
    found = []
    contacts, deepest = 0, 0.0
    while data.time < SECONDS[0]:
        mujoco.mj_step(model, data)
        contacts = max(contacts, data.ncon)
        deepest = min([deepest, *data.contact.dist])
    if contacts:
        found.append(f"{contacts} contacts, {-1e3 * deepest:.1f} mm deep")
    if model.ntendon and (model.tendon_stiffness.any() or model.tendon_limited.any() or model.tendon_damping.any()):
        found.append("springs, dampers or limits of tendons")
    if model.neq:
        found.append("equality constraints")
    kinds = [re.sub(r"`[^`]*`|\d[\d.e+-]*", "…", it)[:90] for it in motion.warnings]
    return "; ".join(dict.fromkeys([*found, *kinds]))


def main() -> None:
    """Print a line for each robot, and what sets those apart that are far from MuJoCo's."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folders", type=Path, nargs="+")
    arguments.add_argument("--only", default="", metavar="WORD", help="files with this word in their path")
    options = arguments.parse_args()
    counts = {"near": 0, "far": 0, "refused": 0}
    for folder in options.folders:
        with tempfile.TemporaryDirectory(dir=folder.parent if os.access(folder.parent, os.W_OK) else None) as copy:
            root = Path(copy) / folder.name
            shutil.copytree(folder, root, ignore=shutil.ignore_patterns("*.py", "*.so*", "*.usd*", "__pycache__"))
            for path in files(root):
                name = path.relative_to(copy)
                if options.only in str(name):
                    counts[line(name, started(path), root)] += 1
    print(counts)


def line(name: Path, path: Path, root: Path) -> str:
    """Print one robot, and say whether it is near."""
    first = ours(path, SECONDS[0], root=root)
    reference = theirs(path, SECONDS[0])
    if first.refused or reference.refused:
        print(f"refused   {name}: {(first.refused or reference.refused)[:160]}", flush=True)
        return "refused"
    near = apart(first.pose, reference.pose)
    later = apart(ours(path, SECONDS[1], 2 * OUR_STEP, root=root).pose, theirs(path, SECONDS[1]).pose)
    why = causes(path, first) if near > FAR else ""
    print(f"{near:.1e} {later:.1e} {name} {why}"[:600], flush=True)
    return "far" if near > FAR else "near"


if __name__ == "__main__":
    main()
