// Bundles the extension and its pages into dist/.  --production: small, without source maps.  --watch: again at each change.
import { writeFileSync } from "node:fs";
import { context } from "esbuild";

import { thirdPartyNotices } from "./scripts/notices.mjs";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "info",
  metafile: true,
  // They are in dist/ThirdPartyNotices.txt.
  legalComments: "none",
};

const bundles = [
  {
    ...shared,
    entryPoints: { extension: "extension/src/extension.ts" },
    outdir: "dist",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
  {
    ...shared,
    entryPoints: { tensors: "extension/webview/tensors/main.ts" },
    outdir: "dist/webview",
    platform: "browser",
    format: "iife",
    target: "chrome120",
  },
];

const inputs = [];
for (const bundle of bundles) {
  const builder = await context(bundle);
  if (watch) {
    await builder.watch();
  } else {
    const { metafile } = await builder.rebuild();
    inputs.push(...Object.keys(metafile.inputs));
    await builder.dispose();
  }
}
if (!watch) writeFileSync("dist/ThirdPartyNotices.txt", thirdPartyNotices(".", inputs));
