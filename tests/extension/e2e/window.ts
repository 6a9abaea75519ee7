/** A project of its own and a window on it, for one file of tests. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, inject } from "vitest";

import { openBrowser, type Browser } from "../../../scripts/editor/browser.mjs";
import type { Server } from "../../../scripts/editor/server.mjs";
import { Workbench } from "../../../scripts/editor/workbench.mjs";

export interface Project {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Launch configurations; without any there is no launch.json. */
  readonly configurations?: readonly Readonly<Record<string, unknown>>[];
  /** Starts an editor of this window's own instead of the one that all share. */
  readonly start?: () => Promise<Server>;
}

/** The window's workbench and its folder, once the tests run. */
export interface Window {
  readonly workbench: Workbench;
  readonly folder: string;
}

/** Opens a copy of `project/` before the tests of a file and closes it after them; a failed test leaves a picture. */
export function useWindow({ settings = {}, configurations, start }: Project = {}): Window {
  let browser: Browser;
  let workbench: Workbench;
  let own: Server | undefined;
  const parent = mkdtempSync(join(tmpdir(), "tensorpeek-e2e-"));
  // Spaces and letters outside ASCII, as real folders have them.
  const folder = join(parent, "Mi año de redes");

  beforeAll(async () => {
    cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
    const vscode = join(folder, ".vscode");
    mkdirSync(vscode, { recursive: true });
    writeFileSync(join(vscode, "settings.json"), JSON.stringify(settings));
    if (configurations) {
      writeFileSync(join(vscode, "launch.json"), JSON.stringify({ version: "0.2.0", configurations }));
    }
    own = await start?.();
    const address = own ?? { url: inject("url"), password: inject("password") };
    browser = await openBrowser(inject("chromium"), address);
    workbench = await Workbench.open(browser, address, folder);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") {
      await workbench.screenshot(join(inject("home"), `${task.name.replaceAll(/\W+/g, "-")}.png`));
    }
  });

  afterAll(async () => {
    await workbench.stop();
    await browser.close();
    await own?.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  return {
    get workbench() {
      return workbench;
    },
    folder,
  };
}
