// featherline/simulation: the same with motion in time.

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
  /** The longest step, in s; 0.001 by default. */
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
   * springs, and end stops. Loops stay closed.
   */
  simulate(
    q: Vector,
    v: Vector,
    seconds: number,
    options: SimulationOptions = {},
  ): { q: Float64Array; v: Float64Array } {
    const { step = 1e-3, stiff = false, reference } = options;
    const held = options.held ?? new Array<boolean>(this.nv).fill(reference !== undefined);
    const state = this.algorithms.simulate(
      q,
      v,
      seconds,
      step,
      stiff,
      Uint8Array.from(held, Number),
      reference ?? this.neutralConfiguration(),
    );
    return { q: state.slice(0, this.nq), v: state.slice(this.nq) };
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
