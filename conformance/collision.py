"""Compares distances of placed shapes with those of coal.

The other side is the example `collision_table` of featherline-geometry, which draws placements of
both shapes, computes their distances, and writes all of it to a file. This program computes the same
distances with coal, and prints a table: for each pair of shapes, how many placements are apart and
how many overlap, the largest difference of either kind, and the time of a call on both sides.

coal's own tolerances are set to the least that it converges with. Its time is what it measures
itself, without the call from Python.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import coal
import numpy as np

CASE = 2 * 12 + 1


def stone():
    """The points of the example's polytope."""
    points = []
    for k in range(40):
        z = 1.0 - 2.0 * (k + 0.5) / 40.0
        angle = k * 2.399963229728653
        r = np.sqrt(1.0 - z * z)
        points.append([0.5 * r * np.cos(angle), 0.4 * r * np.sin(angle), 0.3 * z])
    return np.array(points)


def polytope():
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


def request(tight):
    query = coal.DistanceRequest()
    query.enable_signed_distance = True
    query.enable_timings = True
    if tight:
        query.gjk_tolerance = 1e-12
        query.epa_tolerance = 1e-12
        query.gjk_max_iterations = 1000
        query.epa_max_iterations = 1000
    return query


def transform(numbers):
    return coal.Transform3s(numbers[:9].reshape(3, 3), numbers[9:12])


def compare(names, cases):
    """Numbers of placements, largest differences and coal's times, of both kinds."""
    first, second = (SHAPES[name]() for name in names)
    tight, usual = request(True), request(False)
    worst, times, counts = [0.0, 0.0], [[], []], [0, 0]
    for numbers in cases:
        a, b, ours = transform(numbers[:12]), transform(numbers[12:24]), numbers[24]
        result = coal.DistanceResult()
        theirs = coal.distance(first, a, second, b, tight, result)
        kind = int(ours <= 0.0)
        worst[kind] = max(worst[kind], abs(theirs - ours))
        counts[kind] += 1
        result = coal.DistanceResult()
        coal.distance(first, a, second, b, usual, result)
        times[kind].append(result.timings.user * 1e3)
    return counts, worst, [np.median(t) if t else float("nan") for t in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("example", type=Path, help="the built example `collision_table`")
    parser.add_argument("--pairs", type=int, default=100_000, help="placements of each pair of shapes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases"
        run = [str(options.example), str(options.pairs), str(file)]
        lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
        cases = np.fromfile(file, dtype="<f8").reshape(len(lines), options.pairs, CASE)
    print("| pair | apart | largest difference, m | ours, ns | coal, ns | overlap | largest difference, m | ours, ns | coal, ns |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line, some in zip(lines, cases):
        *names, apart, overlap, _ = line.split("\t")
        counts, worst, times = compare(names, some)
        print(
            f"| {' × '.join(names)} | {counts[0]} | {worst[0]:.1e} | {apart} | {times[0]:.0f} "
            f"| {counts[1]} | {worst[1]:.1e} | {overlap} | {times[1]:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
