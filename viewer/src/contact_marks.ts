// The marks of contacts on the stage: points, normals and forces, with a legend and a scale.

import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { digits, h } from "./dom";
import type { Contact, Robot } from "./robot";
import type { Stage } from "./stage";

const Z = new Vector3(0, 0, 1);
/** A force of the robot's weight is as long as its radius. */
const WEIGHT = 9.81;
/** The colours of forces and of normals. */
const FORCE = "#f08c00";
const NORMAL = "#087f5b";
/** The most pixels of the bar that shows the scale of forces. */
const BAR = 90;

export class ContactMarks {
  private readonly legend = h("div", {
    class: "contact-legend",
    hidden: true,
    aria: { label: "Contact forces" },
  });
  private readonly scale = h("span", { class: "scale" });
  private contacts: Contact[] = [];
  private readonly size: number;
  private parts:
    | (Record<"ball" | "normal" | "shaft" | "head", BufferGeometry> &
        Record<"force" | "way", MeshBasicMaterial>)
    | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly robot: Robot,
    private readonly group: Group,
  ) {
    this.size = stage.size * 0.1;
    stage.canvas.parentElement!.append(this.legend);
  }

  dispose(): void {
    this.legend.remove();
  }

  /** How long a force of one newton is drawn, in m: one of the robot's weight is as long as its
   * radius. */
  private get lengthOfForce(): number {
    return this.stage.size / (Math.max(this.robot.algorithms.totalMass, 1e-6) * WEIGHT);
  }

  /** Draws contacts: a point, its normal and its force each. */
  update(contacts: Contact[]): void {
    const { group } = this;
    this.contacts = contacts;
    while (group.children.length < contacts.length) group.add(this.mark());
    const [normal, force, away] = [new Vector3(), new Vector3(), new Quaternion()];
    group.children.forEach((mark, k) => {
      const contact = contacts[k];
      mark.visible = contact !== undefined;
      if (!contact) return;
      mark.position.fromArray(contact.point);
      const [, line, shaft, head] = mark.children as [Object3D, Object3D, Object3D, Object3D];
      normal.fromArray(contact.normal ?? [0, 0, 0]);
      line.visible = normal.lengthSq() > 0.5;
      if (line.visible) line.quaternion.copy(away.setFromUnitVectors(Z, normal.normalize()));
      force.fromArray(contact.force);
      const length = force.length() * this.lengthOfForce;
      shaft.visible = head.visible = length > 0.05 * this.size;
      if (!shaft.visible) return;
      const turn = away.setFromUnitVectors(Z, force.normalize());
      shaft.quaternion.copy(turn);
      head.quaternion.copy(turn);
      shaft.scale.set(1, 1, length);
      shaft.position.copy(force).multiplyScalar(length / 2);
      head.position.copy(force).multiplyScalar(length);
    });
    this.legend.replaceChildren(...this.legendParts());
  }

  /** A point, its normal, and the shaft and the head of its force. */
  private mark(): Group {
    this.parts ??= {
      ball: new SphereGeometry(0.12 * this.size, 12, 8),
      normal: new CylinderGeometry(0.03 * this.size, 0.03 * this.size, 1.2 * this.size, 6)
        .rotateX(Math.PI / 2)
        .translate(0, 0, 0.6 * this.size),
      shaft: new CylinderGeometry(0.04 * this.size, 0.04 * this.size, 1, 8).rotateX(Math.PI / 2),
      head: new ConeGeometry(0.12 * this.size, 0.3 * this.size, 12).rotateX(Math.PI / 2),
      force: new MeshBasicMaterial({ color: FORCE, depthTest: false, transparent: true }),
      way: new MeshBasicMaterial({ color: NORMAL, depthTest: false, transparent: true }),
    };
    const { ball, normal, shaft, head, force, way } = this.parts;
    return new Group().add(
      new Mesh(ball, force),
      new Mesh(normal, way),
      new Mesh(shaft, force),
      new Mesh(head, force),
    );
  }

  /** What the marks of contacts are, how many there are, and their sum. */
  private legendParts(): HTMLElement[] {
    const sum = new Vector3();
    for (const { force } of this.contacts) sum.add(new Vector3().fromArray(force));
    const key = (colour: string, text: string) => {
      const mark = h("i", {});
      mark.style.background = colour;
      return h("span", { class: "key" }, mark, text);
    };
    const count = this.contacts.length === 1 ? "1 contact" : `${this.contacts.length} contacts`;
    return [
      h("span", {}, `${count}, in sum ${digits(sum.length(), 4)} N`),
      key(FORCE, "force"),
      key(NORMAL, "normal"),
      this.scale,
    ];
  }

  /** Makes the bar of the legend as long as the arrow of a round force where the camera looks. */
  placeLegend(isShown: boolean): void {
    this.legend.hidden = !isShown || this.contacts.length === 0;
    if (this.legend.hidden) return;
    const { camera, controls, canvas } = this.stage;
    const distance = camera.position.distanceTo(controls.target);
    const seen = 2 * distance * Math.tan((camera.fov * Math.PI) / 360);
    const perNewton = (this.lengthOfForce * canvas.clientHeight) / seen;
    const most = BAR / perNewton;
    const power = 10 ** Math.floor(Math.log10(most));
    const round = [5, 2, 1].find((it) => it * power <= most)! * power;
    const bar = h("b", {});
    bar.style.width = `${(round * perNewton).toFixed(1)}px`;
    this.scale.replaceChildren(bar, `${Number(round.toPrecision(1))} N`);
  }
}
