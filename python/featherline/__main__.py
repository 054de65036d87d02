"""The command `featherline`, and `python -m featherline`."""

from __future__ import annotations

import sys

from featherline._native import run_command


def main() -> int:
    """Run the command of the process's arguments; returns its exit code."""
    return run_command(["featherline", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
