// featherline/simulation: the same with motion in time.

import * as check from "./arguments.js";
import { Robot as Core, start, type LoadOptions, type Vector } from "./robot.js";

export { start };
export type {
  Frame,
  Goal,
  Joint,
  LoadOptions,
  RobotFileError,
  Solution,
  Source,
  Vector,
} from "./robot.js";

/** How a robot is simulated. */
export interface SimulationOptions {
  /** The longest step, in s, at most 0.02; 0.001 by default. A call makes at most a million. */
  step?: number;
  /** The implicit midpoint rule in place of Runge-Kutta's method of order 4, for stiff joints. */
  stiff?: boolean;
  /** A configuration that springs hold the robot at, with compensation of gravity. */
  reference?: Vector;
  /** For each degree of freedom, whether it is held; all, if there is a reference. */
  held?: readonly boolean[];
}

/** A robot that can be simulated. */
export class Robot extends Core {
  /**
   * The state after some seconds of motion under gravity, the joints' damping, friction and
   * springs, and end stops, which do not yield; a joint that begins beyond its limits is stopped
   * there. Loops stay closed.
   */
  simulate(
    q: Vector,
    v: Vector,
    seconds: number,
    options: SimulationOptions = {},
  ): { q: Float64Array; v: Float64Array } {
    const { nq, nv } = this;
    check.options("simulate", options, ["step", "stiff", "reference", "held"]);
    const { reference } = options;
    const step = check.number("step", options.step ?? 1e-3, [0, 0.02], true);
    const stiff = check.flag("stiff", options.stiff) ?? false;
    check.number("seconds", seconds, [0, Infinity], true);
    const held = options.held ?? new Array<boolean>(nv).fill(reference !== undefined);
    if (!Array.isArray(held)) throw new TypeError("held needs an array of true and false");
    if (held.length !== nv) {
      throw new RangeError(`held has ${held.length} entries, and needs ${nv}`);
    }
    held.forEach((it, k) => check.flag(`held[${k}]`, it ?? null));
    const state = this.algorithms.simulate(
      this.q(q),
      this.v(v),
      seconds,
      step,
      stiff,
      Uint8Array.from(held, Number),
      reference === undefined ? this.neutralConfiguration() : this.q(reference, "reference"),
    );
    return { q: state.slice(0, nq), v: state.slice(nq, nq + nv) };
  }
}

/**
 * Reads a robot from the text of a URDF, an MJCF or a model file. Mesh files are not read.
 *
 * Throws a `RobotFileError`, with the line, for a text that is no robot.
 */
export async function load(text: string, options: LoadOptions = {}): Promise<Robot> {
  await start();
  return new Robot(text, options);
}
