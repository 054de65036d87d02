// Pictures of the stage, and of a motion.

import { GIFEncoder, applyPalette, quantize } from "gifenc";
import { h, say } from "./dom";
import type { Player } from "./player";
import type { Stage } from "./stage";

/** The most pictures of a GIF, and how many of them choose its colours. */
const MOST = 200;
const SAMPLES = 8;

/** How a GIF is made: pictures a second, pixels across, colours. */
export interface GifOptions {
  rate: number;
  width: number;
  colours: number;
}
const USUAL: GifOptions = { rate: 20, width: 480, colours: 64 };

function save(name: string, blob: Blob): void {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** Draws what the stage shows, with the labels over it, to all of a canvas. */
export function drawPicture(stage: Stage, canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  stage.drawNow();
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const { width, height } = canvas;
  context.drawImage(stage.canvas, 0, 0, width, height);
  const area = stage.canvas.getBoundingClientRect();
  const scale = width / area.width;
  context.textBaseline = "middle";
  for (const label of stage.canvas.parentElement!.querySelectorAll<HTMLElement>(".label")) {
    const box = label.getBoundingClientRect();
    const style = getComputedStyle(label);
    if (box.width === 0 || style.visibility === "hidden") continue;
    const [x, y] = [scale * (box.left - area.left), scale * (box.top - area.top)];
    const [w, h] = [scale * box.width, scale * box.height];
    context.fillStyle = style.backgroundColor;
    context.strokeStyle = style.borderTopColor;
    context.lineWidth = scale * parseFloat(style.borderTopWidth);
    context.beginPath();
    context.roundRect(x, y, w, h, scale * parseFloat(style.borderTopLeftRadius));
    context.fill();
    if (context.lineWidth > 0 && parseFloat(style.borderTopWidth) > 0) context.stroke();
    context.fillStyle = style.color;
    context.font = `${style.fontWeight} ${scale * parseFloat(style.fontSize)}px ${style.fontFamily}`;
    context.fillText(label.textContent, x + scale * parseFloat(style.paddingLeft), y + h / 2);
  }
  return context;
}

/** What the stage shows as a PNG of so many pixels across. */
export function pictureOf(stage: Stage, width: number): Promise<Blob | null> {
  const height = Math.round((width * stage.canvas.height) / stage.canvas.width);
  const picture = h("canvas", { width, height });
  drawPicture(stage, picture);
  return new Promise((done) => picture.toBlob(done));
}

/** The bytes of a blob as base64. */
export async function base64(blob: Blob): Promise<string> {
  const reader = new FileReader();
  await new Promise((done) => {
    reader.onload = done;
    reader.readAsDataURL(blob);
  });
  return String(reader.result).split(",")[1]!;
}

/** Saves what the stage shows. */
export async function savePicture(stage: Stage, name: string): Promise<void> {
  const blob = await pictureOf(stage, stage.canvas.width);
  if (blob) save(`${name}.png`, blob);
  say(blob ? `Saved ${name}.png` : "The picture could not be saved");
}

/** The GIF of a motion: at most ten seconds at its speed, longer ones faster. What does not change
 * between two pictures is left out of the second. */
export async function gifOf(
  stage: Stage,
  player: Player,
  options: Partial<GifOptions> = {},
): Promise<Blob | null> {
  const { trace } = player;
  if (!trace || trace.length < 2) return null;
  const { rate, colours, width: most } = { ...USUAL, ...options };
  const seconds = trace.end - trace.start;
  const count = Math.min(MOST, Math.max(2, Math.round(seconds * rate)));
  const source = stage.canvas;
  const width = Math.min(most, source.width);
  const height = Math.round((width * source.height) / source.width);
  const canvas = h("canvas", { width, height });
  const picture = (share: number): Uint8ClampedArray => {
    player.seek(trace.start + seconds * share);
    const context = drawPicture(stage, canvas);
    return context.getImageData(0, 0, width, height).data;
  };
  const all = new Uint8ClampedArray(4 * width * height * SAMPLES);
  for (let k = 0; k < SAMPLES; k++) all.set(picture(k / (SAMPLES - 1)), 4 * width * height * k);
  const palette = quantize(all, colours - 1);
  const same = palette.length;
  palette.push([0, 0, 0]);
  const gif = GIFEncoder();
  let before: Uint8Array | null = null;
  for (let k = 0; k < count; k++) {
    const now = applyPalette(picture(k / (count - 1)), palette.slice(0, same));
    const last = before;
    const changed = last ? now.map((colour, at) => (colour === last[at] ? same : colour)) : now;
    gif.writeFrame(changed, width, height, {
      ...(last ? { transparent: true, transparentIndex: same } : { palette }),
      delay: 1000 / rate,
      dispose: 1,
    });
    before = now;
    if (k % 10 === 0) {
      say(`Picture ${k + 1} of ${count}`);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  gif.finish();
  return new Blob([gif.bytes()], { type: "image/gif" });
}

/** Saves the motion that the player shows. */
export async function saveMotion(stage: Stage, player: Player, name: string): Promise<void> {
  const blob = await gifOf(stage, player);
  if (blob) save(`${name}.gif`, blob);
  say(blob ? `Saved ${name}.gif` : "There is no motion to save");
}
