// The panel of joints: a slider and a number for each coordinate, buttons for whole configurations.

import { button, digits, h, listed, say } from "./dom";
import type { JointParts, Robot } from "./robot";

/** How far sliders of joints without limits go, in rad and m. */
const UNBOUNDED = { turn: Math.PI, slide: 1 };

/** One slider: a coordinate that is set, or a turn that is added. */
interface Control {
  label: string;
  isTurn: boolean;
  lower: number;
  upper: number;
  isUnbounded: boolean;
  /** The limits; infinite without one. */
  limits: [number, number];
  /** The coordinate; a jog has none, and goes back to zero. */
  read: ((q: Float64Array) => number) | null;
  /** The configuration with another value; for a jog, with so much added to `from`. */
  write: (from: Float64Array, value: number) => Float64Array;
}

interface Row {
  control: Control;
  slider: HTMLInputElement;
  entry: HTMLInputElement;
}

/** The controls of a joint. */
function controls(robot: Robot, joint: JointParts): Control[] {
  const entry = (index: number, degree: number, label: string): Control => {
    const isTurn = !joint.translates[degree];
    const most = isTurn ? UNBOUNDED.turn : UNBOUNDED.slide;
    const [lower, upper] = [joint.lower[index] ?? -Infinity, joint.upper[index] ?? Infinity];
    return {
      label,
      isTurn,
      lower: Number.isFinite(lower) ? lower : Math.min(-most, upper - most),
      upper: Number.isFinite(upper) ? upper : Math.max(most, lower + most),
      isUnbounded: !Number.isFinite(lower) || !Number.isFinite(upper),
      limits: [lower, upper],
      read: (q) => q[joint.idxQ + index]!,
      write: (from, value) => {
        const q = from.slice();
        q[joint.idxQ + index] = value;
        return q;
      },
    };
  };
  const jog = (degree: number, label: string): Control => ({
    label,
    isTurn: !joint.translates[degree],
    lower: joint.translates[degree] ? -UNBOUNDED.slide : -UNBOUNDED.turn,
    upper: joint.translates[degree] ? UNBOUNDED.slide : UNBOUNDED.turn,
    isUnbounded: true,
    limits: [-Infinity, Infinity],
    read: null,
    write: (from, value) => {
      const by = new Float64Array(robot.nv);
      by[joint.idxV + degree] = value;
      return robot.algorithms.integrate(from, by);
    },
  });
  const angle = (index: number, degree: number, label: string): Control => ({
    ...entry(index, degree, label),
    lower: -Math.PI,
    upper: Math.PI,
    isUnbounded: true,
    limits: [-Infinity, Infinity],
    isTurn: true,
    read: (q) => Math.atan2(q[joint.idxQ + index + 1]!, q[joint.idxQ + index]!),
    write: (from, value) => {
      const q = from.slice();
      q[joint.idxQ + index] = Math.cos(value);
      q[joint.idxQ + index + 1] = Math.sin(value);
      return q;
    },
  });
  const turns = (from: number) => ["x", "y", "z"].map((axis, k) => jog(from + k, `turn ${axis}`));
  const slides = ["x", "y", "z"].map((axis, k) => entry(k, k, axis));
  switch (joint.kind) {
    case "revolute_unbounded":
      return [angle(0, 0, "")];
    case "planar":
      return [...slides.slice(0, 2), angle(2, 2, "turn")];
    case "spherical":
      return turns(0);
    case "free_flyer":
      return [...slides, ...turns(3)];
    case "translation":
      return slides;
    case "cylindrical":
      return [entry(0, 0, "turn"), entry(1, 1, "slide")];
    case "spherical_zyx":
      return ["yaw", "pitch", "roll"].map((label, k) => entry(k, k, label));
    default:
      if (joint.isVector)
        return Array.from({ length: joint.nq }, (_, k) =>
          entry(k, k, joint.nq > 1 ? `${k + 1}` : ""),
        );
      return Array.from({ length: joint.nv }, (_, k) => jog(k, `add ${k + 1}`));
  }
}

/** A number without the zeros at its end. */
const plain = (value: number): string => String(Number(value.toPrecision(6))).replace("-", "−");

/** The configuration in which a robot is shown first: `home`, or the first that its file names. */
export function homeOf<T extends { name: string }>(configurations: T[]): T | undefined {
  return configurations.find((it) => it.name === "home") ?? configurations[0];
}

