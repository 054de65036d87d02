"""Contact beside MuJoCo: both read the same MJCF files, and are timed and measured in motion and at rest.

    python compare.py PROGRAM FOLDER MODELS [--only SCENE ...] [--budget SECONDS] [--out FILE] [--processor NAME]
        [--note TEXT]

PROGRAM is featherline's program `contact_bench`, FOLDER has the files that its `write` makes, MODELS is the folder
`suite` of the package dm_control. `cargo xtask bench-contact` does all of it.
"""

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import motion
import mujoco
import numpy as np

STEP = 1e-3
RUNS = 5

# Scene: steps to come to rest, steps in each run.
SCENES = {
    "quadruped": (4000, 2000),
    "humanoid": (4000, 1000),
    "panda_cube": (4000, 2000),
    "stack_1_to_1000": (4000, 2000),
    "pile_27": (2000, 200),
    "pile_1000": (200, 5),
}

# What a scene at rest must keep: the deepest penetration in m, the fastest creep in m/s, and the
# error of the force on what lies, relative to its weight.
PENETRATION = 1e-3
CREEP = 1e-6
FORCE = 1e-3

REST = """\
The median of five runs after the scene has come to rest, in µs a step. Drives are position actuators with the gains of
`Drives::holding` and the same limits of force. No call from Python is in these times: featherline's is a program, and
MuJoCo's `mj_step` has `nstep`. Here a ratio is **MuJoCo's time over featherline's: above 1, featherline takes less**.
It is in parentheses where one of the two does not pass the check below, or where the scenes differ."""

ENGINES = {
    "MuJoCo, elliptic": dict(cone=mujoco.mjtCone.mjCONE_ELLIPTIC),
    "MuJoCo, pyramidal": dict(cone=mujoco.mjtCone.mjCONE_PYRAMIDAL),
}


def start(file, cone):
    """A model and its data at the start, with the actuators' targets."""
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.cone = cone
    model.opt.tolerance = 1e-8
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    if model.nu:
        data.ctrl[:] = model.actuator_user[:, 0]
    mujoco.mj_forward(model, data)
    return model, data


def touching(data):
    return sum(1 for c in data.contact if c.dist < 1e-4 and c.exclude == 0)


def near_at_start(file, cone):
    """The points of contact at the start, with those that are not yet pressed."""
    model, data = start(file, cone)
    model.geom_margin[:] = 1e-4
    mujoco.mj_forward(model, data)
    return touching(data)


def positions(model, data):
    """Where the frames of the joints' bodies are."""
    mujoco.mj_kinematics(model, data)
    return data.xpos[model.jnt_bodyid].copy()


def force_on_free(model, data):
    """The force on all trees that move freely, and their weight."""

    def is_free(geom):
        body = model.body_rootid[model.geom_bodyid[geom]]
        joint = model.body_jntadr[body]
        return joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE

    total = np.zeros(3)
    local = np.zeros(6)
    for k, contact in enumerate(data.contact):
        one, two = map(is_free, contact.geom)
        if one == two:
            continue
        mujoco.mj_contactForce(model, data, k, local)
        world = contact.frame.reshape(3, 3).T @ local[:3]
        total += world if two else -world
    roots = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0]
    free = [b for b in roots if model.body_jntadr[b] >= 0
            and model.jnt_type[model.body_jntadr[b]] == mujoco.mjtJoint.mjJNT_FREE]
    return total, model.body_subtreemass[free].sum() * np.linalg.norm(model.opt.gravity)


def mujoco_run(file, settle, steps, cone):
    model, data = start(file, cone)
    found = {
        "mass": model.body_mass.sum(),
        "freedoms": model.nv,
        "drives": model.nu,
        "first_contacts": near_at_start(file, cone),
        "joints": [model.joint(k).name for k in range(model.njnt)],
        "positions": positions(model, data).tolist(),
    }
    mujoco.mj_step(model, data, nstep=settle)
    before = positions(model, data)
    times, deepest = [], 0.0
    for _ in range(RUNS):
        clock = time.perf_counter()
        mujoco.mj_step(model, data, nstep=steps)
        times.append((time.perf_counter() - clock) * 1e6 / steps)
        deepest = max(deepest, -min((c.dist for c in data.contact), default=0.0))
    after = positions(model, data)
    mujoco.mj_forward(model, data)
    force, weight = force_on_free(model, data)
    begin = np.array(found["positions"])
    return found | {
        "step_us": times,
        "contacts": touching(data),
        "penetration": deepest,
        "settled": np.linalg.norm(before - begin, axis=1).max(),
        "creep": np.linalg.norm(after - before, axis=1).max() / (RUNS * steps * STEP),
        "force": force.tolist(),
        "weight": weight,
    }


