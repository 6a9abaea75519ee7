/**
 * `npm run demo`: a real VS Code with the extension in it, on a real training run that pauses by itself.
 *
 * `--headless` shows it to nobody: it takes pictures of it, light and dark, and writes down the Variables view.
 * `--embedded` uses the embedded editor even where VS Code is installed.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { DRIVEN, folders, installExtensions, startEditor, writeSettings } from "./editor/server.mjs";
import { ensurePackage } from "./package.mjs";
import { ensureChromium } from "./setup/chromium.mjs";
import { ensureEditor } from "./setup/editor.mjs";
import { out, root } from "./setup/paths.mjs";
import { command, step } from "./setup/progress.mjs";
import { pythonWithTorch } from "./setup/python.mjs";
import { answer } from "./setup/run.mjs";

const EXAMPLES = join(root, "examples");
const HOME = join(out, "demo");

const WHAT_TO_SEE = `
The example trains on scikit-learn's handwritten digits and pauses at its 13th step.

Look at
  Variables     every tensor says its dtype, shape, range and mean; expand one for its statistics and gradient
  the editor    the shapes stand at the end of the lines
  Tensors       at the bottom of the side bar: every tensor reachable from here, to sort and filter
  status bar    says that TensorPeek is active in this session

Try
  hover over  logits  or  batch["image"]
  in the Debug Console:  batch["image"][0] = float("nan")  then step over (F10): the line turns red
  set a breakpoint in digits/model.py, in forward; continue (F5); hover over  self.fc.weight
  and over the  @  of  embedding @ prototypes
  add  model.fc.weight.grad  to Watch

When training goes wrong
  open digits/train_shards.py, right-click the number of the line  loss.backward(),
  Add Training Breakpoint…, Enter, Enter, Enter; start “Train on shards”: it stops at the spike
  tick  NaN or Inf in gradients  in Breakpoints and start “Train on pairs”: it stops before the step
  the view  Training  shows the clock, the losses and what was found, and lets you skip the step
`;

/**
 * An embedded editor with TensorPeek in it that opens on the paused example.
 * @param {string} home folder for its settings and extensions
 * @param {Record<string, unknown>} [more] settings
 */
async function startDemo(home, more = {}) {
  const vsix = await ensurePackage();
  const python = await pythonWithTorch();
  const editor = await ensureEditor();
  const opening = await packOpening();
  return step("VS Code with TensorPeek", async () => {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    installExtensions(editor, home, [vsix, opening]);
    return startEditor({ editor, home, settings: { ...settings(python), ...more } });
  });
}

/** @param {string} python */
function settings(python) {
  return { "tensorpeek.pythonPath": python, "window.autoDetectColorScheme": true, "editor.minimap.enabled": false };
}

async function packOpening() {
  const { pack } = await import("./editor/vsix.mjs");
  const file = join(out, "tensorpeek-demo-opening.vsix");
  await pack(join(root, "scripts", "demo", "opening"), file, ["--skip-license"]);
  return file;
}

/** Pictures and a transcript in `folder`, for whoever has no screen. @param {string} folder */
export async function headless(folder) {
  const chromium = await ensureChromium();
  rmSync(folder, { recursive: true, force: true });
  const server = await startDemo(join(folder, "editor"), DRIVEN);
  const parent = mkdtempSync(join(tmpdir(), "tensorpeek-demo-"));
  try {
    const project = join(parent, basename(EXAMPLES));
    // A copy, without what earlier runs found.
    cpSync(EXAMPLES, project, { recursive: true, filter: (file) => basename(file) !== ".tensorpeek" });
    const { takePictures } = await import("./demo/tour.mjs");
    await takePictures(chromium, server, project, folder);
  } finally {
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

async function embedded() {
  const server = await startDemo(join(HOME, "editor"));
  console.log(`\nOpen  ${server.url}  with the password  ${server.password}\n${WHAT_TO_SEE}`);
  console.log("Ctrl+C ends it.");
  await new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await server.stop();
}

/** @param {string} code the command of the installed VS Code */
async function desktop(code) {
  const vsix = await ensurePackage();
  const python = await pythonWithTorch();
  const opening = await packOpening();
  const home = join(HOME, "desktop");
  await step("your VS Code with TensorPeek, beside your own settings and extensions", async () => {
    const { userData, extensions } = folders(home);
    const own = ["--user-data-dir", userData, "--extensions-dir", extensions];
    writeSettings(home, settings(python));
    const install = ["--install-extension", vsix, "--install-extension", opening, "--force"];
    const { status } = spawnSync(code, [...own, ...install], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    if (status !== 0) throw new Error(`${code} could not install the extension; try \`npm run demo -- --embedded\`.`);
    const args = [...own, "--new-window", "--disable-workspace-trust", EXAMPLES];
    spawn(code, args, { stdio: "ignore", detached: true, shell: process.platform === "win32" }).unref();
  });
  console.log(WHAT_TO_SEE);
}

/** The user's own VS Code, where there is one and a screen to show it on. */
function installedCode() {
  const screen = process.platform !== "linux" || process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"];
  return screen && answer("code", ["--version"]) !== undefined ? "code" : undefined;
}

const wishes = process.argv.slice(2);
if (process.argv[1] === join(root, "scripts", "demo.mjs"))
  await command(async () => {
    const code = wishes.includes("--embedded") ? undefined : installedCode();
    if (wishes.includes("--headless")) await headless(HOME);
    else if (code) await desktop(code);
    else await embedded();
  });
