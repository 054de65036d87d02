"""Collisions and distances of robots' shapes beside Pinocchio with coal, through the same calls. See README.md.

Both read the same URDF with its meshes as triangles. Pairs are those of different joints that do not collide in the neutral
configuration. In each of the configurations both must give the same answers; then both are timed in turns.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as theirs

import featherline.pinocchio as ours

# Distances are compared where coal's search is good to this, in m.
TOLERANCE = 1e-5
CALLS = ("collide", "collide_placed", "measure", "measure_placed")
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


def times_of(side: Side, name: str, states: np.ndarray) -> float:
    """The time of a call in the median of the states, in µs."""
    call, placed, times = getattr(side, name), name.endswith("placed"), []
    for q in states:
        if placed:
            side.place(q)
        start = time.perf_counter()
        call(q)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


class Row:
    """What two sides answer, and their times, in as many states as there is time for."""

    def __init__(self, name: str, sides: list[Side], states: np.ndarray, seconds: float, rounds: int) -> None:
        self.name, self.pairs = name, len(sides[0].geometry.collisionPairs)
        self.states, self.differ, self.greatest = 0, 0, 0.0
        end = time.perf_counter() + seconds
        for q in states:
            (a, d), (b, e) = (side.answers(q) for side in sides)
            near = np.minimum(np.abs(d), np.abs(e)) < TOLERANCE
            self.differ += int(np.sum((np.array(a) != np.array(b)) & ~near))
            apart = (d > 0) & (e > 0)
            self.greatest = max(self.greatest, float(np.abs(d - e)[apart].max(initial=0.0)))
            self.states += 1
            if time.perf_counter() > end:
                break
        self.times = {}
        for call in CALLS:
            rows = [[times_of(side, call, states[: min(self.states, 40)]) for side in sides] for _ in range(rounds)]
            self.times[call] = [min(column) for column in zip(*rows, strict=True)]

    def ratio(self, call: str) -> float:
        theirs, ours = self.times[call]
        return ours / theirs

    def __str__(self) -> str:
        cells = [f"{them:.1f} | {us:.1f} | {us / them:.2f}" for them, us in self.times.values()]
        return f"| {self.name} | {self.pairs} | {self.states} | {self.differ} | {self.greatest:.0e} | {' | '.join(cells)} |"


def processor() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


HEAD = """# Collisions beside Pinocchio {pin} with coal {coal}

Times of a call in µs, of `computeCollisions` and `computeDistances` of all pairs, from Python; with q, which places the
shapes, and of shapes that are placed. {cpu}. Pairs are those of different joints that do not collide in the neutral
configuration; meshes are taken as their triangles by both. `differ`: pairs of which one says that they collide, and neither
that they are nearer than {tolerance:g} m; `greatest`: the greatest difference of distances of pairs that are apart, in m.

All pairs that differ are cylinders of which coal says that they do not collide, and that their distance is negative, and
pairs of icub's head, of which coal reads 0.42 m² of triangles from a file of 0.118 m², whose two materials it joins. Robots
are those of example-robot-data {robots}.

| | pairs | states | differ | greatest | collide | here | ratio | placed | here | ratio | measure | here | ratio | placed | here | ratio |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def robots(shared: Path, only: list[str], states: int, seconds: float, rounds: int) -> Iterator[Row | str]:
    """Each robot of example-robot-data, or why it is left out."""
    packages = [str(shared.parent), str(shared / "robots")]
    for path in sorted((shared / "robots").rglob("*.urdf")):
        if only and path.stem not in only:
            continue
        try:
            first = of_file(theirs, str(path), packages, None)
            first.collide(theirs.neutral(first.model))
            results = zip(first.geometry.collisionPairs, first.geometry_data.collisionResults, strict=True)
            pairs = [(pair.first, pair.second) for pair, result in results if not result.isCollision()]
            sides = [of_file(pin, str(path), packages, pairs) for pin in (theirs, ours)]
        except (ValueError, RuntimeError) as reason:
            yield f"{path.stem}: {str(reason).splitlines()[0].replace(str(shared), '')[:100]}"
            continue
        if not pairs:
            yield f"{path.stem}: no pairs"
            continue
        lower = np.maximum(first.model.lowerPositionLimit, -1.5)
        upper = np.minimum(first.model.upperPositionLimit, 1.5)
        theirs.seed(0)
        drawn = np.array([theirs.randomConfiguration(first.model, lower, upper) for _ in range(states)])
        yield Row(path.stem, sides, drawn, seconds, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=160, help="random configurations of each robot, at most")
    parser.add_argument("--seconds", type=float, default=5.0, help="for the answers of each robot")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--robots", nargs="*", default=[], help="these only, without the arms")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    versions = {name: metadata.version(name) for name in ("pin", "coal")}
    versions["robots"] = metadata.version("example-robot-data")
    lines = [HEAD.format(**versions, cpu=processor(), tolerance=TOLERANCE)]
    rng = np.random.default_rng(0)
    if not options.robots:
        for count in (8, 14):
            for name, shape in SHAPES.items():
                sides = [arm(pin, count, shape) for pin in (theirs, ours)]
                states = rng.uniform(-1.5, 1.5, (options.states, count))
                lines.append(str(Row(f"arm of {count} {name}", sides, states, options.seconds, options.rounds)))
                print(lines[-1], flush=True)
    rows, left_out = [], []
    shared = Path(theirs.__file__).parents[4] / "share" / "example-robot-data"
    for found in robots(shared, options.robots, options.states, options.seconds, options.rounds):
        print(found, flush=True)
        if isinstance(found, str):
            left_out.append(found)
        else:
            rows.append(found)
            lines.append(str(found))
    medians = " | ".join(f"| | **{statistics.median(row.ratio(call) for row in rows):.2f}**" for call in CALLS)
    total = sum(row.states for row in rows)
    lines.append(f"| **median of {len(rows)} robots** | | {total} | {sum(row.differ for row in rows)} | | {medians} |")
    print(lines[-1])
    if left_out:
        lines.append("\nLeft out: " + "; ".join(left_out) + ".")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
