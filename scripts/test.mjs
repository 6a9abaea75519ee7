/**
 * `npm test`: every check of the project, two at a time, closing with `N passed, N failed`.
 *
 * `npm test -- lint unit` runs only the stages or groups of these names.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { ensurePackage } from "./package.mjs";
import { ensureChromium } from "./setup/chromium.mjs";
import { ensureEditor } from "./setup/editor.mjs";
import { ensureNodeModules } from "./setup/node_modules.mjs";
import { out } from "./setup/paths.mjs";
import { Missing, command } from "./setup/progress.mjs";
import { ensureVenv } from "./setup/python.mjs";
import { runStages } from "./test/runner.mjs";
import { GROUPS, STAGES } from "./test/stages.mjs";

const wishes = process.argv.slice(2);
const chosen = STAGES.filter(
  ({ name, group }) => wishes.length === 0 || wishes.includes(name) || wishes.includes(group),
);

await command(async () => {
  const unknown = wishes.filter((wish) => !GROUPS.includes(wish) && !STAGES.some(({ name }) => name === wish));
  if (unknown.length > 0)
    throw new Missing(`No stage is called ${unknown.join(", ")}; there are ${GROUPS.join(", ")}.`);
  await ensureNodeModules();
  if (chosen.some((stage) => stage.python)) await ensureVenv();
  if (chosen.some((stage) => stage.editor)) {
    await ensureChromium();
    await ensureEditor();
    await ensurePackage();
  }
  const reports = join(out, "test");
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const { passed, failed, skipped } = await runStages(chosen, reports);
  if (skipped > 0) console.log(`\nSkipped for want of something on this machine, as the logs say: ${skipped}.`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
});
