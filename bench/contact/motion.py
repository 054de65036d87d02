"""Scenes in motion, featherline beside MuJoCo: times of single steps, and what a judge finds.

    python motion.py MODELS [--only SCENE ...] [--budget SECONDS]

MODELS is the folder `suite` of the package dm_control. Prints the part of the report on motions;
`compare.py` writes it with the rest.
"""

import argparse
import math
import time
import warnings
from pathlib import Path

import numpy as np
from motion_engines import STIFF_SOLIMP, STIFF_SOLREF, engines, read
from motion_judge import judge
from moving_bodies import STEP
from moving_scenes import NAMES, from_dm_control, scenes

# Runs whose least time counts, step by step: what else the machine does seldom hits a step twice.
RUNS = 3
BUDGET = 60.0
BUDGET_HELP = "wall time in s for an engine in a scene in motion"


BEGINNING = """\
## In motion

Processor time of a step of 1 ms in µs. Both engines are called from Python, step by step, and the call is in the
times. Each step is the least of up to {runs} runs of the same motion. The first step, in which engines allocate, is
left out. The ratio is the mean of featherline over that of MuJoCo pyramidal: **below 1, featherline takes less**.
{summary}

* **pyramidal**, **elliptic**: MuJoCo with these friction cones, its contacts as soft as the file says, which is mostly
  the default. **stiff**: pyramidal, with contacts of `solref` {solref} and `solimp` {solimp}, which sink in less.
* **deepest**: the deepest overlap after any step. **energy gained**: the largest rise of the energy above its least
  before, the work of the drives and the largest change of the potential energy in a step taken off. It comes from
  nothing, or from soft contacts that give back what they took. The same judge finds both for every engine, from its
  states alone.
* **inexact**: steps that the engine itself flags. featherline's did not reach the residual that was asked for,
  MuJoCo's took all iterations. **residual**: featherline's worst, divided by the largest velocity in its step (m/s and
  rad/s alike).
* An engine has {budget:g} s of wall time for a run of a scene. Remarks tell which was stopped, and those below it in
  the scene are measured over the same steps."""

END = """\
### The scenes in motion

`bench/contact/moving_scenes.py` has them. For either engine, dm_control's robots have no actuators, no ball, no height
field and no equations between tendons; they begin in their default configuration, their lowest point 0.1 m above the
floor."""


def one_line(error):
    return " ".join(str(error).replace("|", "/").split())[:150]


def timed_once(make, scene, most, budget):
    """The processor time in µs of each step, and why the motion ended early, if it did."""
    engine = make()
    times = np.zeros(most)
    end = time.perf_counter() + budget
    for k in range(most):
        if scene.targets:
            engine.command(k * STEP)
        begin = time.process_time_ns()
        try:
            engine.step()
        except Exception as error:
            return times[:k], f"fails in step {k + 1}: {one_line(error)}"
        times[k] = (time.process_time_ns() - begin) / 1e3
        if time.perf_counter() > end and k + 1 < most:
            return times[:k + 1], "budget"
    return times, None


def timed(make, scene, most, budget):
    """The least of some runs, of as many as the budget of wall time allows."""
    begin = time.perf_counter()
    times, ended = timed_once(make, scene, most, budget)
    for run in range(1, RUNS):
        spent = time.perf_counter() - begin
        if ended or spent * (run + 1) / run > budget:
            break
        again, _ = timed_once(make, scene, most, budget)
        times = np.minimum(times, again) if len(again) == len(times) else times
    return times, ended


def measure(scene, budget):
    """What each engine takes and keeps in a scene; all over the steps that the ones before made."""
    model = read(scene.source)
    most = scene.steps
    found = {}
    for name, make in engines(scene, model).items():
        try:
            times, ended = timed(make, scene, most, budget)
        except Exception as error:
            times, ended = np.zeros(0), f"does not begin: {one_line(error)}"
        row = found[name] = {"times": times, "ended": ended}
        if len(times):
            row |= judge(make(), scene, model, len(times))
            most = len(times)
        print(f"{scene.name}, {name}: {times.mean() if len(times) else math.nan:.1f} µs", flush=True)
    return found


