// The robot on the stage: a group for each joint, shapes in them.

import {
  Box3,
  BufferGeometry,
  Color,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Vector3,
  WireframeGeometry,
} from "three";
import type { Robot } from "./robot";
import type { Scene, Shape } from "./scene_file";
import { Geometries } from "./shapes";
import { skeleton } from "./skeleton";

/** Colours of links without one: near each other, so that the robot stays one. */
const PLAIN = ["#b9c2cf", "#a7b3c4", "#c9ced6", "#98a6ba"];

/** Bodies with shapes of which less than this share has visual ones are shown by all shapes. */
const SPARSE = 0.5;

/** An edge of a primitive is drawn if its faces differ by so many degrees. */
const EDGE = 20;

export class Body {
  /** The groups of the joints, the universe's first. */
  readonly joints: Group[];
  readonly root = new Group();
  /** What is seen and can be picked; `userData` has the shape and the joint. */
  readonly visuals: Mesh[] = [];
  private wired: LineSegments[] | null = null;
  private readonly geometries: Geometries;
  private readonly wires = new Map<BufferGeometry, BufferGeometry>();

  constructor(
    private readonly robot: Robot,
    private readonly scene: Scene,
  ) {
    this.geometries = new Geometries(scene.meshes);
    this.joints = robot.joints.map(() => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      this.root.add(group);
      return group;
    });
    const isBody = ({ joint, form }: Shape) => joint > 0 && form.kind !== "plane";
    const seen = new Set(
      scene.shapes.filter((it) => it.visual && isBody(it)).map((it) => it.joint),
    );
    const solid = new Set(scene.shapes.filter(isBody).map((it) => it.joint));
    // Where hardly any body would be seen, such as eyes without the skin around them, collision
    // shapes stand for the rest.
    const isSparse = seen.size < SPARSE * solid.size;
    for (const shape of scene.shapes)
      this.add(shape, shape.visual || (isSparse && !seen.has(shape.joint)));
    const isBare = this.visuals.every((it) => it.userData["shape"].form.kind === "plane");
    if (isBare) for (const shape of skeleton(robot, scene)) this.add(shape, true);
    this.place();
  }

  private add(shape: Shape, isSeen: boolean): void {
    const group = this.joints[shape.joint];
    const geometry = isSeen ? this.geometries.of(shape.form) : null;
    if (!group || !geometry) return;
    const placement = new Matrix4().fromArray(shape.placement);
    const [r, g, b, a] = shape.colour ?? [];
    const colour = shape.colour
      ? new Color().setRGB(r!, g!, b!, "srgb")
      : new Color(PLAIN[shape.joint % PLAIN.length]);
    const material = new MeshStandardMaterial({ color: colour, roughness: 0.65, metalness: 0.05 });
    if (a !== undefined && a < 1) {
      material.transparent = true;
      material.opacity = Math.max(a, 0.05);
    }
    // A plane is a wall or a floor: it is seen from its front, and hides nothing from behind.
    if (shape.form.kind === "mesh") material.side = DoubleSide;
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = shape.form.kind !== "plane";
    mesh.receiveShadow = true;
    mesh.userData = { shape };
    this.hang(mesh, group, placement);
    this.visuals.push(mesh);
  }

  /** The collision shapes; edges of meshes take time, and are found when they are first wanted. */
  get collisions(): LineSegments[] {
    this.wired ??= this.scene.shapes.flatMap((shape) => {
      const group = this.joints[shape.joint];
      const geometry = shape.collision && group ? this.geometries.of(shape.form, 12) : null;
      if (!geometry || !group) return [];
      const lines = new LineSegments(
        this.wire(geometry, shape),
        new LineBasicMaterial({ color: 0xd9480f }),
      );
      this.hang(lines, group, new Matrix4().fromArray(shape.placement));
      return [lines];
    });
    return this.wired;
  }

  private hang(object: Mesh | LineSegments, group: Group, placement: Matrix4): void {
    object.matrixAutoUpdate = false;
    object.matrix.copy(placement);
    group.add(object);
  }

  private wire(geometry: BufferGeometry, shape: Shape): BufferGeometry {
    let wire = this.wires.get(geometry);
    if (!wire) {
      const isRound = ["sphere", "ellipsoid", "capsule"].includes(shape.form.kind);
      wire = isRound ? new WireframeGeometry(geometry) : new EdgesGeometry(geometry, EDGE);
      this.wires.set(geometry, wire);
    }
    return wire;
  }

  /** Puts all joints where the robot has them. */
  place(): void {
    const { placements } = this.robot;
    this.joints.forEach((group, k) => {
      group.matrix.fromArray(placements, 16 * k);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  /** The box around what is seen; planes do not count. */
  box(): Box3 {
    this.root.updateMatrixWorld(true);
    const box = new Box3();
    for (const mesh of this.visuals) {
      if (mesh.userData["shape"].form.kind !== "plane") box.expandByObject(mesh);
    }
    if (box.isEmpty()) {
      for (const group of this.joints)
        box.expandByPoint(new Vector3().setFromMatrixPosition(group.matrix));
      if (!box.isEmpty()) box.expandByScalar(0.1);
    }
    return box;
  }

  /** Marks a link as selected: its shapes glow. */
  select(link: string | null): void {
    for (const mesh of this.visuals) {
      const material = mesh.material as MeshStandardMaterial;
      const isChosen = link !== null && mesh.userData["shape"].link === link;
      material.emissive.set(isChosen ? 0x1c5fd4 : 0);
      material.emissiveIntensity = isChosen ? 0.45 : 0;
    }
  }
}
