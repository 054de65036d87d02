// A robot on the page: the stage with its panels, and the keys.

import { Matrix4, Vector3 } from "three";
import { aim } from "./aim";
import { Body } from "./body";
import { button, digits, fixed, h, say, section } from "./dom";
import { Drag } from "./drag";
import { JointPanel, homeOf } from "./joints";
import { Numbers } from "./numbers";
import { OVERLAYS, type Overlay, Overlays } from "./overlays";
import { Player } from "./player";
import type { Contact, Robot } from "./robot";
import { type GifOptions, base64, gifOf, pictureOf, saveMotion, savePicture } from "./save";
import type { Scene } from "./scene_file";
import { Stage } from "./stage";
import { nextTheme } from "./theme";
import { Touch } from "./touch";
import { Trace } from "./trace";

/** What stays when the same robot comes again. */
export interface Kept {
  q: Float64Array;
  overlays: Set<Overlay>;
  /** Whether panels are open, by their titles. */
  open: Map<string, boolean>;
  camera: { position: Vector3; target: Vector3 };
  name: string;
}

/** A live state, as the server sends it. */
interface Live {
  t?: number;
  q: number[];
  v?: number[];
  tau?: number[] | null;
  contacts?: Contact[];
}

/** A picture of the stage alone, as others ask for it: the configuration and the direction to look
 * from, where they are not the page's own; the width in pixels; pictures a second, of a motion. */
export interface PictureOptions {
  q: number[] | null;
  from: number[] | null;
  width: number;
  rate: number | null;
  colours?: number;
}

/** Poses of a recording that the camera frames. */
const POSES = 12;

const HELP = [
  ["Drag a link", "move it by inverse kinematics; Escape takes it back"],
  ["Drag elsewhere", "turn the camera; right button or two fingers move it"],
  ["Wheel, pinch, + −", "zoom"],
  ["Arrow keys", "turn the camera, when the stage has the focus"],
  ["1 2 3 0", "look from the front, the side, above, at all"],
  ["H  R", "neutral, random configuration"],
  ["Space  ,  .", "play, one state back, one state on"],
  ["D", "dragging links on and off"],
  ["/", "find a joint"],
  ["S  T  ?", "save a picture, switch the theme, this help"],
];

export class Viewer {
  readonly stage: Stage;
  readonly body: Body;
  readonly overlays: Overlays;
  readonly player: Player;
  readonly drag: Drag;
  private readonly joints: JointPanel;
  private readonly numbers: Numbers;
  private readonly boxes = new Map<Overlay, HTMLInputElement>();
  private readonly card = h("div", { class: "card", hidden: true });
  /** Tells where the selected link is. */
  private tellPlace: () => void = () => {};
  private readonly help: HTMLDialogElement;
  private readonly stop = new AbortController();
  private hasContacts = false;

  constructor(
    page: HTMLElement,
    private readonly scene: Scene,
    readonly robot: Robot,
    kept: Kept | null,
  ) {
    document.title = `${scene.name} – featherline`;
    const stageBox = h("div", { class: "stage" });
    const isSame = kept?.name === scene.name && kept.q.length === robot.nq;
    const start = isSame ? kept.q : (scene.decision?.q ?? homeOf(scene.configurations)?.q);
    try {
      if (start) robot.set(start);
      else this.openWithin();
    } catch (error) {
      // The file names a configuration that is not one; the neutral one is.
      say(String((error as Error).message));
    }
    page.replaceChildren(stageBox);
    this.stage = makeStage(stageBox);
    this.body = new Body(robot, scene);
    this.stage.scene.add(this.body.root);
    this.stage.frame(this.body.box(), true);
    if (this.body.visuals.length === 0) {
      const text = "There is nothing to draw: the robot has no joints and no shapes.";
      stageBox.append(h("p", { class: "nothing" }, text));
    }
    this.overlays = new Overlays(this.stage, robot, this.body, scene);
    const touch = new Touch(robot, scene, () => this.stage.groundHeight);
    this.player = new Player(robot, touch);
    this.drag = new Drag(this.stage, robot, this.body);
    this.joints = new JointPanel(robot, scene.configurations);
    this.numbers = new Numbers(robot);
    this.help = h(
      "dialog",
      { aria: { label: "Keys" } },
      h("h2", {}, "Keys and gestures"),
      h(
        "dl",
        { class: "help" },
        ...HELP.flatMap(([key, text]) => [h("dt", {}, key!), h("dd", {}, text!)]),
      ),
      button("Close", () => this.help.close()),
    );
    page.replaceChildren(
      this.header(),
      stageBox,
      this.player.element,
      h("aside", { class: "panel", tabIndex: 0, aria: { label: "Robot" } }, ...this.sections()),
      this.help,
    );
    this.connect();
    this.stage.canvas.setAttribute(
      "aria-label",
      `Picture of ${scene.name}. Arrow keys turn the camera.`,
    );
    this.stage.theme();
    this.changed();
    if (isSame) {
      this.stage.camera.position.copy(kept.camera.position);
      this.stage.controls.target.copy(kept.camera.target);
      for (const [word] of OVERLAYS) {
        if (kept.overlays.has(word) !== this.overlays.shown.has(word)) {
          this.show(word, kept.overlays.has(word));
        }
      }
      for (const panel of this.panels()) {
        panel.open = kept.open.get(panel.firstChild?.textContent ?? "") ?? panel.open;
      }
    }
    if (scene.recording) {
      try {
        const trace = Trace.of(scene.recording, robot);
        if (scene.recording.contacts?.numbers.length) this.showContacts();
        this.play(trace, !isSame);
      } catch (error) {
        say((error as Error).message);
      }
    }
  }

