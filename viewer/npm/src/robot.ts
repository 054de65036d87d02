/// <reference path="./disposable.d.ts" preserve="true" />
// A robot as JavaScript has it: over the functions that wasm-bindgen writes (glue.js).

import * as check from "./arguments.js";
import type { Vector } from "./arguments.js";
import initialise, { Robot as Algorithms, type InitOutput } from "./glue.js";

export type { Vector } from "./arguments.js";

/** Where the WebAssembly comes from: an address, bytes, or a compiled module. */
export type Source = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/** Finds the WebAssembly beside this file. Node reads it from the disk instead: see node.ts. */
export const source: { find: () => Source | Promise<Source> } = {
  find: () => new URL("./glue_bg.wasm", import.meta.url),
};

let started: Promise<InitOutput> | undefined;
let memory: WebAssembly.Memory;

/**
 * Starts the WebAssembly, once; `load` does so by itself. Call it before to say where the file is,
 * or to start without a robot.
 */
export async function start(from?: Source): Promise<void> {
  started ??= Promise.resolve(from ?? source.find()).then((it) =>
    initialise({ module_or_path: it }),
  );
  try {
    ({ memory } = await started);
  } catch (error) {
    started = undefined;
    throw error;
  }
}

/** How a robot is read. */
export interface LoadOptions {
  /** Whether the root of a URDF moves freely, by 6 degrees of freedom. The default is no. */
  floatingBase?: boolean;
  /** The name of the file, for messages. */
  file?: string;
}

/** What `load` throws for a file that cannot be read. The message begins with the place. */
export interface RobotFileError extends Error {
  /** The name that was given to `load`. */
  file: string | undefined;
  /** The line, counted from one; absent where the file as a whole is meant. */
  line: number | undefined;
  /** The column, in characters, counted from one. */
  column: number | undefined;
  /** The path of the element from the root. */
  element: string | undefined;
  /** A stable word for what is wrong, such as `unknown-link`. */
  code: string;
}

/** A joint and the body that it moves. */
export interface Joint {
  readonly name: string;
  /** How it moves, such as `revolute`. */
  readonly kind: string;
  /** The index of the joint whose body carries this one. */
  readonly parent: number;
  /** Where its entries of a configuration begin, and how many there are. */
  readonly idxQ: number;
  readonly nq: number;
  /** Where its entries of a velocity begin, and how many there are. */
  readonly idxV: number;
  readonly nv: number;
  /** Its axis in its input frame, if its kind has one. */
  readonly axis: Float64Array | undefined;
  /** Limits of its configuration; ∞ without a limit. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Greatest speeds, in rad/s or m/s, and joint forces, in N·m or N; ∞ without a limit. */
  readonly velocity: Float64Array;
  readonly effort: Float64Array;
  /** For a mimic joint: the index of the mimicked joint, the ratio and the offset. */
  readonly mimic: Float64Array | undefined;
  /** The body's mass, in kg; its centre of mass in the joint's output frame, in m; its inertia
   * about it, xx, xy, xz, yy, yz, zz in kg·m². */
  readonly mass: number;
  readonly centerOfMass: Float64Array;
  readonly inertia: Float64Array;
}

/** A frame fixed in a body. */
export interface Frame {
  readonly name: string;
  /** `body`, `joint`, `fixed_joint`, `operational` or `sensor`. */
  readonly kind: string;
  /** The index of the joint whose body carries it. */
  readonly joint: number;
  /** Its placement in that joint's output frame, 4 × 4 by columns. */
  readonly placement: Float64Array;
}

/** Where a frame should be: a placement, or a position with any rotation, or a rotation. */
export interface Goal {
  /** The name of a frame or a joint. */
  frame: string;
  /** 4 × 4 by columns, in the world; excludes the other two. */
  placement?: Vector;
  /** x, y, z in the world, in m. */
  position?: Vector;
  /** 3 × 3 by columns, in the world. */
  rotation?: Vector;
  /** The point of the frame that is meant, in its own coordinates, in m; its origin by default. */
  point?: Vector;
  /** What an error of 1 m or 1 rad counts beside those of other goals; 1 by default. */
  weight?: number;
}

