import { describe, expect, test } from "vitest";

import { useWindow } from "./window";

const configuration = (name: string) => ({
  name,
  type: "tensorpeek",
  request: "launch",
  program: `\${workspaceFolder}/${name}.py`,
  console: "internalConsole",
});
const window = useWindow({ configurations: [configuration("spike"), configuration("nan_gradient")] });

describe("a training breakpoint of a line", () => {
  test("is set by a right click on the line's number, and Enter all the way", async () => {
    const { workbench } = window;
    await workbench.lineNumberMenu("spike.py", "# @bp:backward", "Add Training Breakpoint");
    const entries = await workbench.question("Add Training Breakpoint");
    expect(await entries.first().innerText()).toContain("Loss spike");
    await workbench.answer("Add Training Breakpoint", "Loss spike");
    await workbench.answer("Loss spike", /^loss/);
    await workbench.answer("Loss spike", "tp.spike(loss)");
    await workbench.debug.conditionalBreakpoint().waitFor();
  });

  test("stops at the spike and says so", async () => {
    const { workbench } = window;
    await workbench.startConfiguration("spike");
    await workbench.waitPaused("# @bp:backward");
    await workbench.debug.expand("Locals");
    expect(await workbench.debug.value("number")).toBe("60");
    await workbench.debug.stopReason(/loss .*usual/);
  });

  test("offers the values that are there while paused", async () => {
    const { workbench } = window;
    await workbench.lineNumberMenu("spike.py", "# @bp:backward", "Add Training Breakpoint");
    await workbench.answer("Add Training Breakpoint", "Loss spike");
    const names = await workbench.question("Loss spike");
    await names
      .filter({ hasText: /^loss.*f32/ })
      .first()
      .waitFor();
    await workbench.press("Escape");
  });

  test("is listed in the view Training with its line", async () => {
    const { debug } = window.workbench;
    await debug.showAlone("Training");
    await debug.trainingRow(/^loss .*usual/).waitFor();
    await debug.trainingRow("tp.spike(loss)").filter({ hasText: "spike.py:16" }).waitFor();
  });

  test("is edited with an explanation, and a mistake is said before it is set", async () => {
    const { workbench } = window;
    await workbench.stop();
    await workbench.lineNumberMenu("spike.py", "# @bp:backward", "Edit Training Breakpoint");
    const rows = await workbench.question("Condition of Line");
    await rows
      .filter({ hasText: /spreads above the median/ })
      .first()
      .waitFor();
    const input = workbench.page.locator(".quick-input-widget input[type=text]");
    await input.fill("tp.spike(loss, facto=3)");
    await rows
      .filter({ hasText: /factor/ })
      .first()
      .waitFor();
    await input.fill("tp.spike(loss, factor=3)");
    await rows
      .filter({ hasText: /3 spreads above/ })
      .first()
      .waitFor();
    await workbench.press("Enter");
    await workbench.debug.trainingRow("tp.spike(loss, factor=3)").waitFor();
  });
});

test("a log message is set from the same menu", async () => {
  const { workbench } = window;
  await workbench.lineNumberMenu("spike.py", "optimizer.step()", "Add Training Breakpoint");
  await workbench.question("Add Training Breakpoint");
  await workbench.page.locator(".quick-input-widget input[type=text]").fill("Log message");
  await workbench.answer("Add Training Breakpoint", "Log message");
  await workbench.page.locator(".quick-input-title", { hasText: "Log Message of Line" }).waitFor();
  await workbench.press("Enter");
  await workbench.debug.trainingRow(/\{tp\.line\(.*spike\.py:17/).waitFor();
});

describe("the check box “NaN or Inf in gradients”", () => {
  test("is there before the first session of the user's", async () => {
    const { workbench } = window;
    await workbench.command("TensorPeek: Show Training Conditions");
    await workbench.debug.tick("NaN or Inf in gradients", true);
  });

  test("stops before the step, with the operation that made the NaN", async () => {
    const { workbench } = window;
    await workbench.startConfiguration("nan_gradient");
    await workbench.waitPaused("# @bp:step");
    const said = await workbench.debug.exceptionWidget().innerText();
    expect(said).toContain("NaN in gradients");
    expect(said).toMatch(/sqrt/);
    expect(await workbench.debug.evaluate("number")).toContain("30");
    expect(await workbench.debug.evaluate("model.weight.isfinite().all()")).toContain("True");
  });

  test("is a finding in the view Training, and a click goes to its line", async () => {
    const { workbench } = window;
    await workbench.debug.showAlone("Training");
    await workbench.debug.trainingRow(/^Step 30/).waitFor();
    await workbench.debug.trainingRow(/^loss.*█/).waitFor();
    await workbench.debug.trainingRow(/^Findings/).waitFor();
    await workbench.debug.trainingRow(/first NaN: backward of `sqrt`/).waitFor();
    const finding = workbench.debug.trainingRow(/nan_gradient\.py:\d+/);
    await workbench.goToLine(1);
    await finding.click();
    await workbench.statusBar(/Ln 10, Col/).waitFor();
    // The language server says it in the editor too.
    await workbench.page.locator(".editor-instance .squiggly-warning").first().waitFor();
  });

  test("lets the step be skipped, and the training goes on with clean weights", async () => {
    const { workbench } = window;
    await workbench.debug.trainingRow("Skip This Step").click();
    await workbench.notifications().first().waitFor();
    await workbench.press("F5");
    await workbench.waitEnded();
  });
});
