// Overlays: what is drawn over the robot to explain it. Each has a key and a checkbox.

import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  Color,
  ConeGeometry,
  Group,
  LineBasicMaterial,
  LineDashedMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  OctahedronGeometry,
  SphereGeometry,
  Sprite,
  SpriteMaterial,
  TorusGeometry,
  Vector3,
} from "three";
import type { Body } from "./body";
import { ContactMarks } from "./contact_marks";
import { digits, h } from "./dom";
import type { Contact, Robot } from "./robot";
import type { Scene, Warning } from "./scene_file";
import type { Stage } from "./stage";

/** The overlays: word, key, label. */
export const OVERLAYS = [
  ["visual", "V", "Shapes"],
  ["collision", "C", "Collision shapes"],
  ["frames", "F", "Frames"],
  ["axes", "J", "Joint axes"],
  ["inertia", "I", "Inertia ellipsoids"],
  ["mass", "M", "Centres of mass"],
  ["loops", "L", "Loop gaps"],
  ["contacts", "K", "Contact forces"],
  ["warnings", "W", "Warnings"],
  ["names", "N", "Names of links"],
  ["ground", "G", "Ground"],
] as const;
export type Overlay = (typeof OVERLAYS)[number][0];

const Z = new Vector3(0, 0, 1);
const COLOURS = { x: "#d6336c", y: "#2f9e44", z: "#1c6fd4" };

/** A disc with text, or with four quarters, as a texture. */
function picture(draw: (context: CanvasRenderingContext2D, size: number) => void): CanvasTexture {
  const size = 64;
  const canvas = h("canvas", { width: size, height: size });
  draw(canvas.getContext("2d")!, size);
  return new CanvasTexture(canvas);
}

