import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

import type { ShapeTrace } from "../../../extension/src/contract/messages";
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
