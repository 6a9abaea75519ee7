import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

import { root } from "../../../scripts/setup/paths.mjs";
import { useWindow } from "./window";

const window = useWindow({
  settings: { "window.autoDetectColorScheme": true },
  configurations: [
    {
      name: "wrong_size",
      type: "tensorpeek",
      request: "launch",
      program: "${workspaceFolder}/wrong_size.py",
      console: "internalConsole",
    },
  ],
});

const problems = () => window.workbench.page.locator(".markers-panel .monaco-list-row");

test("an operation that fails on its shapes is explained where the program stops", async () => {
  const { workbench } = window;
  await workbench.openFile("wrong_size.py");
  await workbench.startConfiguration("wrong_size");
  await workbench.waitPaused("# fails");
  await workbench.debug.explanation("`flat` [16, 1352]");
  const text = await workbench.debug.exceptionWidget().innerText();
  expect(text).toContain("nn.Linear(1352, 10)");
  expect(text).toMatch(/line 12\b/);
  await workbench.showTheme("light");
  await workbench.screenshot(join(inject("home"), "shape-error-light.png"));
  await workbench.showTheme("dark");
  await workbench.screenshot(join(inject("home"), "shape-error-dark.png"));
});

test("and in Problems, with the lines that made its operands", async () => {
  const { workbench } = window;
  await workbench.command("Problems: Focus on Problems View");
  await problems().filter({ hasText: "`flat` [16, 1352]" }).first().waitFor();
  await problems().filter({ hasText: "wrong_size.py[Ln 17" }).first().waitFor();
  await workbench.screenshot(join(inject("home"), "shape-error-problems.png"));
  await workbench.stop();
});

test("a run in the terminal leaves the same in the editor, until the line is edited", async () => {
  const { workbench, folder } = window;
  const program = "products.py";
  writeFileSync(join(folder, program), "import torch\n\nx = torch.randn(4, 3)\ny = torch.randn(5, 2)\nz = x @ y\n");
  const ran = spawnSync(inject("python"), ["-m", "tensorpeek", "run", "--break", "shapes", program], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: join(root, "python_backend") },
    encoding: "utf8",
  });
  expect(ran.stderr).toContain("`x` [4, 3] and `y` [5, 2] can't be multiplied");
  await workbench.openFile(program, 5);
  await workbench.command("Problems: Focus on Problems View");
  const said = problems().filter({ hasText: "Matrices do not fit" });
  await said.first().waitFor();
  await workbench.screenshot(join(inject("home"), "shape-error-run.png"));
  await workbench.openFile(program, 5);
  await workbench.press("End");
  await workbench.page.keyboard.type(".T");
  await said.first().waitFor({ state: "detached" });
});
