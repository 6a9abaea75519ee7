/** `npm run setup`: everything the other commands would set up when they need it. */
import { ensureBundledLibs } from "./setup/bundle.mjs";
import { ensureChromium } from "./setup/chromium.mjs";
import { ensureEditor } from "./setup/editor.mjs";
import { ensureNodeModules } from "./setup/node_modules.mjs";
import { command } from "./setup/progress.mjs";
import { ensureVenv } from "./setup/python.mjs";

await command(async () => {
  await ensureNodeModules();
  await ensureVenv();
  await ensureBundledLibs();
  await ensureEditor();
  await ensureChromium();
});
