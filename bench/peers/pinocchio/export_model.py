"""Turn a URDF into the files from which Pinocchio's contender and the harness work.

Writes the model in Pinocchio's binary archive, and a JSON file that says where each joint's coordinates stand, so that the
harness can hand every contender the same state in its own order.
"""

import argparse
import json
from pathlib import Path
from xml.etree import ElementTree

import pinocchio


def read_model(urdf: Path, floating_base: bool, mimic: bool) -> pinocchio.Model:
    if floating_base:
        return pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer(), mimic=mimic)
    return pinocchio.buildModelFromUrdf(str(urdf), mimic=mimic)


def write_bare(urdf: Path, copy: Path) -> None:
    """A copy of the URDF without shapes, and with mimic joints free, for libraries that would refuse it for either."""
    document = ElementTree.parse(urdf)
    for element in list(document.iter()):
        for child in list(element):
            if child.tag in {"visual", "collision", "mimic"}:
                element.remove(child)
    document.write(copy)


def describe(model: pinocchio.Model, urdf: Path, floating_base: bool) -> dict:
    """The layout of q and v, and the joint that carries each link."""
    # Joint 0 is the universe, which has no coordinates.
    joints = [
        {
            "name": model.names[index],
            "type": model.joints[index].shortname(),
            "parent": model.names[model.parents[index]],
            "idx_q": model.joints[index].idx_q,
            "nq": model.joints[index].nq,
            "idx_v": model.joints[index].idx_v,
            "nv": model.joints[index].nv,
        }
        for index in range(1, model.njoints)
    ]
    links = [
        {"name": frame.name, "joint": model.names[frame.parentJoint]}
        for frame in model.frames
        if frame.type == pinocchio.FrameType.BODY
    ]
    return {
        "pinocchio": pinocchio.__version__,
        "robot": model.name,
        "urdf": str(urdf.resolve()),
        "floating_base": floating_base,
        "nq": model.nq,
        "nv": model.nv,
        "joints": joints,
        "links": links,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urdf", type=Path)
    parser.add_argument("model", type=Path, help="the binary model to write")
    parser.add_argument("layout", type=Path, help="the JSON file to write")
    parser.add_argument("--floating-base", action="store_true", help="put a free-flyer above the root link")
    parser.add_argument(
        "--mimic",
        action="store_true",
        help="couple mimic joints to their masters; without it they are free, as most of Pinocchio's calls require",
    )
    arguments = parser.parse_args()

    model = read_model(arguments.urdf, arguments.floating_base, arguments.mimic)
    model.saveToBinary(str(arguments.model))
    bare = arguments.layout.with_suffix(".bare.urdf")
    write_bare(arguments.urdf, bare)
    arguments.layout.write_text(json.dumps(describe(model, bare, arguments.floating_base), indent=1) + "\n")


if __name__ == "__main__":
    main()