  /** Begins at the neutral configuration, or where limits leave it out, at the nearest to it. */
  private openWithin(): void {
    const { robot } = this;
    robot.set(robot.within(robot.q));
  }

  private panels(): HTMLDetailsElement[] {
    return [...document.querySelectorAll<HTMLDetailsElement>(".panel > .section")];
  }

  /** Takes the viewer off the page. */
  leave(): Kept {
    this.stop.abort();
    this.overlays.dispose();
    this.drag.dispose();
    const { position } = this.stage.camera;
    const kept = {
      q: this.robot.q,
      overlays: new Set(this.overlays.shown),
      open: new Map(this.panels().map((it) => [it.firstChild?.textContent ?? "", it.open])),
      camera: { position: position.clone(), target: this.stage.controls.target.clone() },
      name: this.scene.name,
    };
    this.player.dispose();
    this.stage.dispose();
    this.robot.free();
    return kept;
  }

  /** Shows a live state. One that is not this robot's is reported. */
  live(state: Live): void {
    if (state.q?.length !== this.robot.nq) {
      say(`A live state has ${state.q?.length} entries of q, and ${this.robot.nq} are needed`);
      return;
    }
    const { nv } = this.robot;
    const of = (values: number[] | null | undefined) =>
      values?.length === nv ? Float64Array.from(values) : null;
    const contacts = (state.contacts ?? []).filter(
      (it) => it.point?.length === 3 && it.force?.length === 3,
    );
    if (contacts.length > 0) this.showContacts();
    const v = of(state.v) ?? new Float64Array(nv);
    const q = Float64Array.from(state.q);
    this.player.live(state.t ?? null, { q, v, tau: of(state.tau), contacts });
  }

  /** Shows contact forces once there are some; they can be hidden again. */
  private showContacts(): void {
    if (!this.hasContacts) this.show("contacts", true);
    this.hasContacts = true;
  }

  /** Selects a link, and says what is known of it. */
  select(link: string | null): void {
    this.body.select(link);
    this.card.hidden = link === null;
    this.stage.draw();
    this.tellPlace = () => {};
    if (link === null) return;
    const joint =
      this.scene.links.find((it) => it.name === link)?.joint ??
      this.scene.shapes.find((it) => it.link === link)?.joint ??
      0;
    const parts = this.robot.joints[joint];
    if (!parts) return;
    const warnings = this.scene.warnings.filter((it) => it.link === link);
    const rows: [string, string][] = [
      [
        "Joint",
        joint === 0 ? "fixed in the world" : `${parts.name}, ${parts.kind.replaceAll("_", " ")}`,
      ],
      ["Moving mass", `${digits(parts.mass)} kg`],
      ["Centre of mass", `${[...parts.centerOfMass].map(fixed).join(", ")} m`],
      ["Inertia", `${[0, 3, 5].map((k) => digits(parts.inertia[k]!, 3)).join(", ")} kg·m²`],
    ];
    this.card.replaceChildren(
      h("h2", {}, link),
      h(
        "dl",
        { class: "values" },
        ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
      ),
      ...warnings.map((it) => h("p", { class: it.severity }, `▲ ${it.message}`)),
    );
    const place = this.scene.links.find((it) => it.name === link);
    const [position, rotation] = [h("dd", {}), h("dd", {})];
    this.card
      .querySelector("dl")!
      .append(
        h("div", {}, h("dt", {}, "Position"), position),
        h("div", {}, h("dt", {}, "Roll, pitch, yaw"), rotation),
      );
    this.tellPlace = () => {
      const matrix = this.body.joints[joint]!.matrix.clone();
      if (place) matrix.multiply(new Matrix4().fromArray(place.placement));
      const e = matrix.elements;
      const angles = [
        Math.atan2(e[6], e[10]),
        Math.atan2(-e[2], Math.hypot(e[0], e[1])),
        Math.atan2(e[1], e[0]),
      ];
      position.textContent = `${[e[12], e[13], e[14]].map(fixed).join(", ")} m`;
      rotation.textContent = `${angles.map(fixed).join(", ")} rad`;
    };
    this.tellPlace();
    say(`Selected ${link}`);
  }

