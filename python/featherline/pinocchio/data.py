"""`Data`: the results of algorithms, by Pinocchio's names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from featherline._native import SE3, Force, Inertia, Motion
from featherline.pinocchio.lists import StdVec_Inertia, StdVec_Motion, StdVec_Scalar, StdVec_SE3, StdVec_Vec3s
from featherline.pinocchio.model import Model

Array = np.ndarray


class Data:
    """Memory and results for one model; placements and motions are written in place."""

    tau: Array
    ddq: Array
    nle: Array
    g: Array
    M: Array
    Minv: Array
    C: Array
    J: Array
    dJ: Array
    Ag: Array
    dAg: Array
    com: list[Array]
    vcom: list[Array]
    acom: list[Array]
    oMi: list[SE3]
    oMf: list[SE3]
    v: list[Motion]
    a: list[Motion]
    mass: list[float]
    oYcrb: list[Inertia]

    def __init__(self, model: Model) -> None:
        joints, nv = model.njoints, model.nv
        self._parents = model.parents
        self.oMi = StdVec_SE3(SE3() for _ in range(joints))
        self.oMf = StdVec_SE3(SE3() for _ in range(model.nframes))
        self.v = StdVec_Motion(Motion() for _ in range(joints))
        self.a = StdVec_Motion(Motion() for _ in range(joints))
        self.Ycrb = StdVec_Inertia(Inertia() for _ in range(joints))
        self.oYcrb = StdVec_Inertia(Inertia() for _ in range(joints))
        for name in ("tau", "ddq", "nle", "g"):
            setattr(self, name, np.zeros(nv))
        for name in ("M", "Minv", "C"):
            setattr(self, name, np.zeros((nv, nv)))
        for name in ("J", "dJ", "Ag", "dAg"):
            setattr(self, name, np.zeros((6, nv), order="F"))
        self.Jcom: Array = np.zeros((3, nv))
        for name in ("com", "vcom", "acom"):
            setattr(self, name, StdVec_Vec3s(np.zeros(3) for _ in range(joints)))
        self.mass = StdVec_Scalar([-1.0] * joints)
        self.hg, self.dhg, self.Ig = Force(), Force(), Inertia()
        self.kinetic_energy = self.potential_energy = self.mechanical_energy = 0.0
        # The configuration of the last algorithm, for those that are called without one.
        self._q: Array | None = None

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

    def _configuration(self, q: tuple[Any, ...], before: str) -> Array:
        """The configuration that a caller gave, or that of the algorithm that must be called before."""
        if q:
            self._q = np.array(q[0], float)
        if self._q is None:
            raise ValueError(f"{before} must be called before, or q be given")
        return self._q

    def copy(self) -> Data:
        return copy.deepcopy(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ABSENT:
            raise NotImplementedError(f"Data.{name} has no counterpart in featherline yet")
        raise AttributeError(f"'Data' object has no attribute '{name}'")


# Fields of Pinocchio's Data that nothing here computes.
ABSENT = frozenset(
    """B D f iMf jointTorqueRegressor kineticEnergyRegressor potentialEnergyRegressor staticRegressor Fcrb Ivx U Yaba a_gf a_in constraint_chol contact_chol dAdq dAdv dFda dFdq dFdv dHdq dac_da dac_dq dac_dv
    ddq_dq ddq_dtau ddq_dv dlambda_dq dlambda_dtau dlambda_dv dq_after dtau_dq dtau_dv dvc_dq end_idx_v_fromRow h
    idx_vExtended_to_idx_v_fromRow impulse_c joints lambda_c lambda_c_prox
    lastChild mimic_parents_fromRow mimic_subtree_joint non_mimic_parents_fromRow nvSubtree nvSubtree_fromRow oK oL
    oYaba oYaba_augmented oa_gf of of_augmented oh osim parents_fromRow 
    primal_dual_contact_solution primal_rhs_contact q_in start_idx_v_fromRow supports_fromRow tau_in
    v_in vxI loadFromBinary loadFromString loadFromText loadFromXML saveToBinary saveToString saveToText
    saveToXML""".split()
)
