// The scene that the page is given: bytes to typed parts, with all that is wrong found here.

export type Form =
  | { kind: "box"; sides: number[] }
  | { kind: "sphere"; radius: number }
  | { kind: "cylinder" | "capsule" | "cone"; radius: number; length: number }
  | { kind: "ellipsoid"; semi_axes: number[] }
  | { kind: "plane" }
  | { kind: "mesh"; mesh: number };

export interface Shape {
  joint: number;
  link: string;
  name: string;
  visual: boolean;
  collision: boolean;
  placement: number[];
  colour: number[] | null;
  form: Form;
}

export interface Mesh {
  file: string;
  vertices: Float32Array;
  faces: Uint32Array;
}

export interface Warning {
  severity: "warning" | "note";
  code: string;
  message: string;
  file?: string | null;
  line?: number | null;
  link?: string | null;
}

export interface SceneError {
  message: string;
  file?: string | null;
  line?: number | null;
  snippet?: string | null;
}

export interface Recording {
  file: string;
  times: Float64Array;
  q: Float64Array;
  v: Float64Array | null;
  tau: Float64Array | null;
  contacts: RecordedContacts | null;
}

/** The contacts of a recording: how many each row has, and nine numbers for each. */
export interface RecordedContacts {
  counts: Uint32Array;
  numbers: Float64Array;
}

/** Which shapes touch: two indices a pair, friction and restitution of each; and the shapes that
 * touch a ground that was added, with theirs. */
export interface Contacts {
  pairs: Uint32Array;
  surfaces: Float64Array;
  onGround: Uint32Array;
  onGroundSurfaces: Float64Array;
}

/** How a motion of the robot begins, as `featherline simulate` decides it. */
export interface Decision {
  method: string;
  q: number[];
}

export interface Scene {
  name: string;
  model: unknown;
  configurations: { name: string; q: number[] }[];
  shapes: Shape[];
  meshes: Mesh[];
  links: { name: string; joint: number; placement: number[] }[];
  loops: { name: string; predecessor: Place; successor: Place }[];
  decision: Decision | null;
  contacts: Contacts | null;
  warnings: Warning[];
  recording: Recording | null;
  error: SceneError | null;
}

export interface Place {
  joint: number;
  placement: number[];
}

/** What is wrong with a scene that cannot be shown. */
export class SceneFault extends Error {}

type Range = { offset: number; count: number };

