/**
 * `bundled/libs`: the libraries shipped inside the extension. debugpy's compiled speed-ups are named after the
 * Python they are for, so those of every supported Python lie side by side in one copy.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { bundledLibs, platform, pythonIn, root } from "./paths.mjs";
import { step } from "./progress.mjs";
import { findPython, pip } from "./python.mjs";
import { run } from "./run.mjs";
import { contentHash, isCurrent, writeStamp } from "./stamp.mjs";

const REQUIREMENTS = join(root, "requirements", "bundled.txt");

/** The Pythons for which the pinned debugpy is published with compiled speed-ups; on others it runs without. */
export const SPED_UP_PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"];

/** Makes `bundled/libs` from requirements/bundled.txt. */
export async function ensureBundledLibs() {
  const stamp = join(dirname(bundledLibs), "stamp");
  const hash = contentHash({ files: [REQUIREMENTS, fileURLToPath(import.meta.url)], words: [platform] });
  if (isCurrent(stamp, hash) && existsSync(bundledLibs)) return;
  const python = findPython();
  await step("libraries to ship (bundled/libs)", async (progress) => {
    mkdirSync(dirname(bundledLibs), { recursive: true });
    const work = mkdtempSync(join(dirname(bundledLibs), "making-"));
    try {
      await run("bundle-venv", python, ["-m", "venv", join(work, "venv")], { progress });
      await install(pythonIn(join(work, "venv")), work, progress);
      rmSync(bundledLibs, { recursive: true, force: true });
      renameSync(join(work, "libs"), bundledLibs);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
  writeStamp(stamp, hash);
}

/** @param {string} python @param {string} work @param {import("./progress.mjs").Progress} progress */
async function install(python, work, progress) {
  const libs = join(work, "libs");
  const wheelsOnly = ["install", "--no-deps", "--no-compile", "--only-binary=:all:"];
  const [debugpy, others] = partition(pins(), (pin) => pin.startsWith("debugpy=="));
  await pip("pip-bundle", python, [...wheelsOnly, "--target", libs, "--python-version", "3.10", ...others], progress);
  for (const version of SPED_UP_PYTHONS) {
    const abi = `cp${version.replace(".", "")}`;
    const target = join(work, abi);
    const forPython = ["--target", target, "--python-version", version, "--implementation", "cp", "--abi", abi];
    await pip(`pip-bundle-${abi}`, python, [...wheelsOnly, ...forPython, ...debugpy], progress);
    cpSync(target, libs, { recursive: true });
  }
  rmSync(join(libs, "bin"), { recursive: true, force: true });
}

/** @returns {string[]} the lines `name==version` */
function pins() {
  return readFileSync(REQUIREMENTS, "utf8")
    .split("\n")
    .filter((line) => /^\w/.test(line));
}

/** @param {readonly string[]} items @param {(item: string) => boolean} test @returns {[string[], string[]]} */
function partition(items, test) {
  return [items.filter(test), items.filter((item) => !test(item))];
}
