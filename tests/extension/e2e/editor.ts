/** Starts one embedded editor for all files of the run, with the packaged extension installed, never the source folder. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

import { DRIVEN, installExtensions, startEditor } from "../../../scripts/editor/server.mjs";
import { pack } from "../../../scripts/editor/vsix.mjs";
import { ensurePackage } from "../../../scripts/package.mjs";
import { ensureChromium } from "../../../scripts/setup/chromium.mjs";
import { ensureEditor } from "../../../scripts/setup/editor.mjs";
import { out } from "../../../scripts/setup/paths.mjs";
import { ensureVenv } from "../../../scripts/setup/python.mjs";

declare module "vitest" {
  export interface ProvidedContext {
    readonly url: string;
    readonly password: string;
    readonly chromium: string;
    readonly python: string;
    /** The folder of this run's editors, environments and pictures of failures. */
    readonly home: string;
    readonly vsix: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = join(out, "e2e");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const vsix = await ensurePackage();
  const standin = await pack(join(import.meta.dirname, "standin-debugpy"), join(home, "standin.vsix"), [
    "--skip-license",
  ]);
  const python = await ensureVenv();
  const chromium = await ensureChromium();
  const editor = await ensureEditor();
  installExtensions(editor, home, [vsix, standin]);
  const server = await startEditor({ editor, home, settings: { ...DRIVEN, "tensorpeek.pythonPath": python } });
  project.provide("url", server.url);
  project.provide("password", server.password);
  project.provide("chromium", chromium);
  project.provide("python", python);
  project.provide("home", home);
  project.provide("vsix", vsix);
  return server.stop;
}