/** Reads a scene. Throws a SceneFault that says what is wrong, for any bytes. */
export function readScene(bytes: Uint8Array): Scene {
  const magic = new TextDecoder().decode(bytes.subarray(0, 4));
  if (magic !== "FLSC" || bytes.length < 8)
    throw new SceneFault("This is not a scene of featherline.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(4, true);
  if (8 + length > bytes.length) throw new SceneFault("The scene is cut off. Load the page again.");
  let json: any;
  try {
    json = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + length)),
    );
  } catch (cause) {
    throw new SceneFault("The scene's description is damaged: it is not JSON.", { cause });
  }
  if (typeof json !== "object" || json === null)
    throw new SceneFault("The scene's description is empty.");
  if (json.version !== 1) {
    throw new SceneFault(
      `The scene has version ${JSON.stringify(json.version)}, and this page reads version 1. Use the page of the same featherline.`,
    );
  }
  // Copied, so that numbers are aligned wherever the bytes came from.
  const buffer = bytes.slice(8 + length).buffer;
  const list = (value: any): any[] => (Array.isArray(value) ? value : []);
  const number = <T>(
    what: string,
    range: Range | null | undefined,
    size: number,
    make: (o: number, n: number) => T,
  ): T => {
    const { offset, count } = range ?? { offset: -1, count: -1 };
    const fits = Number.isInteger(offset) && Number.isInteger(count) && offset >= 0 && count >= 0;
    if (!fits || offset % size !== 0 || offset + count * size > buffer.byteLength) {
      throw new SceneFault(`The scene's ${what} lie outside of it.`);
    }
    return make(offset, count);
  };
  const f64 = (what: string, range: Range) =>
    number(what, range, 8, (o, n) => new Float64Array(buffer, o, n));
  const u32 = (what: string, range: Range) =>
    number(what, range, 4, (o, n) => new Uint32Array(buffer, o, n));
  const matrix = (value: any): number[] => {
    const all = list(value);
    const isMatrix =
      all.length === 16 && all.every((x) => typeof x === "number" && Number.isFinite(x));
    return isMatrix ? all : [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  };
  const text = (value: any): string => (typeof value === "string" ? value : "");
  const joint = (value: any): number => (Number.isInteger(value) && value >= 0 ? value : 0);
  const place = (value: any): Place => ({
    joint: joint(value?.joint),
    placement: matrix(value?.placement),
  });
  const meshes = list(json.meshes).map((mesh, k): Mesh => {
    const what = `vertices of mesh ${k}`;
    const vertices = number(what, mesh?.vertices, 4, (o, n) => new Float32Array(buffer, o, n));
    const faces = number(
      `faces of mesh ${k}`,
      mesh?.faces,
      4,
      (o, n) => new Uint32Array(buffer, o, n),
    );
    const most = vertices.length / 3;
    for (const index of faces) {
      if (index >= most)
        throw new SceneFault(`A face of mesh ${k} names a vertex that is not there.`);
    }
    return { file: text(mesh?.file), vertices, faces };
  });
  const error = json.error;
  const given = json.recording;
  let recording: Recording | null = null;
  if (given) {
    const times = f64("recording's times", given.times);
    recording = {
      file: text(given.file),
      times,
      q: f64("recording's configurations", given.q),
      v: given.v ? f64("recording's velocities", given.v) : null,
      tau: given.tau ? f64("recording's joint forces", given.tau) : null,
      contacts: null,
    };
    if (given.contacts) {
      const counts = u32("recording's numbers of contacts", given.contacts.counts);
      const numbers = f64("recording's contacts", given.contacts.numbers);
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (counts.length !== times.length || numbers.length !== 9 * total)
        throw new SceneFault("The recording's contacts do not fit its times.");
      recording.contacts = { counts, numbers };
    }
    if (times.length === 0) recording = null;
  }
  const touching = json.contacts;
  const contacts: Contacts | null = touching
    ? {
        pairs: u32("pairs of shapes", touching.pairs),
        surfaces: f64("surfaces", touching.surfaces),
        onGround: u32("shapes on the ground", touching.on_ground),
        onGroundSurfaces: f64("surfaces on the ground", touching.on_ground_surfaces),
      }
    : null;
  return {
    name: text(json.name) || "robot",
    model: json.model ?? null,
    configurations: list(json.configurations).map((it) => ({
      name: text(it?.name),
      q: list(it?.q).map(Number),
    })),
    shapes: list(json.shapes).map((it) => ({
      joint: joint(it?.joint),
      link: text(it?.link),
      name: text(it?.name),
      visual: it?.visual !== false,
      collision: it?.collision === true,
      placement: matrix(it?.placement),
      colour: Array.isArray(it?.colour) && it.colour.length >= 3 ? it.colour.map(Number) : null,
      form: it?.form ?? { kind: "none" },
    })),
    meshes,
    decision: json.decision
      ? { method: text(json.decision.method), q: list(json.decision.q).map(Number) }
      : null,
    links: list(json.links).map((it) => ({ name: text(it?.name), ...place(it) })),
    loops: list(json.loops).map((it) => ({
      name: text(it?.name),
      predecessor: place(it?.predecessor),
      successor: place(it?.successor),
    })),
    warnings: list(json.warnings).map((it) => ({
      severity: it?.severity === "note" ? "note" : "warning",
      code: text(it?.code),
      message: text(it?.message),
      file: it?.file ?? null,
      line: it?.line ?? null,
      link: it?.link ?? null,
    })),
    contacts,
    recording,
    error: error
      ? { ...error, message: text(error.message) || "The robot could not be read." }
      : null,
  };
}

/** The bytes that a base64 text of gzip holds. */
export async function inflate(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
