// One HTML file with everything inside: script, style, and the wasm as base64 of gzip.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";

const WASM = "virtual:wasm";

/** The module `virtual:wasm`: its default is the base64 of the gzip of the wasm. */
const wasm = {
  name: "wasm",
  resolveId: (id) => (id === WASM ? "\0" + WASM : null),
  load(id) {
    if (id !== "\0" + WASM) return null;
    const bytes = readFileSync(new URL("pkg/featherline_wasm_bg.wasm", import.meta.url));
    return `export default "${gzipSync(bytes, { level: 9 }).toString("base64")}";`;
  },
};

/** Puts scripts and styles into the page. */
const singleFile = {
  name: "single-file",
  enforce: "post",
  generateBundle(_, bundle) {
    const page = bundle["index.html"];
    let html = page.source;
    for (const [name, file] of Object.entries(bundle)) {
      if (name.endsWith(".js")) {
        const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
        const tag = new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`);
        // The page's policy permits this script and no other.
        const hash = createHash("sha256").update(code).digest("base64");
        html = html
          .replace(tag, "")
          .replace("script-src 'unsafe-inline'", () => `script-src 'sha256-${hash}'`);
        html = html.replace("</body>", () => `<script type="module">${code}</script></body>`);
      } else if (name.endsWith(".css")) {
        const tag = new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
        html = html.replace(tag, () => `<style>${file.source}</style>`);
      } else {
        continue;
      }
      delete bundle[name];
    }
    page.source = html;
  },
};

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = "crates/featherline-viewer/dist";
const SOURCES = ["index.html", "package-lock.json", "vite.config.mjs", "src", "wasm"];

/** The files of a path below the root, by name. */
const filesOf = (path) =>
  statSync(join(ROOT, path)).isDirectory()
    ? readdirSync(join(ROOT, path))
        .sort()
        .flatMap((name) => filesOf(`${path}/${name}`))
    : [path];

/** Lists what the page is made of, as sha256sum does, which then tells whether the page is old. */
const sources = {
  name: "sources",
  closeBundle() {
    const line = (path) => {
      const bytes = readFileSync(join(ROOT, path));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${path}\n`;
    };
    const files = SOURCES.flatMap((name) => filesOf(`viewer/${name}`));
    writeFileSync(join(ROOT, DIST, "SOURCES"), files.map(line).join(""));
  },
};

export default defineConfig({
  plugins: [wasm, singleFile, sources],
  base: "./",
  build: {
    outDir: `../${DIST}`,
    emptyOutDir: false,
    target: "es2023",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    chunkSizeWarningLimit: 3000,
  },
});
