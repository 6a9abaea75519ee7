/** `npm run pictures`: makes the README's pictures, docs/pictures/*.png, from the demo. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { headless } from "./demo.mjs";
import { out, root } from "./setup/paths.mjs";
import { command } from "./setup/progress.mjs";

const PICTURES = join(root, "docs", "pictures");

await command(async () => {
  const taken = join(out, "pictures");
  await headless(taken);
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  for (const file of readdirSync(taken).filter((name) => name.endsWith(".png")))
    copyFileSync(join(taken, file), join(PICTURES, file.replace(/^\d+-/, "")));
});
