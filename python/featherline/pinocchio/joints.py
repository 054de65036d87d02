"""Joint models by Pinocchio's names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.lists import StdVec_Bool

_AXES = {"X": [1.0, 0.0, 0.0], "Y": [0.0, 1.0, 0.0], "Z": [0.0, 0.0, 1.0]}

# Pinocchio's name without "JointModel", its kind in model files, nq and nv.
_KINDS: dict[str, tuple[Any, int, int]] = {
    "FreeFlyer": ("free_flyer", 7, 6),
    "Planar": ("planar", 4, 3),
    "Spherical": ("spherical", 4, 3),
    "SphericalZYX": ("spherical_zyx", 3, 3),
    "Translation": ("translation", 3, 3),
}
# Kinds with an axis: the prefix of aligned ones, the name of the others, nq and nv.
_AXIAL = {
    "revolute": ("R", "RevoluteUnaligned", 1),
    "revolute_unbounded": ("RUB", "RevoluteUnboundedUnaligned", 2),
    "prismatic": ("P", "PrismaticUnaligned", 1),
    "helical": ("H", "HelicalUnaligned", 1),
}

# The limits that Model.addJoint takes, by their number.
_MORE_LIMITS = [
    "min_effort", "max_effort", "min_velocity", "max_velocity", "min_config", "max_config", "config_limit_margin",
    "min_friction", "max_friction", "damping",
]  # fmt: skip
LIMITS: dict[int, list[str]] = {
    0: [],
    4: ["max_effort", "max_velocity", "min_config", "max_config"],
    9: [name for name in _MORE_LIMITS if name != "config_limit_margin"],
    10: _MORE_LIMITS,
}


class JointModel:
    """A joint of a model: its kind and where its entries are."""

    kind: Any = None
    nq = 0
    nv = 0
    _alone: Any = None

    def __init__(self, other: JointModel | None = None) -> None:
        self.id, self.idx_q, self.idx_v = 2**64 - 1, -1, -1
        self.idx_vExtended = -1
        if other is not None:
            self.kind, self.nq, self.nv = copy.deepcopy(other.kind), other.nq, other.nv
            self.__class__ = other.__class__  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def nvExtended(self) -> int:
        """The number of its directions of motion, which of a mimic joint are another joint's, too."""
        return self.nv

    def setIndexes(self, joint_id: int, idx_q: int, idx_v: int, idx_vExtended: int | None = None) -> None:
        self.id, self.idx_q, self.idx_v = joint_id, idx_q, idx_v
        self.idx_vExtended = idx_v if idx_vExtended is None else idx_vExtended

    def hasSameIndexes(self, other: JointModel) -> bool:
        return (self.id, self.idx_q, self.idx_v) == (other.id, other.idx_q, other.idx_v)

    @property
    def unit(self) -> int | None:
        """The first of the joint's entries of q that have length one together, to the last."""
        kind = self.kind if isinstance(self.kind, str) else next(iter(self.kind or {"": 0}))
        return {"free_flyer": 3, "planar": 2, "spherical": 0, "revolute_unbounded": 0}.get(kind)

    def limited(self, count: int) -> list[bool]:
        """Whether entries may have limits."""
        return [self.unit is None or k < self.unit for k in range(count)]

    @property
    def hasConfigurationLimit(self) -> StdVec_Bool:
        return StdVec_Bool(self.limited(self.nq))

    @property
    def hasConfigurationLimitInTangent(self) -> StdVec_Bool:
        return StdVec_Bool(self.limited(self.nv))

    def createData(self) -> Any:
        """Data of this joint, which `calc` fills."""
        from featherline.pinocchio import joint_data

        return joint_data.create(self)

    def calc(self, jdata: Any, q: Any, v: Any = None) -> None:
        """Write the joint's placement and motion at a model's q, and at its v, to its data."""
        from featherline.pinocchio import joint_data

        joint_data.calc(self, jdata, q, v)

    def alone(self) -> Any:
        """The native joint of a model of this joint alone."""
        from featherline.pinocchio.model import Model

        if self._alone is None:
            model = Model()
            model.addJoint(0, of_kind(self.kind, self.nq or self.nvExtended, self.nvExtended), SE3(), "joint")
            self._alone = model.native().joints["joint"]
        return self._alone

    def lieGroup(self) -> Any:
        """The group of the joint's configurations."""
        from featherline.pinocchio.lie_group import LieGroup

        return LieGroup.of_joints([self])

    def shortname(self) -> str:
        return type(self).__name__

    @classmethod
    def classname(cls) -> str:
        return cls.__name__

    def extract(self) -> JointModel:
        return self

    def copy(self) -> JointModel:
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_alone"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JointModel) and self.kind == other.kind and self.hasSameIndexes(other)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"{self.shortname()}\n  index: {self.id}\n  index q: {self.idx_q}\n  index v: {self.idx_v}\n"
            f"  index vExtended: {self.idx_vExtended}\n  nq: {self.nq}\n  nv: {self.nv}\n"
            f"  nvExtended: {self.nvExtended}\n"
        )


