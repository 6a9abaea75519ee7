/** A stamp remembers from what something was made, so that making it again is skipped while nothing changed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A hash over the contents of files and folders and over plain words.
 * @param {{ files?: readonly string[], words?: readonly string[] }} inputs
 */
export function contentHash({ files = [], words = [] }) {
  const hash = createHash("sha256");
  for (const word of words) hash.update(`${word}\0`);
  for (const file of files.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

/** @param {string} stampFile @param {string} hash */
export function isCurrent(stampFile, hash) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash;
}

/** @param {string} stampFile @param {string} hash */
export function writeStamp(stampFile, hash) {
  writeFileSync(stampFile, hash);
}

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== "__pycache__")
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
