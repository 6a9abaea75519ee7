/** Python: an interpreter new enough, and `.venv` with the pinned packages of requirements/. */
import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";

import { isOffline } from "./node_modules.mjs";
import { pythonIn, root, venv } from "./paths.mjs";
import { Missing, step } from "./progress.mjs";
import { answer, Failed, run } from "./run.mjs";
import { contentHash, isCurrent, writeStamp } from "./stamp.mjs";

const NAMES = ["python3", "python3.13", "python3.12", "python3.11", "python3.10", "python"];
const VERSION = "import sys; print('%d.%d.%d' % sys.version_info[:3] if sys.version_info >= (3, 10) else '')";
const RUNS_THE_EXAMPLE = "import torch, sklearn; print(torch.__version__)";
const REQUIREMENTS = ["dev.txt", "torch.txt"].map((name) => join(root, "requirements", name));
const READ = ["bundled.txt", "dev.txt", "torch.txt"].map((name) => join(root, "requirements", name));

/** A Python of 3.10 or newer that can make virtual environments. */
export function findPython() {
  const found = onPath(NAMES).find((python) => answer(python, ["-c", VERSION]));
  if (!found) throw new Missing("Python 3.10 or newer is missing: on Debian, `apt-get install python3 python3-venv`.");
  if (answer(found, ["-c", "import ensurepip, venv"]) === undefined)
    throw new Missing(`${found} can't make virtual environments: on Debian, \`apt-get install python3-venv\`.`);
  return found;
}

/** Makes `.venv` with what the tests, the checks and the benchmarks need; returns its interpreter. */
export async function ensureVenv() {
  const python = pythonIn(venv);
  const stamp = join(venv, ".tensorpeek-stamp");
  const hash = contentHash({ files: READ, words: [venv] });
  if (isCurrent(stamp, hash) && existsSync(python)) return python;
  const base = findPython();
  await step("Python environment .venv with PyTorch", async (progress) => {
    if (answer(python, ["-m", "pip", "--version"]) === undefined) {
      rmSync(venv, { recursive: true, force: true });
      await run("venv", base, ["-m", "venv", venv], { progress });
    }
    await pip("pip-venv", python, ["install", ...REQUIREMENTS.flatMap((file) => ["-r", file])], progress);
  });
  writeStamp(stamp, hash);
  return python;
}

/** An interpreter that runs the example: one that already has torch and scikit-learn, else `.venv`. */
export async function pythonWithTorch() {
  const active = [process.env["TENSORPEEK_PYTHON"], environment("VIRTUAL_ENV"), environment("CONDA_PREFIX")];
  const candidates = [...active.filter((path) => path !== undefined), ...onPath(["python3", "python"])];
  return candidates.find((python) => answer(python, ["-c", RUNS_THE_EXAMPLE])) ?? (await ensureVenv());
}

/**
 * Runs pip, and says in one line when the package index can't be reached.
 * @param {string} name of the log
 * @param {string} python
 * @param {readonly string[]} args
 * @param {import("./progress.mjs").Progress} [progress]
 */
export async function pip(name, python, args, progress) {
  try {
    const quiet = { PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_PROGRESS_BAR: "off" };
    const env = { ...process.env, ...quiet };
    await run(name, python, ["-m", "pip", ...args], progress ? { env, progress } : { env });
  } catch (error) {
    if (error instanceof Failed && isOffline(error.log))
      throw new Missing("The Python package index can't be reached: connect to the network and run this again.");
    throw error;
  }
}

/** @param {readonly string[]} names @returns {string[]} the paths of these programs on PATH */
function onPath(names) {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name + suffix)))
    .filter((path) => existsSync(path));
}

/** @param {string} variable that names an active environment's folder */
function environment(variable) {
  const folder = process.env[variable];
  return folder ? pythonIn(folder) : undefined;
}
