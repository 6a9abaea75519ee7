/** What pytest and vitest wrote about their tests. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./runner.mjs").Counts} Counts */

/**
 * Where a stage's report goes and how its runner is told.
 * @param {import("./stages.mjs").Stage} stage
 * @param {string} folder
 */
export function reportFile({ name, report }, folder) {
  const path = join(folder, `${name}.${report === "junit" ? "xml" : "json"}`);
  if (report === "junit") return { path, args: [`--junit-xml=${path}`] };
  if (report === "vitest")
    return { path, args: ["--reporter=default", "--reporter=json", `--outputFile.json=${path}`] };
  return { path, args: [] };
}

/** @param {string} path of a JUnit XML report @returns {Counts | undefined} */
export function countJunit(path) {
  const suite = existsSync(path) ? /<testsuite [^>]*>/.exec(readFileSync(path, "utf8"))?.[0] : undefined;
  if (!suite) return undefined;
  const of = (/** @type {string} */ what) => Number(new RegExp(` ${what}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const failed = of("failures") + of("errors");
  return { passed: of("tests") - failed - of("skipped"), failed, skipped: of("skipped") };
}

/** @param {string} path of vitest's JSON report @returns {Counts | undefined} */
export function countVitest(path) {
  if (!existsSync(path)) return undefined;
  const report = JSON.parse(readFileSync(path, "utf8"));
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
}
