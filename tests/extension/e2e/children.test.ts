import { expect, test } from "vitest";

import { useWindow } from "./window";

const program = "${workspaceFolder}/workers.py";
const window = useWindow({
  configurations: [{ name: "workers", type: "tensorpeek", request: "launch", program, console: "internalConsole" }],
});

test("a breakpoint in a DataLoader worker stops in a child session named after the worker, with tensors said", async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint("workers.py", "# @bp:item");
  await workbench.press("F5");
  await workbench.waitPaused("# @bp:item");
  await expect
    .poll(async () => (await workbench.debug.callStackRows().allInnerTexts()).join("\n"), { timeout: 60_000 })
    .toMatch(/worker [01]/);
  await workbench.debug.expand("Locals");
  expect(await workbench.debug.value("square")).toMatch(/^f32 /);
});
