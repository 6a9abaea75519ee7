/** `npm run pictures`: takes the pictures that the README shows, docs/pictures/*.png, from the demo. */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
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
  const readme = readFileSync(join(root, "README.md"), "utf8");
  for (const file of readdirSync(taken)) {
    const name = file.replace(/^\d+-/, "");
    if (readme.includes(`docs/pictures/${name}`)) copyFileSync(join(taken, file), join(PICTURES, name));
  }
});
