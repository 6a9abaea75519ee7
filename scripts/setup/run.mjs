/** Child processes: run one to its end with its output in a log, or ask one a question. */
import { spawn, spawnSync } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { out, root } from "./paths.mjs";

const TAIL_LINES = 15;

/** A command that ended with another status than 0. */
export class Failed extends Error {
  /** @param {string} what @param {string} log */
  constructor(what, log) {
    super(`${what} failed; the end of ${log}:\n${tail(log)}`);
    this.log = log;
  }
}

/**
 * Runs `file` with `args` to its end, writes what it prints to out/setup/`name`.log.
 * @param {string} name
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, progress?: import("./progress.mjs").Progress }} [options]
 */
export async function run(name, file, args, options = {}) {
  mkdirSync(join(out, "setup"), { recursive: true });
  const log = join(out, "setup", `${name}.log`);
  const status = await logged(log, file, args, options);
  if (status !== 0) throw new Failed(name, log);
}

/**
 * Runs `file` with `args`, its output into the file `log`; returns its exit status (127: it could not be started).
 * @param {string} log
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, progress?: import("./progress.mjs").Progress }} [options]
 * @returns {Promise<number>}
 */
export function logged(log, file, args, { cwd = root, env = process.env, progress } = {}) {
  const stream = createWriteStream(log);
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const output of [child.stdout, child.stderr]) {
    output.pipe(stream, { end: false });
    if (progress) createInterface(output).on("line", progress.latest);
  }
  const stop = () => child.kill();
  process.once("exit", stop);
  return new Promise((resolve) => {
    child.on("error", (error) => stream.end(`${error.message}\n`, () => resolve(127)));
    child.on("close", (code) => {
      process.removeListener("exit", stop);
      stream.end(() => resolve(code ?? 1));
    });
  });
}

/**
 * What a short command prints, trimmed; nothing when it can't be run or fails.
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {string | undefined}
 */
export function answer(file, args) {
  const { status, stdout } = spawnSync(file, args, { encoding: "utf8", timeout: 60_000 });
  return status === 0 ? stdout.trim() : undefined;
}

/** @param {string} log */
export function tail(log) {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

/** npm without a shell: the very npm that started this script, else the one on the path. */
export function npm() {
  const script = process.env["npm_execpath"];
  return script?.endsWith(".js")
    ? { file: process.execPath, args: [script] }
    : { file: process.platform === "win32" ? "npm.cmd" : "npm", args: [] };
}
