"""Turn a linkage, as featherline's model in JSON, into the files from which Pinocchio's contender and the harness work.

Besides the tree's model and layout, as `export_model.py` writes them, a file NAME.loops beside the model: a line for each loop,
with the joints at its two ends and their placements (rotation by rows, then translation). Pinocchio closes each by a ball. In a
plane a ball holds what a hinge across the plane does, with two constraints fewer that repeat others.
"""

import argparse
import json
from pathlib import Path

import numpy
import pinocchio
from export_model import describe

AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


def placement(fields: dict) -> pinocchio.SE3:
    columns = [fields["rotation"][axis] for axis in "xyz"]
    return pinocchio.SE3(numpy.array(columns).T, numpy.array(fields["translation"]))


def inertia(fields: dict) -> pinocchio.Inertia:
    moments = fields["rotational"]
    rotational = numpy.array([[moments["".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
    return pinocchio.Inertia(fields["mass"], numpy.array(fields["com"]), rotational)


def joint(kind) -> pinocchio.JointModel:
    if kind == "free_flyer":
        return pinocchio.JointModelFreeFlyer()
    (name, fields), = kind.items()
    if name == "universal":
        return pinocchio.JointModelUniversal(*(numpy.array(fields[axis]) for axis in ("first", "second")))
    axis = AXES[tuple(fields["axis"])]
    return getattr(pinocchio, {"revolute": "JointModelR", "prismatic": "JointModelP"}[name] + axis)()


def build(linkage: dict) -> pinocchio.Model:
    model = pinocchio.Model()
    model.name = linkage["name"]
    model.gravity.linear = numpy.array(linkage["gravity"])
    for fields in linkage["joints"][1:]:
        index = model.addJoint(fields["parent"], joint(fields["kind"]), placement(fields["placement"]), fields["name"])
        model.appendBodyToJoint(index, inertia(fields["inertia"]), pinocchio.SE3.Identity())
    return model


def loop_line(loop: dict) -> str:
    ends = [loop["predecessor"], loop["successor"]]
    numbers = []
    for end in ("predecessor_placement", "successor_placement"):
        at = placement(loop[end])
        numbers += [*at.rotation.flatten(), *at.translation]
    return " ".join(map(str, ends)) + " " + " ".join(repr(float(x)) for x in numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("linkage", type=Path)
    parser.add_argument("model", type=Path, help="the binary model to write")
    parser.add_argument("layout", type=Path, help="the JSON file to write")
    arguments = parser.parse_args()

    linkage = json.loads(arguments.linkage.read_text())
    model = build(linkage)
    model.saveToBinary(str(arguments.model))
    lines = [loop_line(loop) + "\n" for loop in linkage["loop_joints"]]
    arguments.model.with_suffix(".loops").write_text("".join(lines))
    arguments.layout.write_text(json.dumps(describe(model, arguments.linkage, False), indent=1) + "\n")


if __name__ == "__main__":
    main()
