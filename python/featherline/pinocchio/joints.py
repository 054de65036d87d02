"""Joint models by Pinocchio's names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline._native import SE3

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


class JointModel:
    """A joint of a model: its kind and where its entries are."""

    kind: Any = None
    nq = 0
    nv = 0
    _alone: Any = None

    def __init__(self, other: JointModel | None = None) -> None:
        self.id = self.idx_q = self.idx_v = self.idx_vExtended = -1
        if other is not None:
            self.kind, self.nq, self.nv = copy.deepcopy(other.kind), other.nq, other.nv
            self.__class__ = other.__class__  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def nvExtended(self) -> int:
        """The number of its directions of motion, which of a mimic joint are another joint's, too."""
        return self.nv

    def setIndexes(self, id: int, q: int, v: int, v_extended: int | None = None) -> None:
        self.id, self.idx_q, self.idx_v = id, q, v
        self.idx_vExtended = v if v_extended is None else v_extended

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

    def hasConfigurationLimit(self) -> list[bool]:
        return self.limited(self.nq)

    def hasConfigurationLimitInTangent(self) -> list[bool]:
        return self.limited(self.nv)

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

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"{self.shortname()}\n  index: {self.id}\n  index q: {self.idx_q}\n  index v: {self.idx_v}\n"
            f"  index vExtended: {self.idx_vExtended}\n  nq: {self.nq}\n  nv: {self.nv}\n"
            f"  nvExtended: {self.nvExtended}\n"
        )


class JointModelComposite(JointModel):
    """Joints one after another: a model that it is added to has them in a row."""

    def __init__(self, first: JointModel | int | None = None, placement: SE3 | None = None) -> None:
        super().__init__()
        self.joints: list[JointModel] = []
        self.jointPlacements: list[SE3] = []
        if isinstance(first, JointModelComposite):
            self.__dict__.update(copy.deepcopy(first.__dict__))
        elif isinstance(first, JointModel):
            self.addJoint(first, placement)

    def addJoint(self, joint_model: JointModel, joint_placement: SE3 | None = None) -> JointModelComposite:
        """Add a joint behind the others; returns self."""
        self.joints.append(joint_model.copy())
        self.jointPlacements.append((joint_placement or SE3()).copy())
        self.nq, self.nv = self.nq + joint_model.nq, self.nv + joint_model.nv
        return self

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

    __hash__ = None


def _unaligned(parts: tuple[Any, ...]) -> list[float]:
    axis = np.array(parts if len(parts) == 3 else parts[0], float).ravel()
    if axis.shape != (3,) or not np.linalg.norm(axis) > 0:
        raise ValueError(f"a joint's axis is three numbers that are not all zero, not {parts}")
    return [float(x) for x in axis / np.linalg.norm(axis)]


def _class(name: str, **members: Any) -> type[JointModel]:
    members |= {"__module__": __name__, "__doc__": f"Pinocchio's JointModel{name}."}
    return type(f"JointModel{name}", (JointModel,), members)


def _make_classes() -> dict[str, type[JointModel]]:
    classes = {}
    for name, (kind, nq, nv) in _KINDS.items():
        classes[f"JointModel{name}"] = _class(name, kind=kind, nq=nq, nv=nv)
    for kind, (prefix, unaligned, nq) in _AXIAL.items():
        helical = kind == "helical"
        for letter, axis in _AXES.items():

            def aligned(self: JointModel, pitch: float = 0.0, kind: str = kind, axis: Any = axis) -> None:
                JointModel.__init__(self)
                self.kind = {kind: {"axis": axis} | ({"pitch": pitch} if kind == "helical" else {})}

            classes[f"JointModel{prefix}{letter}"] = _class(prefix + letter, nq=nq, nv=1, __init__=aligned)

        def free(self: JointModel, *parts: Any, kind: str = kind, helical: bool = helical) -> None:
            JointModel.__init__(self)
            pitch = {}
            if helical and parts:
                parts, pitch = parts[:-1], {"pitch": float(parts[-1])}
            self.kind = {kind: {"axis": _unaligned(parts or ([1.0, 0.0, 0.0],))} | pitch}

        classes[f"JointModel{unaligned}"] = _class(unaligned, nq=nq, nv=1, __init__=free)

    def universal(self: JointModel, *axes: Any) -> None:
        JointModel.__init__(self)
        first, second = (_unaligned((a,)) for a in (axes if len(axes) == 2 else (axes[:3], axes[3:])))
        self.kind = {"universal": {"first": first, "second": second}}

    def ellipsoid(self: JointModel, *radii: float) -> None:
        JointModel.__init__(self)
        self.kind = {"ellipsoid": {"radii": [float(r) for r in radii or (1, 1, 1)]}}

    classes["JointModelUniversal"] = _class("Universal", nq=2, nv=2, __init__=universal)
    classes["JointModelEllipsoid"] = _class("Ellipsoid", nq=3, nv=3, __init__=ellipsoid)
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