  /** Shows a recording, and plays it where motion is welcome; the camera frames where it goes. */
  private play(trace: Trace, isFramed: boolean): void {
    if (isFramed) {
      const box = this.body.box();
      for (const index of trace.sampled(POSES)) {
        this.robot.set(trace.state(index).q);
        box.union(this.body.box());
      }
      this.stage.frame(box, true);
    }
    this.player.show(trace);
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.toggle();
  }

  /** Shows or hides an overlay. */
  show(overlay: Overlay, shown: boolean): void {
    this.overlays.set(overlay, shown);
    const box = this.boxes.get(overlay);
    if (box) box.checked = shown;
  }

  /** The motion of the player as a GIF. */
  gif(options?: Partial<GifOptions>): Promise<Blob | null> {
    return gifOf(this.stage, this.player, options);
  }

  /** A picture of the stage, which then fills the window, as base64: a PNG with shadows, or the GIF
   * of the motion if there is a rate. */
  async picture({ q, from, width, rate, colours = 64 }: PictureOptions): Promise<string> {
    const { stage, player } = this;
    document.body.classList.add("picture");
    for (let k = 0; k < 3; k++) await new Promise((done) => requestAnimationFrame(done));
    player.take();
    if (q) this.robot.set(q);
    if (rate === null) stage.castShadows();
    aim(stage, this.body, player, from);
    const blob =
      rate === null
        ? await pictureOf(stage, width)
        : await gifOf(stage, player, { rate, width, colours });
    if (!blob) throw new Error("There is no motion to make a GIF of.");
    return base64(blob);
  }

  private header(): HTMLElement {
    const { robot, scene } = this;
    const input = h("input", {
      type: "file",
      accept: ".urdf,.xml,.mjcf,.json,.scene",
      hidden: true,
    });
    input.onchange = () => {
      const detail = input.files?.[0];
      if (detail) dispatchEvent(new CustomEvent("open-file", { detail }));
    };
    const degrees = robot.nv === 1 ? "1 degree of freedom" : `${robot.nv} degrees of freedom`;
    return h(
      "header",
      { class: "bar" },
      h("h1", {}, scene.name),
      h("span", { class: "faint wide" }, `${degrees}, ${digits(robot.algorithms.totalMass)} kg`),
      h("span", { class: "space" }),
      input,
      button("Open", () => input.click(), "Open a URDF, MJCF or model file"),
      button("Picture", () => void savePicture(this.stage, scene.name), "Save a picture  S"),
      button("Theme", () => this.theme(), "Switch between dark and light  T"),
      button("?", () => this.help.showModal(), "Keys and gestures  ?"),
    );
  }

  private theme(): void {
    say(nextTheme());
    this.stage.theme();
    this.numbers.update();
  }

  private sections(): HTMLElement[] {
    const checks = OVERLAYS.filter(([word]) => word !== "loops" || this.robot.loops.length > 0).map(
      ([word, key, label]) => {
        const box = h("input", {
          type: "checkbox",
          checked: this.overlays.shown.has(word),
          onchange: () => this.show(word, box.checked),
        });
        this.boxes.set(word, box);
        return h("label", { class: "check" }, box, h("span", {}, label), h("kbd", {}, key));
      },
    );
    const { warnings } = this.scene;
    const list = h(
      "ul",
      { class: "warnings" },
      ...warnings.map((it) => {
        const place = [it.file, it.line]
          .filter((part) => part !== null && part !== undefined)
          .join(":");
        const body = [
          h("span", {}, `${it.severity === "warning" ? "▲" : "●"} ${it.message}`),
          place ? h("span", { class: "faint" }, place) : null,
        ];
        const item = h("li", { class: it.severity });
        if (it.link)
          item.append(
            h("button", { type: "button", onclick: () => this.showLink(it.link!) }, ...body),
          );
        else item.append(...body.filter((part) => part !== null));
        return item;
      }),
    );
    const serious = warnings.filter((it) => it.severity === "warning").length;
    const counts = `${serious} warnings, ${warnings.length - serious} notes`;
    return [
      this.card,
      section("View", true, h("div", { class: "checks" }, ...checks)),
      section("Joints", true, this.joints.element),
      ...this.numbers.elements,
      ...(warnings.length > 0 ? [section(counts, false, list)] : []),
    ];
  }

