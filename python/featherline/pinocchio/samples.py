"""Pinocchio's sample models, by their published numbers."""

from __future__ import annotations

import numpy as np

from featherline._native import SE3, Inertia, exp3
from featherline.pinocchio.coal import Capsule, Sphere
from featherline.pinocchio.enums import BODY, JOINT
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.geometry import GeometryModel, GeometryObject
from featherline.pinocchio.joints import CLASSES, JointModel, JointModelComposite, JointModelMimic
from featherline.pinocchio.model import Model, of_model
from featherline.pinocchio.randomness import next_seed, uniform

__all__ = [
    "buildSampleGeometryModelHumanoid", "buildSampleGeometryModelManipulator", "buildSampleModelHumanoid",
    "buildSampleModelHumanoidRandom", "buildSampleModelManipulator",
]  # fmt: skip

_SMALL = Inertia(0.1, np.zeros(3), 0.01 * np.eye(3))
_LONG = Inertia(1.0, [0.0, 0.0, 0.5], np.eye(3))
_UP = SE3(np.eye(3), [0.0, 0.0, 1.0])


def _revolute(axis: str, mimicked: JointModel | None = None) -> JointModel:
    """A joint that turns about an axis; with `mimicked` it moves with that joint of a model."""
    joint = CLASSES[f"JointModelR{axis}"]()
    if mimicked is None:
        return joint
    mimic = JointModelMimic(mimicked, 2.5, 0.75)
    mimic.kind = joint.kind
    return mimic


def _add(model: Model, joint_model: JointModel, parent: int, name: str, placement: SE3, inertia: Inertia = _SMALL) -> int:
    """A joint with a body and their frames."""
    # Pinocchio's least effort is positive, too.
    limits = [np.full(joint_model.nq, x) for x in (10.0, 10.0, 10.0, 10.0, -3.14, 3.14, 0.0, 0.0, 0.0)]
    joint = model.addJoint(parent, joint_model, placement, f"{name}_joint", *limits)
    model.addJointFrame(joint, -1)
    model.appendBodyToJoint(joint, inertia)
    model.addBodyFrame(f"{name}_body", joint)
    return joint


def _add_body(model: Model, joint: int, name: str) -> None:
    model.addFrame(Frame(name, joint, model.getFrameId(model.names[joint], JOINT), SE3(), BODY))


def _arm(model: Model, parent: int, placement: SE3, prefix: str = "", mimic: bool = False) -> int:
    joint = _add(model, _revolute("X"), parent, f"{prefix}shoulder1", placement)
    joint = _add(model, _revolute("Y"), joint, f"{prefix}shoulder2", SE3())
    joint = _add(model, _revolute("Z"), joint, f"{prefix}shoulder3", SE3(), _LONG)
    _add_body(model, joint, f"{prefix}upperarm_body")
    joint = _add(model, _revolute("Y"), joint, f"{prefix}elbow", _UP, _LONG)
    _add_body(model, joint, f"{prefix}lowerarm_body")
    joint = _add(model, _revolute("X"), joint, f"{prefix}wrist1", _UP)
    name, mimicked = ("wrist1_mimic", model.joints[joint]) if mimic else ("wrist2", None)
    joint = _add(model, _revolute("Y", mimicked), joint, f"{prefix}{name}", SE3(), _LONG)
    _add_body(model, joint, f"{prefix}effector_body")
    return joint


def buildSampleModelManipulator(mimic: bool = False) -> Model:
    """An arm of six joints; with `mimic` the last one moves with that before it."""
    model = Model()
    _arm(model, 0, SE3(), mimic=mimic)
    return model


def _floating(using_free_flyer: bool) -> JointModel:
    """A joint that moves freely: with a quaternion, or with three angles."""
    if using_free_flyer:
        return CLASSES["JointModelFreeFlyer"]()
    return JointModelComposite(CLASSES["JointModelTranslation"]()).addJoint(CLASSES["JointModelSphericalZYX"]())


def _bound_quaternion(model: Model, using_free_flyer: bool) -> None:
    if using_free_flyer:
        model.lowerPositionLimit[3:7], model.upperPositionLimit[3:7] = -1.0, 1.0


def buildSampleModelHumanoid(using_free_flyer: bool = True) -> Model:
    """A humanoid of two legs, a chest, a head and two arms, which moves freely."""
    model = Model()
    root = model.addJoint(0, _floating(using_free_flyer), SE3(), "root_joint")
    _bound_quaternion(model, using_free_flyer)
    model.addJointFrame(root, 0)
    model.appendBodyToJoint(root, _SMALL)
    turned = exp3([np.pi, 0.0, 0.0])
    for side, y in (("r", -0.2), ("l", 0.2)):
        foot = _arm(model, root, SE3(turned, [0.0, y, -0.1]), f"{side}leg_")
        model._jointPlacements[foot].rotation = FOOT
    chest = _add(model, _revolute("X"), root, "chest1", SE3())
    chest = _add(model, _revolute("Y"), chest, "chest2", SE3(), _LONG)
    head = _add(model, _revolute("X"), chest, "head1", _UP)
    last = _add(model, _revolute("Y"), head, "head2", SE3(), _LONG)
    of_torso = slice(model.idx_vs[chest] - 1, model.idx_vs[last] + 1)
    model.lowerEffortLimit[of_torso] *= -1.0
    for side, y in (("r", -0.3), ("l", 0.3)):
        _arm(model, chest, SE3(turned, [0.0, y, 1.0]), f"{side}arm_")
    return model


