"""Collisions and distances of robots' shapes beside Pinocchio with coal, through the same calls. See README.md.

Both read the same URDF with its meshes as triangles. Pairs are those of different joints that do not collide in the neutral
configuration. In each of the configurations both must give the same answers; then both are timed in turns.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as theirs

import featherline.pinocchio as ours

# Distances are compared where coal's search is good to this, in m.
TOLERANCE = 1e-5
SHAPES = {
    "spheres": coal.Sphere(0.1),
    "boxes": coal.Box(0.1, 0.1, 0.25),
    "capsules": coal.Capsule(0.06, 0.2),
    "cylinders": coal.Cylinder(0.06, 0.2),
}


class Side:
    """A robot as one of the two has it."""

    def __init__(self, pin: Any, model: Any, geometry: Any) -> None:
        self.pin, self.model, self.geometry = pin, model, geometry
        self.data, self.geometry_data = model.createData(), geometry.createData()

    def collide(self, q: np.ndarray) -> bool:
        return bool(self.pin.computeCollisions(self.model, self.data, self.geometry, self.geometry_data, q, False))

    def measure(self, q: np.ndarray) -> int:
        return int(self.pin.computeDistances(self.model, self.data, self.geometry, self.geometry_data, q))

    def place(self, q: np.ndarray) -> None:
        self.pin.updateGeometryPlacements(self.model, self.data, self.geometry, self.geometry_data, q)

    def collide_placed(self, _q: np.ndarray) -> bool:
        return bool(self.pin.computeCollisions(self.geometry, self.geometry_data, False))

    def measure_placed(self, _q: np.ndarray) -> int:
        return int(self.pin.computeDistances(self.geometry, self.geometry_data))

    def answers(self, q: np.ndarray) -> tuple[list[bool], np.ndarray]:
        """Whether each pair collides, and its distance."""
        self.collide(q)
        colliding = [result.isCollision() for result in self.geometry_data.collisionResults]
        self.measure(q)
        return colliding, np.array([result.min_distance for result in self.geometry_data.distanceResults])


def arm(pin: Any, count: int, shape: Any) -> Side:
    """An arm with a shape on each link, and the pairs of those that are not neighbours."""
    model, geometry, parent = pin.Model(), pin.GeometryModel(), 0
    for k in range(count):
        joint = pin.JointModelRX() if k % 2 else pin.JointModelRY()
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), np.array([0, 0, 0.3])), f"joint{k}")
        geometry.addGeometryObject(pin.GeometryObject(f"shape{k}", parent, pin.SE3.Identity(), shape))
    for i in range(count):
        for j in range(i + 2, count):
            geometry.addCollisionPair(pin.CollisionPair(i, j))
    return Side(pin, model, geometry)


def of_file(pin: Any, path: str, packages: list[str], pairs: list[tuple[int, int]] | None) -> Side:
    """A robot of example-robot-data, with the pairs that are given, or with those of different joints."""
    model = pin.buildModelFromUrdf(path)
    geometry = pin.buildGeomFromUrdf(model, path, pin.GeometryType.COLLISION, package_dirs=packages)
    if pairs is None:
        geometry.addAllCollisionPairs()
    else:
        for first, second in pairs:
            geometry.addCollisionPair(pin.CollisionPair(first, second))
    return Side(pin, model, geometry)


def least(side: Side, name: str, states: np.ndarray, placed: bool) -> float:
    """The time of a call in the median of the states, in µs, without that of the clock's."""
    call, times = getattr(side, name), []
    for q in states:
        if placed:
            side.place(q)
        start = time.perf_counter()
        call(q)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def compare(sides: list[Side], states: np.ndarray, rounds: int) -> tuple[int, float, dict[str, list[float]]]:
    """Pairs that differ, the greatest difference of distances of pairs that are apart, and the times."""
    differ, greatest = 0, 0.0
    for q in states:
        (a, d), (b, e) = (side.answers(q) for side in sides)
        near = np.minimum(np.abs(d), np.abs(e)) < TOLERANCE
        differ += int(np.sum((np.array(a) != np.array(b)) & ~near))
        apart = (d > 0) & (e > 0)
        greatest = max(greatest, float(np.abs(d - e)[apart].max(initial=0.0)))
    times: dict[str, list[float]] = {}
    for name, placed in (("collide", False), ("collide_placed", True), ("measure", False), ("measure_placed", True)):
        rows = [[least(side, name, states, placed) for side in sides] for _ in range(rounds)]
        times[name] = [min(column) for column in zip(*rows, strict=True)]
    return differ, greatest, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--robots", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines: list[str] = []
    table = {name: [] for name in ("collide", "collide_placed", "measure", "measure_placed")}

    def row(name: str, sides: list[Side], states: np.ndarray, counted: bool) -> None:
        differ, greatest, times = compare(sides, states, options.rounds)
        cells = []
        for call, (their, our) in times.items():
            cells.append(f"{their:.1f} | {our:.1f} | {our / their:.2f}")
            if counted:
                table[call].append(our / their)
        pairs = len(sides[0].geometry.collisionPairs)
        lines.append(f"| {name} | {pairs} | {len(states)} | {differ} | {greatest:.0e} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)

    rng = np.random.default_rng(0)
    if not options.robots or options.robots == ["none"]:
        for count in (8, 14):
            for name, shape in SHAPES.items():
                sides = [arm(pin, count, shape) for pin in (theirs, ours)]
                row(f"arm of {count} {name}", sides, rng.uniform(-1.5, 1.5, (options.states, count)), False)
    skipped = []
    shared = Path(theirs.__file__).parents[4] / "share" / "example-robot-data"
    for path in sorted((shared / "robots").rglob("*.urdf")):
        name = path.stem
        if options.robots and name not in options.robots:
            continue
        packages = [str(shared.parent), str(shared / "robots")]
        try:
            first = of_file(theirs, str(path), packages, None)
            q = theirs.neutral(first.model)
            first.collide(q)
            results = zip(first.geometry.collisionPairs, first.geometry_data.collisionResults, strict=True)
            pairs = [(pair.first, pair.second) for pair, result in results if not result.isCollision()]
            if not pairs:
                skipped.append(f"{name}: no pairs")
                continue
            sides = [of_file(pin, str(path), packages, pairs) for pin in (theirs, ours)]
            lower = np.maximum(first.model.lowerPositionLimit, -1.5)
            upper = np.minimum(first.model.upperPositionLimit, 1.5)
            theirs.seed(0)
            states = np.array([theirs.randomConfiguration(first.model, lower, upper) for _ in range(options.states)])
            row(name, sides, states, True)
        except Exception as reason:
            skipped.append(f"{name}: {str(reason).splitlines()[0][:100]}")
            print("skipped", skipped[-1], flush=True)
    medians = " | ".join(f"| | {statistics.median(table[call]):.2f}" for call in table if table[call])
    lines.append(f"| **median of {len(table['collide'])} robots** | | | | {medians} |")
    print(lines[-1])
    versions = f"Pinocchio {metadata.version('pin')}, coal {metadata.version('coal')}; {platform.processor() or platform.machine()}"
    print(versions)


if __name__ == "__main__":
    main()
