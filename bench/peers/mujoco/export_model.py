"""Turn a URDF into an MJCF file with the same joints and bodies, in Pinocchio's order.

MuJoCo's own URDF reader wants meshes, drops inertias and lumps bodies by rules of its own. Here the tree that Pinocchio reads
is written out: one body a joint, its inertia given, no geometry, hence no contacts.
"""

import argparse
from pathlib import Path
from xml.etree import ElementTree

import numpy
import pinocchio

AXES = {"X": "1 0 0", "Y": "0 1 0", "Z": "0 0 1"}


def numbers(values) -> str:
    return " ".join(repr(float(value)) for value in values)


def quaternion(rotation: numpy.ndarray) -> str:
    x, y, z, w = pinocchio.Quaternion(rotation).normalized().coeffs()
    return numbers([w, x, y, z])


def joint_element(name: str, joint) -> ElementTree.Element:
    """The joint in MuJoCo's terms; a continuous one, which Pinocchio has as (cos, sin), is an angle there."""
    kind = joint.shortname().removeprefix("JointModel")
    if kind == "FreeFlyer":
        return ElementTree.Element("freejoint", name=name)
    slides = kind.startswith("P")
    if kind.endswith("Unaligned"):
        axis = numbers(joint.extract().axis)
    elif kind[-1] in AXES and kind[:-1] in {"R", "P", "RUB"}:
        axis = AXES[kind[-1]]
    else:
        raise SystemExit(f"joint {name}: no MuJoCo joint is written for {kind}")
    return ElementTree.Element("joint", name=name, type="slide" if slides else "hinge", axis=axis)


def body_element(model: pinocchio.Model, index: int) -> ElementTree.Element:
    placement, inertia = model.jointPlacements[index], model.inertias[index]
    body = ElementTree.Element(
        "body", name=model.names[index], pos=numbers(placement.translation), quat=quaternion(placement.rotation)
    )
    moments = inertia.inertia
    off_diagonal = [moments[0, 1], moments[0, 2], moments[1, 2]]
    ElementTree.SubElement(
        body,
        "inertial",
        pos=numbers(inertia.lever),
        mass=numbers([inertia.mass]),
        fullinertia=numbers([*numpy.diag(moments), *off_diagonal]),
    )
    body.append(joint_element(model.names[index], model.joints[index]))
    return body


def write(model: pinocchio.Model, path: Path) -> None:
    root = ElementTree.Element("mujoco", model=model.name)
    # What the file says counts: no mass is added, no inertia mended, no limit inferred.
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false", balanceinertia="false", boundmass="0")
    ElementTree.SubElement(root, "option", gravity=numbers(model.gravity.linear))
    # How many configuration coordinates each joint has in the file of states.
    custom = ElementTree.SubElement(root, "custom")
    sizes = [model.joints[index].nq for index in range(1, model.njoints)]
    ElementTree.SubElement(custom, "numeric", name="nq", data=" ".join(map(str, sizes)))
    bodies = {0: ElementTree.SubElement(root, "worldbody")}
    for index in range(1, model.njoints):
        bodies[index] = body_element(model, index)
        bodies[model.parents[index]].append(bodies[index])
    ElementTree.ElementTree(root).write(path, encoding="unicode")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urdf", type=Path)
    parser.add_argument("model", type=Path, help="the MJCF file to write")
    parser.add_argument("--floating-base", action="store_true", help="put a free joint above the root link")
    arguments = parser.parse_args()

    base = [pinocchio.JointModelFreeFlyer()] if arguments.floating_base else []
    write(pinocchio.buildModelFromUrdf(str(arguments.urdf), *base, mimic=False), arguments.model)


if __name__ == "__main__":
    main()
