/**
 * The workbench as a person uses it: open, press, look. Every method waits for what it causes, none for a time.
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Locator} Locator
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { DebugView } from "./debug_view.mjs";
import { STEP_TIMEOUT_MS, insist, soon, until } from "./waiting.mjs";

const START_TIMEOUT_MS = 180_000;
const PAUSE_TIMEOUT_MS = 180_000;

export class Workbench {
  /** @param {Page} page @param {string} folder */
  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
    this.debug = new DebugView(page);
  }

  /**
   * Opens a window on `folder`.
   * @param {import("./browser.mjs").Browser} browser
   * @param {import("./server.mjs").Address} server
   * @param {string} folder
   */
  static async open(browser, server, folder) {
    const page = await browser.context.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    await page.goto(`${server.url}/?folder=${encodeURIComponent(folder)}`);
    const workbench = new Workbench(page, folder);
    await page.locator(".monaco-workbench .activitybar").waitFor({ timeout: START_TIMEOUT_MS });
    return workbench;
  }

  /** Presses keys, as in `F5` or `Control+Shift+P`. @param {string} keys */
  async press(keys) {
    await this.page.keyboard.press(keys);
  }

  /** Runs a command by its title. @param {string} title as in `Debug: Stop` */
  async command(title) {
    await this.#pick("F1", `>${title}`, title);
  }

  /**
   * Opens a file of the folder, with the cursor on `line` when given.
   * @param {string} path relative to the folder
   * @param {number} [line] 1-based
   */
  async openFile(path, line) {
    const name = path.split("/").at(-1) ?? path;
    await this.#pick("Control+P", join(this.folder, path), name);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
    if (line !== undefined) await this.goToLine(line);
  }

  /** @param {number} line 1-based */
  async goToLine(line) {
    await this.#pick("Control+G", `:${line}`, String(line));
    await this.page
      .locator(".statusbar-item", { hasText: new RegExp(`\\b${line}\\b.*\\b1\\b`) })
      .first()
      .waitFor();
  }

  /** Sets a breakpoint on the line with `text`, or takes it away. @param {string} path @param {string} text */
  async toggleBreakpoint(path, text) {
    await this.openFile(path, lineOf(join(this.folder, path), text));
    const glyphs = this.page.locator(
      ".editor-instance .codicon-debug-breakpoint, .editor-instance .codicon-debug-breakpoint-unverified",
    );
    const before = await glyphs.count();
    // The key does nothing until the editor has read which languages have breakpoints.
    await insist(
      () => this.press("F9"),
      async () => (await glyphs.count()) !== before,
      "the breakpoint to change",
    );
  }

  /**
   * Chooses an entry of the menu that a right click on a line's number opens.
   * @param {string} path @param {string} text on that line @param {string} entry
   */
  async lineNumberMenu(path, text, entry) {
    await this.openFile(path, lineOf(join(this.folder, path), text));
    const item = this.page.locator(".monaco-menu .action-label", { hasText: entry }).first();
    const number = this.page.locator(".editor-instance .line-numbers.active-line-number").first();
    await insist(
      () => number.click({ button: "right" }),
      () => item.isVisible(),
      `the entry ${entry}`,
    );
    // For a moment after it has opened, a menu takes no click.
    await insist(
      async () => {
        if (await item.isVisible()) await item.click();
      },
      async () => !(await item.isVisible()),
      `the menu to close on ${entry}`,
    );
  }

  /** The rows of the question on screen, once its title says `title`. @param {string | RegExp} title @returns {Promise<Locator>} */
  async question(title) {
    await this.page.locator(".quick-input-widget .quick-input-title", { hasText: title }).waitFor();
    const rows = this.page.locator(".quick-input-widget .quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    return rows;
  }

  /**
   * Takes the first answer of the question `title`, once an answer says `text`, which tells it from the question before.
   * @param {string | RegExp} title @param {string | RegExp} text
   */
  async answer(title, text) {
    const row = (await this.question(title)).filter({ hasText: text }).first();
    await row.waitFor();
    // Once, for a second Enter would answer the next question.
    await this.page.locator(".quick-input-widget input[type=text]").press("Enter");
  }

  /** Starts a configuration of launch.json by its name. @param {string} name */
  async startConfiguration(name) {
    await this.#pick("Control+P", `debug ${name}`, name);
  }

  /** Answers the question with which debugger to debug, which F5 asks where there is no launch.json. @param {string} label */
  async chooseDebugger(label) {
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first().click();
  }

  /** Waits until the program is paused on a line with this text. @param {string} text */
  async waitPaused(text) {
    const paused = () => this.page.evaluate(isPausedAt, text);
    await until(paused, `a pause at “${text}”`, PAUSE_TIMEOUT_MS);
  }

  /** Waits until no session is left. */
  async waitEnded() {
    await this.page.locator(".debug-toolbar").waitFor({ state: "hidden", timeout: PAUSE_TIMEOUT_MS });
  }

  /** Ends every session, one after the other, whatever they do. */
  async stop() {
    const toolbar = this.page.locator(".debug-toolbar");
    const ended = async () => !(await toolbar.isVisible());
    if (await ended()) return;
    await insist(() => this.press("Shift+F5"), ended, "every session to end");
  }

  /** The text of a status bar item, found by what it says. @param {RegExp} text */
  statusBar(text) {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  /** The notifications on screen. @returns {Locator} */
  notifications() {
    return this.page.locator(".notifications-toasts .notification-list-item");
  }

  /** The modal dialog, such as the one an error at the start of a session shows. @returns {Locator} */
  dialog() {
    return this.page.locator(".monaco-dialog-box");
  }

  /** Shows the light or the dark theme, which follows the browser's. @param {"light" | "dark"} scheme */
  async showTheme(scheme) {
    await this.page.emulateMedia({ colorScheme: scheme });
    const dark = scheme === "dark";
    await this.page.locator(dark ? ".monaco-workbench.vs-dark" : ".monaco-workbench.vs").waitFor();
  }

  /** Has the page say `~` for where the folder lies: that is nobody's business in a picture. */
  async hideFolder() {
    await this.page.evaluate(replaceText, { text: dirname(this.folder), by: "~" });
  }

  /** @param {string} file of the PNG */
  async screenshot(file) {
    await this.page.screenshot({ path: file });
  }

  async close() {
    await this.page.close();
  }

  /** Opens the quick input, types `text` and takes the first answer once it says `answer`; again while none does. */
  async #pick(/** @type {string} */ keys, /** @type {string} */ text, /** @type {string} */ answer) {
    const input = this.page.locator(".quick-input-widget input[type=text]");
    const first = this.page.locator(".quick-input-list .monaco-list-row").first();
    await until(async () => {
      await this.press(keys);
      await input.waitFor();
      await input.fill(text);
      const answered = await soon(() => first.filter({ hasText: answer }).isVisible());
      await this.press(answered ? "Enter" : "Escape");
      await input.waitFor({ state: "hidden" });
      return answered;
    }, `an answer to ${text}`);
  }
}

/** The 1-based number of the first line with `text`. @param {string} file @param {string} text */
export function lineOf(file, text) {
  const index = readFileSync(file, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(text));
  if (index < 0) throw new Error(`${file} has no line with “${text}”`);
  return index + 1;
}

/** Runs in the page: whether the line that the editor marks as the next one to run has this text. @param {string} text */
function isPausedAt(text) {
  const mark = document.querySelector(".editor-instance .debug-top-stack-frame-line");
  const toolbar = document.querySelector(".debug-toolbar .codicon-debug-continue");
  const top = mark?.getBoundingClientRect().top;
  return (
    toolbar !== null &&
    [...document.querySelectorAll(".editor-instance .view-line")].some(
      (line) =>
        Math.abs(line.getBoundingClientRect().top - (top ?? Infinity)) < 3 &&
        (line.textContent ?? "").replaceAll("\u00a0", " ").includes(text),
    )
  );
}

/** Runs in the page. @param {{ text: string, by: string }} what */
function replaceText({ text, by }) {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const present = node.nodeValue ?? "";
    if (present.includes(text)) node.nodeValue = present.replaceAll(text, by);
  }
}
