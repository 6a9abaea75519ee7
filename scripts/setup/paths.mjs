/** Where things are: the repository's folders and the cache beside the user's other caches. */
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const out = join(root, "out");
export const backend = join(root, "python_backend");
export const bundledLibs = join(root, "bundled", "libs");
export const venv = join(root, ".venv");

/** What is too big for a clone and the same for every clone, such as the embedded editor. */
export const cache =
  process.env["TENSORPEEK_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tensorpeek");

/** @param {string} environment folder of a virtual environment */
export function pythonIn(environment) {
  return process.platform === "win32" ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
}

/** `linux-x64`, `darwin-arm64`, …: the name both npm and VS Code give this platform. */
export const platform = `${process.platform}-${process.arch}`;