export class JointPanel {
  readonly element: HTMLElement;
  /** Called before a hand moves the robot. */
  ontake: () => void = () => {};
  private readonly rows: Row[] = [];
  private readonly groups: { element: HTMLElement; name: string }[] = [];
  private readonly search: HTMLInputElement;
  private readonly beyond = h("p", { class: "beyond-limits", hidden: true });
  private inDegrees = false;
  private seed = 1n;
  private readonly home: { name: string; q: number[] } | undefined;

  constructor(
    private readonly robot: Robot,
    configurations: { name: string; q: number[] }[],
  ) {
    const home = homeOf(configurations);
    this.home = home;
    const others = configurations.filter((it) => it.q.length === robot.nq);
    const choice = h(
      "select",
      {
        title: "A configuration that the robot's file names",
        aria: { label: "Named configuration" },
        onchange: () => {
          const chosen = others.find((it) => it.name === choice.value);
          if (chosen) this.take(chosen.q, `Configuration ${chosen.name}`);
        },
      },
      h("option", { value: "", textContent: "Named…" }),
      ...others.map((it) => h("option", { value: it.name, textContent: it.name })),
    );
    const unit = h("button", {
      type: "button",
      textContent: "rad",
      title: "Angles in degrees or radians",
    });
    unit.onclick = () => {
      this.inDegrees = !this.inDegrees;
      unit.textContent = this.inDegrees ? "deg" : "rad";
      this.relabel();
    };
    this.search = h("input", {
      type: "search",
      placeholder: "Find a joint  /",
      aria: { label: "Find a joint" },
      oninput: () => this.filter(),
    });
    const list = h("div", { class: "joints" });
    robot.joints.forEach((joint) => {
      if (joint.freedom === 0) return;
      const rows = joint.mimic
        ? []
        : controls(robot, joint).map((control) => this.row(joint, control));
      const source = joint.mimic && robot.joints[joint.mimic[0]!];
      const text = source
        ? `mimics ${source.name}: ${plain(joint.mimic![1]!)} q ${joint.mimic![2]! < 0 ? "−" : "+"} ${plain(Math.abs(joint.mimic![2]!))}`
        : "";
      const name = h(
        "span",
        { class: "joint-name", title: `${joint.name}, ${joint.kind.replaceAll("_", " ")}` },
        joint.name,
      );
      const group = h(
        "div",
        { class: rows.length === 1 ? "joint single" : "joint" },
        name,
        ...rows,
      );
      if (text) group.append(h("span", { class: "faint" }, text));
      this.groups.push({ element: group, name: joint.name.toLowerCase() });
      list.append(group);
    });
    this.element = h(
      "div",
      {},
      h(
        "div",
        { class: "buttons" },
        button("Neutral", () => this.neutral(), "Neutral configuration  H"),
        home &&
          home.q.length === robot.nq &&
          button("Home", () => this.take(home.q, `Configuration ${home.name}`)),
        others.length > 0 && choice,
        button("Random", () => this.random(), "A random configuration within limits  R"),
        button("Copy q", () => void this.copy(), "Copy the configuration as JSON"),
        unit,
      ),
      this.beyond,
      robot.joints.length > 10 && this.search,
      robot.nv > 0 ? list : h("p", { class: "faint" }, "No joint of this robot moves."),
    );
    this.relabel();
  }

  neutral(): void {
    this.take(this.robot.algorithms.neutral(), "Neutral configuration");
  }

  random(): void {
    const { algorithms, loops, q } = this.robot;
    const said = "Random configuration";
    if (loops.length === 0) return this.take(algorithms.random(this.seed++), said);
    // A linkage is moved there from a configuration in which it is closed.
    for (const start of [q, this.home?.q, algorithms.neutral()]) {
      if (start?.length !== this.robot.nq) continue;
      try {
        const found = algorithms.wander(Float64Array.from(start), this.seed++);
        return this.take(found, said);
      } catch {
        // Its loops do not close there; the next may be a better start.
      }
    }
    say("No configuration was found in which the loops close");
  }

  focusSearch(): void {
    if (this.search.isConnected) this.search.focus();
  }

  private take(q: ArrayLike<number>, said: string): void {
    this.ontake();
    const closed = this.robot.closed(Float64Array.from(q));
    this.robot.set(closed ?? q);
    const over = this.robot.beyond(this.robot.q).map(({ name }) => name);
    const limits = over.length > 0 ? `; beyond limits: ${listed(over)}` : "";
    say(said + (closed ? limits : "; its loops do not close from here"));
  }

