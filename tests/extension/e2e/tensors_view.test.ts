import { join } from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { lineOf } from "../../../scripts/editor/workbench.mjs";
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
let view: Frame;

beforeAll(async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
  await workbench.press("F5");
  await workbench.waitPaused("# @bp:main");
  for (const title of ["Variables", "Watch", "Call Stack", "Breakpoints"]) await workbench.debug.section(title, false);
  await workbench.debug.section("Tensors", true);
  view = await workbench.debug.frame('[data-testid="row"]');
});

const rows = () => view.getByTestId("row");
const expressions = () => rows().evaluateAll((all) => all.map((row) => row.getAttribute("data-expression") ?? ""));

test("lists what is reachable from the frame, containers and modules included", async () => {
  await view.locator('[data-expression="broken"]').waitFor();
  const listed = await expressions();
  expect(listed).toContain("hidden");
  expect(listed.some((expression) => /^batch\[.label.\]$/.test(expression))).toBe(true);
  expect(listed).toContain("net.fc.weight");
  expect(await view.locator('[data-expression="broken"]').innerText()).toContain("NaN 1");
});

test("groups aliases of one storage", async () => {
  const group = view.getByTestId("group").filter({ has: view.locator('[data-expression="alias"]') });
  expect(await group.locator('[data-expression="broken"]').count()).toBe(1);
});

test("filters by name", async () => {
  await view.getByTestId("filter").fill("weight");
  await expect.poll(expressions).toEqual(["net.fc.weight"]);
  await view.getByTestId("filter").fill("");
  await view.locator('[data-expression="broken"]').waitFor();
});

test("sorts by bytes", async () => {
  await view.getByTestId("sort").selectOption("bytes");
  await expect.poll(async () => (await expressions())[0]).toBe("big");
});

test("shows only alarms", async () => {
  await view.getByTestId("alarms-only").click();
  await expect.poll(async () => (await expressions()).every((name) => ["broken", "alias"].includes(name))).toBe(true);
  await view.getByTestId("alarms-only").click();
});

test("copies the expression", async () => {
  const row = view.locator('[data-expression="net.fc.weight"]');
  await row.hover();
  await row.getByTestId("action-copy").click();
  await expect.poll(() => window.workbench.page.evaluate(() => navigator.clipboard.readText())).toBe("net.fc.weight");
});

test("adds to Watch", async () => {
  const row = view.locator('[data-expression="hidden"]');
  await row.hover();
  await row.getByTestId("action-watch").click();
  const { debug } = window.workbench;
  await debug.section("Watch", true);
  await debug.watched("hidden").filter({ hasText: "f32[2,3]" }).waitFor();
  await debug.section("Watch", false);
});

test("reveals the line that assigned the name", async () => {
  const { workbench } = window;
  await workbench.goToLine(1);
  const row = view.locator('[data-expression="broken"]');
  await row.hover();
  await row.getByTestId("action-reveal").click();
  const assigned = lineOf(join(window.folder, "zoo.py"), "broken = ");
  await workbench.statusBar(new RegExp(`Ln ${String(assigned)}, Col`)).waitFor();
});
