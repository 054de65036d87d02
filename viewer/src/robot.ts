// The robot of the page: the wasm's robot, its parts as plain values, and its state.

import init, { Robot as Algorithms } from "../pkg/featherline_wasm.js";
import type { Frame, Joint, Loop } from "../pkg/featherline_wasm.js";
import wasm from "virtual:wasm";
import { inflate } from "./scene_file";

/** Starts the wasm; once for a page. */
export async function startWasm(): Promise<void> {
  await init({ module_or_path: await inflate(wasm) });
}

export type JointParts = Pick<
  Joint,
  | "name"
  | "kind"
  | "parent"
  | "idxQ"
  | "nq"
  | "idxV"
  | "nv"
  | "freedom"
  | "isVector"
  | "isUnbounded"
  | "mass"
> & {
  lower: Float64Array;
  upper: Float64Array;
  effort: Float64Array;
  translates: Uint8Array;
  centerOfMass: Float64Array;
  inertia: Float64Array;
  ellipsoid: Float64Array | undefined;
  mimic: Float64Array | undefined;
};
export type FrameParts = Pick<Frame, "name" | "kind" | "joint"> & { placement: Float64Array };
export type LoopParts = Pick<Loop, "name" | "predecessor" | "successor"> & {
  predecessorPlacement: Float64Array;
  successorPlacement: Float64Array;
};

/** A force at a point, both in the world; zero or no normal if it is not known. */
export interface Contact {
  point: number[];
  normal?: number[];
  force: number[];
}

/** A state that others may set: configuration, velocity, joint forces, contact forces. */
export interface State {
  q: Float64Array;
  v: Float64Array;
  tau: Float64Array | null;
  contacts?: Contact[];
}

/** An entry of a configuration that has limits. */
export interface Limit {
  name: string;
  idxQ: number;
  lower: number;
  upper: number;
}

/** In rad and m, how far beyond a limit counts as at it: what recordings round to. */
const ROUNDING = 1e-6;

/** The name of one degree of freedom. */
export interface Coordinate {
  joint: number;
  label: string;
  unit: string;
}

/** A robot with its state. Listeners are called when the state has changed. */
export class Robot {
  readonly algorithms: Algorithms;
  readonly joints: JointParts[];
  readonly frames: FrameParts[];
  readonly loops: LoopParts[];
  readonly nq: number;
  readonly nv: number;
  readonly gravity: Float64Array;
  /** The coordinates of a velocity. */
  readonly coordinates: Coordinate[];
  q: Float64Array;
  v: Float64Array;
  tau: Float64Array | null = null;
  contacts: Contact[] = [];
  /** What has moved the robot, for those who say whose forces these are; empty for a hand. */
  motion = "";
  readonly limits: Limit[];
  /** Placements of the joints' output frames, 16 entries each. */
  placements: Float64Array;
  private listeners: (() => void)[] = [];

  constructor(text: string) {
    const algorithms = new Algorithms(text, false);
    this.algorithms = algorithms;
    this.nq = algorithms.nq;
    this.nv = algorithms.nv;
    this.joints = algorithms.joints.map((it) => {
      const joint = {
        name: it.name,
        kind: it.kind,
        parent: it.parent,
        idxQ: it.idxQ,
        nq: it.nq,
        idxV: it.idxV,
        nv: it.nv,
        freedom: it.freedom,
        isVector: it.isVector,
        isUnbounded: it.isUnbounded,
        mass: it.mass,
        mimic: it.mimic,
        lower: it.lower,
        upper: it.upper,
        effort: it.effort,
        translates: it.translates,
        centerOfMass: it.centerOfMass,
        inertia: it.inertia,
        ellipsoid: it.ellipsoid,
      };
      it.free();
      return joint;
    });
    this.frames = algorithms.frames.map((it) => {
      const { name, kind, joint, placement } = it;
      it.free();
      return { name, kind, joint, placement };
    });
    this.loops = algorithms.loops.map((it) => {
      const { name, predecessor, successor, predecessorPlacement, successorPlacement } = it;
      it.free();
      return { name, predecessor, successor, predecessorPlacement, successorPlacement };
    });
    this.gravity = algorithms.gravity;
    this.coordinates = this.joints.flatMap((joint, index) =>
      Array.from({ length: joint.nv }, (_, degree) => ({
        joint: index,
        label: joint.nv > 1 ? `${joint.name} ${degree + 1}` : joint.name,
        unit: joint.translates[degree] ? "N" : "N·m",
      })),
    );
    // Entries are displacements where a joint has as many as degrees of freedom.
    this.limits = this.joints.flatMap((joint) =>
      joint.mimic || joint.nq !== joint.nv
        ? []
        : Array.from({ length: joint.nq }, (_, k) => ({
            name: joint.nq > 1 ? `${joint.name} ${k + 1}` : joint.name,
            idxQ: joint.idxQ + k,
            lower: joint.lower[k] ?? -Infinity,
            upper: joint.upper[k] ?? Infinity,
          })),
    );
    this.q = algorithms.neutral();
    this.v = new Float64Array(this.nv);
    this.placements = algorithms.jointPlacements(this.q);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Sets the configuration, at rest unless a velocity comes with it. Throws if it does not fit. */
  set(
    q: ArrayLike<number>,
    v: ArrayLike<number> | null = null,
    tau: ArrayLike<number> | null = null,
    contacts: Contact[] = [],
    motion = "",
  ): void {
    const next = Float64Array.from(q);
    this.placements = this.algorithms.jointPlacements(next);
    this.q = next;
    this.v = v?.length === this.nv ? Float64Array.from(v) : new Float64Array(this.nv);
    this.tau = tau?.length === this.nv ? Float64Array.from(tau) : null;
    this.contacts = contacts;
    this.motion = motion;
    for (const listener of this.listeners) listener();
  }

  /** Moves by a tangent vector: q ⊕ v. */
  move(from: Float64Array, by: Float64Array): void {
    this.set(this.algorithms.integrate(from, by));
  }

  /** A configuration whose loops are closed; null if none is found from here. */
  closed(q: Float64Array): Float64Array | null {
    if (this.loops.length === 0) return q;
    try {
      return this.algorithms.assemble(q);
    } catch {
      return null;
    }
  }

  /** The limits that a configuration is beyond. */
  beyond(q: ArrayLike<number>): Limit[] {
    return this.limits.filter(
      ({ idxQ, lower, upper }) => q[idxQ]! < lower - ROUNDING || q[idxQ]! > upper + ROUNDING,
    );
  }

  /** The configuration with each coordinate within its limits, if loops close there. */
  within(q: Float64Array): Float64Array {
    if (this.beyond(q).length === 0) return q;
    const moved = q.slice();
    for (const { idxQ, lower, upper } of this.limits)
      moved[idxQ] = Math.min(Math.max(moved[idxQ]!, lower), upper);
    return this.closed(moved) ?? q;
  }

  /** The index of a joint that carries a free base, or −1. A free body without joints of its own is
   * none: the platform of a parallel robot, a ball beside the robot. */
  get floatingBase(): number {
    const isBase = (it: JointParts, k: number) =>
      it.kind === "free_flyer" && it.parent === 0 && this.joints.some(({ parent }) => parent === k);
    return this.joints.findIndex((it, k) => k > 0 && isBase(it, k));
  }

  free(): void {
    this.algorithms.free();
  }
}
