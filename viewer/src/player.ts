// The bar below the stage: play, scrub, speed, curves; simulation in the page; live states.

import { Chart, type Curve } from "./chart";
import { button, h, listed, say } from "./dom";
import type { Robot, State } from "./robot";
import { type Touch, contactsOf } from "./touch";
import { Trace } from "./trace";

/** The most points of a curve. */
const POINTS = 400;
/** The steps of simulations, in s: of the explicit method, and of that for stiff joints. */
const STEP = 1e-3;
const STIFF_STEP = 4e-3;
/** What decides between them: the motion of so many s, and how much small velocities grow in it. */
const PROBE = 0.032;
const GROWTH = 10;
/** Coordinates and speeds beyond those of any robot. */
const LOST = 1e4;
/** The most ms that the steps for a picture may take: what is slower than real time is slow motion. */
const BUDGET = 40;
const LONGEST = 0.05;
/** The longest steps with contact, in s, for robots whose steps take longer than there is time. */
const LONG_STEP = 4e-3;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

type Mode = "still" | "play" | "free" | "hold" | "live";

export class Player {
  readonly element: HTMLElement;
  trace: Trace | null = null;
  /** The recording that the scene has, to which a hand comes back. */
  private recorded: Trace | null = null;
  private liveTrace: Trace | null = null;
  private mode: Mode = "still";
  private now = 0;
  private isGone = false;
  private speed = 1;
  private last = 0;
  private isStiff = false;
  /** How many s are simulated in the time that there is. */
  private reach = LONGEST;
  private step = STEP;
  /** Whether contact, limits or friction act, in exact steps. */
  private touches = false;
  private reference = new Float64Array();
  private chartAge = 0;
  private readonly playButton = button("▶", () => this.toggle(), "Play or pause  Space");
  private readonly slider = h("input", {
    type: "range",
    step: "any",
    min: "0",
    max: "1",
    aria: { label: "Time" },
  });
  private readonly clock = h("output", { class: "clock" });
  private readonly title = h("span", { class: "faint" });
  private readonly timeline: HTMLElement;
  private readonly curves: HTMLSelectElement;
  private readonly chart = new Chart();
  private readonly free = button(
    "Let go",
    () => this.simulate("free"),
    "Simulate: gravity, friction, limits and contact move the robot",
  );
  private readonly hold = button(
    "Hold",
    () => this.simulate("hold"),
    "Simulate: drives hold this configuration",
  );
  private readonly follow = button("Follow", () => this.followLive(), "Follow the live states");
  private readonly back = button("Recording", () => this.recorded && this.show(this.recorded));
  private readonly base: HTMLInputElement;
  onrecord: () => void = () => {};
  /** Called when something touches in a motion of the page. */
  oncontact: () => void = () => {};
  /** Called some times a second while the page simulates. */
  onsimulated: () => void = () => {};

  constructor(
    private readonly robot: Robot,
    private readonly touch: Touch,
  ) {
    const speed = h(
      "select",
      {
        aria: { label: "Speed" },
        title: "Speed",
        onchange: () => (this.speed = Number(speed.value)),
      },
      ...SPEEDS.map((it) =>
        h("option", { value: String(it), textContent: `${it}×`, selected: it === 1 }),
      ),
    );
    this.curves = h(
      "select",
      { aria: { label: "Curves" }, title: "Curves", onchange: () => this.plot() },
      h("option", { value: "", textContent: "No curves" }),
      h("option", { value: "energy", textContent: "Energy" }),
      ...robot.coordinates.map((it, k) =>
        h("option", { value: String(k), textContent: `τ ${it.label}` }),
      ),
    );
    this.slider.oninput = () => this.seek(this.slider.valueAsNumber);
    this.chart.onseek = (time) => this.seek(time);
    this.chart.element.hidden = true;
    this.base = h("input", {
      type: "checkbox",
      checked: true,
      onchange: () => {
        // The ground is below a base that is let go.
        if (this.mode === "free" || this.mode === "hold") this.touches = this.prepare();
      },
    });
    this.follow.hidden = this.back.hidden = true;
    this.timeline = h(
      "div",
      { class: "timeline" },
      this.playButton,
      button("◂", () => this.advance(-1), "One state back  ,"),
      button("▸", () => this.advance(1), "One state on  ."),
      this.slider,
      this.clock,
      speed,
      this.curves,
      button("GIF", () => this.onrecord(), "Save the motion as a GIF"),
    );
    this.timeline.hidden = true;
    const moves = robot.nv > 0;
    this.element = h(
      "div",
      { class: "player", role: "region", aria: { label: "Motion" } },
      this.chart.element,
      this.timeline,
      moves &&
        h(
          "div",
          { class: "buttons" },
          this.free,
          this.hold,
          robot.floatingBase >= 0 && h("label", { class: "check" }, this.base, "keep the base"),
          this.follow,
          this.back,
          this.title,
        ),
    );
    requestAnimationFrame((time) => this.tick(time));
  }

