/** `npm run package`: builds the extension and packs it with its backend into out/tensorpeek-<platform>-<version>.vsix. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { SPED_UP_PYTHONS, ensureBundledLibs } from "./setup/bundle.mjs";
import { ensureNodeModules } from "./setup/node_modules.mjs";
import { bundledLibs, out, platform, root } from "./setup/paths.mjs";
import { command, step } from "./setup/progress.mjs";
import { run } from "./setup/run.mjs";
import { contentHash, isCurrent, writeStamp } from "./setup/stamp.mjs";

const SOURCES = [
  ...["package.json", "package-lock.json", "package.nls.json", "package.nls.es.json", "package.nls.pt-br.json"],
  ...["README.md", "CHANGELOG.md", "LICENSE", ".vscodeignore", "esbuild.mjs", "requirements/bundled.txt"],
  ...["extension", "python_backend/tensorpeek"],
];
const NEEDED = [
  ...["package.json", "package.nls.json", "README.md", "CHANGELOG.md", "LICENSE", "dist/extension.js"],
  ...["adapter", "server"].map((name) => `python_backend/tensorpeek/${name}/__main__.py`),
  ...["probe/inject.py", "probe/entry.py", "contract/wire.schema.json"].map(
    (name) => `python_backend/tensorpeek/${name}`,
  ),
  ...["debugpy/adapter/__main__.py", "pygls/__init__.py", "lsprotocol/types.py"].map((name) => `bundled/libs/${name}`),
];
const JUNK = /(^|\/)(tests?|__pycache__|node_modules|\.venv|src)\/|\.(pyc|map|ts|vsix)$/;

/** Makes the VSIX unless nothing changed since it was made; returns its path. */
export async function ensurePackage() {
  await ensureNodeModules();
  await ensureBundledLibs();
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const vsix = join(out, `tensorpeek-${platform}-${version}.vsix`);
  const stamp = `${vsix}.stamp`;
  const files = SOURCES.map((name) => join(root, name)).filter((path) => existsSync(path));
  const hash = contentHash({ files, words: [readFileSync(join(bundledLibs, "..", "stamp"), "utf8")] });
  if (isCurrent(stamp, hash) && existsSync(vsix)) return vsix;
  await step("the extension (VSIX)", async (progress) => {
    rmSync(join(root, "dist"), { recursive: true, force: true });
    await run("build", process.execPath, [join(root, "esbuild.mjs"), "--production"], { progress });
    const { pack } = await import("./editor/vsix.mjs");
    await checkContents();
    await pack(root, vsix, ["--target", platform]);
  });
  writeStamp(stamp, hash);
  return vsix;
}

/** Fails when something that the extension needs would be left out, or something else would be packed. */
async function checkContents() {
  const { PackageManager, listFiles } = await import("@vscode/vsce");
  const packed = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const speedUps = SPED_UP_PYTHONS.filter(
    (version) =>
      !packed.some((name) => new RegExp(`pydevd_cython\\.c(python-|p)${version.replace(".", "")}`).test(name)),
  );
  const missing = [
    ...NEEDED.filter((name) => !packed.includes(name)),
    ...speedUps.map((version) => `debugpy's speed-ups for Python ${version}`),
  ];
  const junk = packed.filter((name) => JUNK.test(name) && !name.startsWith("bundled/libs/debugpy/"));
  if (missing.length > 0) throw new Error(`The VSIX would lack: ${missing.join(", ")}`);
  if (junk.length > 0) throw new Error(`The VSIX would hold what it must not: ${junk.join(", ")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await command(async () => console.log(await ensurePackage()));
