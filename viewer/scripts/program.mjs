// The program `featherline`, run by scripts: the one named in FEATHERLINE, or the one on PATH.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = process.env.FEATHERLINE || "featherline";

/** The folder of the repository, in which commands of the book run. */
const cwd = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the program to its end; returns its status and what it said. */
export function run(args, seconds = 300) {
  const options = { cwd, encoding: "utf8", timeout: 1000 * seconds, maxBuffer: 64e6 };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error?.code === "ENOENT")
    throw new Error(`There is no program ${program}. Name it in FEATHERLINE, or put it on PATH.`);
  return { status: error ? (error.code ?? status) : status, stdout, stderr };
}

/** Runs the program; throws what it says if it fails. */
export function must(args) {
  const { status, stderr } = run(args);
  if (status !== 0) throw new Error(`featherline ${args.join(" ")}: ${stderr.trim()}`);
}

/** Serves a robot, and gives the address of its page to a function. */
export async function serving(args, use) {
  const server = spawn(program, [...args, "--no-open"]);
  try {
    const address = await new Promise((resolve, reject) => {
      let said = "";
      const hear = (bytes) => {
        said += bytes;
        const found = said.match(/http:\/\/127\.0\.0\.1:\S+/);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", hear);
      server.stderr.on("data", hear);
      server.on("error", reject);
      server.on("exit", () => reject(new Error(said.trim())));
      setTimeout(() => reject(new Error("no address after 60 s")), 60_000).unref();
    });
    return await use(address);
  } finally {
    server.kill();
  }
}
