import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { thirdPartyNotices } from "../../../scripts/notices.mjs";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tensorpeek-"));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function install(folder: string, files: Record<string, string>): void {
  mkdirSync(join(root, folder), { recursive: true });
  const manifest = { name: folder.split("node_modules/").at(-1), version: "1.2.3", license: "MIT" };
  for (const [name, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) }))
    writeFileSync(join(root, folder, name), text);
}

it("say once for each bundled package, nested and scoped ones too, what its licence files say", () => {
  install("node_modules/a", { "LICENSE.md": "by Ada", "thirdpartynotices.txt": "and by Grace" });
  install("node_modules/@s/b", { License: "by Bea" });
  install("node_modules/a/node_modules/c", { COPYING: "by Cleo" });
  const inputs = ["a/x.js", "a/lib/y.js", "@s/b/z.js", "a/node_modules/c/c.js"].map((name) => `node_modules/${name}`);
  const text = thirdPartyNotices(root, ["extension/src/extension.ts", ...inputs]);
  expect(text.match(/^.* 1\.2\.3 \(MIT\)$/gm)).toEqual(["@s/b 1.2.3 (MIT)", "a 1.2.3 (MIT)", "c 1.2.3 (MIT)"]);
  expect(text.match(/by \w+/g)).toEqual(["by Bea", "by Ada", "by Grace", "by Cleo"]);
});

it("fail for a package that says nothing about its licence", () => {
  install("node_modules/a", { "README.md": "a" });
  expect(() => thirdPartyNotices(root, ["node_modules/a/x.js"])).toThrow("a is bundled, and has no file");
});
