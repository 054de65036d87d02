"""Objects written to buffers and read from them, in a format of this package."""

from __future__ import annotations

from typing import Any

from featherline.pinocchio.saved import Buffer, StaticBuffer, StreamBuffer, become, written

__all__ = ["StaticBuffer", "StreamBuffer", "buffer_copy", "loadFromBinary", "saveToBinary"]


def saveToBinary(object: Any, buffer: Buffer) -> None:
    """Write an object to a buffer."""
    written(object, buffer)


def loadFromBinary(object: Any, buffer: Buffer) -> None:
    """Make an object the one that saveToBinary wrote. Nothing of what is read is run."""
    become(object, buffer._data, "the buffer")


def buffer_copy(dest: StreamBuffer, source: StreamBuffer) -> None:
    """Copy what a buffer holds to another."""
    dest._data = source._data
