/** The user's environments: a venv with torch and what torch itself needs, and nothing of ours, not even debugpy. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const OF_TORCH = ["torch", "torchgen", "functorch", "filelock", "typing_extensions.py", "sympy", "mpmath", "networkx"];
const OF_TORCH_TOO = ["jinja2", "markupsafe", "fsspec"];

/** Makes a venv in `folder` with links to packages of `python`'s environment; returns its interpreter. */
export function torchOnly(python: string, folder: string, more: readonly string[] = []): string {
  execFileSync(python, ["-m", "venv", "--without-pip", folder]);
  const from = sitePackages(python);
  const interpreter = join(folder, "bin", "python");
  const to = sitePackages(interpreter);
  mkdirSync(to, { recursive: true });
  const wanted = new Set([...OF_TORCH, ...OF_TORCH_TOO, ...more]);
  for (const name of readdirSync(from).filter((entry) => wanted.has(entry)))
    symlinkSync(join(from, name), join(to, name));
  return interpreter;
}

function sitePackages(python: string): string {
  return execFileSync(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], {
    encoding: "utf8",
  }).trim();
}
