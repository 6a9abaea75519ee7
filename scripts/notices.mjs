/** The licences of the npm packages whose code stands in dist/, where esbuild leaves their notices out. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const NOTICE = /^(licen[cs]e|copying|notice|thirdpartynotices)/i;
const RULE = "-".repeat(80);

const INTRODUCTION = `TensorPeek is under the licence in the file LICENSE. Its bundles contain code of the packages below.
The licences of the Python packages that come with it are in the folders bundled/libs/*.dist-info.`;

/**
 * The text of ThirdPartyNotices.txt; throws when a package says nothing about its licence.
 * @param {string} root the folder that the inputs are relative to
 * @param {readonly string[]} inputs the files that were bundled, as esbuild's metafile names them
 */
export function thirdPartyNotices(root, inputs) {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []));
  return (
    [INTRODUCTION, ...[...packages].sort().map((name) => noticesOf(join(root, name)))].join(`\n\n${RULE}\n\n`) + "\n"
  );
}

/** @param {string} folder */
function noticesOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => NOTICE.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled, and has no file with its licence`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
