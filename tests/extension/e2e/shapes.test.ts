import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

import type { ShapeTrace } from "../../../extension/src/contract/messages";
import { root } from "../../../scripts/setup/paths.mjs";
import { useWindow } from "./window";

const window = useWindow({ settings: { "window.autoDetectColorScheme": true } });

const traces = (): ShapeTrace[] => {
  const runs = join(window.folder, ".tensorpeek", "runs");
  return readdirSync(runs)
    .map((run) => join(runs, run, "shapes.json"))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as ShapeTrace);
};

const line = (text: string) => window.workbench.page.locator(".editor-instance .view-line", { hasText: text });

test("Trace Shapes traces the model that the open file calls, and says so", async () => {
  const { workbench } = window;
  await workbench.openFile("shapes_net.py");
  await workbench.command("TensorPeek: Trace Shapes");
  const said = workbench.notifications().filter({ hasText: "The shapes of shapes_net.py are traced." });
  await said.waitFor();
  const [trace] = traces();
  expect(trace!.entry).toMatch(/^ShapesNet\.forward/);
  const flat = trace!.files.flatMap(({ names }) => names).find(({ name }) => name === "flat");
  expect(flat!.values[0]!.dims).toEqual(["B", "256"]);
  await workbench.screenshot(join(inject("home"), "shapes-traced.png"));
});

test("its shapes stand beside the code, in a light and in a dark theme", async () => {
  const { workbench } = window;
  await workbench.openFile("shapes_net.py");
  await line("flat =").filter({ hasText: "[B, 256]" }).waitFor();
  await workbench.showTheme("light");
  await workbench.screenshot(join(inject("home"), "shapes-light.png"));
  await workbench.showTheme("dark");
  await workbench.screenshot(join(inject("home"), "shapes-dark.png"));
});

test("a line that is edited has its shape no more", async () => {
  const { workbench } = window;
  await workbench.goToLine(15);
  await workbench.press("End");
  await workbench.page.keyboard.type(" * 2");
  await line("flat =").filter({ hasText: "* 2" }).waitFor();
  await line("flat =").filter({ hasText: "[B, 256]" }).waitFor({ state: "detached" });
  await line("maps =").filter({ hasText: "[B, 4, 8, 8]" }).waitFor();
  await workbench.screenshot(join(inject("home"), "shapes-edited.png"));
});

test("the example's model has its shapes from the palette, in a light and in a dark theme", async () => {
  const { workbench, folder } = window;
  cpSync(join(root, "examples", "digits"), join(folder, "digits"), { recursive: true });
  await workbench.openFile("digits/model.py");
  await workbench.command("TensorPeek: Trace Shapes");
  await workbench.notifications().filter({ hasText: "The shapes of model.py are traced." }).waitFor();
  await workbench.command("Notifications: Clear All Notifications");
  await line("embedding =").filter({ hasText: "[B, 32]" }).waitFor();
  const lenses = workbench.page.locator(".codelens-decoration");
  await lenses
    .filter({ hasText: /parameters.*FLOPs/ })
    .first()
    .waitFor();
  await lenses.filter({ hasText: "Trace Shapes" }).first().waitFor();
  await workbench.showTheme("light");
  await workbench.screenshot(join(inject("home"), "shapes-example-light.png"));
  await workbench.showTheme("dark");
  await workbench.screenshot(join(inject("home"), "shapes-example-dark.png"));
});

test("a hover over an operator says what went in and what came out", async () => {
  const { workbench } = window;
  const { left, right, y } = await workbench.debug.placeOf("(embedding @ prototypes)", "@");
  await workbench.page.mouse.move((left + right) / 2, y);
  const hover = workbench.page.locator(".monaco-hover", { hasText: "[32, 10]" });
  await hover.first().waitFor();
  expect(await hover.first().innerText()).toContain("[B, 10]");
  await workbench.screenshot(join(inject("home"), "shapes-hover.png"));
});

test("a size that contradicts the trace is underlined before anything runs", async () => {
  const { workbench, folder } = window;
  await workbench.openFile("shapes_net.py");
  await workbench.command("TensorPeek: Trace Shapes");
  await workbench.notifications().filter({ hasText: "The shapes of shapes_net.py are traced." }).waitFor();
  const text = readFileSync(join(folder, "shapes_net.py"), "utf8");
  writeFileSync(join(folder, "shapes_net.py"), text.replace("4 * 8 * 8", "4 * 4 * 4"));
  await line("self.fc =").filter({ hasText: "4 * 4 * 4" }).waitFor();
  await workbench.command("Problems: Focus on Problems View");
  const said = workbench.page.locator(".markers-panel .monaco-list-row", { hasText: "Linear takes 64 here" });
  await said.first().waitFor();
  await workbench.screenshot(join(inject("home"), "shapes-before-running.png"));
  writeFileSync(join(folder, "shapes_net.py"), text);
  await said.first().waitFor({ state: "detached" });
});

test("a file that calls no model is told, with a way to name the script that does", async () => {
  const { workbench } = window;
  await workbench.openFile("calls_nothing.py");
  await workbench.command("TensorPeek: Trace Shapes");
  const said = workbench.notifications().filter({ hasText: "No shapes were traced: the program has called no model" });
  await said.waitFor();
  await workbench.screenshot(join(inject("home"), "shapes-none.png"));
  await said.getByRole("button", { name: "Show Output" }).waitFor();
  await said.getByRole("button", { name: "Choose Script…" }).click();
  await workbench.question("The script that calls the model");
  await workbench.page.keyboard.type("shapes_net");
  await workbench.answer("The script that calls the model", "shapes_net.py");
  await workbench.notifications().filter({ hasText: "The shapes of calls_nothing.py are traced." }).waitFor();
});

test("what the trace printed can be read", async () => {
  const { workbench } = window;
  const said = workbench.notifications().filter({ hasText: "The shapes of calls_nothing.py are traced." });
  await said.getByRole("button", { name: "Show Output" }).click();
  await line("# → [B, 256]").first().waitFor();
});