# A foot is a hand that points forwards.
FOOT = exp3([0.0, np.pi / 2, 0.0])


def buildSampleModelHumanoidRandom(using_free_flyer: bool = True, mimic: bool = False) -> Model:
    """A humanoid of random placements, inertias and limits; with `mimic` a wrist moves with the joint before it."""
    model = Model()
    root = _add_random(model, 0, _floating(using_free_flyer), "root", SE3())
    _bound_quaternion(model, using_free_flyer)
    for side in "lr":
        joint = root
        for k, axis in enumerate(_LEG):
            joint = _add_random(model, joint, _revolute(axis), f"{side}leg{k + 1}")
    torso = _add_random(model, root, _revolute("Y"), "torso1")
    chest = _add_random(model, torso, _revolute("Z"), "chest")
    for side in "rl":
        joint = chest
        for k, axis in enumerate(_LEG):
            mimicked = model.joints[joint] if mimic and (side, k) == ("l", 5) else None
            joint = _add_random(model, joint, _revolute(axis, mimicked), f"{side}arm{k + 1}")
    return model


_LEG = "XYZYYX"


def _add_random(model: Model, parent: int, joint_model: JointModel, name: str, placement: SE3 | None = None) -> int:
    nq, nv = joint_model.nq, joint_model.nv
    # Least and most effort, velocity, configuration and friction; no damping.
    limits = [uniform(np.full(n, a), np.full(n, a + 2.0)) for n in (nv, nv, nq, nv) for a in (-2.0, 0.0)]
    limits.append(np.zeros(nv))
    joint = model.addJoint(parent, joint_model, placement or SE3.random(next_seed()), f"{name}_joint", *limits)
    model.addJointFrame(joint, 0 if parent == 0 else -1)
    model.appendBodyToJoint(joint, Inertia.random(next_seed()))
    model.addBodyFrame(f"{name}_body", joint)
    return joint


_PINK = (1.0, 1.0, 0.78, 1.0)
# Of an arm or a leg: the object, its frame, and the radius and the length of its shape; that of a sphere is zero.
_LIMB = (
    ("shoulder", "shoulder1", 0.05, 0.0), ("elbow", "elbow", 0.05, 0.0), ("wrist", "wrist1", 0.05, 0.0),
    ("upperarm", "upperarm", 0.05, 0.8), ("lowerarm", "lowerarm", 0.05, 0.8), ("effector", "effector", 0.05, 0.2),
)  # fmt: skip


def _add_shape(geometry: GeometryModel, model: Model, name: str, body: str, radius: float, length: float, at: float) -> None:
    """A sphere or a capsule on a body, at a height on its axis z, in m."""
    frame = model.getFrameId(f"{body}_body", BODY)
    if frame == model.nframes:
        raise ValueError(f"the model has no body '{body}_body': it must be the sample model of these shapes")
    shape = Capsule(radius, length) if length else Sphere(radius)
    placement, word = SE3(np.eye(3), [0.0, 0.0, at]), shape.shape.upper()
    joint = model.frames[frame].parentJoint
    geometry.addGeometryObject(
        GeometryObject(f"{name}_object", joint, frame, placement, shape, word, np.ones(3), False, _PINK)
    )


def _add_limb(geometry: GeometryModel, model: Model, prefix: str = "") -> None:
    for name, body, radius, length in _LIMB:
        at = {0.0: 0.0, 0.8: 0.5, 0.2: 0.1}[length]
        _add_shape(geometry, model, prefix + name, prefix + body, radius, length, at)


@of_model
def buildSampleGeometryModelManipulator(model: Model) -> GeometryModel:
    """Spheres and capsules on the sample manipulator."""
    geometry = GeometryModel()
    _add_limb(geometry, model)
    return geometry


@of_model
def buildSampleGeometryModelHumanoid(model: Model) -> GeometryModel:
    """Spheres and capsules on the sample humanoid."""
    geometry = GeometryModel()
    for prefix in ("rleg_", "lleg_", "rarm_", "larm_"):
        _add_limb(geometry, model, prefix)
    _add_shape(geometry, model, "chest", "chest1", 0.05, 0.0, 0.0)
    _add_shape(geometry, model, "head", "head2", 0.25, 0.0, 0.5)
    _add_shape(geometry, model, "chest2", "chest2", 0.05, 0.8, 0.5)
    # Pinocchio's word for this capsule.
    geometry.geometryObjects[-1].meshPath = "SPHERE"
    return geometry
