// The camera of a picture: a robot fills it, wherever its motion takes it.

import { Vector3 } from "three";
import type { Body } from "./body";
import type { Player } from "./player";
import type { Shape } from "./scene_file";
import type { Stage } from "./stage";

/** Poses of a motion that are looked at. */
const POSES = 24;
/** The share of the picture that the robot fills at most. */
const SHARE = 0.9;

/** Turns the camera to look from a direction, if there is one, and moves it so that the robot fills
 * the picture and never leaves it while the recording plays. */
export function aim(stage: Stage, body: Body, player: Player, from: number[] | null): void {
  const { camera, controls } = stage;
  const arm = camera.position.clone().sub(controls.target);
  stage.look(from ? new Vector3(...from) : arm);
  const { trace } = player;
  const poses = trace ? POSES : 1;
  // The size in perspective depends on the distance: a few rounds settle both.
  for (let round = 0; round < 4; round++) {
    stage.drawNow();
    const low = new Vector3().setScalar(Infinity);
    const high = low.clone().negate();
    for (let k = 0; k < poses; k++) {
      if (trace) player.seek(trace.start + ((trace.end - trace.start) * k) / (poses - 1));
      body.root.updateMatrixWorld(true);
      for (const mesh of body.visuals) {
        if ((mesh.userData["shape"] as Shape).form.kind === "plane") continue;
        mesh.geometry.computeBoundingBox();
        const { min, max } = mesh.geometry.boundingBox!;
        for (let corner = 0; corner < 8; corner++) {
          const point = new Vector3(
            corner & 1 ? max.x : min.x,
            corner & 2 ? max.y : min.y,
            corner & 4 ? max.z : min.z,
          );
          point.applyMatrix4(mesh.matrixWorld).project(camera);
          low.min(point);
          high.max(point);
        }
      }
    }
    if (low.x > high.x) return;
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const depth = controls.target.clone().project(camera).z;
    const target = middle.setZ(depth).unproject(camera);
    const share = Math.max(high.x - low.x, high.y - low.y) / 2 / SHARE;
    const back = camera.position.clone().sub(controls.target).multiplyScalar(share);
    controls.target.copy(target);
    camera.position.copy(target).add(back);
  }
  if (trace) player.seek(trace.start);
  stage.drawNow();
}
