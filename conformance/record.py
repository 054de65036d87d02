"""The binary stream: one line of JSON, then raw little-endian doubles. README.md describes the format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray


def write(out: BinaryIO, kind: str, header: Mapping[str, Any], payload: Mapping[str, NDArray[np.float64]]) -> None:
    """Write one record: the header line names each array of the payload and its shape, in order."""
    arrays = [[name, list(values.shape)] for name, values in payload.items()]
    values = [np.ascontiguousarray(v, dtype="<f8") for v in payload.values()]
    line = {"kind": kind, **header, "arrays": arrays, "payload_bytes": sum(v.nbytes for v in values)}
    # allow_nan: a NaN in a header would be a defect of this program, and JSON has no word for it.
    out.write(json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n")
    for v in values:
        out.write(v.tobytes(order="C"))
