import { expect, inject, test } from "vitest";

import { useWindow } from "./window";

const window = useWindow({
  configurations: [
    {
      name: "with the Python Debugger",
      type: "debugpy",
      request: "launch",
      program: "${workspaceFolder}/zoo.py",
      console: "internalConsole",
      python: inject("python"),
    },
  ],
});

test("a session of the Python Debugger goes through our adapter", async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
  await workbench.press("F5");
  await workbench.waitPaused("# @bp:main");
  await workbench.debug.expand("Locals");
  expect(await workbench.debug.value("broken")).toMatch(/^NaN 1 f32\[5\]/);
  await workbench.statusBar(/TensorPeek active/).waitFor();
});
