// Scenes, pages and a browser for the tests.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import puppeteer from "puppeteer-core";
import { initSync, sceneOf } from "../pkg/featherline_wasm.js";

const here = dirname(fileURLToPath(import.meta.url));
const viewer = dirname(here);
const root = dirname(viewer);

/** Where tests leave what they found. */
export const found = join(here, "found");
export const reference = join(here, "reference");
export const html = readFileSync(join(root, "crates/featherline-viewer/dist/index.html"), "utf8");

mkdirSync(found, { recursive: true });
initSync({ module: readFileSync(join(viewer, "pkg/featherline_wasm_bg.wasm")) });

/** The text of a robot of the repository. */
export const robot = (name) => readFileSync(join(root, "robots", `${name}.urdf`), "utf8");

/** The scene of a robot's file, changed by `edit`, which gets the JSON and a writer of numbers: of a
 * list as f64, or of a typed array as it is. */
export function scene(text, edit = () => {}) {
  const bytes = Buffer.from(sceneOf(text));
  const length = bytes.readUInt32LE(4);
  const json = JSON.parse(bytes.subarray(8, 8 + length).toString());
  let buffer = bytes.subarray(8 + length);
  const write = (numbers) => {
    const offset = buffer.length;
    const typed = Array.isArray(numbers) ? Float64Array.from(numbers) : numbers;
    const padding = Buffer.alloc((8 - (typed.byteLength % 8)) % 8);
    buffer = Buffer.concat([buffer, Buffer.from(typed.buffer), padding]);
    return { offset, count: numbers.length };
  };
  edit(json, write);
  return pack(json, buffer);
}

/** The bytes of a scene with a JSON and a buffer. */
export function pack(json, buffer = Buffer.alloc(0)) {
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((8 - ((8 + text.length) % 8)) % 8, " ")]);
  const head = Buffer.alloc(8);
  head.write("FLSC");
  head.writeUInt32LE(text.length, 4);
  return Buffer.concat([head, text, buffer]);
}

/** The page with a scene inside. */
export function pageWith(bytes) {
  const element = `<script id="scene" type="text/plain">${gzipSync(bytes).toString("base64")}</script>`;
  const at = html.indexOf("<script");
  return html.slice(0, at) + element + html.slice(at);
}

/** Writes a page for a test; returns its address. */
export function address(name, page) {
  const path = join(found, `${name}.html`);
  writeFileSync(path, page);
  return pathToFileURL(path).href;
}

export async function browser() {
  const paths = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const executablePath = paths.find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error("The tests of the viewer need Chromium. Install it, or name it in CHROMIUM.");
  const args = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
  ];
  return puppeteer.launch({ executablePath, args });
}

/** Opens an address and waits for the first picture. Errors of the page and requests to others are
 * collected. */
export async function open(chromium, href, options = {}) {
  const { width = 980, height = 620, dark = false, motion = "reduce" } = options;
  const page = await chromium.newPage();
  page.errors = [];
  page.requests = [];
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: motion },
  ]);
  await page.goto(href);
  await page.waitForSelector("html[data-ready]", { timeout: 30_000 });
  return page;
}
