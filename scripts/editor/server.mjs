/** The embedded editor, running: a loopback port, a password, folders of its own for settings and extensions. */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const STOP_TIMEOUT_MS = 5_000;

/** Keeps the editor quiet: nothing is looked up outside, nothing pops up beside what is shown. */
const QUIET = {
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "remote.autoForwardPorts": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** For an editor that a program drives: no tooltip comes between the mouse and what it clicks. */
export const DRIVEN = { "workbench.hover.delay": 600_000 };

/**
 * @typedef {{
 *   editor: import("../setup/editor.mjs").Editor,
 *   home: string,
 *   settings?: Record<string, unknown>,
 *   locale?: string,
 * }} Options `home` is the folder of this editor's settings, extensions and log
 * @typedef {{ url: string, password: string }} Address
 * @typedef {Address & { stop: () => Promise<void> }} Server
 */

/** The settings and extensions of an editor lie here. @param {string} home */
export function folders(home) {
  return { userData: join(home, "user-data"), extensions: join(home, "extensions") };
}

/**
 * Settings of the machine, such as an interpreter's path, are read from `Machine` in a browser, from `User` elsewhere.
 * @param {string} home @param {Record<string, unknown>} [settings]
 */
export function writeSettings(home, settings = {}) {
  for (const level of ["User", "Machine"]) {
    const folder = join(folders(home).userData, level);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ ...QUIET, ...settings }, undefined, 2));
  }
}

/**
 * Installs packaged extensions, as a user would.
 * @param {import("../setup/editor.mjs").Editor} editor
 * @param {string} home
 * @param {readonly string[]} vsixFiles
 */
export function installExtensions(editor, home, vsixFiles) {
  const { userData, extensions } = folders(home);
  mkdirSync(extensions, { recursive: true });
  const wanted = vsixFiles.flatMap((file) => ["--install-extension", file]);
  const where = ["--user-data-dir", userData, "--extensions-dir", extensions];
  const { status, stderr } = spawnSync(editor.node, [editor.entry, ...where, "--force", ...wanted], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The extension could not be installed in the embedded editor:\n${stderr}`);
}

/** Starts an editor and waits until it answers. @param {Options} options @returns {Promise<Server>} */
export async function startEditor({ editor, home, settings, locale }) {
  writeSettings(home, settings);
  const { userData, extensions } = folders(home);
  const port = await freePort();
  const password = randomBytes(9).toString("base64url");
  const log = openSync(join(home, "server.log"), "w");
  const child = spawn(
    editor.node,
    [
      editor.entry,
      ...["--auth", "password", "--bind-addr", `127.0.0.1:${port}`],
      ...["--user-data-dir", userData, "--extensions-dir", extensions],
      ...["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
      ...(locale ? ["--locale", locale] : []),
    ],
    { env: environment(password), stdio: ["ignore", log, log], detached: true },
  );
  closeSync(log);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, signal);
  };
  const killAll = () => kill("SIGKILL");
  process.once("exit", killAll);
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(`${url}/healthz`, () => child.exitCode === null, join(home, "server.log"));
  return {
    url,
    password,
    stop: async () => {
      kill("SIGTERM");
      const hard = setTimeout(killAll, STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(hard);
      process.removeListener("exit", killAll);
    },
  };
}

/** The editor's environment: without what a surrounding VS Code or Python environment would leak into the user's. */
function environment(/** @type {string} */ password) {
  const own = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|npm_|PYTHONPATH|PORT$|PASSWORD)/.test(name));
  return { ...Object.fromEntries(own), PASSWORD: password };
}

/** @returns {Promise<number>} */
function freePort() {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** @param {string} url @param {() => boolean} lives @param {string} log */
async function untilAnswers(url, lives, log) {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end && lives()) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The embedded editor did not start; see ${log}`);
}
