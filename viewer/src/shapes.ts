// Shapes of links as geometries of three.js, z up.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
} from "three";
import { corners } from "./creases";
import type { Form, Mesh } from "./scene_file";

/** Half the side of what is shown of an infinite plane, in m. */
const PLANE = 5;

const finite = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.abs(value) : otherwise;

/** Geometries of forms; a mesh that several shapes have is made once. */
export class Geometries {
  private meshes = new Map<number, BufferGeometry>();

  constructor(private readonly source: Mesh[]) {}

  /** The geometry of a form, or null for one that this page does not know. Circles have so many
   * sides. */
  of(form: Form, sides = 32): BufferGeometry | null {
    switch (form.kind) {
      case "box": {
        const [x, y, z] = [0, 1, 2].map((k) => finite(form.sides?.[k], 0.1));
        return new BoxGeometry(x, y, z);
      }
      case "sphere":
        return new SphereGeometry(finite(form.radius, 0.1), sides, sides / 2);
      case "ellipsoid": {
        const [x, y, z] = [0, 1, 2].map((k) => finite(form.semi_axes?.[k], 0.1));
        return new SphereGeometry(1, sides, sides / 2).scale(x!, y!, z!);
      }
      // Those of three.js are along y.
      case "cylinder": {
        const radius = finite(form.radius, 0.1);
        return new CylinderGeometry(radius, radius, finite(form.length, 0.1), sides).rotateX(
          Math.PI / 2,
        );
      }
      case "capsule":
        return new CapsuleGeometry(
          finite(form.radius, 0.1),
          finite(form.length, 0.1),
          sides / 4,
          sides,
        ).rotateX(Math.PI / 2);
      case "cone":
        return new ConeGeometry(finite(form.radius, 0.1), finite(form.length, 0.1), sides).rotateX(
          Math.PI / 2,
        );
      case "plane":
        return new PlaneGeometry(2 * PLANE, 2 * PLANE);
      case "mesh":
        return this.mesh(form.mesh);
      default:
        return null;
    }
  }

  private mesh(index: number): BufferGeometry | null {
    const made = this.meshes.get(index);
    if (made) return made;
    const mesh = this.source[index];
    if (!mesh || mesh.faces.length === 0) return null;
    const { positions, normals } = corners(mesh.vertices, mesh.faces);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(normals, 3));
    this.meshes.set(index, geometry);
    return geometry;
  }
}
