/** Runs stages two at a time, says how each went and adds up what they counted. */
import { join } from "node:path";

import { root } from "../setup/paths.mjs";
import { logged, tail } from "../setup/run.mjs";
import { countJunit, countVitest, reportFile } from "./reports.mjs";

const LANES = 2;
const HEARTBEAT_MS = 30_000;

/** @typedef {import("./stages.mjs").Stage} Stage */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * @param {readonly Stage[]} stages
 * @param {string} reports folder of the logs and reports
 * @returns {Promise<Counts>}
 */
export async function runStages(stages, reports) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const running = new Set();
  const heartbeat = setInterval(() => console.log(`  … ${[...running].join(", ")}`), HEARTBEAT_MS);
  const work = async (/** @type {Stage[]} */ waiting) => {
    for (let stage = waiting.shift(); stage; stage = waiting.shift()) {
      running.add(stage.name);
      const counts = await runStage(stage, reports);
      running.delete(stage.name);
      for (const key of /** @type {const} */ (["passed", "failed", "skipped"])) total[key] += counts[key];
    }
  };
  const together = stages.filter((stage) => !stage.alone);
  await Promise.all(Array.from({ length: LANES }, () => work(together)));
  await work(stages.filter((stage) => stage.alone));
  clearInterval(heartbeat);
  return total;
}

/** @param {Stage} stage @param {string} reports @returns {Promise<Counts>} */
async function runStage(stage, reports) {
  const started = Date.now();
  const log = join(reports, `${stage.name}.log`);
  const report = reportFile(stage, reports);
  const status = await logged(log, stage.file, [...stage.args, ...report.args], {
    cwd: stage.cwd ?? root,
    env: { ...process.env, NO_COLOR: "1", PYTHONUNBUFFERED: "1" },
  });
  const counts = count(stage, status, report.path);
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  const { passed, failed, skipped } = counts;
  const said = stage.report ? `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}; ` : "";
  console.log(`  ${failed > 0 ? "✗" : "✓"} ${stage.name.padEnd(16)} ${said}${seconds} s`);
  if (failed > 0) console.log(`${tail(log).replace(/^/gm, "      ")}\n      (all of it in ${log})`);
  return counts;
}

/** @param {Stage} stage @param {number} status @param {string} report @returns {Counts} */
function count(stage, status, report) {
  const whole = { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  if (!stage.report) return whole;
  const counts = stage.report === "junit" ? countJunit(report) : countVitest(report);
  if (!counts) return { ...whole, passed: 0, failed: 1 };
  // A runner that failed although every test passed (it could not collect a file, say) has failed.
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}