class JointModelComposite(JointModel):
    """Joints one after another: a model that it is added to has them in a row."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__()
        if named:
            parts = in_order("JointModelComposite", ("joint_model [joint_placement] [name]", "size"), parts, named)
        self.joints: list[JointModel] = []
        self.jointPlacements: list[SE3] = []
        self._names: list[str] = []
        if parts and isinstance(parts[0], JointModelComposite):
            self.__dict__.update(copy.deepcopy(parts[0].__dict__))
        elif parts and isinstance(parts[0], JointModel):
            self.addJoint(*parts)

    def addJoint(
        self, joint_model: JointModel, joint_placement: SE3 | None = None, name: str = ""
    ) -> JointModelComposite:
        """Add a joint behind the others; returns self."""
        self._names.append(name)
        self.joints.append(joint_model.copy())
        self.jointPlacements.append((joint_placement or SE3()).copy())
        self.nq, self.nv = self.nq + joint_model.nq, self.nv + joint_model.nv
        return self

    def getJointId(self, joint_name: str) -> int:
        """The index of a joint in the row."""
        if joint_name not in self._names:
            raise ValueError(f"JointModelComposite has no joint '{joint_name}'; it has {', '.join(self._names)}")
        return self._names.index(joint_name)

    @property
    def njoints(self) -> int:
        return len(self.joints)


class JointModelMimic(JointModel):
    """A joint that moves with another: JointModelMimic(joint, scaling, offset), where `joint` is of a model.

    Its position is scaling · q + offset (rad or m) of the joint of that index; it has no entries of q and v itself.
    """

    def __init__(self, joint_model: JointModel | None = None, scaling: float = 1.0, offset: float = 0.0) -> None:
        super().__init__()
        self.scaling, self.offset = float(scaling), float(offset)
        self.mimicked = self._extended = 0
        if joint_model is None:
            return
        if isinstance(joint_model, JointModelMimic):
            self.__dict__.update(copy.deepcopy(joint_model.__dict__))
            return
        if joint_model.nq != joint_model.nv or joint_model.kind is None:
            raise ValueError(f"JointModelMimic of a {joint_model.shortname()}, which does not move along lines of q")
        self.kind, self.mimicked, self._extended = copy.deepcopy(joint_model.kind), joint_model.id, joint_model.nv
        self.idx_q, self.idx_v = joint_model.idx_q, joint_model.idx_v

    @property
    def nvExtended(self) -> int:
        return self._extended

    def __eq__(self, other: object) -> bool:
        own = (self.mimicked, self.scaling, self.offset)
        return super().__eq__(other) and isinstance(other, JointModelMimic) and own == (
            other.mimicked, other.scaling, other.offset
        )  # fmt: skip

    __hash__ = object.__hash__


def _unaligned(parts: tuple[Any, ...]) -> list[float]:
    axis = np.array(parts if len(parts) == 3 else parts[0], float).ravel()
    if axis.shape != (3,) or not np.linalg.norm(axis) > 0:
        raise ValueError(f"a joint's axis is three numbers that are not all zero, not {parts}")
    return [float(x) for x in axis / np.linalg.norm(axis)]


def _class(name: str, **members: Any) -> type[JointModel]:
    members |= {"__module__": __name__, "__doc__": f"Pinocchio's JointModel{name}."}
    return type(f"JointModel{name}", (JointModel,), members)


def _axis(joint: Any) -> np.ndarray:
    """The axis (3,) of a joint that has one."""
    ((_, parts),) = joint.kind.items()
    return np.array(parts["axis"])


def _part(kind: str, name: str, index: int | None = None, as_given: Any = float) -> property:
    """A number of a joint's kind, or an axis of it."""

    def read(self: JointModel) -> Any:
        value = self.kind[kind][name]
        return as_given(value if index is None else value[index])

    def write(self: JointModel, value: Any) -> None:
        if index is None:
            self.kind[kind][name] = _unaligned((value,)) if as_given is np.array else float(value)
        else:
            self.kind[kind][name][index] = float(value)

    return property(read, write)


