// Numbers of the state: joint forces, mass matrix, centre of mass, energy. Closed panels compute
// nothing.

import { button, digits, fixed, h, say, section } from "./dom";
import type { Robot } from "./robot";

interface Panel {
  element: HTMLDetailsElement;
  update: () => void;
}

export class Numbers {
  readonly elements: HTMLElement[];
  private readonly panels: Panel[];

  constructor(private readonly robot: Robot) {
    this.panels = [this.summary(), this.forces(), this.massMatrix()];
    this.elements = this.panels.map((it) => it.element);
    for (const { element, update } of this.panels)
      element.addEventListener("toggle", () => element.open && update());
  }

  update(): void {
    for (const { element, update } of this.panels) if (element.open) update();
  }

  private summary(): Panel {
    const cells = [
      "Total mass",
      "Centre of mass",
      "Kinetic energy",
      "Potential energy",
      "Total energy",
    ].map((label) => {
      const value = h("dd", {});
      return { value, row: h("div", {}, h("dt", {}, label), value) };
    });
    const element = section(
      "Mass and energy",
      false,
      h("dl", { class: "values" }, ...cells.map((it) => it.row)),
    );
    const update = () => {
      const { algorithms, q, v } = this.robot;
      const [mass, center, kinetic, potential, total] = cells.map((it) => it.value);
      mass!.textContent = `${digits(algorithms.totalMass)} kg`;
      const at = algorithms.totalMass > 0 ? algorithms.centerOfMass(q) : [];
      center!.textContent = at.length ? `${[...at].map((x) => fixed(x)).join(", ")} m` : "–";
      const [t, u] = [algorithms.kineticEnergy(q, v), algorithms.potentialEnergy(q)];
      kinetic!.textContent = `${digits(t)} J`;
      potential!.textContent = `${digits(u)} J`;
      total!.textContent = `${digits(t + u)} J`;
    };
    return { element, update };
  }