def ratio(found):
    """The mean time of featherline over that of MuJoCo, over the steps that both made."""
    own, other = (found[name]["times"] for name in ("featherline", "pyramidal"))
    common = min(len(own), len(other))
    return own[1:common].mean() / other[1:common].mean() if common > 1 else math.nan


def bold_ratio(found):
    its = ratio(found)
    return f"**{its:.2f}**" if math.isfinite(its) else "–"


def time_cells(times):
    # Engines allocate in the first step.
    times = times[1:]
    if not len(times):
        return ["–"] * 4
    figures = (times.mean(), np.median(times), np.percentile(times, 99), times.max())
    return [f"{it:.1f}" if it < 100 else f"{it:.0f}" for it in figures]


def rows(scene, found):
    """The rows of a scene, an engine each."""
    for name, it in found.items():
        is_own = name == "featherline"
        remarks = list(it.get("remarks", []))
        if it["ended"] == "budget":
            remarks.insert(0, f"stopped after {len(it['times'])} of {scene.steps} steps")
        elif it["ended"]:
            remarks.insert(0, it["ended"])
        cells = [scene.name if is_own else "", name, *time_cells(it["times"])]
        cells.append(bold_ratio(found) if is_own else "")
        if len(it["times"]):
            residual = it["residual"]
            cells += [f"{it['deepest'] * 1e3:.2g}", f"{it['gain']:.2g}", str(it["inexact"])]
            cells.append("" if residual is None else f"{residual:.1e}")
        else:
            cells += ["–"] * 4
        yield row([*cells, "; ".join(remarks)])


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(header, lines):
    return [row(header), "|" + "---|" * len(header), *lines]


def report(only, models, budget):
    """Measures the scenes, all or those in `only`, and returns the lines of the report."""
    # What they say is in the remarks.
    warnings.simplefilter("ignore", UserWarning)
    chosen = [scene for scene in scenes() + from_dm_control(models) if not only or scene.name in only]
    motion, known, what, ratios = [], [], [], []
    for scene in chosen:
        found = measure(scene, budget)
        motion += rows(scene, found)
        ratios.append(ratio(found))
        model = read(scene.source)
        what.append(row([scene.name, scene.what, f"{scene.seconds:g}", str(model.nbody - 1), str(model.nv)]))
        if scene.known:
            figures = (it.get("known", "–") for it in found.values())
            known.append(row([scene.name, scene.known.expected, *figures]))
    ratios = np.array([it for it in ratios if math.isfinite(it)])
    beginning = BEGINNING.format(
        runs=RUNS,
        summary=summary(ratios),
        solref="{:g} {:g}".format(*STIFF_SOLREF),
        solimp="{:g} {:g} {:g}".format(*STIFF_SOLIMP),
        budget=budget,
    )
    return [
        *beginning.splitlines(),
        "",
        *table(("scene", "engine", "mean", "median", "99 %", "worst", "ratio", "deepest [mm]", "energy gained [J]",
                "inexact", "residual", "remarks"), motion),
        "",
        *known_results(known),
        *END.splitlines(),
        "",
        *table(("scene", "what moves", "time [s]", "bodies", "freedoms"), what),
        "",
    ]


def summary(ratios):
    if len(ratios) < 2:
        return ""
    mean = math.exp(np.log(ratios).mean())
    return (
        f"It does in {(ratios < 1).sum()} of {len(ratios)} scenes; the geometric mean of the ratios is {mean:.2f}, "
        f"the largest {ratios.max():.2f}."
    )


def known_results(lines):
    if not lines:
        return []
    return [
        "### Known results of motions",
        "",
        *table(("scene", "expected", "featherline", "pyramidal", "elliptic", "stiff"), lines),
        "",
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", type=Path)
    parser.add_argument("--only", nargs="*", choices=NAMES)
    parser.add_argument("--budget", type=float, default=BUDGET, help=BUDGET_HELP)
    arguments = parser.parse_args()
    print("\n".join(report(arguments.only, arguments.models, arguments.budget)))


if __name__ == "__main__":
    main()
