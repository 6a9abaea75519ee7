/** The demo as a sequence of views, each photographed in a light and a dark theme. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openBrowser } from "../editor/browser.mjs";
import { Workbench } from "../editor/workbench.mjs";

/** @typedef {{ name: string, shows: string, show: (workbench: Workbench) => Promise<void> }} View */

const SCHEMES = /** @type {const} */ (["light", "dark"]);

/** @type {View[]} */
export const VIEWS = [
  {
    name: "paused",
    shows: "the paused editor: Variables, values at the ends of the lines, Breakpoints, status bar",
    show: async (workbench) => {
      await workbench.waitPaused("# @bp:step");
      await workbench.debug.expand("Locals");
      await workbench.debug.section("Watch", false);
      await workbench.debug.section("Call Stack", false);
      await workbench.debug.variable("logits").waitFor();
      await workbench.debug.frame('[data-testid="row"]');
    },
  },
  {
    name: "tensor",
    shows: "a tensor expanded: statistics, gradient, values, storage",
    show: async ({ debug }) => {
      await debug.section("Call Stack", false);
      await debug.section("Breakpoints", false);
      await debug.section("Tensors", false);
      await debug.expand("logits", "stats");
    },
  },
  {
    name: "hover",
    shows: "the hover over a tensor",
    show: async (workbench) => {
      await workbench.debug.collapse("logits");
      await workbench.debug.hover("logits = model", "logits");
    },
  },
  {
    name: "watch",
    shows: "Watch, and the Debug Console with torch's own repr",
    show: async ({ debug }) => {
      await debug.watch("model.fc.weight.grad");
      await debug.watch("logits.softmax(1)");
      await debug.evaluate("loss");
    },
  },
  {
    name: "alarm",
    shows: "NaN, put into the batch by hand: the line says so in red",
    show: async (workbench) => {
      await workbench.debug.evaluate('batch["image"][0, 0, 0, :3] = float("nan")');
      await workbench.press("F10");
      await workbench.waitPaused("history.append(metrics)");
      await workbench.debug.expand("batch");
      await workbench.debug.variable("'image'").filter({ hasText: "NaN" }).waitFor();
    },
  },
  {
    name: "tensors",
    shows: "the Tensors view: every tensor reachable from the paused line",
    show: async ({ debug }) => {
      await debug.section("Variables", false);
      await debug.section("Watch", false);
      await debug.section("Tensors", true);
      await debug.frame('[data-testid="row"]');
    },
  },
  {
    name: "hover-attribute",
    shows: "the hover over self.fc.weight in the model",
    show: async (workbench) => {
      await workbench.debug.section("Tensors", false);
      await workbench.debug.section("Variables", true);
      await workbench.toggleBreakpoint("digits/model.py", "# @bp:forward");
      await workbench.press("F5");
      await workbench.waitPaused("# @bp:forward");
      await workbench.debug.hover("self.fc.weight", "weight");
    },
  },
  {
    name: "hover-selection",
    shows: "the hover over a selected expression, embedding @ prototypes",
    show: async ({ debug }) => {
      await debug.select("embedding @ prototypes");
      await debug.hover("embedding @ prototypes", "@");
    },
  },
  {
    name: "add-breakpoint",
    shows: "Add Training Breakpoint on a line number: what fits the line",
    show: async (workbench) => {
      await workbench.stop();
      await workbench.command("View: Close All Editors");
      await workbench.lineNumberMenu("digits/train_shards.py", "# @bp:backward", "Add Training Breakpoint");
      await workbench.question("Add Training Breakpoint");
    },
  },
  {
    name: "spike",
    shows: "stopped at a loss spike, and the view Training",
    show: async (workbench) => {
      await workbench.answer("Add Training Breakpoint", "Loss spike");
      await workbench.answer("Loss spike", /^loss/);
      await workbench.answer("Loss spike", "tp.spike(loss)");
      await workbench.debug.conditionalBreakpoint().waitFor();
      await workbench.debug.section("Training", true);
      await workbench.debug.section("Call Stack", true);
      await workbench.startConfiguration("Train on shards");
      await workbench.waitPaused("# @bp:backward");
      await workbench.debug.stopReason(/loss .*usual/);
      await workbench.debug.showAlone("Training");
      await workbench.debug.trainingRow("tp.spike(loss)").waitFor();
    },
  },
  {
    name: "edit-breakpoint",
    shows: "Edit Training Breakpoint: the condition explained and completed",
    show: async (workbench) => {
      await workbench.lineNumberMenu("digits/train_shards.py", "# @bp:backward", "Edit Training Breakpoint");
      await (await workbench.question("Condition of Line")).filter({ hasText: "spreads" }).first().waitFor();
    },
  },
  {
    name: "nan-gradient",
    shows: "stopped before the optimizer's step: NaN in gradients, and the operation that made it",
    show: async (workbench) => {
      await workbench.press("Escape");
      await workbench.stop();
      await workbench.debug.tick("NaN or Inf in gradients", true);
      await workbench.debug.section("Call Stack", true);
      await workbench.startConfiguration("Train on pairs");
      await workbench.waitPaused("# @bp:step");
      await workbench.debug.stopReason(/NaN in gradients/);
      await workbench.debug.exceptionWidget().waitFor();
      await workbench.debug.showAlone("Training");
      await workbench.debug.trainingRow("Skip This Step").waitFor();
    },
  },
  {
    name: "shapes",
    shows: "the shapes of a traced forward pass beside the code",
    show: async (workbench) => {
      await workbench.stop();
      await workbench.command("View: Close All Editors");
      await workbench.openFile("digits/model.py");
      await workbench.command("TensorPeek: Trace Shapes");
      await workbench.notifications().filter({ hasText: "The shapes of model.py are traced." }).waitFor();
      await workbench.command("Notifications: Clear All Notifications");
      await workbench.page
        .locator(".editor-instance .view-line", { hasText: "embedding =" })
        .filter({ hasText: "[B, 32]" })
        .waitFor();
      await workbench.page.locator(".codelens-decoration", { hasText: "1 call" }).first().waitFor();
    },
  },
  {
    name: "model",
    shows: "the view Model: the modules of the traced model with output shapes, parameters and shares",
    show: async ({ debug }) => {
      await debug.showAlone("Model");
      await debug.unfold("Model", "features");
      await debug.row("Model", "4 Conv2d").click();
    },
  },
  {
    name: "shape-error",
    shows: "stopped where an operation fails on its shapes: why, in the user's own names",
    show: async (workbench) => {
      await workbench.stop();
      await workbench.command("View: Close All Editors");
      await workbench.startConfiguration("Train on larger images");
      await workbench.waitPaused("F.linear(maps.flatten(1)");
      await workbench.debug.section("Call Stack", true);
      await workbench.debug.explanation("[64, 800]");
      await workbench.debug.section("Variables", true);
      await workbench.debug.section("Watch", false);
      await workbench.debug.section("Breakpoints", false);
      await workbench.debug.variable("maps").waitFor();
      await workbench.debug.line("maps = self.features").filter({ hasText: "→ [64, 32, 5, 5]" }).waitFor();
      // The panel would hide the end of the explanation.
      await workbench.press("Control+J");
      await workbench.page.locator(".part.panel").waitFor({ state: "hidden" });
    },
  },
];

