/** Runs Python from `.venv` with the backend importable: `node scripts/python.mjs -m tensorpeek.adapter`. */
import { spawnSync } from "node:child_process";

import { backend, root } from "./setup/paths.mjs";
import { command } from "./setup/progress.mjs";
import { ensureVenv } from "./setup/python.mjs";

await command(async () => {
  const python = await ensureVenv();
  const env = { ...process.env, PYTHONPATH: backend };
  const { status } = spawnSync(python, process.argv.slice(2), { cwd: root, env, stdio: "inherit" });
  process.exitCode = status ?? 1;
});
