import { expect, test } from "vitest";

import { useWindow } from "./window";

const window = useWindow();

test("F5 on a Python file needs no launch.json", async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
  await workbench.press("F5");
  await workbench.chooseDebugger("TensorPeek");
  await workbench.waitPaused("# @bp:main");
  await workbench.debug.expand("Locals");
  expect(await workbench.debug.value("broken")).toMatch(/^NaN 1 f32\[5\]/);
});
