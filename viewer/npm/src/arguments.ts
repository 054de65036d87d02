// What callers give, checked before it goes into the WebAssembly: it has no types.

/** Vectors that are read: a Float64Array, or an array of numbers. */
export type Vector = Float64Array | number[];

/** What a value is, for messages. */
function kind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  return value.constructor?.name ?? "an object";
}

/** A vector of so many entries. Throws a TypeError for another type, a RangeError for another size. */
export function vector(what: string, value: Vector, size: number): Vector {
  if (!(value instanceof Float64Array)) {
    if (!Array.isArray(value)) {
      throw new TypeError(
        `${what} needs a Float64Array or an array of numbers, not ${kind(value)}`,
      );
    }
    const index = value.findIndex((entry) => typeof entry !== "number");
    if (index >= 0) {
      throw new TypeError(`${what} needs numbers; entry ${index} is ${kind(value[index])}`);
    }
  }
  if (value.length !== size) {
    throw new RangeError(`${what} has ${value.length} entries, and needs ${size}`);
  }
  return value;
}

/** A text. */
export function text(what: string, value: string, remedy = ""): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${what} needs a string, not ${kind(value)}${remedy}`);
}

/** Options of these names alone: what is misspelt would be lost. */
export function options<T extends object>(what: string, value: T, names: readonly string[]): T {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`the options of ${what} are an object, not ${kind(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) {
      throw new TypeError(`${what} has no option ${name}; it has ${names.join(", ")}`);
    }
  }
  return value;
}

/** A boolean, if it is given. */
export function flag(what: string, value: boolean | undefined): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw new TypeError(`${what} needs true or false, not ${kind(value)}`);
}

/** A number in a range that has its upper end and, unless `isOpen`, its lower. */
export function number(
  what: string,
  value: number,
  [least, most]: [number, number],
  isOpen = false,
): number {
  if (typeof value !== "number") throw new TypeError(`${what} needs a number, not ${kind(value)}`);
  if (value <= most && (isOpen ? value > least : value >= least) && Number.isFinite(value)) {
    return value;
  }
  const lower = isOpen ? `above ${least}` : `from ${least}`;
  const upper = Number.isFinite(most) ? ` up to ${most}` : "";
  throw new RangeError(`${what} is ${value}, and needs to be ${lower}${upper}`);
}

/** How far from orthonormal the columns of a rotation may be: what single precision leaves. */
const ORTHONORMAL = 1e-5;

/** Throws unless 9 numbers, three columns of three, are a rotation. */
export function rotation(what: string, r: ArrayLike<number>): void {
  const dot = (i: number, j: number) =>
    r[3 * i]! * r[3 * j]! + r[3 * i + 1]! * r[3 * j + 1]! + r[3 * i + 2]! * r[3 * j + 2]!;
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j <= i; j++) {
      if (!(Math.abs(dot(i, j) - (i === j ? 1 : 0)) <= ORTHONORMAL)) {
        throw new RangeError(`${what} is no rotation: its columns are not orthogonal unit vectors`);
      }
    }
  }
  const [a, b, c, d, e, f, g, h, i] = Array.from(r) as number[] & { length: 9 };
  const determinant =
    a! * (e! * i! - f! * h!) - d! * (b! * i! - c! * h!) + g! * (b! * f! - c! * e!);
  if (determinant < 0) throw new RangeError(`${what} is a reflection, and needs to be a rotation`);
}

/** Throws unless 16 numbers are a placement by columns. */
export function placement(what: string, m: ArrayLike<number>): void {
  const bottom = [m[3], m[7], m[11], m[15]!];
  if (bottom[0] !== 0 || bottom[1] !== 0 || bottom[2] !== 0 || bottom[3] !== 1) {
    throw new RangeError(
      `${what} is not by columns: entries 12, 13 and 14 are the translation, and entries 3, 7, 11 and 15 are 0, 0, 0 and 1`,
    );
  }
  rotation(what, [m[0]!, m[1]!, m[2]!, m[4]!, m[5]!, m[6]!, m[8]!, m[9]!, m[10]!]);
}
