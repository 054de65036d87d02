// Normals of a mesh of triangles: smooth across shallow edges, sharp across creases.

/** Positions and normals of the triangles' corners, nine numbers a triangle each. */
export interface Corners {
  positions: Float32Array;
  normals: Float32Array;
}

/**
 * The corners of a mesh. A corner's normal is the sum, weighted by area, of those triangles at its
 * point whose normals are within `angle` of its own triangle's. Cost: linear, but for points where
 * many triangles meet.
 */
export function corners(vertices: Float32Array, faces: Uint32Array, angle = Math.PI / 6): Corners {
  const points = weld(vertices);
  const count = faces.length / 3;
  const positions = new Float32Array(count * 9);
  // Normals of triangles, as long as twice their area.
  const areas = new Float32Array(count * 3);
  const lengths = new Float32Array(count);
  for (let f = 0; f < count; f++) {
    const at = 9 * f;
    for (let c = 0; c < 3; c++) {
      const from = 3 * faces[3 * f + c]!;
      positions[at + 3 * c] = vertices[from]!;
      positions[at + 3 * c + 1] = vertices[from + 1]!;
      positions[at + 3 * c + 2] = vertices[from + 2]!;
    }
    const [ax, ay, az] = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
    const [ux, uy, uz] = [
      positions[at + 3]! - ax,
      positions[at + 4]! - ay,
      positions[at + 5]! - az,
    ];
    const [wx, wy, wz] = [
      positions[at + 6]! - ax,
      positions[at + 7]! - ay,
      positions[at + 8]! - az,
    ];
    const [nx, ny, nz] = [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
    areas[3 * f] = nx;
    areas[3 * f + 1] = ny;
    areas[3 * f + 2] = nz;
    lengths[f] = Math.sqrt(nx * nx + ny * ny + nz * nz);
  }
  // The triangles at each point: rows of a sparse matrix.
  const starts = new Uint32Array(vertices.length / 3 + 1);
  for (const index of faces) starts[points[index]! + 1]!++;
  for (let k = 1; k < starts.length; k++) starts[k]! += starts[k - 1]!;
  const next = starts.slice();
  const around = new Uint32Array(faces.length);
  for (let k = 0; k < faces.length; k++) around[next[points[faces[k]!]!]!++] = (k / 3) | 0;
  const least = Math.cos(angle);
  const normals = new Float32Array(count * 9);
  for (let k = 0; k < faces.length; k++) {
    const f = (k / 3) | 0;
    const point = points[faces[k]!]!;
    const [nx, ny, nz] = [areas[3 * f]!, areas[3 * f + 1]!, areas[3 * f + 2]!];
    let [x, y, z] = [0, 0, 0];
    for (let i = starts[point]!; i < starts[point + 1]!; i++) {
      const g = around[i]!;
      const [mx, my, mz] = [areas[3 * g]!, areas[3 * g + 1]!, areas[3 * g + 2]!];
      if (nx * mx + ny * my + nz * mz >= least * lengths[f]! * lengths[g]!) {
        x += mx;
        y += my;
        z += mz;
      }
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[3 * k] = x / length;
    normals[3 * k + 1] = y / length;
    normals[3 * k + 2] = z / length;
  }
  return { positions, normals };
}

/** For each vertex, the first vertex at the same point. */
function weld(vertices: Float32Array): Uint32Array {
  const count = vertices.length / 3;
  const bits = new Int32Array(vertices.buffer, vertices.byteOffset, vertices.length);
  let size = 16;
  while (size < 2 * count) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const first = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    const [x, y, z] = [bits[3 * k]!, bits[3 * k + 1]!, bits[3 * k + 2]!];
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash ^= hash >>> 15;
    for (let slot = hash & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      const other = table[slot]!;
      if (other < 0) {
        table[slot] = k;
        first[k] = k;
        break;
      }
      if (bits[3 * other] === x && bits[3 * other + 1] === y && bits[3 * other + 2] === z) {
        first[k] = other;
        break;
      }
    }
  }
  return first;
}
