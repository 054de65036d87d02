// Shapes for a robot that has none: bars from each joint to the next ones, balls at the joints.

import { Matrix4, Quaternion, Vector3 } from "three";
import type { Robot } from "./robot";
import type { Scene, Shape } from "./scene_file";

/** The radius of a bar, as a part of the median length. */
const SLENDER = 0.06;
/** Balls are so many times as thick as bars. */
const BALL = 1.5;
/** The radius of the only ball of a robot without lengths, in m. */
const ALONE = 0.05;

const Z = new Vector3(0, 0, 1);

/** Ends of a body's bars in its frame; the bars begin at its joint. */
function endsOf(robot: Robot, scene: Scene): Vector3[][] {
  const neutral = robot.algorithms.neutral();
  const placements = robot.algorithms.jointPlacements(neutral);
  const placement = (k: number) => new Matrix4().fromArray(placements, 16 * k);
  const ends: Vector3[][] = robot.joints.map(() => []);
  const origin = (k: number) => new Vector3().setFromMatrixPosition(placement(k));
  robot.joints.forEach((joint, k) => {
    // A free joint is at no point of its parent.
    if (k === 0 || joint.kind === "free_flyer") return;
    ends[joint.parent]!.push(origin(k).applyMatrix4(placement(joint.parent).invert()));
  });
  for (const { predecessor, successor } of scene.loops) {
    for (const { joint, placement } of [predecessor, successor])
      ends[joint]?.push(new Vector3().fromArray(placement, 12));
  }
  robot.joints.forEach((joint, k) => {
    // A rod ends where its mass says, if nothing else does.
    if (ends[k]!.length === 0)
      ends[k]!.push(new Vector3().fromArray(joint.centerOfMass).multiplyScalar(2));
    const upper = joint.upper[0];
    if (joint.kind !== "prismatic" || upper === undefined || !Number.isFinite(upper)) return;
    // A slider is as long inside of its guide as it goes out.
    const moved = Float64Array.from(neutral);
    moved[joint.idxQ] = upper;
    const out = new Vector3().fromArray(robot.algorithms.jointPlacements(moved), 16 * k + 12);
    const way = out.applyMatrix4(placement(k).invert());
    ends[k]!.push(way.negate());
  });
  ends[0] = [];
  return ends;
}

/** Bars and balls that stand for the bodies of a robot without shapes. */
export function skeleton(robot: Robot, scene: Scene): Shape[] {
  const ends = endsOf(robot, scene);
  const lengths = ends.flatMap((it) => it.map((end) => end.length())).filter((it) => it > 1e-6);
  lengths.sort((a, b) => a - b);
  const median = lengths[Math.floor(lengths.length / 2)];
  const radius = median === undefined ? ALONE / BALL : SLENDER * median;
  return robot.joints.flatMap((joint, k) => {
    if (k === 0) return [];
    const link = scene.links.find((it) => it.joint === k)?.name ?? joint.name;
    const common = { joint: k, link, visual: true, collision: false, colour: null };
    const bars = ends[k]!.filter((end) => end.length() > 1e-6).map((end): Shape => {
      const length = end.length();
      const turn = new Quaternion().setFromUnitVectors(Z, end.clone().divideScalar(length));
      const middle = end.clone().multiplyScalar(0.5);
      const matrix = new Matrix4().compose(middle, turn, new Vector3(1, 1, 1));
      const placement = matrix.toArray();
      return { ...common, name: "bar", placement, form: { kind: "capsule", radius, length } };
    });
    const placement = new Matrix4().toArray();
    const form = { kind: "sphere", radius: BALL * radius } as const;
    return [...bars, { ...common, name: "ball", placement, form }];
  });
}
