// The page: finds its scene, shows it, listens for changes.

import "./style.css";
import { button, h, say } from "./dom";
import { faultPage } from "./fault";
import { type Source, liveAddress, readSource } from "./source";
import { sceneOf } from "../pkg/featherline_wasm.js";
import { Robot, startWasm } from "./robot";
import { type Scene, SceneFault, readScene } from "./scene_file";
import { followSystem } from "./theme";
import { type Kept, Viewer } from "./viewer";

const page = document.getElementById("page")!;
let viewer: Viewer | null = null;
/** What stays of the robot that was shown last, while its file has an error, too. */
let kept: Kept | null = null;
/** The scene that was shown last, to come back to. */
let shown: Scene | null = null;
followSystem(() => viewer?.stage.theme());

/** Shows a scene, or says what is wrong with it. Of the scene before, what still fits stays. */
function show(scene: Scene, remedy: string): void {
  kept = viewer?.leave() ?? kept;
  viewer = null;
  if (scene.error) {
    const buttons: HTMLElement[] = [h("label", {}, "Open a file ", picker())];
    const before = shown;
    if (before && remedy !== WATCHED) {
      buttons.push(button(`Back to ${before.name}`, () => void safely(() => show(before, OPENED))));
    }
    page.replaceChildren(faultPage(scene.name, scene.error, remedy, buttons, scene.warnings));
    return done();
  }
  if (!scene.model) throw new SceneFault("The scene has no robot.");
  shown = scene;
  const text = JSON.stringify(scene.model);
  viewer = new Viewer(page, scene, new Robot(text), kept);
  Object.assign(window, { viewer });
  done();
}

/** What helps where a scene has an error. */
const WATCHED = "The page shows the robot as soon as its file is right.";
const OPENED = "Nobody watches this file: open it again when it is right.";
const WRITTEN =
  "This page was written with the error inside: write it again when the file is right.";

/** What a file is that the page cannot open, and what can; nothing for other files. */
function refusal(name: string): string | null {
  if (/\.(csv|jsonl|parquet|mcap)$/i.test(name))
    return `${name} is a recording, and no robot. \`featherline view ROBOT --play ${name}\` plays it`;
  if (/\.xacro$/i.test(name))
    return `${name} is not expanded. Run \`xacro ${name} > robot.urdf\`, and open robot.urdf`;
  if (/\.(stl|obj|dae|glb|gltf|msh)$/i.test(name))
    return `${name} is a mesh, and no robot. Open the robot's URDF or MJCF file`;
  return null;
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
  kept = viewer?.leave() ?? kept;
  viewer = null;
  const message = error instanceof Error ? error.message : String(error);
  page.replaceChildren(faultPage("featherline", { message }, ""));
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
  const reason = refusal(file.name);
  if (reason) return say(reason);
  if (file.size > 64e6) throw new Error(`${file.name} is larger than 64 MB.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isScene = new TextDecoder().decode(bytes.subarray(0, 4)) === "FLSC";
  const scene = readScene(isScene ? bytes : sceneOf(new TextDecoder().decode(bytes)));
  if (scene.error) {
    scene.name = file.name;
    scene.error.file ||= file.name;
  }
  show(scene, OPENED);
  say(scene.error ? `${file.name} cannot be shown` : `Showing ${file.name}`);
}

function listen(source: Source): void {
  const address = liveAddress(source);
  if (!address) return;
  const socket = new WebSocket(address);
  socket.onmessage = ({ data }) =>
    void safely(async () => {
      const message = JSON.parse(String(data));
      if (message.kind === "scene") show(readScene(await readSource(source)), WATCHED);
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
  show(readScene(bytes), source.text === null ? WATCHED : WRITTEN);
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
