"""`Data`: the results of algorithms, by Pinocchio's names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.lists import StdVec_Force, StdVec_Inertia, StdVec_Motion, StdVec_Scalar, StdVec_SE3, StdVec_Vec3s
from featherline.pinocchio.model import Model
from featherline.pinocchio.native import DataBase

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
    """The attributes of a model that `Data` reads: parents and sizes."""

    def __init__(self, parents: list[int], nframes: int, nv: int) -> None:
        self.parents, self.njoints, self.nframes, self.nv = parents, len(parents), nframes, nv


def _restored(parents: list[int], nframes: int, nv: int, lists: dict[str, Any], state: dict[str, Any]) -> Data:
    sizes: Any = _Sizes(parents, nframes, nv)
    data = Data(sizes)
    for name, parts in lists.items():
        own = getattr(data, name)
        for i, part in enumerate(parts):
            own[i] = part
    for name, value in state.items():
        setattr(data, name, value)
    return data


class Data(DataBase):  # type: ignore[misc]
    """Memory and results for one model; placements and motions are written in place."""

    oMi: Any
    oMf: Any
    v: Any
    a: Any

    def __init__(self, model: Model) -> None:
        self._parents = list(model.parents)
        self._kkt: Any = None
        self._constrained: Any = None
        self._freed: Any = None
        self._mimic_v: Any = None
        self._of_hessians: Any = None
        self._constrained_dtau: Any = None
        self.lambda_c: Array = np.zeros(0)
        self.impulse_c: Array = np.zeros(0)
        self.dq_after: Array = np.zeros(0)
        self.dlambda_dq, self.dlambda_dv, self.dlambda_dtau = (np.zeros((0, model.nv)) for _ in range(3))
        self.com, self.vcom, self.acom = (Rows(rows) for rows in self._centers())

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
        return StdVec_Scalar(self._masses)

    @mass.setter
    def mass(self, masses: list[float]) -> None:
        self._masses = masses

    f = property(lambda self: StdVec_Force(self._f), doc="The forces that joints transmit, after inverse dynamics.")
    h = property(lambda self: StdVec_Force(self._h), doc="The momenta of bodies, after inverse dynamics.")
    a_gf = property(lambda self: StdVec_Motion(self._a_gf), doc="Accelerations less gravity, after inverse dynamics.")
    Ycrb = property(lambda self: StdVec_Inertia(self._Ycrb), doc="The inertias of subtrees in joints' frames.")
    oYcrb = property(lambda self: StdVec_Inertia(self._oYcrb), doc="The inertias of subtrees in the world's coordinates.")

    @property
    def liMi(self) -> StdVec_SE3:
        """The joints' placements in their parents' frames."""
        known = self._liMi
        if known is not None:
            return StdVec_SE3(known)
        oMi = self.oMi.copy()
        return StdVec_SE3(oMi[p].act_inv(oMi[i]) if i else SE3() for i, p in enumerate(self._parents))

    def _in_world(self, parts: Any) -> Any:
        return (M.act(x) for M, x in zip(self.oMi.copy(), parts.copy(), strict=True))

    ov = property(lambda self: StdVec_Motion(self._in_world(self.v)), doc="v in the world's coordinates.")
    oa = property(lambda self: StdVec_Motion(self._in_world(self.a)), doc="a in the world's coordinates.")
    oa_gf = property(lambda self: StdVec_Motion(self._in_world(self.a_gf)), doc="a_gf in the world's coordinates.")
    of = property(lambda self: StdVec_Force(self._in_world(self.f)), doc="f in the world's coordinates.")
    oh = property(lambda self: StdVec_Force(self._in_world(self.h)), doc="h in the world's coordinates.")

    def _state(self) -> dict[str, Any]:
        names = (*_ARRAYS, "hg", "dhg", "kinetic_energy", "potential_energy", "mechanical_energy", "_masses", "_q")
        return {name: copy.deepcopy(getattr(self, name)) for name in names}

    def __deepcopy__(self, _memo: Any) -> Data:
        return self.copy()

    def copy(self) -> Data:
        other = _restored(*self.__reduce__()[1])
        other._share(self)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        lists = {name: list(getattr(self, name).copy()) for name in _LISTS}
        return _restored, (self._parents, len(self.oMf), self.tau.size, lists, self._state())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ABSENT:
            raise NotImplementedError(f"Data.{name} has no counterpart in featherline yet")
        raise AttributeError(f"'Data' object has no attribute '{name}'")


# Fields of Pinocchio's Data that nothing here computes.
ABSENT = frozenset(
    """B D iMf Fcrb Ivx U Yaba a_in constraint_chol contact_chol dac_da dac_dq dac_dv
     dvc_dq end_idx_v_fromRow
    idx_vExtended_to_idx_v_fromRow joints lambda_c_prox
    lastChild mimic_parents_fromRow mimic_subtree_joint non_mimic_parents_fromRow nvSubtree nvSubtree_fromRow oK oL
    oYaba oYaba_augmented of_augmented osim parents_fromRow 
    primal_dual_contact_solution primal_rhs_contact q_in start_idx_v_fromRow supports_fromRow tau_in
    v_in vxI loadFromBinary loadFromString loadFromText loadFromXML saveToBinary saveToString saveToText
    saveToXML""".split()
)
