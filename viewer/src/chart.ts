// A small chart of curves over time, with a cursor.

import { digits, h } from "./dom";

export interface Curve {
  name: string;
  values: Float64Array;
}

/** Dashes tell curves apart without colour. */
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
/** Pixels left of the curves, for their bounds. */
const GUTTER = 58;
const COLOURS = ["--curve-1", "--curve-2", "--curve-3", "--curve-4"];

export class Chart {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { class: "chart", role: "img" });
  private readonly legend = h("div", { class: "legend" });
  private times = new Float64Array();
  private curves: Curve[] = [];
  private unit = "";
  private now = 0;
  onseek: (time: number) => void = () => {};

  constructor() {
    this.element = h("div", { class: "chart-box" }, this.canvas, this.legend);
    const seek = (event: PointerEvent) => {
      if (this.times.length < 2 || !(event.buttons & 1)) return;
      const share = Math.min(
        Math.max((event.offsetX - GUTTER) / (this.canvas.clientWidth - GUTTER), 0),
        1,
      );
      const [first, last] = [this.times[0]!, this.times.at(-1)!];
      this.onseek(first + share * (last - first));
    };
    this.canvas.onpointerdown = (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    };
    this.canvas.onpointermove = seek;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** The curves, all over the same times. */
  set(times: Float64Array, curves: Curve[], unit: string): void {
    [this.times, this.curves, this.unit] = [times as Float64Array<ArrayBuffer>, curves, unit];
    this.draw();
  }

  /** Moves the cursor. */
  at(time: number): void {
    this.now = time;
    this.draw();
  }

  draw(): void {
    const { canvas, times, curves } = this;
    const scale = Math.min(devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
    if (width === 0 || height === 0) return;
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d")!;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    let [least, most] = [Infinity, -Infinity];
    for (const { values } of curves) {
      for (const value of values) {
        if (value < least) least = value;
        if (value > most) most = value;
      }
    }
    if (times.length < 2 || !(most >= least)) return;
    if (most - least < 1e-9 * Math.max(1, Math.abs(most))) [least, most] = [least - 1, most + 1];
    const [first, last] = [times[0]!, times.at(-1)!];
    const margin = 8 * scale;
    const gutter = GUTTER * scale;
    const x = (t: number) =>
      gutter + ((t - first) / (last - first || 1)) * (width - gutter - scale);
    const y = (value: number) =>
      height - margin - ((value - least) / (most - least)) * (height - 2 * margin);
    context.font = `${11 * scale}px system-ui, sans-serif`;
    context.strokeStyle = colour("--line");
    context.lineWidth = scale;
    if (least < 0 && most > 0) {
      context.beginPath();
      context.moveTo(gutter, y(0));
      context.lineTo(width, y(0));
      context.stroke();
    }
    curves.forEach(({ values }, k) => {
      context.strokeStyle = colour(COLOURS[k % 4]!);
      context.setLineDash(DASHES[k % 4]!.map((it) => it * scale));
      context.lineWidth = 1.6 * scale;
      context.beginPath();
      for (let i = 0; i < times.length; i++) {
        if (i === 0) context.moveTo(x(times[i]!), y(values[i]!));
        else context.lineTo(x(times[i]!), y(values[i]!));
      }
      context.stroke();
    });
    context.setLineDash([]);
    context.fillStyle = colour("--faint");
    context.textAlign = "right";
    for (const [value, middle] of [
      [most, y(most)],
      [least, y(least)],
    ] as const) {
      context.fillText(`${digits(value, 3)} ${this.unit}`, gutter - 5 * scale, middle + 4 * scale);
    }
    context.strokeStyle = colour("--text");
    context.lineWidth = scale;
    context.beginPath();
    context.moveTo(x(this.now), 0);
    context.lineTo(x(this.now), height);
    context.stroke();
    let index = 0;
    while (index + 1 < times.length && times[index + 1]! <= this.now) index++;
    const parts = curves.map(({ name, values }, k) => {
      const swatch = h("span", { class: "swatch", data: { curve: String(k % 4) } });
      return h("span", {}, swatch, `${name} ${digits(values[index]!)} ${this.unit}`);
    });
    this.legend.replaceChildren(...parts);
    canvas.setAttribute(
      "aria-label",
      `Chart of ${curves.map((it) => it.name).join(", ")} from ${digits(first, 3)} to ${digits(last, 3)} s, between ${digits(least, 3)} and ${digits(most, 3)} ${this.unit}`,
    );
  }
}
