// In Node, the WebAssembly is a file on the disk: its fetch reads no files.

import { readFile } from "node:fs/promises";
import { source } from "./robot.js";

source.find = () => readFile(new URL("./glue_bg.wasm", import.meta.url));

export * from "./index.js";
