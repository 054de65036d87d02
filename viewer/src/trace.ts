// States over time: a recording, a live robot or a simulation in the page, all the same way.

import type { Robot, State } from "./robot";
import type { Recording } from "./scene_file";
import { contactsOf } from "./touch";

/** The most states of a live robot that are kept: ten minutes at 60 a second. */
const MOST = 36000;

export class Trace {
  private readonly t: number[] = [];
  private readonly states: State[] = [];

  constructor(readonly name: string) {}

  /** The trace of a recording. Throws if its rows are not the robot's. */
  static of(recording: Recording, robot: Robot): Trace {
    const { times, q, v, tau } = recording;
    const count = times.length;
    if (
      q.length !== count * robot.nq ||
      (v && v.length !== count * robot.nv) ||
      (tau && tau.length !== count * robot.nv)
    ) {
      throw new Error(
        `The recording ${recording.file} is of another robot: its rows do not have ${robot.nq} entries of q and ${robot.nv} of v.`,
      );
    }
    const trace = new Trace(recording.file);
    const { counts, numbers } = recording.contacts ?? {};
    let first = 0;
    for (let k = 0; k < count; k++) {
      trace.t.push(times[k]!);
      trace.states.push({
        q: q.subarray(k * robot.nq, (k + 1) * robot.nq),
        v: v ? v.subarray(k * robot.nv, (k + 1) * robot.nv) : new Float64Array(robot.nv),
        tau: tau ? tau.subarray(k * robot.nv, (k + 1) * robot.nv) : null,
        ...(counts && numbers
          ? { contacts: contactsOf(numbers.subarray(first, (first += 9 * counts[k]!))) }
          : {}),
      });
    }
    return trace;
  }

  get length(): number {
    return this.t.length;
  }

  get start(): number {
    return this.t[0] ?? 0;
  }

  get end(): number {
    return this.t.at(-1) ?? 0;
  }

  time(index: number): number {
    return this.t[index] ?? 0;
  }

  state(index: number): State {
    return this.states[index]!;
  }

  /** Adds a state. One that is not later than the last begins the trace again. */
  push(time: number, state: State): void {
    if (this.length > 0 && time <= this.end) this.cut(time);
    this.t.push(time);
    this.states.push(state);
    if (this.length > MOST) {
      this.t.splice(0, MOST / 10);
      this.states.splice(0, MOST / 10);
    }
  }

  /** Removes the states from a time on. */
  cut(time: number): void {
    let index = this.index(time);
    while (index < this.length && this.t[index]! < time) index++;
    this.t.length = this.states.length = index;
  }

  /** The index of the last state at or before a time. */
  index(time: number): number {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  /** The state at a time; configurations between two states are on the way from one to the other. */
  at(time: number, robot: Robot): State {
    const index = this.index(time);
    const state = this.states[index]!;
    const next = this.states[index + 1];
    const span = (this.t[index + 1] ?? 0) - this.t[index]!;
    const share = next ? (time - this.t[index]!) / span : 0;
    if (!next || !(share > 1e-6)) return state;
    const way = robot.algorithms.difference(state.q, next.q);
    return {
      ...state,
      q: robot.algorithms.integrate(
        state.q,
        way.map((x) => x * share),
      ) as Float64Array<ArrayBuffer>,
    };
  }

  /** At most so many indices, spread over all states. */
  sampled(most: number): number[] {
    const step = Math.max(1, (this.length - 1) / (most - 1));
    const indices: number[] = [];
    for (let k = 0; k < this.length - 0.5; k += step) indices.push(Math.round(k));
    if (this.length > 0 && indices.at(-1) !== this.length - 1) indices.push(this.length - 1);
    return indices;
  }
}
