"""Pinocchio's sample models, by their published numbers."""

from __future__ import annotations

import numpy as np

from featherline._native import SE3, Inertia, exp3
from featherline.pinocchio.enums import BODY, JOINT
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.joints import CLASSES
from featherline.pinocchio.model import Model
from featherline.pinocchio.randomness import next_seed, uniform

__all__ = ["buildSampleModelHumanoid", "buildSampleModelHumanoidRandom", "buildSampleModelManipulator"]

_SMALL = Inertia(0.1, np.zeros(3), 0.01 * np.eye(3))
_LONG = Inertia(1.0, [0.0, 0.0, 0.5], np.eye(3))
_UP = SE3(np.eye(3), [0.0, 0.0, 1.0])


def _add(model: Model, axis: str, parent: int, name: str, placement: SE3, inertia: Inertia = _SMALL) -> int:
    """A joint with a body and their frames."""
    # Pinocchio's least effort is positive, too.
    limits = [np.full(1, x) for x in (10.0, 10.0, 10.0, 10.0, -3.14, 3.14, 0.0, 0.0, 0.0)]
    joint = model.addJoint(parent, CLASSES[f"JointModelR{axis}"](), placement, f"{name}_joint", *limits)
    model.addJointFrame(joint, -1)
    model.appendBodyToJoint(joint, inertia)
    model.addBodyFrame(f"{name}_body", joint)
    return joint


def _add_body(model: Model, joint: int, name: str) -> None:
    model.addFrame(Frame(name, joint, model.getFrameId(model.names[joint], JOINT), SE3(), BODY))


def _arm(model: Model, parent: int, placement: SE3, prefix: str = "") -> int:
    joint = _add(model, "X", parent, f"{prefix}shoulder1", placement)
    joint = _add(model, "Y", joint, f"{prefix}shoulder2", SE3())
    joint = _add(model, "Z", joint, f"{prefix}shoulder3", SE3(), _LONG)
    _add_body(model, joint, f"{prefix}upperarm_body")
    joint = _add(model, "Y", joint, f"{prefix}elbow", _UP, _LONG)
    _add_body(model, joint, f"{prefix}lowerarm_body")
    joint = _add(model, "X", joint, f"{prefix}wrist1", _UP)
    joint = _add(model, "Y", joint, f"{prefix}wrist2", SE3(), _LONG)
    _add_body(model, joint, f"{prefix}effector_body")
    return joint


def buildSampleModelManipulator(mimic: bool = False) -> Model:
    """An arm of six joints."""
    if mimic:
        raise NotImplementedError("buildSampleModelManipulator with mimic joints")
    model = Model()
    _arm(model, 0, SE3())
    return model


def buildSampleModelHumanoid(using_free_flyer: bool = True) -> Model:
    """A humanoid of two legs, a chest, a head and two arms on a free flyer."""
    if not using_free_flyer:
        raise NotImplementedError("buildSampleModelHumanoid without a free flyer")
    model = Model()
    root = model.addJoint(0, CLASSES["JointModelFreeFlyer"](), SE3(), "root_joint")
    model.lowerPositionLimit[3:7], model.upperPositionLimit[3:7] = -1.0, 1.0
    model.addJointFrame(root, -1)
    model.appendBodyToJoint(root, _SMALL)
    turned = exp3([np.pi, 0.0, 0.0])
    for side, y in (("r", -0.2), ("l", 0.2)):
        foot = _arm(model, root, SE3(turned, [0.0, y, -0.1]), f"{side}leg_")
        model._jointPlacements[foot].rotation = FOOT
    chest = _add(model, "X", root, "chest1", SE3())
    chest = _add(model, "Y", chest, "chest2", SE3(), _LONG)
    head = _add(model, "X", chest, "head1", _UP)
    _add(model, "Y", head, "head2", SE3(), _LONG)
    for side, y in (("r", -0.3), ("l", 0.3)):
        _arm(model, chest, SE3(turned, [0.0, y, 1.0]), f"{side}arm_")
    return model


# A foot is a hand that points forwards.
FOOT = exp3([0.0, np.pi / 2, 0.0])


def buildSampleModelHumanoidRandom(using_free_flyer: bool = True, mimic: bool = False) -> Model:
    """A humanoid of random placements, inertias and limits."""
    if not using_free_flyer:
        raise NotImplementedError("buildSampleModelHumanoidRandom without a free flyer")
    if mimic:
        raise NotImplementedError("buildSampleModelHumanoidRandom with mimic joints")
    model = Model()
    root = _add_random(model, 0, "FreeFlyer", "root")
    for side in "lr":
        joint = root
        for k, axis in enumerate(_LEG):
            joint = _add_random(model, joint, f"R{axis}", f"{side}leg{k + 1}")
    chest = _add_random(model, _add_random(model, root, "RY", "torso1"), "RZ", "chest")
    for side in "rl":
        joint = chest
        for k, axis in enumerate(_LEG):
            joint = _add_random(model, joint, f"R{axis}", f"{side}arm{k + 1}")
    return model


_LEG = "XYZYYX"


def _add_random(model: Model, parent: int, kind: str, name: str) -> int:
    joint_model = CLASSES[f"JointModel{kind}"]()
    nq, nv = joint_model.nq, joint_model.nv
    # Least and most effort, velocity, configuration and friction; no damping.
    limits = [uniform(np.full(n, a), np.full(n, a + 2.0)) for n in (nv, nv, nq, nv) for a in (-2.0, 0.0)]
    limits.append(np.zeros(nv))
    placement = SE3() if kind == "FreeFlyer" else SE3.random(next_seed())
    joint = model.addJoint(parent, joint_model, placement, f"{name}_joint", *limits)
    if kind == "FreeFlyer":
        model.lowerPositionLimit[3:7], model.upperPositionLimit[3:7] = -1.0, 1.0
    model.addJointFrame(joint, -1)
    model.appendBodyToJoint(joint, Inertia.random(next_seed()))
    model.addBodyFrame(f"{name}_body", joint)
    return joint