/**
 * Goes through the views; writes `NN-name.light.png`, `NN-name.dark.png` and variables.txt into `folder`.
 * @param {string} chromium
 * @param {import("../editor/server.mjs").Address} server
 * @param {string} project
 * @param {string} folder
 */
export async function takePictures(chromium, server, project, folder) {
  mkdirSync(folder, { recursive: true });
  const browser = await openBrowser(chromium, server);
  try {
    const workbench = await Workbench.open(browser, server, project);
    for (const [index, view] of VIEWS.entries()) {
      await view.show(workbench).catch(async (error) => {
        await workbench.screenshot(join(folder, "failed.png"));
        throw error;
      });
      const file = join(folder, `${String(index + 1).padStart(2, "0")}-${view.name}`);
      await photograph(workbench, file);
      console.log(`  ${file}.{light,dark}.png  ${view.shows}`);
      if (view.name === "tensor") writeFileSync(join(folder, "variables.txt"), await transcript(workbench));
    }
    await workbench.stop();
  } finally {
    await browser.close();
  }
}

/** @param {Workbench} workbench @param {string} file without its ending */
async function photograph(workbench, file) {
  for (const scheme of SCHEMES) {
    await workbench.showTheme(scheme);
    await workbench.hideFolder();
    await workbench.screenshot(`${file}.${scheme}.png`);
  }
}

/** What the Variables view says, as indented text. @param {Workbench} workbench */
async function transcript(workbench) {
  const rows = await workbench.debug.allVariables();
  return rows
    .map(({ level, name, value }) => `${"  ".repeat(level - 1)}${name}${value ? ` = ${value}` : ""}\n`)
    .join("");
}