  /** Ends all motion, for a player that is taken off the page. */
  dispose(): void {
    this.isGone = true;
  }

  get isMoving(): boolean {
    return this.mode !== "still";
  }

  /** Shows a recording from its beginning. */
  show(trace: Trace): void {
    this.setMode("still");
    this.trace = this.recorded = trace;
    this.back.hidden = true;
    this.back.title = `Back to ${trace.name}`;
    this.title.textContent = trace.name;
    this.timeline.hidden = trace.length < 2;
    this.seek(trace.start);
    this.plot();
  }

  /** A hand takes the robot: what moved it stops; a robot that is held is held where it is brought. */
  take(): void {
    if (this.mode === "hold") {
      // The spring follows the hand.
      queueMicrotask(() => (this.reference = this.robot.q as Float64Array<ArrayBuffer>));
      return;
    }
    this.setMode("still");
  }

  toggle(): void {
    if (this.mode !== "still") return this.setMode("still");
    if (!this.trace || this.trace.length < 2) return;
    if (this.now >= this.trace.end) this.seek(this.trace.start);
    this.setMode("play");
  }

  advance(by: number): void {
    if (!this.trace?.length) return;
    const index = Math.min(Math.max(this.trace.index(this.now) + by, 0), this.trace.length - 1);
    this.seek(this.trace.time(index));
  }

  /** Goes to a time of the trace, and stays there. */
  seek(time: number): void {
    if (!this.trace?.length) return;
    if (this.mode !== "play") this.setMode("still");
    this.goto(time);
  }

  /** A state of a robot elsewhere. The first is followed, later ones while that is wanted. */
  live(time: number | null, state: State): void {
    const isFirst = this.liveTrace === null;
    this.liveTrace ??= new Trace("live");
    this.liveTrace.push(time ?? this.liveTrace.end + 1 / 60, state);
    this.follow.hidden = false;
    if (isFirst) this.followLive();
    else if (this.mode === "live") this.goto(this.liveTrace.end);
    else if (this.trace === this.liveTrace) this.slider.max = String(this.trace.end);
    this.timeline.hidden = !this.trace || this.trace.length < 2;
  }

  /** There will be no more live states. */
  endLive(): void {
    if (this.mode === "live") this.setMode("still");
    say("The live robot has ended");
  }

  private followLive(): void {
    if (!this.liveTrace) return;
    this.trace = this.liveTrace;
    this.back.hidden = !this.recorded;
    this.title.textContent = this.trace.name;
    this.setMode("live");
    this.goto(this.trace.end);
  }

  private setMode(mode: Mode): void {
    this.mode = mode;
    this.last = 0;
    const isPlaying = mode === "play";
    this.playButton.textContent = mode === "still" ? "▶" : "❚❚";
    this.playButton.setAttribute("aria-label", mode === "still" ? "Play" : "Pause");
    for (const [key, element] of [
      ["free", this.free],
      ["hold", this.hold],
      ["live", this.follow],
    ] as const) {
      element.setAttribute("aria-pressed", String(mode === key));
    }
    if (!isPlaying) this.plot();
  }

