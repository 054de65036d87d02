// The pictures of the book: `npm run pictures`, or `npm run pictures -- panda hand` for some.
//
// The book says what they are: in its pages gallery.md and viewer.md, the command below a picture
// makes it. A GIF is of the motion that the command simulates, a PNG of the page that it shows. The
// program is that of FEATHERLINE, or `featherline` on PATH.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, open } from "../test/page.mjs";
import { must } from "./program.mjs";

const book = join(dirname(fileURLToPath(import.meta.url)), "../../book/src");

/** The size of a GIF; it is drawn in twice as many pixels, so that edges are smooth. */
const [WIDTH, HEIGHT] = [480, 300];
const GIF = { rate: 12, width: WIDTH, colours: 32 };
/** The size of a picture of the page. */
const PAGE = { width: 1000, height: 640 };
/** The most bytes of a picture, and of all. */
const MOST = 400e3;
const ALL = 4e6;

/** The direction that the camera looks from, if not that of the page. */
const FROM = {
  hand: [0.7, 1, 0.5],
  delta: [0.4, -1, 0.25],
  snake: [0.2, -1, 0.15],
  four_bar: [0.15, -1, 0.2],
  cradle: [0.2, -1, 0.15],
  gripper: [0.8, -1, 0.4],
  tower: [0.6, -1, 0.35],
  six_bar: [0.15, -1, 0.2],
};

/** The pictures of the book: name, ending, and the words of the command below it. */
function pictures() {
  const pages = ["gallery.md", "viewer.md"].map((it) => readFileSync(join(book, it), "utf8"));
  const pattern = /\]\(pictures\/(\w+)\.(gif|png)\)\s+```sh\n([^`]*)```/g;
  return [...pages.join("\n").matchAll(pattern)].map(([, name, kind, command]) => ({
    name,
    kind,
    words: command.replaceAll("\\\n", " ").trim().split(/\s+/).slice(1),
  }));
}

/** Writes the page of a picture. */
function write({ words: [verb, robot, ...options] }, scratch) {
  const html = join(scratch, "page.html");
  const base = options.filter((it) => it === "--fixed-base" || it === "--floating-base");
  const play = [];
  if (verb === "simulate") {
    const record = join(scratch, "motion.jsonl");
    const others = options.filter((it) => it !== "--view");
    must(["simulate", robot, ...others, "--quiet", "--record", record]);
    play.push("--play", record);
  }
  must(["view", robot, ...base, ...play, "--quiet", "--html", html]);
  return pathToFileURL(html).href;
}

/** The bytes of a picture: of the page, or of the motion that it plays. */
async function shoot(chromium, href, { name, kind }) {
  const size = kind === "png" ? PAGE : { width: 2 * WIDTH, height: 2 * HEIGHT };
  const page = await open(chromium, href, size);
  let bytes;
  if (kind === "png") {
    bytes = Buffer.from(await page.screenshot());
  } else {
    const options = { ...GIF, q: null, from: FROM[name] ?? null };
    const text = await page.evaluate((options) => window.viewer.picture(options), options);
    bytes = Buffer.from(text, "base64");
  }
  if (page.errors.length > 0) throw new Error(page.errors.join("\n"));
  await page.close();
  return bytes;
}

const names = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "pictures-"));
const chromium = await browser();
try {
  for (const picture of pictures()) {
    const { name, kind } = picture;
    if (names.length > 0 && !names.includes(name)) continue;
    const bytes = await shoot(chromium, write(picture, scratch), picture);
    const kilobytes = `${(bytes.length / 1000).toFixed(0)} kB`;
    if (bytes.length > MOST)
      throw new Error(`${name}.${kind} has ${kilobytes}; 400 kB is the most.`);
    writeFileSync(join(book, "pictures", `${name}.${kind}`), bytes);
    console.log(`${name}.${kind}: ${kilobytes}`);
  }
} finally {
  await chromium.close();
  rmSync(scratch, { recursive: true });
}
const folder = join(book, "pictures");
const sizes = readdirSync(folder).map((it) => statSync(join(folder, it)).size);
const total = sizes.reduce((sum, it) => sum + it, 0);
console.log(`${sizes.length} pictures, ${(total / 1e6).toFixed(2)} MB`);
if (total > ALL) throw new Error("The pictures have more than 4 MB in all.");
