import { join } from "node:path";
import { expect, inject, test } from "vitest";

import { lineOf } from "../../../scripts/editor/workbench.mjs";
import { useWindow } from "./window";

const MODEL = "modules_net.py";
const window = useWindow({
  settings: { "window.autoDetectColorScheme": true, "window.autoDetectHighContrast": true },
  configurations: [
    {
      name: "modules",
      type: "tensorpeek",
      request: "launch",
      program: `\${workspaceFolder}/${MODEL}`,
      console: "internalConsole",
    },
  ],
});

const row = (text: string | RegExp) => window.workbench.debug.row("Model", text);
const title = () => window.workbench.page.locator(".debug-viewlet .pane-header", { hasText: /^Model/ });
const lineOfCursor = (text: string) =>
  window.workbench.statusBar(new RegExp(`Ln ${String(lineOf(join(window.folder, MODEL), text))},`));

test("while debugging without a trace, the view offers one", async () => {
  const { workbench } = window;
  await workbench.toggleBreakpoint(MODEL, "# @bp:call");
  await workbench.press("F5");
  await workbench.waitPaused("# @bp:call");
  await workbench.debug.showAlone("Model");
  const welcome = workbench.page.locator(".debug-viewlet .welcome-view-content", { hasText: "output shapes" });
  await welcome.waitFor();
  await workbench.screenshot(join(inject("home"), "model-welcome.png"));
  await welcome.getByRole("button", { name: "Trace Shapes" }).click();
  await row("ModulesNet").waitFor();
  await workbench.stop();
});

test("the tree stays when the session has ended, with shapes, parameters and shares", async () => {
  await title().filter({ hasText: "ModulesNet.forward(tokens)" }).waitFor();
  await row("ModulesNet")
    .filter({ hasText: /164k params\s49.9M FLOPs/ })
    .waitFor();
  await row("words").filter({ hasText: "[B, T, 64] 64k" }).waitFor();
  await row("again").filter({ hasText: "same as blocks.0" }).waitFor();
  await row("unused").filter({ hasText: "never called 130" }).waitFor();
});

test("it reads well in a light, a dark and a high-contrast theme", async () => {
  const { workbench } = window;
  await workbench.debug.unfold("Model", "blocks", "0 Block", "mlp");
  await row("2 Linear").filter({ hasText: "×2" }).waitFor();
  await workbench.command("Notifications: Clear All Notifications");
  for (const theme of ["light", "dark"] as const) {
    await workbench.showTheme(theme);
    await workbench.screenshot(join(inject("home"), `model-${theme}.png`));
  }
  await workbench.page.emulateMedia({ forcedColors: "active" });
  await workbench.page.locator(".monaco-workbench.hc-black").waitFor();
  await workbench.screenshot(join(inject("home"), "model-contrast.png"));
  await workbench.page.emulateMedia({ forcedColors: "none" });
});

test("the whole of a row is told from the keyboard", async () => {
  const { workbench } = window;
  await workbench.command("Debug: Focus on Model View");
  await workbench.press("Home");
  await workbench.press("ArrowDown");
  await workbench.press("Control+K");
  await workbench.press("Control+I");
  const hover = workbench.page.locator(".monaco-hover", { hasText: "bytes of outputs" });
  await hover.filter({ hasText: "64,000 (256 KB)" }).waitFor();
  await workbench.screenshot(join(inject("home"), "model-hover.png"));
  await workbench.press("Escape");
  await hover.waitFor({ state: "hidden" });
  await workbench.press("Enter");
  await lineOfCursor("hidden = self.words(tokens)").waitFor();
});

test("a click goes to the line that calls the module", async () => {
  await row("2 Linear").click();
  await lineOfCursor("self.mlp(self.norm(hidden))").waitFor();
  await row("head").click();
  await lineOfCursor("return self.head").waitFor();
});

test("an inline action goes to the class", async () => {
  await row("0 Block").hover();
  await row("0 Block").getByRole("button", { name: "Go to Class" }).click();
  await lineOfCursor("class Block(nn.Module)").waitFor();
});

test("lines follow an edit, which the view tells once the file is saved", async () => {
  const { workbench } = window;
  await workbench.openFile(MODEL, 1);
  await workbench.press("Home");
  await workbench.page.keyboard.type("# one line more\n");
  await workbench.press("Control+S");
  await workbench.page
    .locator(".debug-viewlet .message", { hasText: "Changed since it was traced: modules_net.py" })
    .waitFor();
  await row("words").click();
  await lineOfCursor("hidden = self.words(tokens)").waitFor();
  await workbench.screenshot(join(inject("home"), "model-changed.png"));
});

test("a filter shows the modules that are wanted, and those above them", async () => {
  const { workbench } = window;
  await title().hover();
  await title().getByRole("button", { name: "Filter Modules…" }).click();
  await workbench.page.locator(".quick-input-widget input[type=text]").fill("gelu");
  await workbench.press("Enter");
  await row("unused").waitFor({ state: "detached" });
  await row("1 GELU").waitFor();
  await workbench.page.locator(".debug-viewlet .message", { hasText: "“gelu”: 3 of" }).waitFor();
  await workbench.screenshot(join(inject("home"), "model-filtered.png"));
  await workbench.command("TensorPeek: Show All Modules");
  await row("unused").waitFor();
});

test("the modules are copied as an aligned table", async () => {
  const { workbench } = window;
  await workbench.command("TensorPeek: Copy Modules as Text");
  const copied = () => workbench.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain("1-2 (2 × Block)");
  expect(await copied()).toMatch(/^ModulesNet\.forward\(tokens\)/);
});
