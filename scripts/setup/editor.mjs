/**
 * The embedded editor: the real VS Code workbench and extension host, as code-server, from npm. It lies in the cache
 * folder, outside the repository, and is installed there under a temporary name first: half an editor is never used.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isOffline } from "./node_modules.mjs";
import { cache, platform } from "./paths.mjs";
import { Missing, step } from "./progress.mjs";
import { Failed, npm, run } from "./run.mjs";

const CODE_SERVER = "4.139.1";
/** code-server runs on this Node only, and npm has it as a package. */
const NODE = "24.22.3";
const NODE_PACKAGE = `node-${platform}`;
const WITH_EDITOR = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

/** @typedef {{ node: string, entry: string }} Editor an editor's Node and the script that starts it */

/** @returns {Promise<Editor>} */
export async function ensureEditor() {
  const home = join(cache, `editor-${CODE_SERVER}`);
  if (!existsSync(home)) {
    if (!WITH_EDITOR.includes(platform))
      throw new Missing(`The embedded editor does not run on ${platform}: install VS Code with its command \`code\`.`);
    await step(`VS Code to embed (code-server ${CODE_SERVER}, into ${home})`, (progress) => install(home, progress));
  }
  const modules = join(home, "node_modules");
  return {
    node: join(modules, NODE_PACKAGE, "bin", "node"),
    entry: join(modules, "code-server", "out", "node", "entry.js"),
  };
}

/** @param {string} home @param {import("./progress.mjs").Progress} progress */
async function install(home, progress) {
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "installing-"));
  const { file, args } = npm();
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  try {
    const dependencies = { "code-server": CODE_SERVER, [NODE_PACKAGE]: NODE };
    writeFileSync(join(work, "package.json"), JSON.stringify({ private: true, dependencies }));
    await run("editor", file, [...args, "install", ...quiet], { cwd: work, progress });
    const workbench = join(work, "node_modules", "code-server", "lib", "vscode");
    await run("editor-workbench", file, [...args, "install", "--omit=dev", "--force", ...quiet], {
      cwd: workbench,
      progress,
    });
    renameSync(work, home);
  } catch (error) {
    if (error instanceof Failed && isOffline(error.log))
      throw new Missing(
        "The npm registry can't be reached: connect to the network, or install VS Code with its `code`.",
      );
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
