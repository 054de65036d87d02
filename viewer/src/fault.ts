// What is shown where a robot cannot be.

import { h } from "./dom";
import type { SceneError, Warning } from "./scene_file";

/** A page that says what is wrong, where, and what can be done: `remedy`, and buttons. */
export function faultPage(
  name: string,
  error: SceneError,
  remedy: string,
  buttons: HTMLElement[] = [],
  warnings: Warning[] = [],
): HTMLElement {
  const place = [error.file, error.line]
    .filter((it) => it !== null && it !== undefined && it !== "")
    .join(":");
  document.title = `${name} – error`;
  return h(
    "div",
    { class: "fault", role: "alert" },
    h("h1", {}, "This robot cannot be shown"),
    place !== "" && h("p", { class: "place" }, place),
    h("p", { class: "message" }, String(error.message)),
    error.snippet
      ? h("pre", { tabIndex: 0, aria: { label: "The place in the file" } }, String(error.snippet))
      : null,
    h("p", { class: "faint" }, `${remedy} A URDF or MJCF file can be dropped here, too.`),
    buttons.length > 0 && h("div", { class: "buttons" }, ...buttons),
    ...warnings.slice(0, 50).map((it) => h("p", { class: "faint" }, it.message)),
  );
}
