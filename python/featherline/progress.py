"""A progress bar: tqdm's if it is installed, else one line on a terminal."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Protocol, TextIO

_WIDTH = 30


class _Bar(Protocol):
    def update(self, t: float) -> None: ...
    def close(self, t: float) -> None: ...


class _Line:
    """One line on a stream, which is written again as time goes on."""

    def __init__(self, start: float, duration: float, stream: TextIO) -> None:
        self._start = start
        self._duration = duration
        self._stream = stream
        self._began = time.monotonic()
        self._length = 0

    def text(self, t: float) -> str:
        """The line at a time of the simulation."""
        done = t - self._start
        part = min(1.0, max(0.0, done / self._duration)) if self._duration > 0.0 else 1.0
        full = round(_WIDTH * part)
        elapsed = time.monotonic() - self._began
        text = f"[{'#' * full}{'.' * (_WIDTH - full)}] {100 * part:3.0f} %  t = {t:.6g} s"
        if 0.01 < part < 1.0 and elapsed > 1.0:
            text += f", {elapsed * (1.0 / part - 1.0):.0f} s left"
        return text

    def update(self, t: float) -> None:
        text = self.text(t)
        self._stream.write("\r" + text.ljust(self._length))
        self._stream.flush()
        self._length = len(text)

    def close(self, t: float) -> None:
        self.update(t)
        self._stream.write("\n")
        self._stream.flush()


class _Tqdm:
    """tqdm's bar, in seconds of the simulation."""

    def __init__(self, start: float, duration: float) -> None:
        tqdm = importlib.import_module("tqdm.auto").tqdm
        self._t = start
        form = "{l_bar}{bar}| {n:.4g}/{total:.4g} s [{elapsed}<{remaining}]"
        self._bar = tqdm(total=duration, unit="s", bar_format=form)

    def update(self, t: float) -> None:
        self._bar.update(t - self._t)
        self._t = t

    def close(self, t: float) -> None:
        self.update(t)
        self._bar.close()


class Progress:
    """The progress of something that goes from `start` on for `duration` seconds.

    Without tqdm a line is written to `stream` (by default the standard error), if it is a terminal.
    """

    def __init__(self, start: float, duration: float, stream: TextIO | None = None) -> None:
        self._bar: _Bar | None = None
        if stream is None:
            try:
                self._bar = _Tqdm(start, duration)
                return
            except ImportError:
                pass
        # Programs without a console have no standard error.
        line: TextIO | None = sys.stderr if stream is None else stream
        if line is not None and line.isatty():
            self._bar = _Line(start, duration, line)

    def update(self, t: float) -> None:
        """Goes on to the time t."""
        if self._bar is not None:
            self._bar.update(t)

    def close(self, t: float) -> None:
        """Goes on to the time t, and ends."""
        if self._bar is not None:
            self._bar.close(t)
