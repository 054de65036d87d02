// Builds the wasm of the page into pkg/: cargo, wasm-bindgen, wasm-opt; prints its sizes.

import { execFileSync } from "node:child_process";
import { readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(here);
const run = (program, ...rest) =>
  execFileSync(program, rest, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

const target = "wasm32-unknown-unknown";
run(
  "cargo",
  "build",
  "-p",
  "featherline-wasm",
  "--features",
  "page",
  "--profile",
  "wasm",
  "--target",
  target,
);
const metadata = JSON.parse(run("cargo", "metadata", "--no-deps", "--format-version", "1"));
const built = join(metadata.target_directory, target, "wasm", "featherline_wasm.wasm");
const pkg = join(here, "pkg");
run("wasm-bindgen", built, "--target", "web", "--omit-default-module-path", "--out-dir", pkg);
const file = join(pkg, "featherline_wasm_bg.wasm");
const size = (path) => {
  const bytes = readFileSync(path);
  return `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`;
};
console.log(`from wasm-bindgen: ${size(file)}`);
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
run("node", optimiser, file, "-o", `${file}.small`, "-Os", ...flags);
renameSync(`${file}.small`, file);
console.log(`from wasm-opt: ${size(file)}`);
