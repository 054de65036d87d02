// Times inverse dynamics of the humanoid in Node: ns a call, the medians of five runs.

import { readFileSync } from "node:fs";
import { load } from "featherline";

const text = readFileSync(new URL("../../robots/humanoid.urdf", import.meta.url), "utf8");
const robot = await load(text, { floatingBase: true });
const numbers = (seed) =>
  Float64Array.from({ length: robot.nv }, (_, k) => Math.sin(seed + 1.7 * k) / 2);
const states = Array.from({ length: 64 }, (_, k) => ({
  q: robot.randomConfiguration(k),
  v: numbers(k),
  a: numbers(k + 0.5),
}));
const median = (times) => times.sort((x, y) => x - y)[times.length >> 1];
const runs = Array.from({ length: 5 }, () =>
  median(
    Array.from({ length: 2000 }, () => {
      const start = performance.now();
      for (const { q, v, a } of states) robot.rnea(q, v, a);
      return ((performance.now() - start) * 1e6) / states.length;
    }),
  ),
);
console.log(`rnea: ${runs.map(Math.round).join(" ")}; median ${Math.round(median(runs))} ns`);
robot.free();
