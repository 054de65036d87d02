"""URDF files as Pinocchio reads them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import featherline
from featherline._native import SE3, Inertia, rpy_to_matrix
from featherline.pinocchio.append import add_to
from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.joints import JointModel, JointModelMimic
from featherline.pinocchio.lists import StdVec_Frame
from featherline.pinocchio.model import OF_Q, OF_V, Model, from_native

__all__ = ["buildModelFromUrdf", "buildModelFromXML"]

Path = str | os.PathLike[str]


def buildModelFromUrdf(urdf_filename: Path, *options: Any, **named: Any) -> Model:
    """The model of a URDF file: (urdf_filename[, root_joint[, root_joint_name]][, model], mimic=False).

    With a model, the robot is added to it, on the universe.
    """
    try:
        with open(urdf_filename, encoding="utf-8") as file:
            text = file.read()
    except OSError as reason:
        name = os.fspath(urdf_filename)
        raise ValueError(f"The file {name} does not contain a valid URDF model: {reason}") from reason
    if root_tag(urdf_filename) == "mujoco":
        raise ValueError(f"{os.fspath(urdf_filename)} is an MJCF file, not a URDF; buildModelFromMJCF reads it")
    # Read as a file, warnings name it; an absolute path is never the name of an embedded robot.
    return _built(os.path.abspath(urdf_filename), text, *options, **named)


def buildModelFromXML(urdf_xml_stream: str, *options: Any, **named: Any) -> Model:
    """buildModelFromUrdf of a text."""
    return _built(urdf_xml_stream, urdf_xml_stream, *options, **named)


def _built(
    source: str,
    text: str,
    *options: Any,
    root_joint: JointModel | None = None,
    root_joint_name: str | None = None,
    model: Model | None = None,
    verbose: bool = False,
    mimic: bool = False,
) -> Model:
    del verbose
    rest = list(options)
    if rest and isinstance(rest[0], JointModel):
        root_joint = rest.pop(0)
        if rest and isinstance(rest[0], str):
            root_joint_name = rest.pop(0)
    if rest and isinstance(rest[0], Model):
        model = rest.pop(0)
    mimic = mimic or bool(rest and rest[-1])
    built = from_native(featherline.load(source, pinocchio=True, mimic="coupled" if mimic else "free"))
    order(built, text)
    if root_joint is not None:
        built = rooted(built, root_joint, root_joint_name or "root_joint")
    if model is None:
        return built
    add_to(model, built)
    return model


def root_tag(path: str | os.PathLike[str]) -> str | None:
    """The name of a file's root element; None if it has none."""
    import xml.etree.ElementTree as ElementTree

    try:
        return next((element.tag for _, element in ElementTree.iterparse(path, ("start",))), None)
    except ElementTree.ParseError:
        return None


def rooted(model: Model, root_joint: JointModel, name: str) -> Model:
    """The model of which a joint carries what is fixed in the universe."""
    result = Model()
    result.name, result._gravity = model.name, model._gravity.copy()
    root = result.addJoint(0, root_joint, SE3(), name)
    for i in range(1, model.njoints):
        joint = model.joints[i].copy()
        if isinstance(joint, JointModelMimic):
            joint.mimicked += root
        result.addJoint(model.parents[i] + root, joint, model._jointPlacements[i], model.names[i])
    for i, inertia in enumerate(model._inertias):
        result._inertias[i + root] = inertia.copy()
    for entries, count in ((OF_Q, root_joint.nq), (OF_V, root_joint.nv)):
        for entry in entries:
            setattr(result, entry, np.concatenate([getattr(result, entry)[:count], getattr(model, entry)]))
    result.frames.append(Frame(name, root, 0, SE3(), FrameType.JOINT))
    for frame in model.frames[1:]:
        frame.parentJoint += root
        frame.parentFrame += 1
        result.frames.append(frame)
    # The inertia of the root link is the joint's body's.
    root_link = result.frames[2]
    result.nbodies = model.nbodies + (root_link.inertia.mass > 0)
    root_link.inertia = Inertia()
    return result


def _numbers(element: Any, name: str, default: str) -> np.ndarray:
    text = default if element is None else element.get(name, default)
    return np.array(text.split(), float)


def _inertia(link: Any) -> Inertia:
    inertial = link.find("inertial")
    if inertial is None or inertial.find("mass") is None:
        return Inertia()
    origin, mass = inertial.find("origin"), float(inertial.find("mass").get("value", 0))
    inertia = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (
        float(inertia.get(name, 0)) if inertia is not None else 0.0 for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    R = rpy_to_matrix(_numbers(origin, "rpy", "0 0 0"))
    rows = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return Inertia(mass, _numbers(origin, "xyz", "0 0 0"), rows)


def order(model: Model, text: str) -> None:
    """Put frames in Pinocchio's order: links depth-first, children by their joints' names, each joint before its link."""
    import xml.etree.ElementTree as ElementTree

    robot = ElementTree.fromstring(text.strip().encode())
    links = {link.get("name"): link for link in robot.findall("link")}
    children: dict[Any, list[tuple[Any, Any]]] = {}
    is_child = set()
    for joint in sorted(robot.findall("joint"), key=lambda joint: joint.get("name", "")):
        parent, child = joint.find("parent"), joint.find("child")
        if parent is not None and child is not None:
            children.setdefault(parent.get("link"), []).append((joint.get("name"), child.get("link")))
            is_child.add(child.get("link"))
    of = {(frame.name, frame.type == FrameType.BODY): frame for frame in model.frames[1:]}
    frames = StdVec_Frame([model.frames[0]])

    def visit(link: Any, above: int) -> None:
        frame = of[link, True]
        frame.parentFrame = above
        frames.append(frame)
        here = len(frames) - 1
        for joint, child in children.get(link, []):
            frame = of[joint, False]
            frame.parentFrame = here
            if frame.type == FrameType.FIXED_JOINT:
                # Pinocchio keeps the inertia of a link that does not move there.
                frame.inertia = _inertia(links[child])
            else:
                model.nbodies += _inertia(links[child]).mass > 0
            frames.append(frame)
            visit(child, len(frames) - 1)

    (root,) = (link for link in links if link not in is_child)
    visit(root, 0)
    model.frames = frames
    of[root, True].inertia = _inertia(links[root])
    for frame in frames:
        if frame.parentJoint == 0 and frame.inertia.mass > 0:
            model._inertias[0] = model._inertias[0] + frame.placement * frame.inertia