/** How well goals were reached. */
export interface Solution {
  /** The configuration. */
  q: Float64Array;
  /** Whether no error is above 1e-8 m or rad. */
  isReached: boolean;
  /** The largest distance of a point from where it should be, in m. */
  positionError: number;
  /** The largest angle of a frame from where it should be, in rad. */
  rotationError: number;
  /** Steps that were tried, and random starts that were needed. */
  iterations: number;
  restarts: number;
}

/** Reads a part of a robot, and frees what wasm-bindgen keeps of it. */
function taken<P extends { free(): void }, T>(part: P, read: (part: P) => T): T {
  try {
    return read(part);
  } finally {
    part.free();
  }
}

/**
 * A robot, with memory for its algorithms.
 *
 * Configurations have nq entries; velocities, accelerations and joint forces nv. SI units,
 * radians; quaternions are x, y, z, w. Matrices are by columns. Results are new arrays.
 *
 * Call `free()` when the robot is not needed any more, or declare it by `using`. A robot that is
 * forgotten is freed with its object by the garbage collector, some time later.
 */
export class Robot {
  /** The robot's name. */
  readonly name: string;
  /** Entries of a configuration. */
  readonly nq: number;
  /** Degrees of freedom. */
  readonly nv: number;
  /** What was read with a doubt, each with its place. */
  readonly warnings: readonly string[];
  #algorithms: Algorithms | undefined;
  /** q, v, a third vector and a result, in the memory of the WebAssembly. */
  #shared: Float64Array | undefined;
  #joints: readonly Joint[] | undefined;
  #frames: readonly Frame[] | undefined;

  /** Use `load`; this needs the WebAssembly to run: await `start()` before. */
  constructor(text: string, options: LoadOptions = {}) {
    const remedy = "; read the file as text, with the encoding utf8";
    check.text("the robot", text, remedy);
    check.options("load", options, ["floatingBase", "file"]);
    const floating = check.flag("floatingBase", options.floatingBase) ?? false;
    if (options.file !== undefined) check.text("file", options.file);
    const algorithms = new Algorithms(text, floating, options.file);
    this.#algorithms = algorithms;
    this.name = algorithms.name;
    this.nq = algorithms.nq;
    this.nv = algorithms.nv;
    this.warnings = algorithms.warnings;
  }

  /** The functions of the WebAssembly itself. */
  protected get algorithms(): Algorithms {
    if (this.#algorithms === undefined) {
      throw new Error(`the robot ${this.name} was freed; load it again`);
    }
    return this.#algorithms;
  }

  /** A configuration, a velocity, and the name of a frame or joint, as the WebAssembly takes them. */
  protected q(q: Vector, what = "q"): Float64Array {
    return check.vector(what, q, this.nq) as Float64Array;
  }

  protected v(v: Vector, what = "v"): Float64Array {
    return check.vector(what, v, this.nv) as Float64Array;
  }