  /** Selects a link, and turns the camera's eye to it. */
  private showLink(link: string): void {
    this.show("warnings", true);
    this.select(link);
    const place = this.scene.links.find((it) => it.name === link);
    const joint = place && this.body.joints[place.joint];
    if (!joint) return;
    const { camera, controls } = this.stage;
    const point = new Vector3().fromArray(place.placement, 12).applyMatrix4(joint.matrix);
    camera.position.add(point).sub(controls.target);
    controls.target.copy(point);
    this.stage.draw();
  }

  private connect(): void {
    this.robot.onChange(() => this.changed());
    this.joints.ontake = () => this.player.take();
    this.drag.ontake = () => this.player.take();
    this.drag.onselect = (link) => this.select(link);
    this.overlays.onwarning = (link) => this.select(link);
    this.player.onrecord = () => void saveMotion(this.stage, this.player, this.scene.name);
    this.player.oncontact = () => this.showContacts();
    this.player.onsimulated = () => this.keepInSight();
    const { signal } = this.stop;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  /** Moves the camera back where the robot leaves the picture. */
  private keepInSight(): void {
    const { camera, controls } = this.stage;
    const box = this.body.box();
    if (box.isEmpty()) return;
    const corner = new Vector3();
    const isOut = [0, 1, 2, 3, 4, 5, 6, 7].some((k) => {
      corner.set(
        k & 1 ? box.max.x : box.min.x,
        k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z,
      );
      corner.project(camera);
      return Math.max(Math.abs(corner.x), Math.abs(corner.y)) > 1;
    });
    if (!isOut) return;
    const from = camera.position.clone().sub(controls.target);
    this.stage.widen(box);
    this.stage.look(from);
  }

  private changed(): void {
    this.overlays.contacts = this.robot.contacts;
    this.body.place();
    this.joints.update();
    this.numbers.update();
    this.overlays.update();
    this.tellPlace();
    this.stage.drawMoved();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape") {
      if (this.drag.isActive) this.drag.cancel();
      else this.select(null);
      return;
    }
    const isText = target.matches("select, textarea, input[type=number], input[type=search]");
    if (isText || (event.key === " " && target.matches("button, input, summary"))) return;
    const letter = event.key.toUpperCase();
    const overlay = OVERLAYS.find(([, key]) => key === letter);
    if (overlay && (overlay[0] !== "loops" || this.robot.loops.length > 0)) {
      const [word, , label] = overlay;
      const shown = !this.overlays.shown.has(word);
      this.show(word, shown);
      return say(`${label} ${shown ? "on" : "off"}`);
    }
    const actions: Record<string, () => void> = {
      H: () => this.joints.neutral(),
      R: () => this.joints.random(),
      S: () => void savePicture(this.stage, this.scene.name),
      T: () => this.theme(),
      D: () => {
        this.drag.isOn = !this.drag.isOn;
        say(`Dragging links is ${this.drag.isOn ? "on" : "off"}`);
      },
      "?": () => this.help.showModal(),
      "/": () => this.joints.focusSearch(),
      " ": () => this.player.toggle(),
      ",": () => this.player.advance(-1),
      ".": () => this.player.advance(1),
      "1": () => this.stage.look(new Vector3(1, 0, 0.05)),
      "2": () => this.stage.look(new Vector3(0, -1, 0.05)),
      "3": () => this.stage.look(new Vector3(0.01, 0, 1)),
      "0": () => this.stage.frame(this.body.box(), false),
    };
    const action = actions[letter];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function makeStage(parent: HTMLElement): Stage {
  try {
    return new Stage(parent);
  } catch (cause) {
    throw new Error(
      "This browser does not draw in three dimensions: WebGL is off. Switch on its hardware acceleration.",
      { cause },
    );
  }
}
