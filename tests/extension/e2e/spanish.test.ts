import { join } from "node:path";
import { expect, inject, test } from "vitest";

import { startSpanishEditor } from "./locale";
import { useWindow } from "./window";

const program = "${workspaceFolder}/zoo.py";
const window = useWindow({
  configurations: [{ name: "zoo", type: "tensorpeek", request: "launch", program, console: "internalConsole" }],
  start: () => startSpanishEditor(join(inject("home"), "spanish"), inject("vsix"), inject("python")),
});

test("the extension speaks Spanish where the editor does", async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
  await workbench.press("F5");
  await workbench.waitPaused("# @bp:main");
  await workbench.statusBar(/TensorPeek activo/).waitFor();
  await workbench.debug.section("Tensores", true);
  const view = await workbench.debug.frame('[data-testid="row"]');
  expect(await view.getByTestId("filter").getAttribute("placeholder")).toMatch(/^Filtrar/);
});
