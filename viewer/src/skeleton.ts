// Shapes for a robot that has none: bars from each joint to the next ones, balls at the joints.

import { Box3, Matrix4, Quaternion, Vector3 } from "three";
import type { Robot } from "./robot";
import type { Scene, Shape } from "./scene_file";

/** The radius of a bar, as a part of the median length, and at least of the robot's size. */
const SLENDER = 0.06;
const LEAST = 0.006;
/** Balls are so many times as thick as bars. */
const BALL = 1.5;
/** The radius of the only ball of a robot without lengths, in m. */
const ALONE = 0.05;
/** The colour of bars that are fixed in the world. */
const GROUND = [0.42, 0.45, 0.5];

const Z = new Vector3(0, 0, 1);

type Bar = [Vector3, Vector3];

/** The bars of each body in its frame. Most begin at its joint. */
function barsOf(robot: Robot, scene: Scene): Bar[][] {
  const neutral = robot.algorithms.neutral();
  const placements = robot.algorithms.jointPlacements(neutral);
  const placement = (k: number) => new Matrix4().fromArray(placements, 16 * k);
  const ends: Vector3[][] = robot.joints.map(() => []);
  robot.joints.forEach((joint, k) => {
    // A free joint is at no point of its parent.
    if (k === 0 || joint.kind === "free_flyer") return;
    const point = new Vector3().setFromMatrixPosition(placement(k));
    ends[joint.parent]!.push(point.applyMatrix4(placement(joint.parent).invert()));
  });
  for (const { predecessor, successor } of scene.loops) {
    for (const { joint, placement } of [predecessor, successor])
      ends[joint]?.push(new Vector3().fromArray(placement, 12));
  }
  return robot.joints.map((joint, k) => {
    const own = ends[k]!;
    // Linkages have a frame: the world's bar.
    const rim = own.length > 2 || k === 0 ? own.map((it, j): Bar => [it, own.at(j - 1)!]) : [];
    if (k === 0) return scene.loops.length > 0 ? rim : [];
    const origin = new Vector3();
    // A rod ends where its mass says, if nothing else does.
    if (own.length === 0) own.push(new Vector3().fromArray(joint.centerOfMass).multiplyScalar(2));
    const bars = [...own.map((it): Bar => [origin, it]), ...(scene.loops.length > 0 ? rim : [])];
    const upper = joint.upper[0];
    if (joint.kind === "prismatic" && upper !== undefined && Number.isFinite(upper)) {
      // A slider is as long inside of its guide as it goes out.
      const moved = Float64Array.from(neutral);
      moved[joint.idxQ] = upper;
      const out = new Vector3().fromArray(robot.algorithms.jointPlacements(moved), 16 * k + 12);
      bars.push([origin, out.applyMatrix4(placement(k).invert()).negate()]);
    }
    return bars;
  });
}

/** Bars and balls that stand for the bodies of a robot without shapes. */
export function skeleton(robot: Robot, scene: Scene): Shape[] {
  if (robot.joints.length < 2) return [];
  const bars = barsOf(robot, scene).map((it) => it.filter(([a, b]) => a.distanceTo(b) > 1e-6));
  const lengths = bars.flatMap((it) => it.map(([a, b]) => a.distanceTo(b)));
  lengths.sort((a, b) => a - b);
  const origins = robot.joints.map((_, k) =>
    new Vector3().fromArray(robot.placements, 16 * k + 12),
  );
  const size = new Box3().setFromPoints(origins).getSize(new Vector3()).length();
  const median = lengths[Math.floor(lengths.length / 2)];
  const radius = median === undefined ? ALONE : Math.max(SLENDER * median, LEAST * size);
  return robot.joints.flatMap((joint, k) => {
    const link = scene.links.find((it) => it.joint === k)?.name ?? joint.name;
    const colour = k === 0 ? GROUND : null;
    const common = { joint: k, link, visual: true, collision: false, colour };
    const shapes = bars[k]!.map(([from, to]): Shape => {
      const way = to.clone().sub(from);
      const length = way.length();
      const turn = new Quaternion().setFromUnitVectors(Z, way.divideScalar(length));
      const middle = from.clone().lerp(to, 0.5);
      const placement = new Matrix4().compose(middle, turn, new Vector3(1, 1, 1)).toArray();
      return { ...common, name: "bar", placement, form: { kind: "capsule", radius, length } };
    });
    if (k === 0) return shapes;
    const form = { kind: "sphere", radius: BALL * radius } as const;
    return [...shapes, { ...common, name: "ball", placement: new Matrix4().toArray(), form }];
  });
}
