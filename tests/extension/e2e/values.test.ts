import { beforeAll, describe, expect, test } from "vitest";

import { useWindow } from "./window";

const window = useWindow({
  configurations: [
    {
      name: "zoo",
      type: "tensorpeek",
      request: "launch",
      program: "${workspaceFolder}/zoo.py",
      console: "internalConsole",
    },
  ],
});

describe("paused in a function of the user's", () => {
  beforeAll(async () => {
    const { workbench } = window;
    await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
    await workbench.press("F5");
    await workbench.waitPaused("# @bp:main");
    await workbench.debug.expand("Locals");
    await workbench.debug.section("Call Stack", false);
    await workbench.debug.section("Breakpoints", false);
  });

  test("Variables says what each value is, alarm first", async () => {
    const { debug } = window.workbench;
    // A row that has no room is not there: the list draws what it can show.
    for (const title of ["Watch", "Call Stack", "Breakpoints", "Training", "Tensors"]) {
      await debug.section(title, false);
    }
    expect(await debug.value("broken")).toMatch(/^NaN 1 f32\[5\]/);
    expect(await debug.value("hidden")).toMatch(/^f32\[2,3\] .*grad/);
    expect(await debug.value("batch")).toMatch(/x: f32\[2,4\]/);
    expect(await debug.value("net")).toMatch(/^Net 15 params/);
    expect(await debug.value("optimizer")).toMatch(/^SGD lr 0\.1/);
  });

  test("a tensor expands to its statistics", async () => {
    const { debug } = window.workbench;
    await debug.expand("broken", "stats");
    const rows = await debug.allVariables();
    const stats = rows.slice(rows.findIndex(({ name }) => name === "stats") + 1);
    expect(stats.find(({ name }) => name === "NaN")?.value).toContain("1");
    await debug.collapse("broken");
  });

  test("Watch shows the same line", async () => {
    const { debug } = window.workbench;
    await debug.watch("batch['x'] * 2");
    await debug.watched("batch['x'] * 2").filter({ hasText: "f32[2,4] 0…14" }).waitFor();
    await debug.section("Watch", false);
  });

  test("the Debug Console keeps torch's own repr", async () => {
    expect(await window.workbench.debug.evaluate("broken")).toMatch(/^tensor\(\[ *0\., +0\., +0\., +nan/);
  });

  test("a name and a subscript have a debug hover", async () => {
    const { debug } = window.workbench;
    expect(await (await debug.hover("broken[3] = ", "broken")).innerText()).toContain("NaN 1 f32[5]");
    expect(await (await debug.hover('net(batch["x"])', '"x"')).innerText()).toContain("f32[2,4] 0…7");
  });

  test("shapes stand at the ends of the lines that use the names", async () => {
    const { debug } = window.workbench;
    await debug.line("hidden, product = net").filter({ hasText: "hidden f32[2, 3]" }).waitFor();
    await debug.line("broken[3] = ").filter({ hasText: "NaN 1" }).waitFor();
  });

  test("the status bar says that TensorPeek is active", async () => {
    await window.workbench.statusBar(/TensorPeek active/).waitFor();
  });

  test("a value too big for the budget is refined by a click", async () => {
    const { debug } = window.workbench;
    expect(await debug.value("big")).toMatch(/u8\[400000000\] seen /);
    await debug.variable("big").locator(".lazy-button").click();
    await debug.variable("big").filter({ hasText: /1…7/ }).waitFor();
    expect(await debug.value("big")).not.toContain("seen");
  });
});

describe("paused in a module's forward", () => {
  beforeAll(async () => {
    const { workbench } = window;
    await workbench.stop();
    await workbench.toggleBreakpoint("zoo.py", "# @bp:forward");
    await workbench.press("F5");
    await workbench.waitPaused("# @bp:forward");
  });

  test("an attribute chain has a debug hover", async () => {
    const hover = await window.workbench.debug.hover("self.fc.weight.T", "weight");
    expect(await hover.innerText()).toMatch(/f32\[3,4\] .*param/);
  });

  test("a selected expression has a debug hover", async () => {
    const { debug } = window.workbench;
    await debug.select("a @ b");
    expect(await (await debug.hover("a @ b", "@")).innerText()).toContain("f32[2,3]");
  });
});
