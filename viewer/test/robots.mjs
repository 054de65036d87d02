// Robots that open: the page of each is written, loaded in Chromium, and looked at.
//
//   npm run robots -- [--package-folder DIR]... [--table FILE.md] ROBOT|FOLDER|PAGE.html...
//
// A folder stands for the URDF and MJCF files in it. The program is that of FEATHERLINE, or
// `featherline` on PATH. A file that the program refuses has to show its error, with the file and
// the line, on the page that the program serves. `empty` is a robot without joints and shapes, whose
// page says so. It fails if a page fails or is blank.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { run, serving } from "../scripts/program.mjs";
import { browser, open } from "./page.mjs";

/** The files of robots in a folder, in the order of their names. */
function robotsIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return robotsIn(path);
    if (!/\.(urdf|xml|mjcf)$/.test(path)) return [];
    return /<(robot|mujoco)\b/.test(readFileSync(path, "utf8")) ? [path] : [];
  });
}

/** What the stage shows without its ground: how many colours, how many shapes, whose errors. */
const look = (page) =>
  page.evaluate(() => {
    const fault = document.querySelector(".fault");
    if (fault) {
      const text = (selector) => fault.querySelector(selector)?.textContent ?? "";
      return { place: text(".place"), message: text(".message"), snippet: text("pre") };
    }
    const { stage, body, robot } = window.viewer;
    const isGround = stage.showsGround;
    stage.showsGround = false;
    stage.drawNow();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [stage.canvas.width, stage.canvas.height];
    const context = canvas.getContext("2d");
    context.drawImage(stage.canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    const background = pixels[0];
    const drawn = pixels.reduce((count, pixel) => count + (pixel !== background), 0);
    stage.showsGround = isGround;
    return {
      drawn: drawn / pixels.length,
      nothing: document.querySelector(".nothing")?.textContent ?? "",
      colours: new Set(pixels).size,
      shapes: body.visuals.length,
      nv: robot.nv,
      said: document.getElementById("status")?.textContent ?? "",
      time: performance.getEntriesByName("first-frame")[0]?.startTime ?? NaN,
    };
  });

/** Opens a page and looks at it. */
async function seen(chromium, href) {
  const page = await open(chromium, href);
  try {
    const result = await look(page);
    return { ...result, errors: page.errors, title: await page.title() };
  } finally {
    await page.close();
  }
}

/** What becomes of a robot or a page. */
async function trial(chromium, robot, folders, scratch) {
  const began = performance.now();
  const isPage = robot.endsWith(".html");
  const html = isPage ? resolve(robot) : join(scratch, "page.html");
  if (!isPage) {
    const { status, stderr } = run(["view", robot, ...folders, "--quiet", "--html", html]);
    if (status !== 0) {
      if (!existsSync(robot)) throw new Error(stderr.trim());
      const view = await serving(["view", robot, ...folders], (it) => seen(chromium, it));
      const isLocated = view.place && view.message;
      return { ...view, verdict: isLocated ? "refused" : "refused without its place" };
    }
  }
  const written = (performance.now() - began) / 1000;
  const view = await seen(chromium, pathToFileURL(html).href);
  const size = statSync(html).size;
  let verdict = "shown";
  if (view.message) verdict = "page error";
  else if (view.errors.length > 0) verdict = "page error";
  else if (view.nothing) verdict = "empty";
  else if (view.colours < 2) verdict = "blank";
  return { ...view, written, size, verdict };
}

function row(name, it) {
  const note = [it.place, it.message, it.nothing, ...(it.errors ?? [])].filter(Boolean).join(" – ");
  const number = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : "");
  return [
    name,
    it.verdict,
    it.nv ?? "",
    it.shapes ?? "",
    number(100 * it.drawn, 1),
    number(it.size / 1e6, 1),
    number(it.written, 1),
    number(it.time / 1000, 2),
    note.replaceAll("\n", " ").replaceAll("|", "\\|"),
  ];
}

const HEAD = [
  "robot",
  "",
  "nv",
  "shapes",
  "drawn [%]",
  "page [MB]",
  "written in [s]",
  "first frame after [s]",
  "message",
];

const robots = [];
const folders = [];
let table = null;
const given = process.argv.slice(2);
for (let k = 0; k < given.length; k++) {
  const word = given[k];
  if (word === "--package-folder") folders.push(word, given[++k]);
  else if (word === "--table") table = given[++k];
  else if (existsSync(word) && statSync(word).isDirectory()) robots.push(...robotsIn(word));
  else robots.push(word);
}
if (robots.length === 0) throw new Error("Name robots, folders of robots, or pages.");

const scratch = mkdtempSync(join(tmpdir(), "robots-"));
const chromium = await browser();
const rows = [];
const counts = new Map();
try {
  for (const robot of robots) {
    let result;
    try {
      result = await trial(chromium, robot, folders, scratch);
    } catch (error) {
      result = { verdict: "failed", message: String(error.message ?? error) };
    }
    counts.set(result.verdict, (counts.get(result.verdict) ?? 0) + 1);
    const name = existsSync(robot) ? relative(process.cwd(), robot) : robot;
    rows.push(row(name, result));
    console.log(rows.at(-1).join(" | "));
  }
} finally {
  await chromium.close();
  rmSync(scratch, { recursive: true });
}
const times = rows.map((it) => Number(it[7])).filter((it) => it > 0);
times.sort((a, b) => a - b);
const total = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
console.log(`${rows.length} robots: ${total}`);
if (times.length > 0) {
  const middle = times[Math.floor(times.length / 2)];
  console.log(`First frame: median ${middle.toFixed(2)} s, worst ${times.at(-1).toFixed(2)} s`);
}
if (table) {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows].map((it) => `| ${it.join(" | ")} |`);
  writeFileSync(table, `${lines.join("\n")}\n\n${total}\n`);
}
const isGood = [...counts.keys()].every((it) => ["shown", "refused", "empty"].includes(it));
process.exitCode = isGood ? 0 : 1;
