"""Objects as files, strings and buffers, in a format of this package: JSON of `as_json`."""

from __future__ import annotations

import os
from typing import Any

_ROOT = "featherline"


class StreamBuffer:
    """Memory that saveToBinary writes to."""

    _data = b""

    def size(self) -> int:
        """The number of bytes that it holds."""
        return len(self._data)

    def max_size(self) -> int:
        """The most bytes that it can hold."""
        return 2**63 - 1

    def prepare(self, _size: int) -> StreamBuffer:
        """Nothing but the buffer: it grows by itself."""
        return self

    def tobytes(self) -> bytes:
        return self._data

    def view(self) -> memoryview:
        return memoryview(self._data)


class StaticBuffer:
    """Memory of so many bytes, which saveToBinary writes to."""

    _data = b""

    def __init__(self, size: int) -> None:
        self._size = size

    def size(self) -> int:
        """The number of bytes that it can hold."""
        return self._size

    def reserve(self, new_size: int) -> None:
        """Hold at least so many bytes."""
        self._size = max(self._size, new_size)


Buffer = StreamBuffer | StaticBuffer
Path = str | os.PathLike[str]


def _bytes(thing: Any) -> bytes:
    # Loaded when an object is saved or read: it needs most of this package.
    from featherline.pinocchio import as_json

    return as_json.written(thing)


def written(thing: Any, buffer: Buffer) -> None:
    """Write an object to a buffer."""
    data = _bytes(thing)
    if isinstance(buffer, StaticBuffer) and len(data) > buffer.size():
        raise ValueError(f"the buffer has {buffer.size()} bytes, where {len(data)} are needed. Call reserve({len(data)})")
    buffer._data = data


def become(thing: Any, data: bytes | str, where: str) -> None:
    """Make an object one that was written."""
    from featherline.pinocchio import as_json

    try:
        other = as_json.read(data)
    except Exception as reason:
        raise ValueError(f"{where} holds no {type(thing).__name__} that saveTo... wrote here: {reason}") from reason
    if type(other) is not type(thing):
        raise ValueError(f"{where} holds a {type(other).__name__}, not a {type(thing).__name__}")
    if isinstance(thing, list):
        thing[:] = other
    elif isinstance(thing, dict):
        thing.clear()
        thing.update(other)
    elif hasattr(thing, "__setstate__"):
        thing.__setstate__(other.__getstate__())
    else:
        vars(thing).update(vars(other))


def _warn(filename: Path) -> None:
    from featherline.robot_files import _warn_user

    what = "is written in a format of this package, which Pinocchio and other programs cannot read"
    _warn_user(f"{os.fspath(filename)} {what}")


class Saved:
    """Methods that write and read an object. Nothing of what is read is run."""

    def saveToText(self, filename: Path) -> None:
        """Write a file of ASCII characters, which loadFromText reads."""
        _warn(filename)
        with open(filename, "wb") as file:
            file.write(_bytes(self))

    def loadFromText(self, filename: Path) -> None:
        """Become what saveToText wrote."""
        with open(filename, "rb") as file:
            become(self, file.read(), os.fspath(filename))

    def saveToBinary(self, filename: Path | Buffer) -> None:
        """Write a binary file, or a buffer, which loadFromBinary reads."""
        if isinstance(filename, (StreamBuffer, StaticBuffer)):
            written(self, filename)
            return
        _warn(filename)
        with open(filename, "wb") as file:
            file.write(_bytes(self))

    def loadFromBinary(self, filename: Path | Buffer) -> None:
        """Become what saveToBinary wrote."""
        if isinstance(filename, (StreamBuffer, StaticBuffer)):
            become(self, filename._data, "the buffer")
        else:
            self.loadFromText(filename)

    def saveToXML(self, filename: Path, tag_name: str) -> None:
        """Write an XML file whose element `tag_name` loadFromXML reads."""
        from xml.etree import ElementTree

        _warn(filename)
        root = ElementTree.Element(_ROOT)
        ElementTree.SubElement(root, tag_name).text = _bytes(self).decode("ascii")
        ElementTree.ElementTree(root).write(filename, encoding="utf-8", xml_declaration=True)

    def loadFromXML(self, filename: Path, tag_name: str) -> None:
        """Become what saveToXML wrote."""
        from xml.etree import ElementTree

        where = os.fspath(filename)
        root = ElementTree.parse(filename).getroot()
        if root.tag != _ROOT:
            raise ValueError(f"{where} has <{root.tag}>, not the <{_ROOT}> that saveToXML writes here")
        text = root.findtext(tag_name)
        if text is None:
            raise ValueError(f"{where} has no element <{tag_name}>; it has <{'>, <'.join(one.tag for one in root)}>")
        become(self, text, where)

    def saveToString(self) -> str:
        """A string that loadFromString reads."""
        return _bytes(self).decode("ascii")

    def loadFromString(self, string: str) -> None:
        """Become what saveToString returned."""
        become(self, string, "the string")
