/** `npm run package`: builds the extension and packs it with its backend into out/tensorpeek-<platform>-<version>.vsix. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { pack } from "./editor/vsix.mjs";
import { SPED_UP_PYTHONS, ensureBundledLibs } from "./setup/bundle.mjs";
import { ensureNodeModules } from "./setup/node_modules.mjs";
import { out, platform, root } from "./setup/paths.mjs";
import { command, step } from "./setup/progress.mjs";
import { findPython } from "./setup/python.mjs";
import { answer, run } from "./setup/run.mjs";
import { contentHash, isCurrent, writeStamp } from "./setup/stamp.mjs";

const TEXTS = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"];
const FOLDERS = ["extension/l10n", "extension/resources", "python_backend/tensorpeek", "bundled/libs"];
/** Folders of these names, which debugpy's vendored libraries have too. */
const NEVER_SHIPPED = ["__pycache__", "tests"];
const BUILT_FROM = [
  ...["package-lock.json", "esbuild.mjs", "extension/src", "extension/webview"],
  ...["scripts/package.mjs", "scripts/notices.mjs"],
];

const NEEDED = [
  ...["extension/package.json", "extension/package.nls.json", "extension/dist/extension.js"],
  "extension/ThirdPartyNotices.txt",
  ...["adapter/__main__.py", "server/__main__.py", "probe/inject.py", "contract/wire.schema.json"].map(
    (name) => `extension/python_backend/tensorpeek/${name}`,
  ),
  ...["debugpy/adapter/__main__.py", "pygls/__init__.py", "lsprotocol/types.py"].map(
    (name) => `extension/bundled/libs/${name}`,
  ),
];
const JUNK = /(^|\/)(tests?|__pycache__|node_modules|\.venv|src)\/|\.(pyc|map|ts|vsix|log)$/;

/** Makes the VSIX unless nothing changed since it was made; returns its path. */
export async function ensurePackage() {
  await ensureNodeModules();
  await ensureBundledLibs();
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const vsix = join(out, `tensorpeek-${platform}-${version}.vsix`);
  const stamp = `${vsix}.stamp`;
  const inputs = [...TEXTS, ...translations(), ...FOLDERS, ...BUILT_FROM].map((name) => join(root, name));
  const hash = contentHash({ files: inputs });
  if (isCurrent(stamp, hash) && existsSync(vsix)) return vsix;
  await step("the extension (VSIX)", async (progress) => {
    rmSync(join(root, "dist"), { recursive: true, force: true });
    await run("build", process.execPath, [join(root, "esbuild.mjs"), "--production"], { progress });
    const unchecked = await pack(stage(), join(out, "unchecked.vsix"), ["--target", platform]);
    check(unchecked);
    renameSync(unchecked, vsix);
  });
  writeStamp(stamp, hash);
  return vsix;
}

/** Copies what the extension needs to run, and nothing else, into a folder of its own. */
function stage() {
  const folder = join(out, "vsix");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const filter = (/** @type {string} */ path) => !NEVER_SHIPPED.includes(basename(path));
  for (const name of [...TEXTS, ...translations(), ...FOLDERS, "dist"])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  renameSync(join(folder, "dist", "ThirdPartyNotices.txt"), join(folder, "ThirdPartyNotices.txt"));
  return folder;
}

function translations() {
  return readdirSync(root).filter((name) => /^package\.nls.*\.json$/.test(name));
}

/** Fails when the VSIX lacks something that the extension needs, or holds something else. @param {string} vsix */
function check(vsix) {
  const listing = answer(findPython(), ["-m", "zipfile", "-l", vsix]) ?? "";
  const files = listing.split("\n").map((line) => line.replace(/ +\d{4}-\d\d-\d\d .*$/, ""));
  const lacksSpeedUps = (/** @type {string} */ version) => {
    const compiled = new RegExp(`/pydevd_cython\\.c(python-|p)${version.replace(".", "")}-`);
    return !files.some((name) => compiled.test(name));
  };
  const missing = [
    ...NEEDED.filter((name) => !files.includes(name)),
    ...SPED_UP_PYTHONS.filter(lacksSpeedUps).map((version) => `debugpy's speed-ups for Python ${version}`),
  ];
  const junk = files.filter((name) => JUNK.test(name));
  if (missing.length > 0) throw new Error(`${vsix} lacks ${missing.join(", ")}`);
  if (junk.length > 0) throw new Error(`${vsix} holds what it must not: ${junk.join(", ")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await command(async () => console.log(await ensurePackage()));