def _aligned(kind: str, axis: list[float]) -> Any:
    if kind == "helical":

        def with_pitch(self: JointModel, pitch: float = 0.0) -> None:
            JointModel.__init__(self)
            self.kind = {kind: {"axis": axis, "pitch": float(pitch)}}

        return with_pitch

    def of_axis(self: JointModel) -> None:
        JointModel.__init__(self)
        self.kind = {kind: {"axis": axis}}

    return of_axis


def _free(kind: str) -> Any:
    helical = kind == "helical"
    forms = ("x y z pitch", "axis pitch") if helical else ("x y z", "axis")

    def of_parts(self: JointModel, *parts: Any, **named: Any) -> None:
        JointModel.__init__(self)
        if named:
            parts = in_order(self.shortname(), forms, parts, named)
        pitch = {}
        if helical:
            parts, pitch = parts[:-1], {"pitch": float(parts[-1]) if parts else 0.0}
        self.kind = {kind: {"axis": _unaligned(parts or ([1.0, 0.0, 0.0],))} | pitch}

    return of_parts


def _universal(self: JointModel, *axes: Any, **named: Any) -> None:
    JointModel.__init__(self)
    if named:
        axes = in_order("JointModelUniversal", ("x1 y1 z1 x2 y2 z2", "axis1 axis2"), axes, named)
    first, second = (_unaligned((a,)) for a in (axes if len(axes) == 2 else (axes[:3], axes[3:])))
    self.kind = {"universal": {"first": first, "second": second}}


def _ellipsoid(self: JointModel, radius_x: float = 1.0, radius_y: float = 1.0, radius_z: float = 1.0) -> None:
    JointModel.__init__(self)
    self.kind = {"ellipsoid": {"radii": [float(r) for r in (radius_x, radius_y, radius_z)]}}


def _make_classes() -> dict[str, type[JointModel]]:
    classes = {}
    for name, (kind, nq, nv) in _KINDS.items():
        classes[f"JointModel{name}"] = _class(name, kind=kind, nq=nq, nv=nv)
    for kind, (prefix, unaligned, nq) in _AXIAL.items():
        members: dict[str, Any] = {"nq": nq, "nv": 1}
        if kind == "helical":
            members["pitch"] = _part(kind, "pitch")
        for letter, axis in _AXES.items():
            init = _aligned(kind, axis)
            aligned = _class(prefix + letter, **members, __init__=init, getMotionAxis=_axis)
            classes[f"JointModel{prefix}{letter}"] = aligned
        members["axis"] = _part(kind, "axis", as_given=np.array)
        classes[f"JointModel{unaligned}"] = _class(unaligned, **members, __init__=_free(kind))
    parts = {f"axis{k + 1}": _part("universal", name, as_given=np.array) for k, name in enumerate(("first", "second"))}
    classes["JointModelUniversal"] = _class("Universal", nq=2, nv=2, **parts, __init__=_universal)
    parts = {f"radius_{letter}": _part("ellipsoid", "radii", k) for k, letter in enumerate("xyz")}
    classes["JointModelEllipsoid"] = _class("Ellipsoid", nq=3, nv=3, **parts, __init__=_ellipsoid)
    return classes


CLASSES = _make_classes()
globals().update(CLASSES)


def of_kind(kind: Any, nq: int, nv: int) -> JointModel:
    """The joint model of a kind in a model file."""
    name = None
    if isinstance(kind, str):
        name = next((name for name, (own, _, _) in _KINDS.items() if own == kind), None)
    else:
        ((word, parts),) = kind.items()
        if word in _AXIAL:
            prefix, name, _ = _AXIAL[word]
            letter = next((k for k, axis in _AXES.items() if np.allclose(axis, parts["axis"], 0, 1e-12)), None)
            name = prefix + letter if letter else name
        else:
            name = {"universal": "Universal", "ellipsoid": "Ellipsoid"}.get(word)
    joint = JointModel.__new__(CLASSES[f"JointModel{name}"] if name else JointModel)
    JointModel.__init__(joint)
    joint.kind, joint.nq, joint.nv = kind, nq, nv
    return joint

__all__ = ["JointModel", "JointModelComposite", "JointModelMimic", *CLASSES]