const letter = (text: string, colour: string): CanvasTexture =>
  picture((context, size) => {
    context.font = `bold ${size * 0.7}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 8;
    context.strokeStyle = "#fff";
    context.strokeText(text, size / 2, size / 2);
    context.fillStyle = colour;
    context.fillText(text, size / 2, size / 2);
  });

const quarters = (dark: string): CanvasTexture =>
  picture((context, size) => {
    const middle = size / 2;
    for (let k = 0; k < 4; k++) {
      context.beginPath();
      context.moveTo(middle, middle);
      context.arc(middle, middle, middle - 3, (k * Math.PI) / 2, ((k + 1) * Math.PI) / 2);
      context.fillStyle = k % 2 ? "#fff" : dark;
      context.fill();
    }
    context.beginPath();
    context.arc(middle, middle, middle - 3, 0, 2 * Math.PI);
    context.lineWidth = 4;
    context.strokeStyle = dark;
    context.stroke();
  });

/** The three great circles of a unit sphere in its coordinate planes, as line segments. */
function greatCircles(): BufferGeometry {
  const count = 48;
  const points: Vector3[] = [];
  for (let plane = 0; plane < 3; plane++) {
    for (let k = 0; k < 2 * count; k++) {
      const angle = (2 * Math.PI * ((k + 1) >> 1)) / count;
      const point = [0, 0, 0];
      point[plane] = Math.cos(angle);
      point[(plane + 1) % 3] = Math.sin(angle);
      points.push(new Vector3(...point));
    }
  }
  return new BufferGeometry().setFromPoints(points);
}

interface Label {
  element: HTMLElement;
  joint: number;
  point: Vector3;
  overlay: Overlay;
}

export class Overlays {
  readonly shown = new Set<Overlay>(["visual", "ground"]);
  contacts: Contact[] = [];
  private readonly groups = new Map<Overlay, Group>();
  private readonly made = new Set<Overlay>();
  private readonly labels: Label[] = [];
  private readonly layer = h("div", { class: "labels" });
  private readonly marks: ContactMarks;
  private readonly size: number;
  private readonly attached: Record<string, Object3D[]> = {};
  /** Called when an icon of a warning is pressed. */
  onwarning: (link: string) => void = () => {};

  constructor(
    private readonly stage: Stage,
    private readonly robot: Robot,
    private readonly body: Body,
    private readonly source: Scene,
  ) {
    this.size = stage.size * 0.1;
    for (const [word] of OVERLAYS) {
      const group = new Group();
      group.visible = false;
      this.groups.set(word, group);
      stage.scene.add(group);
    }
    stage.canvas.parentElement!.append(this.layer);
    this.marks = new ContactMarks(stage, robot, this.groups.get("contacts")!);
    stage.beforeDraw.push(() => this.placeLabels());
  }

  /** Shows or hides an overlay. */
  set(overlay: Overlay, shown: boolean): void {
    if (shown) this.shown.add(overlay);
    else this.shown.delete(overlay);
    if (shown && !this.made.has(overlay)) {
      this.made.add(overlay);
      this.make(overlay);
    }
    const group = this.groups.get(overlay);
    if (group) group.visible = shown;
    for (const object of this.attached[overlay] ?? []) object.visible = shown;
    if (overlay === "visual") for (const mesh of this.body.visuals) mesh.visible = shown;
    if (overlay === "collision" && this.made.has(overlay))
      for (const lines of this.body.collisions) lines.visible = shown;
    if (overlay === "ground") this.stage.showsGround = shown;
    // What is inside of bodies is seen through them.
    const isGlass = (["inertia", "mass", "frames", "axes", "collision"] as const).some((it) =>
      this.shown.has(it),
    );
    for (const mesh of this.body.visuals) {
      const material = mesh.material as MeshStandardMaterial;
      material.userData["opacity"] ??= material.opacity;
      const own = material.userData["opacity"] as number;
      material.opacity = isGlass ? Math.min(own, 0.35) : own;
      // Programs for opaque materials leave the opacity out.
      material.needsUpdate = material.transparent !== material.opacity < 1;
      material.transparent = material.opacity < 1;
      material.depthWrite = !material.transparent;
    }
    this.update();
    this.stage.drawMoved();
  }

  /** Removes all from the stage. */
  dispose(): void {
    for (const group of this.groups.values()) this.stage.scene.remove(group);
    this.layer.remove();
    this.marks.dispose();
  }

  /** Follows the robot's state; only what is shown is computed. */
  update(): void {
    if (this.shown.has("axes")) this.updateAxes();
    if (this.shown.has("mass")) this.updateMass();
    if (this.shown.has("loops")) this.updateLoops();
    if (this.shown.has("contacts")) this.marks.update(this.contacts);
  }

  private attach(overlay: Overlay, joint: number, object: Object3D): void {
    this.body.joints[joint]?.add(object);
    (this.attached[overlay] ??= []).push(object);
  }

  private label(
    overlay: Overlay,
    joint: number,
    point: Vector3,
    element: HTMLElement,
  ): HTMLElement {
    element.classList.add("label");
    this.layer.append(element);
    this.labels.push({ element, joint, point, overlay });
    return element;
  }

  private make(overlay: Overlay): void {
    const { robot, size } = this;
    switch (overlay) {
      case "frames":
        return this.makeFrames();
      case "inertia": {
        const sphere = new SphereGeometry(1, 32, 20);
        const rings = greatCircles();
        robot.joints.forEach((joint, k) => {
          if (!joint.ellipsoid) return;
          const solid = new Mesh(
            sphere,
            new MeshStandardMaterial({
              color: 0x7048e8,
              transparent: true,
              opacity: 0.5,
              depthWrite: false,
            }),
          );
          const lines = new LineSegments(
            rings,
            new LineBasicMaterial({ color: 0x3b1fa8, transparent: true, opacity: 0.8 }),
          );
          for (const object of [solid, lines]) {
            object.matrixAutoUpdate = false;
            object.matrix.fromArray(joint.ellipsoid);
            this.attach("inertia", k, object);
          }
        });
        return;
      }
      case "mass": {
        const texture = quarters("#212529");
        robot.joints.forEach((joint, k) => {
          if (!(joint.mass > 0)) return;
          this.attach(
            "mass",
            k,
            this.sprite(texture, 0.35 * size, new Vector3(...joint.centerOfMass)),
          );
        });
        return;
      }
      case "warnings": {
        for (const [link, all] of this.warningsByLink()) {
          const place = this.source.links.find((it) => it.name === link);
          if (!place) continue;
          const text = all.map((it) => it.message).join("\n");
          const icon = h("button", {
            type: "button",
            class: "warning-icon",
            title: text,
            textContent: "▲ " + all.length,
            aria: { label: `${all.length} warnings of link ${link}` },
            onclick: () => this.onwarning(link),
          });
          this.label(
            "warnings",
            place.joint,
            new Vector3().setFromMatrixPosition(new Matrix4().fromArray(place.placement)),
            icon,
          );
        }
        return;
      }
      case "names": {
        for (const link of this.source.links) {
          const own = this.source.shapes.filter((it) => it.link === link.name && it.visual);
          const point = new Vector3();
          if (own.length > 0) {
            for (const shape of own) point.add(new Vector3().fromArray(shape.placement, 12));
            point.divideScalar(own.length);
          } else point.fromArray(link.placement, 12);
          this.label("names", link.joint, point, h("span", { class: "name" }, link.name));
        }
      }
    }
  }

  private warningsByLink(): Map<string, Warning[]> {
    const all = new Map<string, Warning[]>();
    for (const warning of this.source.warnings) {
      if (warning.link) all.set(warning.link, [...(all.get(warning.link) ?? []), warning]);
    }
    return all;
  }

  /** A picture that faces the camera: of a size in m, or of a share of the stage's height. */
  private sprite(map: CanvasTexture, scale: number, at: Vector3, sizeAttenuation = true): Sprite {
    const sprite = new Sprite(
      new SpriteMaterial({ map, depthTest: false, transparent: true, sizeAttenuation }),
    );
    sprite.scale.setScalar(scale);
    sprite.position.copy(at);
    sprite.renderOrder = 10;
    return sprite;
  }

  private makeFrames(): void {
    const { size } = this;
    const axes = new BufferGeometry();
    const ends = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    axes.setAttribute(
      "position",
      new BufferAttribute(new Float32Array(ends.flatMap((end) => [0, 0, 0, ...end])), 3),
    );
    const colours = Object.values(COLOURS).flatMap((name) => {
      const { r, g, b } = new Color(name);
      return [r, g, b, r, g, b];
    });
    axes.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const material = new LineBasicMaterial({
      vertexColors: true,
      depthTest: false,
      transparent: true,
    });
    const letters = Object.entries(COLOURS).map(([text, colour]) => letter(text, colour));
    const show = (joint: number, placement: Matrix4, scale: number, lettered: boolean) => {
      const triad = new Group();
      const lines = new LineSegments(axes, material);
      lines.scale.setScalar(scale);
      lines.renderOrder = 9;
      triad.add(lines);
      if (lettered) {
        ends.forEach((end, k) =>
          triad.add(
            this.sprite(letters[k]!, 0.024, new Vector3(...end).multiplyScalar(1.2 * scale), false),
          ),
        );
      }
      placement.decompose(triad.position, triad.quaternion, triad.scale);
      this.attach("frames", joint, triad);
    };
    const identity = new Matrix4();
    show(0, identity, 1.6 * size, true);
    this.robot.joints.forEach((_, k) => k > 0 && show(k, identity, size, true));
    for (const frame of this.robot.frames) {
      const placement = new Matrix4().fromArray(frame.placement);
      if (!placement.equals(identity)) show(frame.joint, placement, 0.55 * size, false);
    }
  }

  /** A line along each axis; a ring with a head about it for a rotation, two heads for a slide. */
  private updateAxes(): void {
    const group = this.groups.get("axes")!;
    const axes = this.robot.algorithms.jointAxes(this.robot.q);
    const { size } = this;
    let index = 0;
    this.robot.joints.forEach((joint, k) => {
      const origin = new Vector3().fromArray(this.robot.placements, 16 * k + 12);
      for (let degree = 0; degree < joint.freedom; degree++, index++) {
        const linear = new Vector3().fromArray(axes, 6 * index);
        const angular = new Vector3().fromArray(axes, 6 * index + 3);
        const isTurn = angular.lengthSq() > 1e-12;
        let mark = group.children[index] as Group | undefined;
        if (!mark) {
          mark = this.axisMark(
            isTurn,
            joint.mimic !== undefined,
            joint.freedom > 1 ? 0.7 * size : size,
          );
          group.add(mark);
        }
        mark.position.copy(origin);
        mark.quaternion.setFromUnitVectors(Z, (isTurn ? angular : linear).normalize());
      }
    });
  }

  private axisMark(isTurn: boolean, isMimic: boolean, size: number): Group {
    const mark = new Group();
    const colour = isTurn ? 0xe8590c : 0x0b7285;
    const line = new BufferGeometry().setFromPoints([
      new Vector3(0, 0, -size),
      new Vector3(0, 0, size),
    ]);
    const material = isMimic
      ? new LineDashedMaterial({
          color: colour,
          dashSize: size / 6,
          gapSize: size / 8,
          depthTest: false,
          transparent: true,
        })
      : new LineBasicMaterial({ color: colour, depthTest: false, transparent: true });
    const stroke = new LineSegments(line, material);
    stroke.computeLineDistances();
    const solid = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
    const head = new ConeGeometry(0.09 * size, 0.25 * size, 12).rotateX(Math.PI / 2);
    const top = new Mesh(head, solid);
    top.position.z = size;
    mark.add(stroke, top);
    if (isTurn) {
      const ring = new Mesh(
        new TorusGeometry(0.35 * size, 0.025 * size, 6, 32, 1.6 * Math.PI),
        solid,
      );
      const tip = new Mesh(new ConeGeometry(0.08 * size, 0.2 * size, 12), solid);
      const end = 1.6 * Math.PI;
      tip.position.set(0.35 * size * Math.cos(end), 0.35 * size * Math.sin(end), 0);
      tip.rotation.z = end;
      ring.position.z = tip.position.z = 0.55 * size;
      mark.add(ring, tip);
    } else {
      const bottom = new Mesh(head, solid);
      bottom.position.z = -size;
      bottom.rotation.x = Math.PI;
      mark.add(bottom);
    }
    for (const object of mark.children) object.renderOrder = 8;
    return mark;
  }

  private updateMass(): void {
    const group = this.groups.get("mass")!;
    if (this.robot.joints.every((it) => !(it.mass > 0))) return;
    const center = new Vector3().fromArray(this.robot.algorithms.centerOfMass(this.robot.q));
    if (group.children.length === 0) {
      const whole = this.sprite(quarters("#c2255c"), 0.75 * this.size, center);
      whole.renderOrder = 11;
      const drop = new LineSegments(
        new BufferGeometry(),
        new LineDashedMaterial({
          color: 0xc2255c,
          dashSize: this.size / 6,
          gapSize: this.size / 8,
        }),
      );
      group.add(whole, drop);
    }
    group.children[0]!.position.copy(center);
    const drop = group.children[1] as LineSegments;
    drop.geometry.setFromPoints([center, new Vector3(center.x, center.y, 0)]);
    drop.computeLineDistances();
  }

  private updateLoops(): void {
    const group = this.groups.get("loops")!;
    const { size, robot } = this;
    robot.loops.forEach((loop, k) => {
      const end = (joint: number, placement: Float64Array) => {
        const point = new Vector3().fromArray(placement, 12);
        return point.applyMatrix4(new Matrix4().fromArray(robot.placements, 16 * joint));
      };
      const from = end(loop.predecessor, loop.predecessorPlacement);
      const to = end(loop.successor, loop.successorPlacement);
      let mark = group.children[k] as Group | undefined;
      if (!mark) {
        mark = new Group();
        const material = new MeshBasicMaterial({
          color: 0xae3ec9,
          depthTest: false,
          transparent: true,
        });
        const ball = new Mesh(new SphereGeometry(0.1 * size, 12, 8), material);
        const cross = new Mesh(
          new OctahedronGeometry(0.14 * size),
          new MeshBasicMaterial({
            color: 0xae3ec9,
            wireframe: true,
            depthTest: false,
            transparent: true,
          }),
        );
        const line = new LineSegments(
          new BufferGeometry(),
          new LineBasicMaterial({ color: 0xae3ec9, depthTest: false, transparent: true }),
        );
        mark.add(ball, cross, line);
        group.add(mark);
        this.label("loops", 0, new Vector3(), h("span", { class: "name" }));
      }
      mark.children[0]!.position.copy(from);
      mark.children[1]!.position.copy(to);
      (mark.children[2] as LineSegments).geometry.setFromPoints([from, to]);
      const label = this.labels.filter((it) => it.overlay === "loops")[k]!;
      label.point.copy(to);
      label.element.textContent = `${loop.name}: ${digits(1000 * from.distanceTo(to), 3)} mm`;
    });
  }

  /** Puts labels where their points are seen; of those that overlap the nearest stays. */
  private placeLabels(): void {
    this.marks.placeLegend(this.shown.has("contacts"));
    const parent = this.stage.canvas;
    const [width, height] = [parent.clientWidth, parent.clientHeight];
    const seen: { label: Label; x: number; y: number; depth: number }[] = [];
    for (const label of this.labels) {
      const isShown = this.shown.has(label.overlay);
      label.element.hidden = true;
      if (!isShown) continue;
      const matrix = this.body.joints[label.joint]?.matrix;
      const point = label.point.clone();
      if (matrix && label.overlay !== "loops") point.applyMatrix4(matrix);
      point.project(this.stage.camera);
      if (point.z > 1 || Math.abs(point.x) > 1 || Math.abs(point.y) > 1) continue;
      seen.push({
        label,
        x: ((point.x + 1) / 2) * width,
        y: ((1 - point.y) / 2) * height,
        depth: point.z,
      });
    }
    seen.sort((a, b) => a.depth - b.depth);
    const taken: { x: number; y: number; half: number }[] = [];
    for (const { label, x, y } of seen) {
      const half = 3.6 * (label.element.textContent?.length ?? 1) + 6;
      if (taken.some((it) => Math.abs(it.x - x) < it.half + half && Math.abs(it.y - y) < 18))
        continue;
      taken.push({ x, y, half });
      label.element.hidden = false;
      label.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }
}
