// Builds the wasm of the page into pkg/, and prints its sizes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { here, optimise, wasmBindgen } from "./build.mjs";

const folder = join(here, "pkg");
const file = join(folder, "featherline_wasm_bg.wasm");
const size = () => {
  const bytes = readFileSync(file);
  return `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`;
};
wasmBindgen({ profile: "wasm", features: ["page"], folder, name: "featherline_wasm" });
console.log(`from wasm-bindgen: ${size()}`);
optimise(file, ["-Os"]);
console.log(`from wasm-opt: ${size()}`);