  private goto(time: number): void {
    const { trace, robot } = this;
    if (!trace?.length) return;
    this.now = Math.min(Math.max(time, trace.start), trace.end);
    const { q, v, tau, contacts } = trace.at(this.now, robot);
    robot.set(q, v, tau, contacts, trace.name);
    this.slider.min = String(trace.start);
    this.slider.max = String(trace.end);
    this.slider.value = String(this.now);
    this.clock.textContent = `${this.now.toFixed(2)} s of ${trace.end.toFixed(2)} s`;
    this.chart.at(this.now);
  }

  private tick(time: number): void {
    if (this.isGone) return;
    requestAnimationFrame((next) => this.tick(next));
    const elapsed = this.last ? Math.min((time - this.last) / 1000, 0.1) * this.speed : 0;
    this.last = time;
    if (elapsed === 0) return;
    if (this.mode === "play" && this.trace) {
      this.goto(this.now + elapsed);
      if (this.now >= this.trace.end) this.setMode("still");
    } else if (this.mode === "free" || this.mode === "hold") {
      this.simulateOn(elapsed, time);
    } else if (this.mode === "live" && time - this.chartAge > 500) {
      this.chartAge = time;
      this.plot();
    }
  }

  simulate(mode: "free" | "hold"): void {
    if (this.mode === mode) return this.setMode("still");
    const { robot } = this;
    const wasSimulated = this.mode === "free" || this.mode === "hold";
    this.reference = robot.q as Float64Array<ArrayBuffer>;
    if (!wasSimulated) {
      this.trace = new Trace("simulation (drives, friction, limits, contact)");
      this.title.textContent = "simulation in this page";
      this.back.hidden = !this.recorded;
      this.now = 0;
      this.trace.push(0, { q: robot.q, v: new Float64Array(robot.nv), tau: null });
    }
    this.setMode(mode);
    this.touches = this.prepare();
    [this.reach, this.step] = [LONGEST, STEP];
    this.isStiff = !this.touches && this.grows();
    const beyond = robot.beyond(robot.q).map(({ name }) => name);
    const stops = beyond.length > 0 ? `; beyond limits, and brought back: ${listed(beyond)}` : "";
    say((mode === "free" ? "The robot moves freely" : "Drives hold the robot") + stops);
  }

  /** Whether contact, limits or friction act, from where the robot is. */
  private prepare(): boolean {
    const isFree = this.robot.floatingBase >= 0 && !this.base.checked;
    try {
      return this.touch.begin(isFree);
    } catch (error) {
      say(`Without contact: ${(error as Error).message}`);
      return false;
    }
  }

  private held(): Uint8Array {
    const held = new Uint8Array(this.robot.nv).fill(this.mode === "hold" ? 1 : 0);
    const base = this.robot.joints[this.robot.floatingBase];
    if (base) held.fill(this.base.checked ? 1 : 0, base.idxV, base.idxV + base.nv);
    return held;
  }

  private simulateOn(elapsed: number, time: number): void {
    const trace = this.trace!;
    const seconds = Math.max(STEP, Math.min(elapsed, LONGEST, this.reach));
    const begin = performance.now();
    let state: Float64Array;
    try {
      state = this.solve(seconds);
      const took = performance.now() - begin;
      this.reach = took > 0 ? (BUDGET * seconds) / took : LONGEST;
      if (this.reach < elapsed / 2) this.step = Math.min(2 * this.step, LONG_STEP);
    } catch (error) {
      this.setMode("still");
      // Steps are made smaller here; whoever reads this cannot.
      const message = (error as Error).message.replace(/\s*Take a smaller step[^.]*\.?/, "");
      say(`The simulation stopped: ${message}`);
      return;
    }
    const [q, v, tau] = this.parts(state);
    const contacts = contactsOf(state.subarray(q.length + 2 * v.length));
    if (contacts.length > 0) this.oncontact();
    trace.push(trace.end + seconds, { q, v, tau, contacts });
    this.timeline.hidden = trace.length < 2;
    this.goto(trace.end);
    if (time - this.chartAge > 250) {
      this.chartAge = time;
      this.plot();
      this.onsimulated();
    }
  }

