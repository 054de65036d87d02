// Dragging a link: a ray picks a point of it, inverse kinematics brings the point to the pointer.

import {
  BufferGeometry,
  LineDashedMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Body } from "./body";
import { say } from "./dom";
import type { Robot } from "./robot";
import type { Stage } from "./stage";

/** In pixels, how far a pointer may move in a click. */
const CLICK = 4;

interface Grip {
  joint: number;
  link: string;
  pointer: number;
  /** The point in the joint's output frame. */
  local: Vector3;
  target: Vector3;
  plane: Plane;
  start: Vector2;
  hasMoved: boolean;
  before: Float64Array;
}

export class Drag {
  isOn = true;
  onselect: (link: string | null) => void = () => {};
  /** Called before the robot is moved by hand. */
  ontake: () => void = () => {};
  private grip: Grip | null = null;
  private isDue = false;
  private readonly ray = new Raycaster();
  private readonly line: LineSegments;
  private readonly hand: Mesh;

  constructor(
    private readonly stage: Stage,
    private readonly robot: Robot,
    private readonly body: Body,
  ) {
    this.line = new LineSegments(
      new BufferGeometry(),
      new LineDashedMaterial({
        color: 0xe8590c,
        dashSize: 0.02 * stage.size,
        gapSize: 0.015 * stage.size,
        depthTest: false,
        transparent: true,
      }),
    );
    this.hand = new Mesh(
      new SphereGeometry(0.018 * stage.size, 16, 12),
      new MeshBasicMaterial({ color: 0xe8590c, depthTest: false, transparent: true }),
    );
    this.line.renderOrder = this.hand.renderOrder = 12;
    this.line.visible = this.hand.visible = false;
    this.line.frustumCulled = false;
    stage.scene.add(this.line, this.hand);
    const { canvas } = stage;
    // Before the controls of the camera, which are on the canvas too.
    const options = { capture: true, signal: this.stop.signal };
    canvas.parentElement!.addEventListener("pointerdown", (event) => this.take(event), options);
    canvas.parentElement!.addEventListener("pointermove", (event) => this.pull(event), options);
    canvas.parentElement!.addEventListener("pointerup", (event) => this.drop(event), options);
    canvas.parentElement!.addEventListener("pointercancel", () => this.end(), options);
  }

  private readonly stop = new AbortController();

  dispose(): void {
    this.stop.abort();
    this.stage.scene.remove(this.line, this.hand);
  }

  get isActive(): boolean {
    return this.grip !== null;
  }

  /** Lets go, and goes back to where the drag began. */
  cancel(): void {
    if (!this.grip) return;
    const { before } = this.grip;
    this.end();
    this.robot.set(before);
    say("Drag cancelled");
  }

  private aim(event: PointerEvent): void {
    const box = this.stage.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    this.ray.setFromCamera(new Vector2(x, y), this.stage.camera);
  }

  private take(event: PointerEvent): void {
    if (event.target !== this.stage.canvas) return;
    if (event.button !== 0 || !event.isPrimary || event.shiftKey || event.ctrlKey) return;
    this.aim(event);
    const hit = this.ray.intersectObjects(
      this.body.visuals.filter((it) => it.visible),
      false,
    )[0];
    const shape = hit?.object.userData["shape"];
    const start = new Vector2(event.clientX, event.clientY);
    // Where nothing can be dragged the camera turns; a click selects.
    const isLink = hit && shape && shape.form.kind !== "plane";
    if (!isLink || !this.canMove(shape.joint)) {
      const up = (end: PointerEvent) => {
        if (start.distanceTo(new Vector2(end.clientX, end.clientY)) < CLICK)
          this.onselect(isLink ? shape.link : null);
      };
      this.stage.canvas.addEventListener("pointerup", up, { once: true });
      return;
    }
    event.stopPropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const joint: number = shape.joint;
    const away = this.stage.camera.getWorldDirection(new Vector3());
    this.grip = {
      joint,
      link: shape.link,
      pointer: event.pointerId,
      local: hit.point.clone().applyMatrix4(this.placement(joint).invert()),
      target: hit.point.clone(),
      plane: new Plane().setFromNormalAndCoplanarPoint(away, hit.point),
      start,
      hasMoved: false,
      before: this.robot.q.slice(),
    };
  }

  private placement(joint: number): Matrix4 {
    return new Matrix4().fromArray(this.robot.placements, 16 * joint);
  }

  private pull(event: PointerEvent): void {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    event.stopPropagation();
    if (!grip.hasMoved) {
      if (grip.start.distanceTo(new Vector2(event.clientX, event.clientY)) < CLICK) return;
      grip.hasMoved = true;
      if (!this.canMove(grip.joint)) return;
      this.ontake();
      grip.before = this.robot.q.slice();
    }
    this.aim(event);
    if (!this.canMove(grip.joint) || !this.ray.ray.intersectPlane(grip.plane, grip.target)) return;
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (this.grip) this.solve(this.grip);
    });
  }

  private canMove(joint: number): boolean {
    return this.isOn && joint > 0 && this.robot.nv > 0;
  }

  private solve(grip: Grip): void {
    const { joints, algorithms, floatingBase } = this.robot;
    // A hand moves the limbs of a floating robot, and its base only by the base itself.
    const base = floatingBase >= 0 && floatingBase !== grip.joint ? joints[floatingBase]! : null;
    try {
      const q = algorithms.reachPosition(
        this.robot.q,
        grip.joint,
        grip.local.toArray() as never,
        grip.target.toArray() as never,
        Uint32Array.from(base ? [floatingBase] : []),
      );
      if (base) q.set(grip.before.subarray(base.idxQ, base.idxQ + base.nq), base.idxQ);
      this.ontake();
      this.robot.set(q);
    } catch (error) {
      say(String((error as Error).message));
    }
    const hand = grip.local.clone().applyMatrix4(this.placement(grip.joint));
    this.hand.position.copy(hand);
    this.line.geometry.setFromPoints([hand, grip.target]);
    this.line.computeLineDistances();
    this.hand.visible = true;
    this.line.visible = hand.distanceTo(grip.target) > 1e-3 * this.stage.size;
    this.stage.draw();
  }

  private drop(event: PointerEvent): void {
    const { grip } = this;
    if (!grip || event.pointerId !== grip.pointer) return;
    event.stopPropagation();
    if (!grip.hasMoved) this.onselect(grip.link);
    this.end();
  }

  private end(): void {
    if (this.grip && this.stage.canvas.hasPointerCapture(this.grip.pointer)) {
      this.stage.canvas.releasePointerCapture(this.grip.pointer);
    }
    this.grip = null;
    this.line.visible = this.hand.visible = false;
    this.stage.draw();
  }
}
