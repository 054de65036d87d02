"""`Data`: the results of algorithms, by Pinocchio's names."""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.absent import Absent
from featherline.pinocchio.data_tree import TreeFields
from featherline.pinocchio.data_work import WorkFields
from featherline.pinocchio.lists import (
    StdVec_Force,
    StdVec_Inertia,
    StdVec_Motion,
    StdVec_Scalar,
    StdVec_SE3,
    StdVec_Vec3s,
    filled,
)
from featherline.pinocchio.model import Model
from featherline.pinocchio.native import DataBase
from featherline.pinocchio.saved import Saved

Array = np.ndarray
_ARRAYS = (
    "tau", "ddq", "nle", "g", "M", "Minv", "C", "J", "dJ", "Ag", "dAg", "Jcom", "dtau_dq", "dtau_dv", "ddq_dq",
    "ddq_dv", "dAdq", "dAdv", "dFdq", "dFdv", "dFda", "dHdq",
)  # fmt: skip
_LISTS = ("oMi", "oMf", "v", "a", "com", "vcom", "acom")


class Rows(StdVec_Vec3s):
    """Rows of an array: what is assigned is written to them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index][:] = value


class _Sizes:
    """The attributes of a model that `Data` reads: joints, parents and sizes."""

    def __init__(self, joints: list[Any], parents: list[int], nframes: int) -> None:
        self.joints, self.parents, self.njoints, self.nframes = joints, parents, len(parents), nframes
        self.nq, self.nv = (sum(getattr(joint, count) for joint in joints[1:]) for count in ("nq", "nv"))


def restored(joints: list[Any], parents: list[int], lists: dict[str, Any], state: dict[str, Any]) -> Data:
    """Data of these results."""
    sizes: Any = _Sizes(joints, parents, len(lists["oMf"]))
    data = Data(sizes)
    data.__setstate__((lists, state))
    return data


class Data(TreeFields, WorkFields, DataBase, Saved):  # type: ignore[misc]
    """Memory and results for one model; placements and motions are written in place."""

    oMi: Any
    oMf: Any
    v: Any
    a: Any

    def __init__(self, model: Model) -> None:
        self._parents, self._joints = list(model.parents), model.joints
        self._model = model if isinstance(model, Model) else None
        self._held: Any = None
        self._kkt: Any = None
        self._constrained: Any = None
        self._of_hessians: Any = None
        self._constrained_dtau: Any = None
        self.lambda_c: Array = np.zeros(0)
        self.impulse_c: Array = np.zeros(0)
        self.dq_after: Array = np.zeros(0)
        self.dlambda_dq, self.dlambda_dv, self.dlambda_dtau = (np.zeros((0, model.nv)) for _ in range(3))
        self.com, self.vcom, self.acom = (Rows(rows) for rows in self._centers())

    @functools.cached_property
    def U(self) -> Array:
        """The factor U (nv, nv) of M = U D Uᵀ, after cholesky.decompose."""
        return np.eye(self.tau.size)

    @functools.cached_property
    def D(self) -> Array:
        """The diagonal (nv,) of D of M = U D Uᵀ, after cholesky.decompose."""
        return np.zeros(self.tau.size)

    @functools.cached_property
    def q_in(self) -> Array:
        """Room for a configuration (nq,), which no algorithm writes to."""
        return np.zeros(sum(joint.nq for joint in self._joints[1:]))

    @functools.cached_property
    def v_in(self) -> Array:
        """Room for a velocity (nv,), which no algorithm writes to."""
        return np.zeros(self.tau.size)

    @functools.cached_property
    def a_in(self) -> Array:
        """Room for an acceleration (nv,), which no algorithm writes to."""
        return np.zeros(self.tau.size)

    @functools.cached_property
    def tau_in(self) -> Array:
        """Room for joint forces (nv,), which no algorithm writes to."""
        return np.zeros(self.tau.size)

    @property
    def ddq_dtau(self) -> Array:
        """The derivative of forward dynamics along the joint forces."""
        if self._constrained_dtau is not None and self._constrained_dtau[0] is self.ddq_dq:
            by_tau: Array = self._constrained_dtau[1]
            return by_tau
        inverse: Array = self.Minv
        return inverse

    @property
    def mass(self) -> StdVec_Scalar:
        """The masses of subtrees."""
        return filled(StdVec_Scalar, self._masses)

    @mass.setter
    def mass(self, masses: list[float]) -> None:
        self._masses = masses

    f = property(lambda self: filled(StdVec_Force, self._f), doc="The forces that joints transmit, after rnea.")
    h = property(lambda self: filled(StdVec_Force, self._h), doc="The momenta of bodies, after inverse dynamics.")
    a_gf = property(lambda self: filled(StdVec_Motion, self._a_gf), doc="Accelerations less gravity, after rnea.")
    Ycrb = property(lambda self: filled(StdVec_Inertia, self._Ycrb), doc="The inertias of subtrees in joints' frames.")
    oYcrb = property(lambda self: filled(StdVec_Inertia, self._oYcrb), doc="Ycrb in the world's coordinates.")

    @property
    def liMi(self) -> StdVec_SE3:
        """The joints' placements in their parents' frames."""
        known = self._liMi
        if known is not None:
            return filled(StdVec_SE3, known)
        oMi = self.oMi.copy()
        return filled(StdVec_SE3, [oMi[p].act_inv(oMi[i]) if i else SE3() for i, p in enumerate(self._parents)])

    def _in_world(self, parts: Any) -> Any:
        return (M.act(x) for M, x in zip(self.oMi.copy(), parts.copy(), strict=True))

    ov = property(lambda self: filled(StdVec_Motion, self._in_world(self.v)), doc="v in the world's coordinates.")
    oa = property(lambda self: filled(StdVec_Motion, self._in_world(self.a)), doc="a in the world's coordinates.")
    oa_gf = property(lambda self: filled(StdVec_Motion, self._in_world(self.a_gf)), doc="a_gf in world coordinates.")
    of = property(lambda self: filled(StdVec_Force, self._in_world(self.f)), doc="f in the world's coordinates.")
    oh = property(lambda self: filled(StdVec_Force, self._in_world(self.h)), doc="h in the world's coordinates.")

    def _state(self) -> dict[str, Any]:
        names = (*_ARRAYS, "hg", "dhg", "kinetic_energy", "potential_energy", "mechanical_energy", "_masses", "_q")
        return {name: copy.deepcopy(getattr(self, name)) for name in names}

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {name: list(getattr(self, name).copy()) for name in _LISTS}, self._state()

    def __setstate__(self, state: tuple[dict[str, Any], dict[str, Any]]) -> None:
        lists, fields = state
        for name, parts in lists.items():
            own = getattr(self, name)
            for i, part in enumerate(parts):
                own[i] = part
        for name, value in fields.items():
            setattr(self, name, value)

    def __deepcopy__(self, _memo: Any) -> Data:
        return self.copy()

    def copy(self) -> Data:
        other = restored(*self.__reduce__()[1])
        other._share(self)
        other._model = self._model
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self._joints, self._parents, *self.__getstate__())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ABSENT:
            raise Absent(f"Data.{name} has no counterpart in featherline yet")
        raise AttributeError(f"'Data' object has no attribute '{name}'")


def createDatas(*models: Any) -> tuple[Any, ...]:
    """Data of each model or geometry model that is given; None of None."""
    return tuple(None if model is None else model.createData() for model in models)


# Fields of Pinocchio's Data that nothing here computes.
ABSENT = frozenset(
    """Fcrb Ivx dac_dq dac_dv dvc_dq iMf mimic_parents_fromRow mimic_subtree_joint non_mimic_parents_fromRow oK oL
    oYaba_augmented of_augmented vxI""".split()
)
