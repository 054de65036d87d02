import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const npm = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(npm, "../node_modules/typescript/bin/tsc");

const USE = `import { load, type Solution } from "featherline";
import { load as loadSimulated } from "featherline/simulation";
const robot = await load("<robot/>");
const tau: Float64Array = robot.rnea([0], [0], [0]);
const found: Solution = robot.inverseKinematics([{ frame: "tool", position: [0, 0, 1] }], [0]);
const { q } = (await loadSimulated("<robot/>")).simulate([0], [0], 1);
robot.free();
export { found, q, tau };
`;

test("the types compile in projects without the newest library", () => {
  const folder = mkdtempSync(join(tmpdir(), "featherline-types-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(npm, join(folder, "node_modules/featherline"), "dir");
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "use.ts"), USE);
    for (const options of [
      ["--module", "nodenext"],
      ["--module", "esnext", "--moduleResolution", "bundler"],
      ["--module", "nodenext", "--lib", "es2022,dom"],
      ["--module", "nodenext", "--lib", "esnext,dom"],
    ]) {
      const all = [tsc, "--strict", "--noEmit", "--target", "es2022", ...options, "use.ts"];
      const { status, stdout } = spawnSync(process.execPath, all, {
        cwd: folder,
        encoding: "utf8",
      });
      assert.equal(status, 0, `${options.join(" ")}: ${stdout}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