  /** Writes a configuration and vectors, with their names, to the shared memory. */
  #write(q: Vector, ...others: [string, Vector][]): Float64Array {
    const { nq, nv } = this;
    this.q(q);
    for (const [what, vector] of others) this.v(vector, what);
    // Memory that grows is a new buffer, and views of the old one have no length.
    let shared = this.#shared!;
    if (shared === undefined || shared.length === 0) {
      shared = new Float64Array(memory.buffer, this.algorithms.shared, nq + 3 * nv);
      this.#shared = shared;
    }
    shared.set(q);
    others.forEach(([, vector], k) => shared.set(vector, nq + k * nv));
    return shared;
  }

  /** A copy of the result in the shared memory. */
  #result(shared: Float64Array): Float64Array {
    return shared.slice(this.nq + 2 * this.nv);
  }

  /** Whether the memory was given back. */
  get isFreed(): boolean {
    return this.#algorithms === undefined;
  }

  /** Gives the memory back. The robot cannot be used after that; a second call does nothing. */
  free(): void {
    this.#algorithms?.free();
    this.#algorithms = undefined;
    this.#shared = undefined;
  }

  /** The joints with the bodies that they move, the universe first. */
  get joints(): readonly Joint[] {
    this.#joints ??= this.algorithms.joints.map((joint) =>
      taken(joint, (it) => ({
        name: it.name,
        kind: it.kind,
        parent: it.parent,
        idxQ: it.idxQ,
        nq: it.nq,
        idxV: it.idxV,
        nv: it.nv,
        axis: it.axis,
        lower: it.lower,
        upper: it.upper,
        velocity: it.velocity,
        effort: it.effort,
        mimic: it.mimic,
        mass: it.mass,
        centerOfMass: it.centerOfMass,
        inertia: it.inertia,
      })),
    );
    return this.#joints;
  }

  /** The frames fixed in bodies. */
  get frames(): readonly Frame[] {
    this.#frames ??= this.algorithms.frames.map((frame) =>
      taken(frame, (it) => ({
        name: it.name,
        kind: it.kind,
        joint: it.joint,
        placement: it.placement,
      })),
    );
    return this.#frames;
  }

  /** The acceleration of gravity in the world, in m/s². */
  get gravity(): Float64Array {
    return this.algorithms.gravity;
  }

  /** Mass of all links, in kg. */
  get totalMass(): number {
    return this.algorithms.totalMass;
  }

  /** The least entries of a configuration that limits allow. */
  get lower(): Float64Array {
    return this.algorithms.lower;
  }

  /** The greatest entries of a configuration that limits allow. */
  get upper(): Float64Array {
    return this.algorithms.upper;
  }

  /** The configuration in which no joint has moved. */
  neutralConfiguration(): Float64Array {
    return this.algorithms.neutral();
  }

  /** A random configuration within limits; the same for the same seed, an integer. */
  randomConfiguration(seed: number | bigint = 0): Float64Array {
    return this.algorithms.random(BigInt(seed));
  }

  /** q ⊕ v: the configuration after a unit of time at a constant velocity. */
  integrate(q: Vector, v: Vector): Float64Array {
    return this.algorithms.integrate(this.q(q), this.v(v));
  }

  /** q1 ⊖ q0: the constant velocity that leads from q0 to q1. */
  difference(q0: Vector, q1: Vector): Float64Array {
    return this.algorithms.difference(this.q(q0, "q0"), this.q(q1, "q1"));
  }

  /** The nearest configuration in which all loops are closed. */
  assemble(q: Vector): Float64Array {
    return this.algorithms.assemble(this.q(q));
  }

  /** The placements of all joints' output frames in the world, 16 entries each by columns. */
  forwardKinematics(q: Vector): Float64Array {
    return this.algorithms.jointPlacements(this.q(q));
  }

  /** The placement in the world of a frame, or of a joint's output frame: 4 × 4 by columns. */
  placement(q: Vector, frame: string): Float64Array {
    return this.algorithms.placement(this.q(q), check.text("frame", frame));
  }

  /**
   * The Jacobian of a frame, 6 × nv by columns: [linear; angular] along the world's axes, of the
   * frame's origin.
   */
  jacobian(q: Vector, frame: string): Float64Array {
    return this.algorithms.jacobian(this.q(q), check.text("frame", frame));
  }

  /** The centre of mass in the world, in m. */
  centerOfMass(q: Vector): Float64Array {
    return this.algorithms.centerOfMass(this.q(q));
  }

  /** Inverse dynamics, τ = M(q) a + C(q, v), by the recursive Newton-Euler algorithm. */
  rnea(q: Vector, v: Vector, a: Vector): Float64Array {
    const { algorithms } = this;
    const shared = this.#write(q, ["v", v], ["a", a]);
    if (algorithms.rneaShared()) return this.#result(shared);
    return algorithms.rnea(this.q(q), this.v(v), this.v(a)); // which throws what is wrong
  }

  /** Forward dynamics: accelerations by joint forces, by the articulated-body algorithm. */
  aba(q: Vector, v: Vector, tau: Vector): Float64Array {
    const { algorithms } = this;
    const shared = this.#write(q, ["v", v], ["tau", tau]);
    if (algorithms.abaShared()) return this.#result(shared);
    return algorithms.aba(this.q(q), this.v(v), this.v(tau)); // which throws what is wrong
  }

  /** The mass matrix M, nv × nv, by the composite-rigid-body algorithm. */
  crba(q: Vector): Float64Array {
    return this.algorithms.crba(this.q(q));
  }

  /** Joint forces C(q, v) of a motion without acceleration. */
  bias(q: Vector, v: Vector): Float64Array {
    const { algorithms } = this;
    const shared = this.#write(q, ["v", v]);
    if (algorithms.biasShared()) return this.#result(shared);
    return algorithms.bias(this.q(q), this.v(v)); // which throws what is wrong
  }

  /** The joint forces that hold the robot at rest. */
  gravityTorque(q: Vector): Float64Array {
    const { algorithms } = this;
    const shared = this.#write(q);
    if (algorithms.gravityTorqueShared()) return this.#result(shared);
    return algorithms.gravityTorque(this.q(q)); // which throws what is wrong
  }

  /** The kinetic energy, in J. */
  kineticEnergy(q: Vector, v: Vector): number {
    return this.algorithms.kineticEnergy(this.q(q), this.v(v));
  }

  /** The potential energy in gravity, in J; zero where the centre of mass is at the origin. */
  potentialEnergy(q: Vector): number {
    return this.algorithms.potentialEnergy(this.q(q));
  }

  /**
   * Moves frames to goals within limits, from `q` on, or as near as the robot comes. `restarts` is
   * the most random starts where the first fails, 10 by default; 0 for a goal that is followed.
   */
  inverseKinematics(
    goals: readonly Goal[],
    q: Vector,
    options: { restarts?: number } = {},
  ): Solution {
    const { nq } = this;
    if (!Array.isArray(goals)) throw new TypeError("the goals of inverseKinematics are an array");
    const frames = goals.map((goal) => check.text("the frame of a goal", goal?.frame));
    const entries = Float64Array.from(goals.flatMap(flat));
    check.options("inverseKinematics", options, ["restarts"]);
    const most = check.number("restarts", options.restarts ?? 10, [0, 1e6]);
    if (!Number.isInteger(most)) throw new RangeError(`restarts is ${most}, and needs to be whole`);
    const found = this.algorithms.inverseKinematics(this.q(q), frames, entries, most);
    const [isReached, positionError, rotationError, iterations, restarts] = [
      ...found.subarray(nq),
    ] as [number, number, number, number, number];
    return {
      q: found.slice(0, nq),
      isReached: isReached === 1,
      positionError,
      rotationError,
      iterations,
      restarts,
    };
  }
}

