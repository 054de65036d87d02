"""`Data`: the results of algorithms, by Pinocchio's names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline._native import SE3
from featherline.pinocchio.lists import StdVec_Inertia, StdVec_Motion, StdVec_Scalar, StdVec_SE3, StdVec_Vec3s
from featherline.pinocchio.model import Model
from featherline.pinocchio.native import DataBase

Array = np.ndarray
_ARRAYS = ("tau", "ddq", "nle", "g", "M", "Minv", "C", "J", "dJ", "Ag", "dAg", "Jcom")
_LISTS = ("oMi", "oMf", "v", "a", "com", "vcom", "acom")


class Placements(StdVec_SE3):
    """Placements at addresses that stay: what is assigned is written to them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index].rotation, self[index].translation = value.rotation, value.translation


class Motions(StdVec_Motion):
    """Motions at addresses that stay: what is assigned is written to them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index].vector = value.vector


class Rows(StdVec_Vec3s):
    """Rows of an array: what is assigned is written to them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index][:] = value


class _Sizes:
    """What `Data` asks of a model."""

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

    def __init__(self, model: Model) -> None:
        self._parents = list(model.parents)
        self._kkt: Any = None
        self.lambda_c: Array = np.zeros(0)
        self.impulse_c: Array = np.zeros(0)
        self.dq_after: Array = np.zeros(0)
        joints, frames, velocities, accelerations = self._objects()
        self.oMi = Placements(joints)
        self.oMf = Placements(frames)
        self.v = Motions(velocities)
        self.a = Motions(accelerations)
        self.com, self.vcom, self.acom = (Rows(rows) for rows in self._centers())

    @property
    def ddq_dtau(self) -> Array:
        """The derivative of forward dynamics along the joint forces."""
        inverse: Array = self.Minv
        return inverse

    @property
    def mass(self) -> StdVec_Scalar:
        """The masses of subtrees."""
        return StdVec_Scalar(self._masses)

    @mass.setter
    def mass(self, masses: list[float]) -> None:
        self._masses = masses

    @property
    def Ycrb(self) -> StdVec_Inertia:
        """The inertias of subtrees in joints' frames."""
        pairs = zip(self.oMi, self.oYcrb, strict=True)
        return StdVec_Inertia(M.act_inv(Y) for M, Y in pairs)

    @property
    def liMi(self) -> StdVec_SE3:
        """The joints' placements in their parents' frames."""
        parents = enumerate(self._parents)
        return StdVec_SE3(self.oMi[p].act_inv(self.oMi[i]) if i else SE3() for i, p in parents)

    @property
    def ov(self) -> StdVec_Motion:
        """The joints' velocities in the world's coordinates."""
        return StdVec_Motion(M.act(v) for M, v in zip(self.oMi, self.v, strict=True))

    @property
    def oa(self) -> StdVec_Motion:
        """The joints' spatial accelerations in the world's coordinates."""
        return StdVec_Motion(M.act(a) for M, a in zip(self.oMi, self.a, strict=True))

    def _state(self) -> dict[str, Any]:
        names = (*_ARRAYS, "hg", "dhg", "kinetic_energy", "potential_energy", "mechanical_energy", "_masses", "_q")
        return {name: copy.deepcopy(getattr(self, name)) for name in names}

    def __deepcopy__(self, _memo: Any) -> Data:
        return self.copy()

    def copy(self) -> Data:
        return _restored(*self.__reduce__()[1])

    def __reduce__(self) -> tuple[Any, ...]:
        lists = {name: [part.copy() for part in getattr(self, name)] for name in _LISTS}
        return _restored, (self._parents, len(self.oMf), self.tau.size, lists, self._state())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ABSENT:
            raise NotImplementedError(f"Data.{name} has no counterpart in featherline yet")
        raise AttributeError(f"'Data' object has no attribute '{name}'")


# Fields of Pinocchio's Data that nothing here computes.
ABSENT = frozenset(
    """B D iMf kineticEnergyRegressor potentialEnergyRegressor staticRegressor Fcrb Ivx U Yaba a_in constraint_chol contact_chol dAdq dAdv dFda dFdq dFdv dHdq dac_da dac_dq dac_dv
     dlambda_dq dlambda_dtau dlambda_dv dvc_dq end_idx_v_fromRow h
    idx_vExtended_to_idx_v_fromRow joints lambda_c_prox
    lastChild mimic_parents_fromRow mimic_subtree_joint non_mimic_parents_fromRow nvSubtree nvSubtree_fromRow oK oL
    oYaba oYaba_augmented oa_gf of of_augmented oh osim parents_fromRow 
    primal_dual_contact_solution primal_rhs_contact q_in start_idx_v_fromRow supports_fromRow tau_in
    v_in vxI loadFromBinary loadFromString loadFromText loadFromXML saveToBinary saveToString saveToText
    saveToXML""".split()
)
