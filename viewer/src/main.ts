// The page: finds its scene, shows it, listens for changes.

import "./style.css";
import { h, say } from "./dom";
import { faultPage } from "./fault";
import { type Source, liveAddress, readSource } from "./source";
import { sceneOf } from "../pkg/featherline_wasm.js";
import { Robot, startWasm } from "./robot";
import { type Scene, SceneFault, readScene } from "./scene_file";
import { followSystem } from "./theme";
import { Viewer } from "./viewer";

const page = document.getElementById("page")!;
let viewer: Viewer | null = null;
followSystem(() => viewer?.stage.theme());

/** Shows a scene, or says what is wrong with it. Of the scene before, what still fits stays. */
function show(scene: Scene): void {
  const kept = viewer?.leave() ?? null;
  viewer = null;
  if (scene.error) {
    page.replaceChildren(faultPage(scene.name, scene.error, scene.warnings));
    return done();
  }
  if (!scene.model) throw new SceneFault("The scene has no robot.");
  const text = JSON.stringify(scene.model);
  viewer = new Viewer(page, scene, new Robot(text), kept);
  Object.assign(window, { viewer });
  done();
}

/** Marks the page as drawn, for tests and for those who measure. */
function done(): void {
  requestAnimationFrame(() => {
    viewer?.stage.drawNow();
    performance.mark("first-frame");
    document.documentElement.dataset["ready"] = "yes";
  });
}

function fail(error: unknown): void {
  console.error(error);
  viewer?.leave();
  viewer = null;
  const message = error instanceof Error ? error.message : String(error);
  page.replaceChildren(faultPage("featherline", { message }));
  document.documentElement.dataset["ready"] = "yes";
}

/** Runs a step; what it throws is shown, never lost. */
async function safely(step: () => void | Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    fail(error);
  }
}

async function open(file: File): Promise<void> {
  if (file.size > 64e6) throw new Error(`${file.name} is larger than 64 MB.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isScene = new TextDecoder().decode(bytes.subarray(0, 4)) === "FLSC";
  const scene = readScene(isScene ? bytes : sceneOf(new TextDecoder().decode(bytes)));
  if (scene.error) {
    scene.name = file.name;
    scene.error.file ||= file.name;
  }
  show(scene);
  say(`Showing ${file.name}`);
}

function listen(source: Source): void {
  const address = liveAddress(source);
  if (!address) return;
  const socket = new WebSocket(address);
  socket.onmessage = ({ data }) =>
    void safely(async () => {
      const message = JSON.parse(String(data));
      if (message.kind === "scene") show(readScene(await readSource(source)));
      else if (message.kind === "state") viewer?.live(message);
      else if (message.kind === "end") viewer?.player.endLive();
    });
  socket.onclose = () => say("The connection to featherline has ended");
}

// What fails after the page is shown, such as a step of the wasm, is said, and the page stays.
addEventListener("error", (event) => say(`Something failed: ${event.message}`));
addEventListener("unhandledrejection", (event) => say(`Something failed: ${event.reason}`));

addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const file = event.dataTransfer?.files[0];
  if (file) void safely(() => open(file));
});
addEventListener(
  "open-file",
  (event) => void safely(() => open((event as CustomEvent<File>).detail)),
);

document.body.append(h("div", { id: "status", role: "status", aria: { live: "polite" } }));

void safely(async () => {
  const embedded = document.getElementById("scene");
  const source: Source = {
    text: embedded?.textContent ?? null,
    token: new URLSearchParams(location.search).get("token"),
  };
  embedded?.remove();
  const [bytes] = await Promise.all([readSource(source), startWasm()]);
  if (bytes.length === 0) {
    page.replaceChildren(
      h(
        "div",
        { class: "fault" },
        h("h1", {}, "featherline"),
        h("p", {}, "Drop a URDF, MJCF or model file here."),
        picker(),
      ),
    );
    document.documentElement.dataset["ready"] = "yes";
    return;
  }
  show(readScene(bytes));
  listen(source);
});

function picker(): HTMLElement {
  const input = h("input", {
    type: "file",
    accept: ".urdf,.xml,.mjcf,.json,.scene",
    aria: { label: "Robot file" },
  });
  input.onchange = () => input.files?.[0] && void safely(() => open(input.files![0]!));
  return input;
}
