/** Headless Chromium, signed in to an embedded editor. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ context: import("playwright-core").BrowserContext, close: () => Promise<void> }} Browser */

/**
 * @param {string} executablePath
 * @param {import("./server.mjs").Address} server
 * @param {Size} [viewport]
 * @returns {Promise<Browser>}
 */
export async function openBrowser(executablePath, server, viewport = { width: 1400, height: 900 }) {
  const profile = mkdtempSync(join(tmpdir(), "tensorpeek-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: FLAGS,
    headless: true,
    viewport,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await signIn(context, server);
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** @param {import("playwright-core").BrowserContext} context @param {import("./server.mjs").Address} server */
async function signIn(context, { url, password }) {
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.fill("input[type=password]", password);
  await Promise.all([
    page.waitForURL((to) => !to.pathname.startsWith("/login")),
    page.press("input[type=password]", "Enter"),
  ]);
  await page.close();
}
