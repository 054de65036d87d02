"""MJCF files as Pinocchio reads them."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

import featherline
from featherline._native import SE3, Inertia
from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.joints import JointModel
from featherline.pinocchio.lists import StdVec, StdVec_Frame
from featherline.pinocchio.model import Model, from_native
from featherline.pinocchio.native import neutral
from featherline.pinocchio.urdf import root_tag, rooted

__all__ = ["buildModelFromMJCF", "buildModelFromMJCFAndRootJoint"]

Path = str | os.PathLike[str]


def buildModelFromMJCF(mjcf_filename: Path, root_joint: JointModel | None = None, root_joint_name: str | None = None) -> Any:
    """The model of an MJCF file. Constraints and actuators are left out, as in Pinocchio.

    A body with several joints has them one after another, each with its name in the file, where Pinocchio has one
    JointModelComposite. Entries of q and v are the same. Shapes that are only seen have mass, as in MuJoCo and unlike
    Pinocchio.

    With `root_joint`, as buildModelFromMJCFAndRootJoint. With `root_joint_name`, too, the model and a list of
    constraints, as in Pinocchio 4, which is empty.
    """
    if root_joint is None:
        return _read(mjcf_filename)[0]
    if not isinstance(root_joint, JointModel):
        raise TypeError(f"root_joint is a {type(root_joint).__name__}, where a JointModel is expected")
    model = buildModelFromMJCFAndRootJoint(mjcf_filename, root_joint, root_joint_name or "root_joint")
    return model if root_joint_name is None else (model, constraints(mjcf_filename))


def buildModelFromMJCFAndRootJoint(mjcf_filename: Path, root_joint: JointModel, root_joint_name: str = "root_joint") -> Model:
    """The model of an MJCF file, its first body carried by a joint unless the file gives it joints."""
    model, robot = _read(mjcf_filename)
    on_world = [joint.kind for joint in robot.joints if joint.parent == robot.links[0].name]
    if any(kind != "fixed" for kind in on_world):
        return model
    if on_world != ["fixed"]:
        raise NotImplementedError("buildModelFromMJCFAndRootJoint of a world with several bodies")
    moved = rooted(model, root_joint, root_joint_name)
    # Pinocchio puts the joint where the body is, and the body's frame on it.
    root = neutral(moved)[: root_joint.nq]
    for name, q in model.referenceConfigurations.items():
        moved.referenceConfigurations[name] = np.concatenate([root, q])
    return moved


def described(filename: Path) -> featherline.Robot:
    """The robot of an MJCF file."""
    path = os.path.abspath(filename)
    if not os.path.isfile(path):
        raise RuntimeError(f"{os.fspath(filename)}: cannot open file")
    if root_tag(path) == "robot":
        raise ValueError(f"{os.fspath(filename)} is a URDF, not an MJCF file; buildModelFromUrdf reads it")
    return featherline.load_robot(path, mimic="free")


def constraints(filename: Path) -> StdVec[Any]:
    """The constraints of an MJCF file: none, with a warning if the file has any."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", featherline.RobotWarning)
        count = len(described(filename).model.loops)
    if count:
        from featherline.robot_files import _warn_user

        what = "equality constraints are left out; featherline.load makes loop joints of them"
        _warn_user(f"{os.fspath(filename)}: {count} {what}")
    return StdVec()


def _between(robot: featherline.Robot) -> set[str]:
    """Links between the joints of one body."""
    return {joint.parent for joint in robot.joints if joint.parent.endswith(f"_before_{joint.name}")}


def _read(filename: Path) -> tuple[Model, featherline.Robot]:
    robot = described(filename)
    model = from_native(robot.model)
    for joint in model.joints[1:]:
        if joint.unit is not None:
            # Positions of free joints, too, unlike those of a URDF.
            model.lowerPositionLimit[joint.idx_q :][: joint.nq] = -1.01
            model.upperPositionLimit[joint.idx_q :][: joint.nq] = 1.01
    model.frames = _frames(model, robot)
    model.nbodies = model.njoints - len(_between(robot))
    for frame in model.frames:
        if frame.parentJoint == 0 and frame.inertia.mass > 0:
            model._inertias[0] = model._inertias[0] + frame.placement * frame.inertia
    return model, robot


def _frames(model: Model, robot: featherline.Robot) -> StdVec_Frame:
    """Frames in Pinocchio's order: of each body the joint's, the body's and those of its sites. The world has none."""
    above = {joint.child: joint for joint in robot.joints}
    sites: dict[str, list[Any]] = {}
    for site in robot.frames:
        sites.setdefault(site.link, []).append(site)
    world, between = robot.links[0].name, _between(robot)
    frames = StdVec_Frame([model.frames[0]])
    # Of each body: its frame, its joint in the model, and where it is on that.
    bodies: dict[str, tuple[int, int, SE3]] = {world: (0, 0, SE3())}
    for link in robot.links[1:]:
        joint = above[link.name]
        frame, carrier, placement = bodies[joint.parent]
        inertia = Inertia()
        if joint.kind == "fixed":
            placement = placement * joint.placement * joint.child_placement
            if joint.parent == world:
                inertia = link.inertia or inertia
            else:
                frames.append(Frame(joint.name, carrier, frame, placement, FrameType.FIXED_JOINT, link.inertia or inertia))
                frame = len(frames) - 1
        else:
            carrier, placement = model.getJointId(joint.name), joint.child_placement
            frames.append(Frame(joint.name, carrier, frame, SE3(), FrameType.JOINT))
            frame = len(frames) - 1
        if link.name not in between:
            frames.append(Frame(link.name, carrier, frame, placement, FrameType.BODY, inertia))
        bodies[link.name] = (len(frames) - 1, carrier, placement)
        body = len(frames) - 1
        # Pinocchio leaves out those of a body that is fixed in the world.
        for site in sites.get(link.name, []) if frame else []:
            frames.append(Frame(site.name, carrier, body, placement * site.placement, FrameType.OP_FRAME))
    return frames
