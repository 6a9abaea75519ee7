/** Packs an extension's folder into a VSIX. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { root } from "../setup/paths.mjs";
import { run } from "../setup/run.mjs";

const VSCE = join(root, "node_modules", "@vscode", "vsce", "vsce");
/** esbuild bundles what the extension needs into dist/, so no npm package is packed beside it. */
const ALWAYS = ["--no-dependencies", "--no-yarn", "--no-rewrite-relative-links", "--allow-missing-repository"];

/**
 * @param {string} folder
 * @param {string} file the VSIX to write
 * @param {readonly string[]} [options] further options of vsce
 */
export async function pack(folder, file, options = []) {
  mkdirSync(dirname(file), { recursive: true });
  await run("vsce", process.execPath, [VSCE, "package", ...ALWAYS, ...options, "--out", file], {
    cwd: folder,
  });
  return file;
}
