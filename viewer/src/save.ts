// Pictures of the stage, and of a motion.

import { GIFEncoder, applyPalette, quantize } from "gifenc";
import { h, say } from "./dom";
import type { Player } from "./player";
import type { Stage } from "./stage";

/** Pictures a second of a GIF, and the most of them. */
const RATE = 20;
const MOST = 200;
const WIDTH = 480;

function save(name: string, blob: Blob): void {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** Saves what the stage shows. */
export function savePicture(stage: Stage, name: string): void {
  stage.drawNow();
  stage.canvas.toBlob((blob) => {
    if (blob) save(`${name}.png`, blob);
    say(blob ? `Saved ${name}.png` : "The picture could not be saved");
  });
}

/** The GIF of a motion: at most ten seconds at its speed, longer ones faster. */
export async function gifOf(stage: Stage, player: Player): Promise<Blob | null> {
  const { trace } = player;
  if (!trace || trace.length < 2) return null;
  const seconds = trace.end - trace.start;
  const count = Math.min(MOST, Math.max(2, Math.round(seconds * RATE)));
  const source = stage.canvas;
  const width = Math.min(WIDTH, source.width);
  const height = Math.round((width * source.height) / source.width);
  const canvas = h("canvas", { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const gif = GIFEncoder();
  for (let k = 0; k < count; k++) {
    player.seek(trace.start + (seconds * k) / (count - 1));
    stage.drawNow();
    context.drawImage(source, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const palette = quantize(data, 64);
    gif.writeFrame(applyPalette(data, palette), width, height, { palette, delay: 1000 / RATE });
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
