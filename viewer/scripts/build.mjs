// Builds the wasm: cargo, wasm-bindgen, wasm-opt.

import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder `viewer/`. */
export const here = dirname(dirname(fileURLToPath(import.meta.url)));
/** The folder of the repository. */
export const root = dirname(here);
const run = (program, ...rest) =>
  execFileSync(program, rest, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

/** Compiles the crate, and writes the wasm and its glue for browsers into a folder. */
export function wasmBindgen({ profile, features, folder, name }) {
  const target = "wasm32-unknown-unknown";
  const chosen = ["--features", features.join(","), "--profile", profile, "--target", target];
  run("cargo", "build", "-p", "featherline-wasm", ...chosen);
  const metadata = JSON.parse(run("cargo", "metadata", "--no-deps", "--format-version", "1"));
  const built = join(metadata.target_directory, target, profile, "featherline_wasm.wasm");
  const output = ["--out-dir", folder, "--out-name", name];
  run("wasm-bindgen", built, "--target", "web", "--omit-default-module-path", ...output);
}

/** Makes a wasm smaller, in place. */
export function optimise(file, options) {
  const optimiser = join(here, "node_modules", "binaryen", "bin", "wasm-opt");
  const features = [
    "bulk-memory",
    "nontrapping-float-to-int",
    "sign-ext",
    "mutable-globals",
    "reference-types",
    "multivalue",
  ];
  const flags = features.map((feature) => `--enable-${feature}`);
  run("node", optimiser, file, "-o", `${file}.small`, ...options, ...flags);
  renameSync(`${file}.small`, file);
}
