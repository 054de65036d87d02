// What the robot touches: the shapes of the scene and the ground, given to the wasm's robot.

import type { Contact, Robot } from "./robot";
import type { Form, Scene } from "./scene_file";

/** The sizes of a form, in the order that the wasm takes them. */
function sizes(form: Form): number[] {
  switch (form.kind) {
    case "box":
      return form.sides;
    case "sphere":
      return [form.radius];
    case "ellipsoid":
      return form.semi_axes;
    case "cylinder":
    case "capsule":
    case "cone":
      return [form.radius, form.length];
    default:
      return [];
  }
}

/** The contacts that the wasm appends to a state, nine numbers each. */
export function contactsOf(numbers: Float64Array): Contact[] {
  return Array.from({ length: Math.floor(numbers.length / 9) }, (_, k) => {
    const at = (first: number) => [...numbers.subarray(9 * k + first, 9 * k + first + 3)];
    return { point: at(0), normal: at(3), force: at(6) };
  });
}

export class Touch {
  private isMade = false;

  /** `ground` is the height of the ground that is shown. */
  constructor(
    private readonly robot: Robot,
    private readonly scene: Scene,
    private readonly ground: () => number,
  ) {}

  /** Prepares a motion. Returns whether contacts, limits or friction act, as the scene says. A robot
   * whose base floats freely is over the ground, if the scene has put one below it. */
  begin(isFree: boolean): boolean {
    this.make();
    const ground = isFree && this.scene.contacts?.onGround.length ? this.ground() : undefined;
    this.robot.algorithms.beginContact(ground);
    return this.scene.decision?.method === "time-stepping";
  }

  /** Gives the shapes to the wasm, once: the hulls of meshes take time. */
  private make(): void {
    const { contacts, shapes, meshes } = this.scene;
    if (this.isMade || !contacts) return;
    this.isMade = true;
    const { algorithms } = this.robot;
    const paired = new Set([...contacts.pairs, ...contacts.onGround]);
    shapes.forEach(({ form, joint, placement }, k) => {
      const place = Float64Array.from(placement);
      const mesh = form.kind === "mesh" ? meshes[form.mesh] : null;
      const touches = paired.has(k);
      if (form.kind === "mesh" && mesh && touches)
        algorithms.addMesh(form.mesh, mesh.vertices, joint, place);
      else
        algorithms.addShape(touches ? form.kind : "", Float64Array.from(sizes(form)), joint, place);
    });
    const { pairs, surfaces, onGround, onGroundSurfaces } = contacts;
    algorithms.setPairs(pairs, surfaces, onGround, onGroundSurfaces);
  }
}
