/**
 * The stages of `npm test`. A check that only passes or fails counts as one; a test runner reports its own count.
 * @typedef {{
 *   name: string,
 *   group: string,
 *   file: string,
 *   args: readonly string[],
 *   cwd?: string,
 *   report?: "junit" | "vitest",
 *   python?: boolean,
 *   editor?: boolean,
 *   alone?: boolean,
 * }} Stage `alone`: it keeps both cores busy by itself
 */
import { join } from "node:path";

import { backend, pythonIn, root, venv } from "../setup/paths.mjs";

const PYTHON = pythonIn(venv);

/** @param {string} script @param {readonly string[]} args */
const npmTool = (script, ...args) => ({
  file: process.execPath,
  args: [join(root, "node_modules", script), ...args],
});

/** @param {readonly string[]} args */
const python = (...args) => ({ file: PYTHON, args, python: true });

/** @param {readonly string[]} args */
const pytest = (...args) => ({
  ...python("-m", "pytest", "--color=no", ...args),
  report: /** @type {const} */ ("junit"),
});

/** @param {readonly string[]} args */
const vitest = (...args) => ({
  ...npmTool("vitest/vitest.mjs", "run", "--no-color", ...args),
  report: /** @type {const} */ ("vitest"),
});

/** The longest first, so that two lanes end together. @type {readonly Stage[]} */
export const STAGES = [
  { name: "adapter", group: "adapter", ...pytest("tests/python/adapter") },
  { name: "observer", group: "observer", ...pytest("tests/python/observer") },
  {
    name: "unit-python",
    group: "unit",
    ...pytest(
      "tests/contract",
      "tests/python",
      ...["adapter", "cli", "observer"].map((name) => `--ignore=tests/python/${name}`),
    ),
  },
  { name: "cli", group: "cli", ...pytest("tests/python/cli") },
  { name: "pyright", group: "types", ...npmTool("pyright/index.js", "--pythonpath", PYTHON), python: true },
  { name: "unit-typescript", group: "unit", ...vitest() },
  { name: "eslint", group: "lint", ...npmTool("eslint/bin/eslint.js", ".", "--max-warnings=0") },
  { name: "prettier", group: "lint", ...npmTool("prettier/bin/prettier.cjs", "--check", ".") },
  { name: "ruff", group: "lint", ...python("-m", "ruff", "check") },
  { name: "ruff-format", group: "lint", ...python("-m", "ruff", "format", "--check") },
  { name: "tsc", group: "types", ...npmTool("typescript/bin/tsc", "-b") },
  {
    name: "contract",
    group: "contract",
    ...python("-m", "tensorpeek.contract.generate", "--check"),
    cwd: backend,
  },
  {
    name: "imports",
    group: "imports",
    ...python(
      "-c",
      "from importlinter.cli import lint_imports_command; lint_imports_command()",
      "--no-cache",
      "--config",
      join(root, "pyproject.toml"),
    ),
    cwd: backend,
  },
  {
    name: "e2e",
    group: "e2e",
    ...vitest("--config", "tests/extension/e2e/vitest.config.mts"),
    python: true,
    editor: true,
    alone: true,
  },
];

export const GROUPS = [...new Set(STAGES.map(({ group }) => group))];
