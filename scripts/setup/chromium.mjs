/** Chromium, which shows the embedded editor to the tests and to `npm run demo -- --headless`. */
import { existsSync } from "node:fs";

import { Missing, step } from "./progress.mjs";
import { run } from "./run.mjs";

const PLACES = [
  process.env["TENSORPEEK_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** The path of a Chromium; Debian's is installed when this runs as root there and none is found. */
export async function ensureChromium() {
  const found = find();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get"))
    await step("Debian's Chromium", async (progress) => {
      await run("apt-update", "apt-get", ["update"], { progress });
      const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
      await run("apt-chromium", "apt-get", ["install", "-y", "chromium"], { env, progress });
    });
  const installed = find();
  if (installed) return installed;
  throw new Missing(
    "Chromium is missing: on Debian, `sudo apt-get install chromium`; elsewhere set TENSORPEEK_CHROMIUM to the path of a Chromium or Chrome.",
  );
}

function find() {
  return PLACES.find((path) => path !== undefined && existsSync(path));
}