  /** Moves one coordinate. In a linkage the others follow, as far as loops and limits let them. */
  private move(name: string, control: Control, from: Float64Array, value: number): void {
    this.ontake();
    const { robot } = this;
    const wanted = control.write(from, value);
    if (robot.loops.length === 0) return robot.set(wanted);
    try {
      const found = robot.algorithms.drive(from, robot.algorithms.difference(from, wanted));
      robot.set(found.subarray(0, robot.nq));
      if (found[robot.nq]! < 1)
        say(`${name} goes no further: loops, or limits of joints that follow, stop it`);
    } catch (error) {
      say((error as Error).message);
    }
  }

  private async copy(): Promise<void> {
    const text = JSON.stringify([...this.robot.q]);
    try {
      await navigator.clipboard.writeText(text);
      say("The configuration is in the clipboard");
    } catch {
      say(text);
    }
  }

  private row(joint: JointParts, control: Control): HTMLElement {
    const name = control.label ? `${joint.name} ${control.label}` : joint.name;
    const slider = h("input", {
      type: "range",
      min: String(control.lower),
      max: String(control.upper),
      step: "any",
      aria: { label: name },
    });
    const entry = h("input", { type: "number", step: "any", aria: { label: `${name}, number` } });
    const move = (from: Float64Array, value: number) => this.move(name, control, from, value);
    let start: Float64Array | null = null;
    slider.oninput = () => {
      if (control.read) return move(this.robot.q, slider.valueAsNumber);
      start ??= this.robot.q;
      move(start, slider.valueAsNumber);
      entry.value = this.shown(control, slider.valueAsNumber);
    };
    slider.onchange = () => {
      start = null;
      if (!control.read) {
        slider.value = "0";
        entry.value = this.shown(control, 0);
      }
    };
    // Steps of a hundredth of the range; finer with Shift.
    slider.onkeydown = (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      slider.value = String(
        slider.valueAsNumber +
          (way * (control.upper - control.lower)) / (event.shiftKey ? 1000 : 100),
      );
      slider.dispatchEvent(new Event("input"));
      slider.dispatchEvent(new Event("change"));
    };
    entry.onchange = () => {
      const value = entry.valueAsNumber * (this.inDegrees && control.isTurn ? Math.PI / 180 : 1);
      if (Number.isFinite(value)) move(this.robot.q, value);
      if (!control.read) entry.value = "0";
    };
    this.rows.push({ control, slider, entry });
    const limits = control.isUnbounded
      ? "no limit"
      : `${digits(control.lower)} to ${digits(control.upper)}`;
    const unit = control.isTurn ? "rad" : "m";
    const label = h("span", { class: "axis" }, control.label);
    return h(
      "div",
      { class: "row", title: `${name}: ${limits}${control.isUnbounded ? "" : " " + unit}` },
      control.label ? label : "",
      slider,
      entry,
    );
  }

  private shown(control: Control, value: number): string {
    const factor = this.inDegrees && control.isTurn ? 180 / Math.PI : 1;
    const places = this.inDegrees && control.isTurn ? 1 : 3;
    return (Math.round(value * factor * 10 ** places) / 10 ** places + 0).toFixed(places);
  }

  private relabel(): void {
    for (const { control, entry } of this.rows) {
      entry.title = control.isTurn ? (this.inDegrees ? "degrees" : "rad") : "m";
      if (!control.read) entry.value = "0";
    }
    this.update();
  }

  /** Follows the robot's state. */
  update(): void {
    const { q } = this.robot;
    for (const { control, slider, entry } of this.rows) {
      if (!control.read) {
        if (!slider.value || (slider !== document.activeElement && slider.value !== "0"))
          slider.value = "0";
        continue;
      }
      const value = control.read(q);
      if (slider.valueAsNumber !== value) slider.value = String(value);
      if (entry !== document.activeElement) entry.value = this.shown(control, value);
      const [lower, upper] = control.limits;
      const isBeyond = value < lower - 1e-6 || value > upper + 1e-6;
      if (isBeyond !== entry.hasAttribute("aria-invalid")) {
        if (isBeyond) entry.setAttribute("aria-invalid", "true");
        else entry.removeAttribute("aria-invalid");
        entry.parentElement?.classList.toggle("beyond", isBeyond);
      }
    }
    const beyond = this.robot.beyond(q);
    this.beyond.hidden = beyond.length === 0;
    const text = `▲ Beyond limits: ${listed(beyond.map(({ name }) => name))}`;
    if (beyond.length > 0 && this.beyond.textContent !== text) this.beyond.textContent = text;
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, name } of this.groups) {
      element.hidden = !words.every((word) => name.includes(word));
      if (!element.hidden) count++;
    }
    if (words.length > 0) say(`${count} of ${this.groups.length} joints`);
  }
}
