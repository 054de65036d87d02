"""Reference numbers from Pinocchio for the conformance check. See README.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import golden
import samples
import stream

TREES = 20


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="reference.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    streaming = commands.add_parser("stream", help="write the binary stream over all robots to standard output")
    streaming.add_argument("--states", type=int, default=50, help="random states for each robot and base")
    streaming.add_argument("--seed", type=int, default=0)
    streaming.add_argument("--only", nargs="+", default=[], metavar="NAME", help="robots whose file contains a NAME")
    streaming.add_argument("--trees", type=int, default=TREES, help="random trees beside the files and descriptions")
    streaming.add_argument("--quantities", nargs="+", metavar="GROUP", help="groups of quantities (default: all)")
    golden_numbers = commands.add_parser("golden", help="write the reference numbers of one description as JSON")
    golden_numbers.add_argument("--description", type=Path, required=True)
    golden_numbers.add_argument("--out", type=Path, required=True)
    golden_numbers.add_argument("--states", type=int, default=2)
    describing = commands.add_parser("describe", help="write the descriptions of the sample robots")
    describing.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.command == "describe":
        samples.write(arguments.out)
        return
    if arguments.command == "golden":
        golden.write(arguments.description, arguments.out, arguments.states)
        return
    groups = stream.parse_groups(arguments.quantities)
    order = stream.Order(arguments.states, arguments.seed, arguments.trees, tuple(arguments.only), groups)
    stream.run(sys.stdout.buffer, order)


if __name__ == "__main__":
    main()
