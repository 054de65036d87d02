"""Models as files and strings. The format is this package's own: Python's pickles."""

from __future__ import annotations

import os
import pickle
from typing import Any

Path = str | os.PathLike[str]


class Saved:
    """Methods that write and read an object. Read only what you trust: a pickle can run programs."""

    def _read(self, data: bytes, where: str) -> None:
        try:
            other: Any = pickle.loads(data)
        except Exception as reason:
            raise ValueError(f"{where} holds no {type(self).__name__} that saveTo... wrote: {reason}") from reason
        if type(other) is not type(self):
            raise ValueError(f"{where} holds a {type(other).__name__}, not a {type(self).__name__}")
        self.__setstate__(other.__getstate__())  # type: ignore[attr-defined]

    def saveToText(self, filename: Path) -> None:
        """Write a file of ASCII characters, which loadFromText reads."""
        with open(filename, "wb") as file:
            file.write(pickle.dumps(self, protocol=0))

    def loadFromText(self, filename: Path) -> None:
        """Become what saveToText wrote."""
        with open(filename, "rb") as file:
            self._read(file.read(), os.fspath(filename))

    def saveToBinary(self, filename: Path) -> None:
        """Write a binary file, which loadFromBinary reads."""
        with open(filename, "wb") as file:
            file.write(pickle.dumps(self))

    def loadFromBinary(self, filename: Path) -> None:
        """Become what saveToBinary wrote."""
        self.loadFromText(filename)

    def saveToString(self) -> str:
        """A string that loadFromString reads."""
        return pickle.dumps(self, protocol=0).decode("latin-1")

    def loadFromString(self, string: str) -> None:
        """Become what saveToString returned."""
        self._read(string.encode("latin-1"), "the string")
