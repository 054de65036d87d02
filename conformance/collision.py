"""Distances of placed shapes beside those of coal. See README.md.

The program `collision_table` of featherline-tools draws placements of both shapes, computes their distances, and
writes all of it to a file. This program computes the same distances with coal and prints a table.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from importlib import metadata
from pathlib import Path

import coal
import numpy as np

# Two placements of nine and three numbers, and a distance.
CASE = 2 * 12 + 1
# coal's tolerance; with less, its searches give up more often.
TOLERANCE = 1e-8
# A difference beyond what that tolerance explains.
DISAGREEMENT = 1e-6


def stone() -> np.ndarray:
    """Give the points of the program's polytope."""
    k = np.arange(40)
    z = 1.0 - 2.0 * (k + 0.5) / 40.0
    r = np.sqrt(1.0 - z * z)
    angle = k * 2.399963229728653
    return np.stack([0.5 * r * np.cos(angle), 0.4 * r * np.sin(angle), 0.3 * z], axis=1)


def polytope() -> coal.ConvexBase:
    """Build coal's polytope."""
    points = coal.StdVec_Vec3s()
    for point in stone():
        points.append(point)
    return coal.Convex.convexHull(points, False, "")


SHAPES = {
    "plane": lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
    "sphere": lambda: coal.Sphere(0.4),
    "capsule": lambda: coal.Capsule(0.25, 0.8),
    "box": lambda: coal.Box(0.6, 0.8, 1.1),
    "cylinder": lambda: coal.Cylinder(0.3, 0.9),
    "cone": lambda: coal.Cone(0.4, 0.9),
    "ellipsoid": lambda: coal.Ellipsoid(0.3, 0.5, 0.4),
    "polytope": polytope,
}


def circle(radius: float, d: np.ndarray) -> np.ndarray:
    """Give the greatest value of d on a circle about z."""
    return radius * np.hypot(d[0], d[1])


EXTENTS = {
    "sphere": lambda d: 0.4 * np.linalg.norm(d),
    "capsule": lambda d: 0.25 * np.linalg.norm(d) + 0.4 * abs(d[2]),
    "box": lambda d: np.abs(d) @ [0.3, 0.4, 0.55],
    "cylinder": lambda d: circle(0.3, d) + 0.45 * abs(d[2]),
    "cone": lambda d: max(0.45 * d[2], circle(0.4, d) - 0.45 * d[2]),
    "ellipsoid": lambda d: np.linalg.norm(d * [0.3, 0.5, 0.4]),
    "polytope": lambda d: np.max(stone() @ d),
}


def request(tolerance: float | None) -> coal.DistanceRequest:
    """Ask for signed distances, with a tolerance or with coal's own settings."""
    query = coal.DistanceRequest()
    query.enable_signed_distance = True
    if tolerance is not None:
        query.gjk_tolerance = query.epa_tolerance = tolerance
        query.gjk_max_iterations = query.epa_max_iterations = 1000
    return query


def placements(case: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Give rotation and translation of both shapes."""
    return [(p[:9].reshape(3, 3), p[9:]) for p in (case[:12], case[12:24])]


def gap_along(names: list[str], case: np.ndarray, n: np.ndarray) -> float:
    """Give the gap along a unit vector: no more than the distance for any, and equal to it for one."""
    (ra, pa), (rb, pb) = placements(case)
    return n @ (pb - pa) - EXTENTS[names[1]](rb.T @ -n) - EXTENTS[names[0]](ra.T @ n)


def call_time(shapes: list, cases: np.ndarray) -> float:
    """Give the mean time of a call of coal with its own settings, that of the call from Python included, in ns."""
    query = request(None)
    prepared = [[coal.Transform3s(r, p) for r, p in placements(case)] for case in cases]
    results = [coal.DistanceResult() for _ in cases]
    begin = time.perf_counter_ns()
    for (a, b), result in zip(prepared, results, strict=True):
        coal.distance(shapes[0], a, shapes[1], b, query, result)
    return (time.perf_counter_ns() - begin) / max(len(cases), 1)


def compare(names: list[str], cases: np.ndarray, overhead: float | None) -> list[str]:
    """Compare one pair of shapes: for each of apart and overlapping, the cells of the table."""
    shapes = [SHAPES[name]() for name in names]
    query = request(TOLERANCE)
    cells = []
    for some in (cases[cases[:, 24] > 0.0], cases[cases[:, 24] <= 0.0]):
        worst, disagreements, better = 0.0, 0, 0
        for case in some:
            a, b = (coal.Transform3s(r, p) for r, p in placements(case))
            result = coal.DistanceResult()
            theirs, ours = coal.distance(shapes[0], a, shapes[1], b, query, result), case[24]
            if abs(theirs - ours) <= DISAGREEMENT:
                worst = max(worst, abs(theirs - ours))
                continue
            disagreements += 1
            n = np.asarray(result.normal)
            # The gap along any direction bounds the distance from below: a greater one would refute ours.
            if names[0] != "plane" and np.all(np.isfinite(n)) and abs(n @ n - 1.0) < DISAGREEMENT:
                better += gap_along(names, case, n) > ours + DISAGREEMENT
        cells += [f"{len(some)}", f"{worst:.1e}", f"{disagreements}", f"{better}"]
        if overhead is not None:
            each = min(call_time(shapes, some[:2000]) for _ in range(3)) - overhead
            cells += [f"{each:.0f}"]
    return cells


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="collision.py", description=__doc__)
    parser.add_argument("program", type=Path, help="the program `collision_table`, built for release")
    parser.add_argument("--pairs", type=int, default=100_000, help="placements of each pair of shapes")
    parser.add_argument("--times", action="store_true", help="time both sides; on an idle machine only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases"
        command = [str(arguments.program), str(arguments.pairs), str(file)]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        lines = run.stdout.splitlines()
        cases = np.fromfile(file, dtype="<f8").reshape(len(lines), arguments.pairs, CASE)
    spheres = [SHAPES["sphere"](), SHAPES["sphere"]()]
    overhead = min(call_time(spheres, cases[7][:2000]) for _ in range(5)) if arguments.times else None
    print(f"# Distances beside coal {metadata.version('coal')}\n")
    print(
        f"{arguments.pairs} random placements of each pair, shapes of about 1 m. `max`: the largest difference, in m;"
    )
    print(f"`>`: placements that differ by more than {DISAGREEMENT:.0e} m; `refuted`: those of them where")
    print("coal's normal proves a greater distance, or a smaller depth, than ours.")
    if arguments.times:
        print("Times in ns; coal's with its own settings and less the time of a call from Python.")
    kind = "{0} | max | > | refuted" + " | ours | coal" * arguments.times
    print(f"\n| pair | {kind.format('apart')} | {kind.format('overlapping')} |")
    print("|---|" + "---|" * (12 if arguments.times else 8))
    for line, some in zip(lines, cases, strict=True):
        *names, apart, overlap, _ = line.split("\t")
        cells = compare(names, some, overhead)
        if arguments.times:
            cells[4:4] = [apart]
            cells[10:10] = [overlap]
        print(f"| {' and '.join(names)} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