  private forces(): Panel {
    const { robot } = this;
    const rows = robot.coordinates.map(({ label, unit, joint }, k) => {
      const bar = h("span", { class: "bar-fill" });
      const value = h("td", { class: "number" });
      const effort = robot.joints[joint]!.effort[k - robot.joints[joint]!.idxV] ?? Infinity;
      const row = h(
        "tr",
        {},
        h("th", { scope: "row" }, label),
        h("td", {}, h("span", { class: "bar" }, bar)),
        value,
      );
      return { bar, value, effort, unit, row };
    });
    const caption = h("caption", {});
    const element = section(
      "Joint forces τ",
      false,
      h("table", { class: "forces" }, caption, h("tbody", {}, ...rows.map((it) => it.row))),
    );
    const update = () => {
      const measured = robot.tau;
      const tau = measured ?? robot.algorithms.gravityTorque(robot.q);
      caption.textContent = measured
        ? `Of the motion: ${robot.motion}`
        : "That hold the robot at rest: g(q)";
      const most = tau.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9);
      rows.forEach(({ bar, value, effort, unit }, k) => {
        const isOver = Math.abs(tau[k]!) > effort;
        const share = Math.min(1, Math.abs(tau[k]!) / (Number.isFinite(effort) ? effort : most));
        bar.style.width = `${(50 * share).toFixed(1)}%`;
        bar.style.left = tau[k]! < 0 ? `${(50 - 50 * share).toFixed(1)}%` : "50%";
        bar.classList.toggle("over", isOver);
        value.textContent = `${digits(tau[k]!)} ${unit}${isOver ? " ▲" : ""}`;
        value.title = Number.isFinite(effort) ? `limit ${digits(effort)} ${unit}` : "no limit";
      });
    };
    return { element, update };
  }

  private massMatrix(): Panel {
    const { robot } = this;
    const n = robot.nv;
    const canvas = h("canvas", { class: "heat", tabIndex: 0, role: "img" });
    const under = h("p", { class: "faint", textContent: "Point at an entry, or use arrow keys." });
    const table = h("table", { class: "matrix" });
    const text = h(
      "details",
      {},
      h("summary", {}, "As a table"),
      h(
        "div",
        { class: "scroll", tabIndex: 0, role: "region", aria: { label: "Mass matrix as a table" } },
        table,
      ),
    );
    const copy = button("Copy M", () => {
      void navigator.clipboard
        ?.writeText(JSON.stringify(rows()))
        .then(() => say("The mass matrix is in the clipboard"));
    });
    const element = section(
      "Mass matrix M",
      false,
      canvas,
      under,
      h("div", { class: "buttons" }, copy),
      text,
    );
    let matrix = new Float64Array();
    let at: [number, number] = [0, 0];
    const entry = (i: number, j: number) => matrix[i + j * n]!;
    const rows = () =>
      Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));
    const tell = (i: number, j: number) => {
      at = [Math.min(Math.max(i, 0), n - 1), Math.min(Math.max(j, 0), n - 1)];
      const [row, column] = at;
      const names =
        row === column
          ? robot.coordinates[row]!.label
          : `${robot.coordinates[row]!.label}, ${robot.coordinates[column]!.label}`;
      under.textContent = `M[${row + 1}, ${column + 1}] = ${digits(entry(row, column))}   ${names}`;
      draw();
    };
    const draw = () => {
      if (n === 0) return;
      const style = getComputedStyle(document.documentElement);
      const side = Math.max(canvas.clientWidth, 100);
      const scale = Math.min(devicePixelRatio, 2);
      canvas.width = canvas.height = Math.round(side * scale);
      const context = canvas.getContext("2d")!;
      const cell = canvas.width / n;
      context.fillStyle = style.getPropertyValue("--heat-none");
      context.fillRect(0, 0, canvas.width, canvas.height);
      const most = matrix.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-30);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const value = entry(i, j);
          // Four decades from nothing to full.
          const strength = Math.max(0, 1 + Math.log10(Math.abs(value) / most) / 4);
          if (!(strength > 0)) continue;
          const [x, y] = [j * cell, i * cell];
          context.globalAlpha = strength;
          context.fillStyle = style.getPropertyValue(value < 0 ? "--heat-minus" : "--heat-plus");
          context.fillRect(x, y, cell + 0.5, cell + 0.5);
          context.globalAlpha = 1;
          // The sign without colour: a bar.
          if (value < 0 && cell > 7 * scale) {
            context.fillStyle = style.getPropertyValue("--text");
            context.fillRect(x + 0.3 * cell, y + 0.47 * cell, 0.4 * cell, Math.max(1, 0.06 * cell));
          }
        }
      }
      context.strokeStyle = style.getPropertyValue("--text");
      context.lineWidth = 1.5 * scale;
      context.strokeRect(at[1] * cell, at[0] * cell, cell, cell);
    };
    canvas.onpointermove = (event) => {
      if (n === 0) return;
      tell(
        Math.floor((event.offsetY / canvas.clientHeight) * n),
        Math.floor((event.offsetX / canvas.clientWidth) * n),
      );
    };
    canvas.onkeydown = (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
        event.key
      ];
      if (!step) return;
      event.preventDefault();
      tell(at[0] + step[0]!, at[1] + step[1]!);
    };
    const fill = () => {
      const head = h(
        "tr",
        {},
        h("td", {}),
        ...robot.coordinates.map((it) => h("th", { scope: "col" }, it.label)),
      );
      const body = rows().map((row, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, robot.coordinates[i]!.label),
          ...row.map((x) => h("td", {}, digits(x, 3))),
        ),
      );
      table.replaceChildren(h("thead", {}, head), h("tbody", {}, ...body));
    };
    text.addEventListener("toggle", () => text.open && fill());
    const update = () => {
      if (n === 0) return;
      matrix = robot.algorithms.crba(robot.q) as Float64Array<ArrayBuffer>;
      const diagonal = rows().map((row, i) => row[i]!);
      canvas.setAttribute(
        "aria-label",
        `Mass matrix, ${n} × ${n}. Diagonal from ${digits(Math.min(...diagonal))} to ${digits(Math.max(...diagonal))}. Blue is positive, orange with a bar negative; strength is logarithmic.`,
      );
      draw();
      if (text.open) fill();
    };
    return { element, update };
  }
}