export interface Robot extends Disposable {}

// Runtimes without `using` have no such symbol.
if (Symbol.dispose !== undefined) Robot.prototype[Symbol.dispose] = Robot.prototype.free;

/** The entries of a goal: kind, weight, point, placement. */
function flat(goal: Goal): number[] {
  check.options("a goal", goal, ["frame", "placement", "position", "rotation", "point", "weight"]);
  const { frame, placement, position, rotation, point = [0, 0, 0], weight = 1 } = goal;
  const named = (what: string) => `the ${what} of the goal of ${frame}`;
  const sized = (what: string, vector: Vector, size: number): number[] =>
    Array.from(check.vector(named(what), vector, size));
  check.number(named("weight"), weight, [0, Infinity]);
  const start = [weight, ...sized("point", point, 3)];
  if (placement !== undefined && position === undefined && rotation === undefined) {
    const entries = sized("placement", placement, 16);
    check.placement(named("placement"), entries);
    return [2, ...start, ...entries];
  }
  if (placement !== undefined || (position === undefined && rotation === undefined)) {
    throw new TypeError(
      `the goal of ${frame} needs a placement, or a position, a rotation, or these two`,
    );
  }
  const [x, y, z] = position === undefined ? [0, 0, 0] : sized("position", position, 3);
  const r = rotation === undefined ? [1, 0, 0, 0, 1, 0, 0, 0, 1] : sized("rotation", rotation, 9);
  if (rotation !== undefined) check.rotation(named("rotation"), r);
  const kind = rotation === undefined ? 0 : position === undefined ? 1 : 2;
  const columns = [0, 3, 6].flatMap((first) => [...r.slice(first, first + 3), 0]);
  return [kind, ...start, ...columns, x!, y!, z!, 1];
}