def run(program, *arguments):
    """The figures that featherline's program prints."""
    done = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def same_fixture(own, other):
    """What differs between two readings of a file; empty if they are the same."""
    wrong = []
    # The mass of links that are fixed to the world is no joint's.
    for what in ("freedoms", "drives", "first_contacts", "contacts"):
        if own[what] != other[what]:
            wrong.append(f"{what} {own[what]} and {other[what]}")
    if abs(own["weight"] - other["weight"]) > 1e-9 * other["weight"]:
        wrong.append(f"weight {own['weight']} and {other['weight']}")
    ours = dict(zip(own["joints"], own["positions"]))
    apart = [np.linalg.norm(np.subtract(ours[name], at)) if name in ours else np.inf
             for name, at in zip(other["joints"], other["positions"])]
    if max(apart) > 1e-9:
        wrong.append(f"joints {max(apart):.1e} m apart")
    return wrong


def misses(found):
    """Which checks a scene at rest does not pass."""
    error = np.linalg.norm(np.subtract(found["force"], [0, 0, found["weight"]])) / found["weight"]
    checks = {
        "penetration": found["penetration"] <= PENETRATION,
        "creep": found["creep"] <= CREEP,
        "force": error <= FORCE,
    }
    return [name for name, passes in checks.items() if not passes], error


def report_at_rest(scenes, program, folder):
    """Measures scenes at rest, and returns the lines of the report."""
    speed, rest, fixture = [], [], []
    for scene in scenes:
        settle, steps = SCENES[scene]
        file = folder / f"{scene}.xml"
        found = {"featherline": run(program, "run", file, settle, steps)}
        for name, how in ENGINES.items():
            found[name] = mujoco_run(file, settle, steps, **how)
        own = found["featherline"]
        cells = [scene]
        for name, it in found.items():
            median = statistics.median(it["step_us"])
            failed, error = misses(it)
            rest.append(
                f"| {scene} | {name} | {it['penetration'] * 1e6:.3g} | {it['creep'] * 1e6:.2g} "
                f"| {error:.1e} | {', '.join(failed) or 'passes'} |"
            )
            different = [] if it is own else same_fixture(own, it)
            fixture.append(
                f"| {scene} | {name} | {it['freedoms']} | {it['drives']} | {it['weight']:.6g} "
                f"| {it['first_contacts']} | {it['contacts']} | {'; '.join(different) or 'same'} |"
            )
            cells.append(f"{median:.2f}")
            if it is not own:
                ratio = median / statistics.median(own["step_us"])
                counts = not failed and not misses(own)[0] and not different
                cells.append(f"{ratio:.2f}" if counts else f"({ratio:.2f})")
        cells.append(f"{own['factorisations']:.2f}")
        cells.append(f"{own['residual']:.1e}, {own['inexact']}")
        speed.append("| " + " | ".join(cells) + " |")
        print(speed[-1], flush=True)
    return [
        "## Time at rest",
        "",
        *REST.splitlines(),
        "",
        "| scene | featherline | elliptic | ratio | pyramidal | ratio | factorisations a step | worst residual, "
        "inexact steps |",
        "|---|---|---|---|---|---|---|---|",
        *speed,
        "",
        "## At rest",
        "",
        f"A scene passes if nothing overlaps by more than {PENETRATION * 1e6:.0f} µm, no joint's frame moves faster "
        f"than {CREEP * 1e6:.0f} µm/s, and the contact",
        f"forces on what moves freely are its weight within {FORCE:.0e} of it. MuJoCo's contacts are soft by design, "
        "with its default `solref` and `solimp`.",
        "",
        "| scene | engine | penetration [µm] | creep [µm/s] | error of the force | check |",
        "|---|---|---|---|---|---|",
        *rest,
        "",
        "## The scenes",
        "",
        "Weight is that of what moves freely. Contact points are those closer than 0.1 mm, at the start and at the "
        "end.",
        "",
        "| scene | engine | freedoms | drives | weight [N] | points at the start | at the end | beside featherline |",
        "|---|---|---|---|---|---|---|---|",
        *fixture,
        "",
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--only", nargs="*", choices=["motion", "rest", *motion.NAMES, *SCENES], metavar="SCENE",
                        help="these scenes, or all in motion, or all at rest")
    parser.add_argument("--budget", type=float, default=motion.BUDGET, help=motion.BUDGET_HELP)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--processor", default="")
    parser.add_argument("--note", help="what else there is to say of the run")
    arguments = parser.parse_args()
    if not arguments.processor:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        arguments.processor = names[0] if names else "an unnamed processor"
    chosen = set(arguments.only or ["motion", "rest"])
    in_motion = [name for name in motion.NAMES if name in chosen or "motion" in chosen]
    at_rest = [name for name in SCENES if name in chosen or "rest" in chosen]
    moving = motion.report(in_motion, arguments.models, arguments.budget) if in_motion else []
    resting = report_at_rest(at_rest, arguments.program, arguments.folder) if at_rest else []
    text = "\n".join([
        "# Contact beside MuJoCo",
        "",
        "Written by `cargo xtask bench-contact`. Both read the same MJCF files. Steps of 1 ms, one thread.",
        "",
        f"* Processor: {arguments.processor}",
        f"* MuJoCo {mujoco.__version__}: Newton, tolerance 1e-8, `implicitfast`, otherwise its defaults",
        *([f"* {arguments.note}"] if arguments.note else []),
        "",
        *moving,
        *resting,
    ])
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
