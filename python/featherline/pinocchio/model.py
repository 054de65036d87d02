"""`Model` with Pinocchio's fields over featherline's model, which does not change.

A field that is written, or whose parts may have been, is compared before the next algorithm, and
the native model is made again where it differs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

import featherline
from featherline._native import SE3, Inertia, Motion
from featherline.pinocchio.enums import FrameType
from featherline.pinocchio.frames import Frame
from featherline.pinocchio.joints import CLASSES, LIMITS, JointModel, JointModelComposite, JointModelMimic, of_kind
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.lists import (
    StdMap_String_VectorXd,
    StdVec_Frame,
    StdVec_Index,
    StdVec_IndexVector,
    StdVec_Inertia,
    StdVec_JointModelVector,
    StdVec_SE3,
    StdVec_StdString,
    StdVec_int,
)
from featherline.pinocchio.native import ModelBase, same_parts
from featherline.pinocchio.saved import Saved

_ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
_HUGE = np.finfo(float).max
OF_Q = ("lowerPositionLimit", "upperPositionLimit", "positionLimitMargin")
_SYMMETRIC = {
    "velocityLimit": "upperVelocityLimit",
    "effortLimit": "upperEffortLimit",
    "friction": "upperDryFrictionLimit",
}
OF_V = (
    "upperVelocityLimit", "lowerVelocityLimit", "upperEffortLimit", "lowerEffortLimit", "upperDryFrictionLimit",
    "lowerDryFrictionLimit", "damping", "rotorInertia", "rotorGearRatio", "_armature",
)  # fmt: skip


_VECTORS = frozenset((*OF_Q, *OF_V))


def _watched(name: str) -> property:
    """A field on which the native model depends: who reads it may write to its parts."""
    own = f"_{name}"

    def read(self: Model) -> Any:
        if name not in self._lent:
            self._lent[name] = _snapshot(getattr(self, own))
        return getattr(self, own)

    def write(self: Model, value: Any) -> None:
        old = getattr(self, own)
        if isinstance(old, np.ndarray):
            value = _vector(name, value, len(old))
        elif isinstance(old, Motion):
            value = Motion(value)
        else:
            value = type(old)(value)
        setattr(self, own, value)
        self._made = None

    return property(read, write)


def _snapshot(value: Any) -> Any:
    if isinstance(value, list):
        return [part.copy() for part in value]
    return value.copy()


def as_array(name: str, value: Any) -> np.ndarray:
    """An array of numbers."""
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError) as reason:
        raise TypeError(f"{name} is no array of numbers: {reason}") from reason


def as_vector(name: str, value: Any, size: int) -> np.ndarray:
    """A vector of so many numbers."""
    array = as_array(name, value)
    if array.ndim > 1 and array.size != max(array.shape):
        raise TypeError(f"{name} has shape {array.shape}, where a vector ({size},) is expected")
    if array.size != size:
        raise ValueError(f"{name} has {array.size} entries, where {size} are expected")
    return array.reshape(size)


def _vector(name: str, value: Any, size: int) -> np.ndarray:
    return as_vector(name, value, size).copy()


Function = TypeVar("Function", bound=Callable[..., Any])


def of_model(function: Function) -> Function:
    """A function whose first argument is a model, as it tells those who pass something else."""

    @functools.wraps(function)
    def checked(model: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(model, Model):
            raise TypeError(f"{function.__name__}: model is a {type(model).__name__}, where a Model is expected")
        return function(model, *arguments, **named)

    return checked  # type: ignore[return-value]


class Model(ModelBase, Saved):  # type: ignore[misc]
    """A kinematic tree: joints, bodies and frames."""

    _made: Any
    _lent: dict[str, Any]

    gravity981 = np.array([0.0, 0.0, -9.81])

    lowerPositionLimit: np.ndarray
    upperPositionLimit: np.ndarray
    positionLimitMargin: np.ndarray
    lowerVelocityLimit: np.ndarray
    upperVelocityLimit: np.ndarray
    lowerEffortLimit: np.ndarray
    upperEffortLimit: np.ndarray
    lowerDryFrictionLimit: np.ndarray
    upperDryFrictionLimit: np.ndarray
    damping: np.ndarray
    rotorInertia: np.ndarray
    rotorGearRatio: np.ndarray
    _armature: np.ndarray

    def __init__(self, clone: Model | None = None) -> None:
        self._made = None
        self._lent = {}
        self.name = ""
        self.nbodies = 1
        self._gravity = Motion([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
        # Pinocchio's universe has the first of its kinds of joints, without indices.
        self.joints: StdVec_JointModelVector = StdVec_JointModelVector([CLASSES["JointModelRX"]()])
        self.names = StdVec_StdString(["universe"])
        self.parents = StdVec_Index([0])
        self._jointPlacements = StdVec_SE3([SE3()])
        self._inertias = StdVec_Inertia([Inertia()])
        self.frames = StdVec_Frame([Frame("universe", 0, 0, SE3(), FrameType.FIXED_JOINT)])
        self.referenceConfigurations = StdMap_String_VectorXd()
        for name in (*OF_Q, *OF_V):
            setattr(self, name, np.zeros(0))
        self._index()
        if clone is not None:
            self.__setstate__(clone.__getstate__())

    gravity = _watched("gravity")
    jointPlacements = _watched("jointPlacements")
    inertias = _watched("inertias")
    armature = _watched("armature")

    # The native model.

    def native(self) -> featherline.Model:
        """The model of the native module that has these fields."""
        made: featherline.Model | None = self._made
        if made is not None and not self._lent:
            return made
        for name, snapshot in self._lent.items():
            value = getattr(self, f"_{name}")
            if not same_parts(value, snapshot):
                self._lent[name] = _snapshot(value)
                self._made = None
        if self._made is None:
            self._made = self._make()
        made = self._made
        assert made is not None
        return made

    def native_with(self, frames: Mapping[str, tuple[int, SE3]]) -> featherline.Model:
        """The native model with these frames, by name: the joint that carries each, and its placement there."""
        return self._make(frames)

    def _make(self, frames: Mapping[str, tuple[int, SE3]] | None = None) -> featherline.Model:
        import json

        joints = [self._describe(i) for i in range(self.njoints)]
        for i in range(2, self.njoints):
            # Parents before children, and subtrees without a gap.
            if self.parents[i] not in self.supports[i - 1]:
                raise NotImplementedError(
                    f"addJoint: joint '{self.names[i]}' is added after another branch was begun; "
                    "joints must be added branch by branch"
                )
        if np.any(self._gravity.angular != 0):
            raise NotImplementedError("gravity.angular: gravity is a linear acceleration here")
        model = {
            "name": self.name,
            "gravity": self._gravity.linear.tolist(),
            "joints": joints,
            "loop_joints": [],
            "frames": [
                {"name": name, "kind": "operational", "joint": joint, "placement": _written(placement)}
                for name, (joint, placement) in (frames or {}).items()
            ],
            "reference_configurations": {},
        }
        text = json.dumps({"featherline_model": 1, "model": model})
        return featherline.Model._from_json(text)

    def _describe(self, i: int) -> dict[str, Any]:
        joint = self.joints[i]
        mimic = isinstance(joint, JointModelMimic)
        nq, idx_q, idx_v = self.nqs[i], self.idx_qs[i], self.idx_vs[i]
        n = joint.nvExtended if i else 0
        zeros = [0.0] * n
        inertia = self._inertias[i] if i else Inertia()
        rows = inertia.inertia
        unbounded: dict[str, list[None]] = {name: [None] * n for name in ("velocity", "effort", "acceleration")}
        spring = [0.0] * (nq or n)
        for one in {"free_flyer": [6], "planar": [2], "spherical": [3]}.get(str(joint.kind), []):
            spring[one] = 1.0
        if isinstance(joint.kind, dict) and "revolute_unbounded" in joint.kind:
            spring[0] = 1.0
        return {
            "name": self.names[i] if i else "universe",
            "kind": joint.kind if i else "fixed",
            "parent": self.parents[i],
            "placement": _written(self._jointPlacements[i]),
            "inertia": {
                "mass": inertia.mass,
                "com": inertia.lever.tolist(),
                "rotational": {name: rows["xyz".index(name[0]), "xyz".index(name[1])] for name in _ENTRIES},
            },
            "idx_q": idx_q,
            "nq": nq,
            "idx_v": idx_v,
            "nv": self.nvs[i],
            "mimic": {"source": joint.mimicked, "ratio": joint.scaling, "offset": joint.offset} if mimic else None,
            "limits": {"lower": [None] * len(spring), "upper": [None] * len(spring), **unbounded},
            "drive": {
                "armature": zeros if mimic else self._armature[idx_v : idx_v + n].tolist(),
                "rotor_inertia": zeros,
                "gear_ratio": [1.0] * n,
                "damping": zeros,
                "friction": zeros,
                "stiffness": zeros,
                "spring_reference": spring,
            },
        }

    # Quantities derived from the tree.

    def _index(self) -> None:
        """Derive indices and sizes from joints and parents."""
        q = v = extended = 0
        moving = self.joints[1:]
        for i, joint in enumerate(moving, 1):
            joint.setIndexes(i, q, v, extended)
            q, v, extended = q + joint.nq, v + joint.nv, extended + joint.nvExtended
        mimics = [joint for joint in moving if isinstance(joint, JointModelMimic)]
        for joint in mimics:
            source = self.joints[joint.mimicked]
            joint.idx_q, joint.idx_v = source.idx_q, source.idx_v
        self.nq, self.nv, self.nvExtended = q, v, extended
        self.idx_vExtendeds = StdVec_int([0, *(joint.idx_vExtended for joint in moving)])
        self.nvExtendeds = StdVec_int([0, *(joint.nvExtended for joint in moving)])
        self.mimicking_joints = StdVec_Index(joint.id for joint in mimics)
        self.mimicked_joints = StdVec_Index(joint.mimicked for joint in mimics)
        self.idx_qs = StdVec_int([0, *(joint.idx_q for joint in moving)])
        self.idx_vs = StdVec_int([0, *(joint.idx_v for joint in moving)])
        self.nqs = StdVec_int([0, *(joint.nq for joint in moving)])
        self.nvs = StdVec_int([0, *(joint.nv for joint in moving)])
        count = len(self.joints)
        self.children = StdVec_IndexVector(StdVec_Index() for _ in range(count))
        self.supports = StdVec_IndexVector([StdVec_Index([0])])
        self.subtrees = StdVec_IndexVector(StdVec_Index([i] if i else []) for i in range(count))
        for i in range(1, count):
            self.children[self.parents[i]].append(i)
            self.supports.append(StdVec_Index([*self.supports[self.parents[i]], i]))
            for above in self.supports[i][:-1]:
                self.subtrees[above].append(i)
        self._made = None

    @property
    def njoints(self) -> int:
        return len(self.joints)

    @property
    def nframes(self) -> int:
        return len(self.frames)

    # Names.

    def getJointId(self, name: str) -> int:
        """The index of a joint; njoints if there is none."""
        return self.names.index(name) if name in self.names else self.njoints

    def existJointName(self, name: str) -> bool:
        return name in self.names

    def getFrameId(self, name: str, type: int | None = None) -> int:
        """The index of a frame; nframes if there is none."""
        found = [i for i, frame in enumerate(self.frames) if frame.name == name and (type is None or frame.type & type)]
        if len(found) > 1:
            raise ValueError(f"Several frames match the filter: '{name}' names {len(found)}; pass their type")
        return found[0] if found else self.nframes

    def existFrame(self, name: str, type: int | None = None) -> bool:
        return any(frame.name == name and (type is None or frame.type & type) for frame in self.frames)

    def getBodyId(self, name: str) -> int:
        return self.getFrameId(name, FrameType.BODY)

    def existBodyName(self, name: str) -> bool:
        return self.existFrame(name, FrameType.BODY)

    def getChildJoints(self) -> list[int]:
        return [i for i in range(1, self.njoints) if not self.children[i]]

    # Building.

    def addJoint(
        self, parent_id: int, joint_model: JointModel, joint_placement: SE3, joint_name: str, *limits: Any, **named: Any
    ) -> int:
        """Add a joint without a body; its limits are max_effort, max_velocity, min_config and max_config.

        Or they are min_effort, max_effort, min_velocity, max_velocity, min_config, max_config[,
        config_limit_margin], min_friction, max_friction and damping. Of a JointModelComposite the last
        joint has the name and carries what is added later; the others have numbers.
        """
        if named:
            limits = in_order("addJoint", tuple(" ".join(form) for form in LIMITS.values()), limits, named)
        if len(limits) not in LIMITS:
            raise TypeError(f"addJoint takes {', '.join(map(str, LIMITS))} limits, not {len(limits)}")
        of_names = dict(zip(LIMITS[len(limits)], limits, strict=True))
        return self._add(parent_id, joint_model, joint_placement, joint_name, of_names)

    def _add(
        self, parent_id: int, joint_model: JointModel, joint_placement: SE3, joint_name: str, limits: dict[str, Any]
    ) -> int:
        if isinstance(joint_model, JointModelComposite):
            return self._add_row(parent_id, joint_model, joint_placement, joint_name, limits)
        if not 0 <= parent_id < self.njoints:
            raise ValueError(f"there is no joint {parent_id}")
        if joint_name in self.names:
            raise ValueError(f"there is a joint '{joint_name}' already")
        joint = joint_model.copy()
        if joint.kind is None:
            raise NotImplementedError(f"addJoint of a {joint.shortname()}")
        if isinstance(joint, JointModelMimic) and not 0 < joint.mimicked < self.njoints:
            raise ValueError(f"joint '{joint_name}' mimics joint {joint.mimicked}, where joints are 1 to {self.njoints - 1}")
        nq, nv = joint.nq, joint.nv
        self.joints.append(joint)
        self.names.append(joint_name)
        self.parents.append(parent_id)
        self._jointPlacements.append(joint_placement.copy())
        self._inertias.append(Inertia())
        effort, velocity = limits.get("max_effort"), limits.get("max_velocity")
        self._grow("lowerPositionLimit", limits.get("min_config"), -_HUGE, nq)
        self._grow("upperPositionLimit", limits.get("max_config"), _HUGE, nq)
        self._grow("positionLimitMargin", limits.get("config_limit_margin"), 0.0, nq)
        self._grow("upperEffortLimit", effort, _HUGE, nv)
        self._grow("upperVelocityLimit", velocity, _HUGE, nv)
        least = limits.get("min_effort", None if effort is None else -np.asarray(effort))
        self._grow("lowerEffortLimit", least, -_HUGE, nv)
        # Pinocchio takes max_velocity, whatever min_velocity is.
        self._grow("lowerVelocityLimit", velocity, _HUGE, nv)
        self._grow("upperDryFrictionLimit", limits.get("max_friction"), 0.0, nv)
        self._grow("lowerDryFrictionLimit", limits.get("min_friction"), 0.0, nv)
        self._grow("damping", limits.get("damping"), 0.0, nv)
        self._grow("rotorGearRatio", None, 1.0, nv)
        for name in ("rotorInertia", "_armature"):
            self._grow(name, None, 0.0, nv)
        self._lent.clear()
        self._index()
        return self.njoints - 1

    def _add_row(self, parent: int, row: JointModelComposite, placement: SE3, name: str, limits: dict[str, Any]) -> int:
        if not row.joints:
            raise ValueError(f"the composite joint '{name}' has no joints")
        q = v = 0
        for k, (joint, at) in enumerate(zip(row.joints, row.jointPlacements, strict=True)):
            of_q, of_v = slice(q, q + joint.nq), slice(v, v + joint.nv)
            own = {of: np.ravel(limit)[of_q if "config" in of else of_v] for of, limit in limits.items()}
            placed = placement * at if k == 0 else at
            parent = self._add(parent, joint, placed, name if k + 1 == row.njoints else f"{name}_{k}", own)
            q, v = of_q.stop, of_v.stop
        return parent

    def _grow(self, name: str, value: Any, otherwise: float, count: int) -> None:
        more = np.full(count, otherwise) if value is None else _vector(name, value, count)
        setattr(self, name, np.concatenate([getattr(self, name), more]))

    def appendBodyToJoint(self, joint_id: int, body_inertia: Inertia, body_placement: SE3 | None = None) -> None:
        """Add a body to what a joint moves."""
        moved = (body_placement or SE3()) * body_inertia
        self._inertias[joint_id] = self._inertias[joint_id] + moved
        self.nbodies += 1
        self._lent.pop("inertias", None)
        self._made = None

    def addFrame(self, frame: Frame, append_inertia: bool = True) -> int:
        """Add a frame; its inertia is added to the joint's body."""
        frame = Frame(frame)
        if not 0 <= frame.parentJoint < self.njoints or not 0 <= frame.parentFrame < self.nframes:
            raise ValueError(
                f"frame '{frame.name}' has parent joint {frame.parentJoint} of {self.njoints}"
                f" and parent frame {frame.parentFrame} of {self.nframes}"
            )
        for i, other in enumerate(self.frames):
            if other.name == frame.name and other.type == frame.type:
                if other.parentJoint != frame.parentJoint:
                    raise ValueError(f"there is a frame '{frame.name}' of that type already")
                return i
        self.frames.append(frame)
        if append_inertia and frame.inertia.mass > 0:
            self.appendBodyToJoint(frame.parentJoint, frame.inertia, frame.placement)
            self.nbodies -= 1
        return self.nframes - 1

    def addJointFrame(self, joint_id: int, frame_id: int = 0) -> int:
        if frame_id < 0:
            frame_id = self.getFrameId(self.names[self.parents[joint_id]], FrameType.JOINT | FrameType.FIXED_JOINT)
        return self.addFrame(Frame(self.names[joint_id], joint_id, frame_id, SE3(), FrameType.JOINT))

    def addBodyFrame(
        self, body_name: str, parentJoint: int = 0, body_placement: SE3 | None = None, previous_frame: int = -1
    ) -> int:
        if previous_frame < 0:
            previous_frame = self.getFrameId(self.names[parentJoint], FrameType.JOINT | FrameType.FIXED_JOINT)
        return self.addFrame(Frame(body_name, parentJoint, previous_frame, body_placement or SE3(), FrameType.BODY))

    def hasConfigurationLimit(self) -> list[bool]:
        """Of each entry of q, whether it may have limits: those of unit quaternions and pairs (cos, sin) have none."""
        return [limit for joint in self.joints[1:] for limit in joint.limited(joint.nq)]

    def hasConfigurationLimitInTangent(self) -> list[bool]:
        """hasConfigurationLimit of each entry of v."""
        return [limit for joint in self.joints[1:] for limit in joint.limited(joint.nv)]

    @property
    def mimic_joint_supports(self) -> StdVec_IndexVector:
        """Of each joint, the universe and the mimic joints among those that carry it."""
        mimics = {0, *self.mimicking_joints}
        return StdVec_IndexVector(StdVec_Index(i for i in support if i in mimics) for support in self.supports)

    @property
    def span_indexes_vector(self) -> list[np.ndarray]:
        """Of each joint, the entries of v that move it by joints that are no mimic joints."""
        return [np.flatnonzero(row) for row in self.sparsity_pattern_vector]

    @property
    def sparsity_pattern_vector(self) -> list[np.ndarray]:
        """Of each joint, whether entries of v (nv,) move it by joints that are no mimic joints."""
        patterns = np.zeros((self.njoints, self.nv), bool)
        for pattern, support in zip(patterns, self.supports, strict=True):
            for i in support:
                pattern[self.idx_vs[i] : self.idx_vs[i] + self.nvs[i]] = True
        return list(patterns)

    def cast(self) -> Model:
        return self.copy()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _VECTORS:
            value = np.array(value, float).ravel()
        super().__setattr__(name, value)

    def check(self, data: Any = None) -> bool:
        """Whether data fit this model."""
        return data is None or (len(data.oMi) == self.njoints and data.tau.size == self.nv)

    def createData(self) -> Any:
        from featherline.pinocchio.data import Data

        return Data(self)

    # Values.

    def copy(self) -> Model:
        return Model(self)

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> Model:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        import copy

        state = {name: value for name, value in vars(self).items()}
        return copy.deepcopy(state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._made, self._lent = None, {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        mine, others = vars(self), vars(other)
        return all(
            np.array_equal(value, others[name]) if isinstance(value, np.ndarray) else value == others[name]
            for name, value in mine.items()
            if name != "referenceConfigurations"
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        lines = [f"Nb joints = {self.njoints} (nq={self.nq},nv={self.nv})"]
        lines += [f"  Joint {i} {name}: parent={self.parents[i]}" for i, name in enumerate(self.names)]
        return "\n".join(lines) + "\n"


def _shared(name: str, own: str) -> property:
    def write(self: Model, value: Any) -> None:
        setattr(self, own, _vector(name, value, self.nv))

    return property(lambda self: getattr(self, own), write, doc=own)


for _name, _own in _SYMMETRIC.items():
    setattr(Model, _name, _shared(_name, _own))


def _written(placement: SE3) -> dict[str, Any]:
    x, y, z = placement.rotation.T.tolist()
    return {"rotation": {"x": x, "y": y, "z": z}, "translation": placement.translation.tolist()}


def read_placement(placement: dict[str, Any]) -> SE3:
    """A placement of a model file."""
    rotation = placement["rotation"]
    return SE3(np.array([rotation["x"], rotation["y"], rotation["z"]]).T, placement["translation"])


def read_inertia(inertia: dict[str, Any]) -> Inertia:
    """An inertia of a model file."""
    r = inertia["rotational"]
    rows = [[r["xx"], r["xy"], r["xz"]], [r["xy"], r["yy"], r["yz"]], [r["xz"], r["yz"], r["zz"]]]
    return Inertia(inertia["mass"], inertia["com"], rows)


def from_native(native: featherline.Model) -> Model:
    """The fields of a native model."""
    import json

    description = json.loads(native.to_json())["model"]
    model = Model()
    model.name = description["name"]
    model._gravity.linear = description["gravity"]
    for joint in description["joints"][1:]:
        limits, drive, inertia = joint["limits"], joint["drive"], joint["inertia"]

        mimic = joint["mimic"]
        if mimic is not None:
            one = JointModelMimic(of_kind(joint["kind"], 1, 1), mimic["ratio"], mimic["offset"])
            one.mimicked = mimic["source"]
            index = model.addJoint(joint["parent"], one, read_placement(joint["placement"]), joint["name"])
            model._inertias[index] = read_inertia(inertia)
            continue
        joint_model = of_kind(joint["kind"], joint["nq"], joint["nv"])

        def bounds(name: str, otherwise: float = np.inf, limits: Any = limits, unit: Any = joint_model.unit) -> list[float]:
            found = [otherwise if x is None else x for x in limits[name]]
            if name in ("lower", "upper") and unit is not None:
                # Pinocchio's bounds of quaternions and of (cos, sin).
                found[unit:] = [np.copysign(1.01, otherwise)] * (len(found) - unit)
            return found

        added = {
            "max_effort": bounds("effort"),
            "max_velocity": bounds("velocity"),
            "min_config": bounds("lower", -np.inf),
            "max_config": bounds("upper"),
            "min_friction": [-friction for friction in drive["friction"]],
            "max_friction": drive["friction"],
            "damping": drive["damping"],
        }
        index = model._add(joint["parent"], joint_model, read_placement(joint["placement"]), joint["name"], added)
        model._inertias[index] = read_inertia(inertia)
        model._armature[model.idx_vs[index] :][: joint["nv"]] = drive["armature"]
    model.lowerEffortLimit = -model.upperEffortLimit
    kinds = {"body": FrameType.BODY, "joint": FrameType.JOINT, "fixed_joint": FrameType.FIXED_JOINT}
    kinds |= {"operational": FrameType.OP_FRAME, "sensor": FrameType.SENSOR}
    for frame in description["frames"]:
        if (frame["name"], frame["joint"]) != ("universe", 0):
            placement, kind = read_placement(frame["placement"]), kinds[frame["kind"]]
            model.frames.append(Frame(frame["name"], frame["joint"], 0, placement, kind))
    for name, q in description["reference_configurations"].items():
        model.referenceConfigurations[name] = np.array(q)
    return model
