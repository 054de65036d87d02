// The pictures of the book: `npm run pictures`, or `npm run pictures -- panda hand` for some.
//
// The page book/src/gallery.md says what they are: the command below a picture makes it. A GIF is
// of the motion that the command simulates, a PNG of the robot that it shows. The program is that
// of FEATHERLINE, or `featherline` on PATH.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, open } from "../test/page.mjs";
import { must } from "./program.mjs";

const book = join(dirname(fileURLToPath(import.meta.url)), "../../book/src");

/** The size of a picture; it is drawn in twice as many pixels, so that edges are smooth. */
const [WIDTH, HEIGHT] = [480, 300];
const GIF = { rate: 12, width: WIDTH, colours: 48 };
/** The most bytes of a picture, and of all. */
const MOST = 400e3;
const ALL = 3e6;

/** Where the camera is, if not where the page puts it, and how much nearer. */
const VIEWS = {
  panda: { zoom: 1.25 },
  ur5: { zoom: 1.25 },
  quadruped: { zoom: 1.35 },
  humanoid: { zoom: 1.15 },
  hand: { from: [1, -0.5, 0.6], zoom: 1.3 },
  snake: { from: [0.3, -1, 0.15], zoom: 1.1 },
  four_bar: { from: [0.15, -1, 0.2], zoom: 1.2 },
  six_bar: { from: [0.15, -1, 0.2], zoom: 1.2 },
  bennett: { zoom: 1.2 },
  delta: { zoom: 1.2 },
  stewart: { zoom: 1.2 },
};

/** The pictures of the gallery: name, ending, and the words of the command below it. */
function pictures() {
  const text = readFileSync(join(book, "gallery.md"), "utf8");
  const pattern = /\]\(pictures\/(\w+)\.(gif|png)\)\s+```sh\n([^`]*)```/g;
  return [...text.matchAll(pattern)].map(([, name, kind, command]) => ({
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

/** The bytes of a picture, made by the page. */
async function shoot(chromium, href, kind, view) {
  const page = await open(chromium, href, { width: 2 * WIDTH, height: 2 * HEIGHT });
  const style = `.stage { position: fixed !important; inset: 0; z-index: 10; }`;
  await page.addStyleTag({ content: style });
  const base64 = await page.evaluate(
    async (kind, gif, { from, zoom }) => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      for (let k = 0; k < 3; k++) await frame();
      const { viewer } = window;
      const { stage } = viewer;
      const { camera, controls } = stage;
      const arm = camera.position.clone().sub(controls.target);
      const aim = from ? arm.clone().set(...from) : arm;
      stage.look(aim);
      camera.position.sub(controls.target).divideScalar(zoom).add(controls.target);
      stage.drawNow();
      const blob =
        kind === "gif"
          ? await viewer.gif(gif)
          : await new Promise((done) => {
              const canvas = document.createElement("canvas");
              [canvas.width, canvas.height] = [2 * gif.width, stage.canvas.height];
              canvas.getContext("2d").drawImage(stage.canvas, 0, 0);
              canvas.toBlob(done);
            });
      if (!blob) throw new Error("There is no motion.");
      const reader = new FileReader();
      await new Promise((done) => {
        reader.onload = done;
        reader.readAsDataURL(blob);
      });
      return reader.result.split(",")[1];
    },
    kind,
    GIF,
    { zoom: 1, ...view },
  );
  if (page.errors.length > 0) throw new Error(page.errors.join("\n"));
  await page.close();
  return Buffer.from(base64, "base64");
}

const names = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "pictures-"));
const chromium = await browser();
try {
  for (const picture of pictures()) {
    const { name, kind } = picture;
    if (names.length > 0 && !names.includes(name)) continue;
    const bytes = await shoot(chromium, write(picture, scratch), kind, VIEWS[name] ?? {});
    const kilobytes = `${(bytes.length / 1000).toFixed(0)} kB`;
    if (bytes.length > MOST) throw new Error(`${name}.${kind} has ${kilobytes}; 400 kB is the most.`);
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
if (total > ALL) throw new Error("The pictures have more than 3 MB in all.");
