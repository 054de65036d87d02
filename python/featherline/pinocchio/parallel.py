"""Many states at once: columns are states, which the native module computes in lanes and threads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from featherline.pinocchio.data import Data
from featherline.pinocchio.keywords import in_order
from featherline.pinocchio.model import Model

__all__ = ["ModelPool", "abaInParallel", "omp_get_max_threads", "rneaInParallel"]

Array = np.ndarray


class ModelPool:
    """A model for many states."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        first, *size = in_order("ModelPool", ("model [size]", "other"), parts, named)
        self._model: Model = (first._model if isinstance(first, ModelPool) else first).copy()
        self.resize(first._size if isinstance(first, ModelPool) else size[0] if size else 1)

    def getModel(self, index: int = 0) -> Model:
        return self._model

    def getModels(self) -> list[Model]:
        return [self._model] * self._size

    def getData(self, index: int) -> Data:
        return self._datas[index]

    def getDatas(self) -> list[Data]:
        return self._datas

    def size(self) -> int:
        return self._size

    def resize(self, new_size: int) -> None:
        self._size = new_size
        self._datas: list[Data] = [self._model.createData() for _ in range(new_size)]

    def update(self, data: Data) -> None:
        """Make each data a copy of this one."""
        self._datas = [data.copy() for _ in range(self._size)]

    def copy(self) -> ModelPool:
        return ModelPool(self)


def _rows(columns: Any) -> Array:
    return np.ascontiguousarray(np.asarray(columns, float).T)


def _columns(rows: Array, out: Array | None) -> Array | None:
    if out is None:
        return rows.T
    out[...] = rows.T
    return None


def rneaInParallel(num_thread: int, pool: ModelPool, q: Any, v: Any, a: Any, tau: Array | None = None) -> Array | None:
    """Inverse dynamics (nv, states) of columns of states."""
    return _columns(pool.getModel().native().rnea(_rows(q), _rows(v), _rows(a)), tau)


def abaInParallel(num_thread: int, pool: ModelPool, q: Any, v: Any, tau: Any, a: Array | None = None) -> Array | None:
    """Forward dynamics (nv, states) of columns of states."""
    return _columns(pool.getModel().native().aba(_rows(q), _rows(v), _rows(tau)), a)


def omp_get_max_threads() -> int:
    """How many threads a batch uses."""
    return os.cpu_count() or 1
