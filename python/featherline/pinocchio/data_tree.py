"""Fields of `Data` that say how rows of matrices and joints follow each other in the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherline.pinocchio.joint_data import JointData, calc
from featherline.pinocchio.lists import StdVec_int, StdVec_JointDataVector, StdVec_StdVec_Int


class TreeFields:
    """Computed when they are read, from the joints and their parents. The row k of an entry of v is k."""

    _parents: list[int]
    _joints: list[Any]
    _q: Any
    v: Any
    liMi: Any

    def _last(self) -> list[int]:
        """Of each joint, the last of those that it carries, itself among them."""
        last = list(range(len(self._parents)))
        for i in range(len(self._parents) - 1, 0, -1):
            parent = self._parents[i]
            last[parent] = max(last[parent], last[i])
        return last

    def _rows(self) -> list[tuple[int, range]]:
        """The joints with rows of their own: their numbers, and their rows."""
        return [(i, range(joint.idx_v, joint.idx_v + joint.nv)) for i, joint in enumerate(self._joints[1:], 1) if joint.nv]

    @property
    def lastChild(self) -> StdVec_int:
        """Of each joint, the last of those that it carries, itself among them."""
        return StdVec_int(self._last())

    @property
    def nvSubtree(self) -> StdVec_int:
        """Of each joint, how many entries of v it and those that it carries have."""
        nv = np.array([0, *(joint.nv for joint in self._joints[1:])])
        return StdVec_int(int(nv[i : last + 1].sum()) for i, last in enumerate(self._last()))

    @property
    def nvSubtree_fromRow(self) -> StdVec_int:
        """Of each row, how many rows from it to the end of what its joint carries."""
        count = self.nvSubtree
        return StdVec_int(count[i] - k for i, rows in self._rows() for k in range(len(rows)))

    @property
    def start_idx_v_fromRow(self) -> StdVec_int:
        """Of each row, the first row of its joint."""
        return StdVec_int(rows[0] for _, rows in self._rows() for _ in rows)

    @property
    def end_idx_v_fromRow(self) -> StdVec_int:
        """Of each row, the last row of its joint."""
        return StdVec_int(rows[-1] for _, rows in self._rows() for _ in rows)

    @property
    def parents_fromRow(self) -> StdVec_int:
        """Of each row, the row before it on the way to the universe; -1 if there is none."""
        parents = []
        last = {0: -1}
        own = dict(self._rows())
        for i in range(1, len(self._parents)):
            above = last[self._parents[i]]
            for row in own.get(i, ()):
                parents.append(above)
                above = row
            last[i] = above
        return StdVec_int(parents)

    @property
    def supports_fromRow(self) -> StdVec_StdVec_Int:
        """Of each row, the rows on the way to it from the universe, itself among them."""
        supports: list[StdVec_int] = []
        for row, parent in enumerate(self.parents_fromRow):
            supports.append(StdVec_int([*(supports[parent] if parent >= 0 else ()), row]))
        return StdVec_StdVec_Int(supports)

    @property
    def joints(self) -> StdVec_JointDataVector:
        """Of each joint, how it moves alone, at the last configuration and velocities of bodies."""
        found = StdVec_JointDataVector([JointData()])
        if self._q is None:
            found += [joint.createData() for joint in self._joints[1:]]
            return found
        velocities, relative = self.v.copy(), self.liMi
        for i, joint in enumerate(self._joints[1:], 1):
            data = joint.createData()
            calc(joint, data, self._q)
            # The joint's velocity S v is its body's beyond its parent's.
            motion = (velocities[i] - relative[i].act_inv(velocities[self._parents[i]])).vector
            v = np.zeros(max(joint.idx_v, 0) + joint.nvExtended)
            v[max(joint.idx_v, 0) :] = np.linalg.lstsq(data.S, motion)[0]
            calc(joint, data, self._q, v)
            found.append(data)
        return found
