"""Write which attributes of MJCF act in a simulation. See ../README.md.

The attributes are those of MuJoCo's own schema. One that can move a robot has a probe: a pair of small
files, without and with it. Both are simulated in MuJoCo and in featherline; the attribute acts where both
move by the same amount because of it.
"""

from __future__ import annotations

import argparse
import collections
import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import probes
from actuators import KINDS
from compare import OUR_STEP, Motion, Pose, apart, ours, stated, theirs
from rules import CAUSES, ELEMENTS, UNMOVING
from scene import Files, Probe, Scene

# An effect is at least this large, so that it stands out of the method's error.
SMALLEST_EFFECT = 1e-4
# Elements that the printed schema leaves out.
UNPRINTED = {
    "include": ["file"],
    "body/frame": ["axisangle", "childclass", "euler", "name", "pos", "quat", "xyaxes", "zaxis"],
    "body/replicate": ["count", "euler", "offset", "sep"],
}
CLASS = "probed"
VERDICTS = ["acts", "warned", "noted", "silent"]


@functools.cache
def schema() -> dict[str, list[str]]:
    """Return the elements of MJCF by their paths, with their attributes."""
    elements: dict[str, list[str]] = {}
    open_: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if found := re.match(r"( *)(\S+) \(.\)(.*)", line):
            indent, name, attributes = found.groups()
            open_ = [*open_[: len(indent) // 3], name.replace("(world)", "")]
            path = "/".join(open_[1:]) or "mujoco"
            elements[path] = attributes.split()
        elif line.strip():
            elements[path] += line.split()
    return {**elements, **UNPRINTED}


def attributes(text: str) -> dict[str, str]:
    """Return the attributes of an element by their names."""
    found = re.findall(r"([\w]+)=(?:\"([^\"]*)\"|'([^']*)')", text)
    return {name: first or second for name, first, second in found}


@dataclass
class Pair:
    """The two files of a probe."""

    scene: Scene
    without: str
    with_: str


def split(name: str, probe: Probe, base: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return all attributes of the element, without and with the one that is probed."""
    if isinstance(probe, tuple):
        return attributes(probe[0]), attributes(probe[1])
    values, _, context = probe.partition("|")
    before, arrow, value = values.rpartition("->")
    common = attributes(base) | attributes(context)
    first = common | {name: before.strip()} if arrow else common
    return first, common | {name: value.strip()}


def filled(scene: Scene, stated: dict[str, str], default: str = "") -> str:
    """Write the file of a scene whose element has these attributes."""
    text = scene.text.replace("@", " ".join(f'{name}="{value}"' for name, value in stated.items()))
    return text.replace("<worldbody>", f"{default}<worldbody>", 1)


def pair(name: str, scene: Scene, probe: Probe, kind: str | None) -> Pair:
    """Write both files; with a kind, the attribute is a default of that kind of element."""
    if isinstance(probe, Files):
        return Pair(scene, probe.without, probe.with_)
    first, second = split(name, probe, scene.base)
    if kind is None:
        return Pair(scene, filled(scene, first), filled(scene, second))
    # The attributes of an actuator need one another: all that a class may have are in it.
    names = schema()[f"default/{kind}"] if kind in KINDS else [name]
    inherited = {it: second.pop(it) for it in names if it in second}
    return Pair(scene, filled(scene, first), filled(scene, second | {"class": CLASS}, element(kind, inherited)))


def element(kind: str, stated: dict[str, str]) -> str:
    """Write a default class with attributes of one kind of element."""
    inherited = " ".join(f'{name}="{value}"' for name, value in stated.items())
    return f'<default><default class="{CLASS}"><{kind} {inherited}/></default></default>'


@dataclass
class Verdict:
    """What becomes of an attribute."""

    word: str
    # What both engines did, for those who look into it.
    detail: str = ""


class Table:
    """The verdicts of all attributes."""

    def __init__(self) -> None:
        self.probes = {(path, name): (scene, probe) for path, scene, all_ in probes.ALL for name, probe in all_.items()}
        self.motions: dict[tuple[str, float], Motion] = {}
        self.mistakes: list[str] = []

    def theirs(self, scene: Scene, text: str) -> Motion:
        """Simulate a file in MuJoCo, once."""
        if (text, 0.0) not in self.motions:
            self.motions[text, 0.0] = theirs(stated(text, scene.files), scene.seconds, scene.own_step)
        return self.motions[text, 0.0]

    def ours(self, scene: Scene, text: str, step: float) -> Motion:
        """Simulate a file in featherline, once."""
        if (text, step) not in self.motions:
            path = stated(text, scene.files)
            self.motions[text, step] = ours(path, scene.seconds, step, scene.own_step, scene.own_start)
        return self.motions[text, step]

    def probed(self, path: str, name: str, files: Pair) -> Verdict:
        """Compare the motions of a pair of files."""
        scene = files.scene
        first, second = self.theirs(scene, files.without), self.theirs(scene, files.with_)
        if first.refused or second.refused:
            self.mistakes.append(f"{path}/{name}: MuJoCo refuses: {first.refused or second.refused}")
            return Verdict("silent")
        effect = apart(second.pose, first.pose)
        if effect < SMALLEST_EFFECT:
            self.mistakes.append(f"{path}/{name}: the effect in MuJoCo is only {effect:.1e}")
        accepted = scene.tolerance * effect if np.isfinite(effect) else SMALLEST_EFFECT
        # Smaller steps where the method's error may be what is left.
        for step in (OUR_STEP, OUR_STEP / 2, OUR_STEP / 4):
            our_first, our_second = self.ours(scene, files.without, step), self.ours(scene, files.with_, step)
            error = apart(our_second.pose, second.pose)
            if np.isfinite(effect) and our_first.pose.keys() == our_second.pose.keys():
                # Errors of the method and of soft contact are in both motions, and cancel.
                error = apart(difference(our_second.pose, our_first.pose), difference(second.pose, first.pose))
            detail = f"effect {effect:.1e} error {error:.1e} without {apart(our_first.pose, first.pose):.1e}"
            if error <= accepted:
                return Verdict("acts", detail)
            if error > 5 * accepted:
                break
        told = [our_second.refused] if our_second.refused else []
        told += named(path, name, scene, our_second.warnings, our_first.warnings)
        if name == "group":
            # The actuator is switched off: if it does not act, the file without the attribute has the warning.
            told += named(path, name, scene, our_first.warnings, our_first.warnings)
        if told:
            return Verdict("warned", f"{detail}: {told[0]}")
        notes = named(path, name, scene, our_second.notes, our_first.notes)
        return Verdict("noted" if notes else "silent", detail + "".join(f": {it}" for it in notes[:1]))

    def verdict(self, path: str, name: str) -> Verdict | None:
        """Return the verdict of an attribute; none for one that can move nothing."""
        if any(re.fullmatch(pattern, f"{path}/{name}") for pattern, _ in UNMOVING):
            return None
        kind = path.removeprefix("default/") if path.startswith("default/") else None
        for element in elements_of(path):
            if (element, name) in self.probes:
                scene, probe = self.probes[element, name]
                return self.probed(path, name, pair(name, scene, probe, kind))
        whole = next((it for pattern, it in ELEMENTS if re.match(pattern, f"{path}/")), None)
        if whole:
            files = Pair(whole, whole.text.replace("#", ""), whole.text.replace("#", whole.base))
            verdict = self.probed(path, name, files)
            if verdict.word == "acts":
                self.mistakes.append(f"{path}/{name}: the element acts, and its attributes need probes of their own")
            return verdict
        self.mistakes.append(f"{path}/{name}: no probe, and no reason why it moves nothing")
        return Verdict("silent", "no probe")


def elements_of(path: str) -> list[str]:
    """Return the elements that a default is one of, or the element itself."""
    kind = path.removeprefix("default/")
    if kind == path:
        return [path]
    if kind == "equality":
        return [f"equality/{it}" for it in ("connect", "weld", "joint", "tendon")]
    if kind == "tendon":
        return ["tendon/spatial", "tendon/fixed"]
    return [f"{section}/{kind}" for section in ("body", "asset", "contact", "actuator")]


def difference(second: Pose, first: Pose) -> Pose:
    """Return by how much the second pose differs from the first."""
    return {name: second[name] - first[name] for name in second}


def named(path: str, name: str, scene: Scene, texts: list[str], before: list[str]) -> list[str]:
    """Return the texts that are new with the attribute, and those that name it or its element."""
    element = "|".join([*path.split("/")[-2:], *filter(None, [scene.through])])
    words = rf"`<?({name}|{element})>?`|\b({element})\b"
    return [it for it in texts if it not in before] + [it for it in texts if re.search(words, it)]


def cause(path: str, name: str) -> str:
    """Return why an attribute does not act."""
    return next((it for pattern, it in CAUSES if re.fullmatch(pattern, f"{path}/{name}")), "")


Verdicts = dict[tuple[str, str], Verdict]


def counts(verdicts: Verdicts) -> str:
    """Write how many attributes act, by section."""
    sections: dict[str, collections.Counter[str]] = {}
    for (path, _), verdict in verdicts.items():
        for section in ("**all**", path.split("/")[0]):
            sections.setdefault(section, collections.Counter())[verdict.word] += 1
    rows = [f"| | {' | '.join(VERDICTS)} | acts, % |", "|---|" + "---:|" * 5]
    for section, count in sections.items():
        share = 100 * count["acts"] / count.total()
        rows.append(f"| {section} | {' | '.join(str(count[it]) for it in VERDICTS)} | {share:.0f} |")
    return "\n".join(rows)


def elements(verdicts: Verdicts) -> str:
    """Write what becomes of the attributes of each element; a default is listed where it differs."""
    rows = [f"| | {' | '.join(VERDICTS)} |", "|---|---|---|---|---|"]
    for path in dict.fromkeys(path for path, _ in verdicts):
        cells: dict[str, list[str]] = {it: [] for it in VERDICTS}
        for (other, name), verdict in verdicts.items():
            same = {verdicts[it, name].word for it in elements_of(path) if (it, name) in verdicts} - {verdict.word}
            if other == path and (not path.startswith("default/") or same):
                cells[verdict.word].append(name)
        if any(cells.values()):
            rows.append(f"| `{path}` | {' | '.join(' '.join(it) for it in cells.values())} |")
    return "\n".join(rows)


def reasons(verdicts: Verdicts) -> str:
    """Write why attributes do not act."""
    found: dict[str, dict[str, list[str]]] = {}
    for (path, name), verdict in verdicts.items():
        if verdict.word != "acts" and not path.startswith("default/"):
            found.setdefault(cause(path, name), {}).setdefault(path, []).append(name)
    rows = ["| why | attributes |", "|---|---|"]
    for why, paths in found.items():
        named = "; ".join(f"`{path}`: {' '.join(names)}" for path, names in paths.items())
        rows.append(f"| {why} | {named} |")
    return "\n".join(rows)


def unmoving(table: list[tuple[str, str]]) -> str:
    """Write what moves nothing, each reason with the number of its attributes."""
    found: collections.Counter[str] = collections.Counter()
    for path, names in schema().items():
        for name in names:
            found.update([next((why for pattern, why in table if re.fullmatch(pattern, f"{path}/{name}")), "")])
    return "\n".join(f"* {why}: {count}" for why, count in found.items() if why)


PAGE = """\
# MJCF that moves

Which attributes of MJCF move a robot in a simulation as they do in MuJoCo {version}. The page is written by
`cargo xtask conformance --motion`, from MuJoCo's own list of attributes.

Each attribute that can move something has a pair of small files, without and with it. Both are simulated
for 0.2 s in MuJoCo and here, with small steps. The attribute

* **acts** if the motion changes here by as much as in MuJoCo, to 2 %; to 10 % in contact, which is soft in MuJoCo;
* is **warned** of if a warning of the file or of the simulation names it or its element, or the file is refused;
* is **noted** if only a note does so: `featherline check` and `load_robot(file).warnings` have it;
* is **silent** otherwise.

{counts}

A default counts by itself.

## Element by element

A default is listed where it differs from its element.

{elements}

## Why attributes do not act

{reasons}

## What moves nothing

These attributes have no such pair of files; how many there are:

{unmoving}
"""


def main() -> None:
    """Print the verdicts, and write the page or compare it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--page", type=Path, help="write this page")
    arguments.add_argument("--check", type=Path, help="fail if this page is another one")
    arguments.add_argument("--only", default="", metavar="PATH", help="print verdicts of paths that begin so")
    options = arguments.parse_args()
    table = Table()
    verdicts: Verdicts = {}
    for path, names in schema().items():
        for name in names:
            if f"{path}/{name}".startswith(options.only) and (verdict := table.verdict(path, name)):
                verdicts[path, name] = verdict
                if options.only:
                    print(f"{verdict.word:7} {path}/{name}: {verdict.detail}")
                if verdict.word != "acts" and not cause(path, name):
                    table.mistakes.append(f"{path}/{name}: it does not act, and no cause is given")
    if table.mistakes:
        sys.exit("\n".join(table.mistakes))
    print(counts(verdicts))
    page = PAGE.format(
        version=mujoco.__version__,
        counts=counts(verdicts),
        elements=elements(verdicts),
        reasons=reasons(verdicts),
        unmoving=unmoving(UNMOVING),
    )
    if options.page:
        options.page.write_text(page)
    if options.check and options.check.read_text() != page:
        sys.exit(f"{options.check} is out of date; write it anew with: cargo xtask conformance --motion")


if __name__ == "__main__":
    main()