  /** Configuration, velocity and joint forces of a state that is simulated. */
  private parts(state: Float64Array): [Float64Array, Float64Array, Float64Array] {
    const { nq, nv } = this.robot;
    return [state.slice(0, nq), state.slice(nq, nq + nv), state.slice(nq + nv, nq + 2 * nv)];
  }

  /** Whether small velocities at rest grow in steps of the explicit method, as they do where a light
   * link has much friction. */
  private grows(): boolean {
    const { q, nv, algorithms } = this.robot;
    const motion = (v: Float64Array) =>
      this.parts(algorithms.simulate(q, v, PROBE, STEP, false, this.held(), this.reference))[1];
    const small = Float64Array.from({ length: nv }, (_, k) => 1e-6 * Math.cos(k * k));
    try {
      const rest = motion(new Float64Array(nv));
      const moved = motion(small);
      return !moved.every((x, k) => Math.abs(x - rest[k]!) < GROWTH * 1e-6);
    } catch {
      return true;
    }
  }

  /** The state after some seconds. Joints that an explicit method cannot follow count as stiff. */
  private solve(seconds: number): Float64Array {
    const { q, v, algorithms } = this.robot;
    const isSane = (state: Float64Array) => {
      const [nextQ, nextV] = this.parts(state);
      return [...nextQ, ...nextV].every((x) => Math.abs(x) < LOST);
    };
    if (this.touches) {
      try {
        const held = this.held();
        const state = algorithms.simulateContact(q, v, seconds, this.step, held, this.reference);
        if (isSane(state)) return state;
      } catch {
        // The implicit method may follow it, without contact.
      }
      return algorithms.simulate(q, v, seconds, STIFF_STEP, true, this.held(), this.reference);
    }
    if (!this.isStiff) {
      try {
        const state = algorithms.simulate(q, v, seconds, STEP, false, this.held(), this.reference);
        if (isSane(state)) return state;
      } catch {
        // The other method may follow it.
      }
      this.isStiff = true;
    }
    return algorithms.simulate(q, v, seconds, STIFF_STEP, true, this.held(), this.reference);
  }

  /** Computes the curves that are chosen. */
  private plot(): void {
    const { trace, robot } = this;
    const choice = this.curves.value;
    this.chart.element.hidden = choice === "" || !trace || trace.length < 2;
    if (this.chart.element.hidden || !trace) return;
    const indices = trace.sampled(POINTS);
    const times = Float64Array.from(indices, (k) => trace.time(k));
    const of = (value: (state: State) => number) =>
      Float64Array.from(indices, (k) => value(trace.state(k)));
    const curves: Curve[] = [];
    let unit = "J";
    if (choice === "energy") {
      const kinetic = of(({ q, v }) => robot.algorithms.kineticEnergy(q, v));
      const potential = of(({ q }) => robot.algorithms.potentialEnergy(q));
      const total = kinetic.map((x, k) => x + potential[k]!);
      curves.push(
        { name: "kinetic", values: kinetic },
        { name: "potential", values: potential },
        { name: "total", values: total },
      );
    } else {
      const coordinate = Number(choice);
      unit = robot.coordinates[coordinate]!.unit;
      if (indices.every((k) => trace.state(k).tau)) {
        curves.push({ name: "τ", values: of(({ tau }) => tau![coordinate]!) });
      }
      curves.push({
        name: "g(q)",
        values: of(({ q }) => robot.algorithms.gravityTorque(q)[coordinate]!),
      });
    }
    this.chart.set(times, curves, unit);
    this.chart.at(this.now);
  }
}
