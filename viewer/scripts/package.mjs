// Builds the npm package into npm/pkg/: for core and simulation, the wasm, wasm-bindgen's glue,
// and TypeScript's face of it, compiled. Prints sizes.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { here, optimise, root, wasmBindgen } from "./build.mjs";

/**
 * Passes of wasm-opt after which gzip writes less; functions with similar names are similar. What
 * -Oz leaves is a fourteenth shorter, a fourteenth longer after gzip, and as fast.
 */
const PASSES = [
  "--reorder-functions-by-name",
  "--duplicate-function-elimination",
  "--remove-unused-module-elements",
  "--remove-unused-brs",
  "--merge-blocks",
  "--precompute",
  "--vacuum",
  "--simplify-locals-notee-nostructure",
  "--rse",
  "--reorder-locals",
  "--strip-debug",
  "--strip-producers",
];

/** The sources of both parts of the package. */
const SOURCES = ["arguments.ts", "robot.ts", "node.ts", "node_types.d.ts", "disposable.d.ts"];

const npm = join(here, "npm");
const pkg = join(npm, "pkg");
rmSync(pkg, { recursive: true, force: true });
for (const [name, features] of [
  ["core", []],
  ["simulation", ["simulation"]],
]) {
  const folder = join(pkg, name);
  wasmBindgen({ profile: "npm", features, folder, name: "glue" });
  const wasm = join(folder, "glue_bg.wasm");
  optimise(wasm, PASSES);
  // The glue's declarations of the wasm's own functions are of no use to anybody.
  rmSync(join(folder, "glue_bg.wasm.d.ts"));
  // The sources stand beside the glue while they are compiled.
  for (const file of SOURCES) {
    copyFileSync(join(npm, "src", file), join(folder, file));
  }
  cpSync(join(npm, "src", name), folder, { recursive: true });
  const tsconfig = join(folder, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ extends: "../../tsconfig.json", include: ["*.ts"] }));
  const tsc = join(here, "node_modules", "typescript", "bin", "tsc");
  execFileSync("node", [tsc, "-p", tsconfig], { stdio: "inherit" });
  // Declarations name disposable.d.ts, which goes with them.
  const needless = SOURCES.filter((file) => file !== "disposable.d.ts");
  for (const file of [...needless, "index.ts", "tsconfig.json"]) {
    rmSync(join(folder, file));
  }
  const bytes = readFileSync(wasm);
  const gzip = gzipSync(bytes, { level: 9 }).length;
  const brotli = brotliCompressSync(bytes).length;
  console.log(`${name}: ${bytes.length} bytes, gzip ${gzip}, brotli ${brotli}`);
}
for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  copyFileSync(join(root, licence), join(npm, licence));
}
