/**
 * The Run and Debug side bar, the Debug Console and what an editor shows while paused.
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").Locator} Locator
 * @typedef {import("playwright-core").Frame} Frame
 * @typedef {{ index: number, level: number, name: string, value: string, lazy: boolean }} Row a row of a tree of values
 */

import { insist, until } from "./waiting.mjs";

export class DebugView {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /** Shows or hides a section of the side bar. @param {string} title @param {boolean} expanded */
  async section(title, expanded) {
    const header = this.page.locator(`.debug-viewlet .pane-header`, { hasText: new RegExp(`^${title}`) });
    const isSo = async () => (await header.getAttribute("aria-expanded")) === String(expanded);
    if (await isSo()) return;
    await insist(() => header.press(expanded ? "ArrowRight" : "ArrowLeft"), isSo, `${title} to change`);
  }

  /** The rows that Variables has drawn. @returns {Promise<Row[]>} */
  async variables() {
    return this.page.locator(".debug-variables .monaco-list-row").evaluateAll(readRows);
  }

  /** Every row of Variables, those scrolled out of sight included. @returns {Promise<Row[]>} */
  async allVariables() {
    const rows = new Map();
    const last = this.page.locator(".debug-variables .monaco-list-row[data-last-element=true]");
    await this.page.locator(".debug-variables").hover();
    await this.page.mouse.wheel(0, -100_000);
    await this.page.locator(`.debug-variables .monaco-list-row[data-index="0"]`).waitFor();
    for (;;) {
      const atEnd = await last.isVisible();
      for (const row of await this.variables()) rows.set(row.index, row);
      if (atEnd) return [...rows.values()];
      await this.page.mouse.wheel(0, 100);
    }
  }

  /** The row of a variable by its name, the first of that name. @param {string} name */
  variable(name) {
    return this.#row(".debug-variables", name);
  }

  /** Waits for a variable and returns what its row says. @param {string} name @returns {Promise<string>} */
  async value(name) {
    const value = this.variable(name).locator(".value");
    await value.waitFor();
    return value.innerText();
  }

  /** Expands rows one below the other, as in `expand("Locals", "x", "stats")`. @param {string[]} path */
  async expand(...path) {
    for (const name of path) await setExpanded(this.variable(name), true);
  }

  /** @param {string} name */
  async collapse(name) {
    await setExpanded(this.variable(name), false);
  }

  callStackRows() {
    return this.page.locator(".debug-call-stack .monaco-list-row");
  }

  breakpointRows() {
    return this.page.locator(".debug-breakpoints .monaco-list-row");
  }

  /** Ticks or unticks a check box of Breakpoints. @param {string} label @param {boolean} ticked */
  async tick(label, ticked) {
    await this.section("Breakpoints", true);
    const row = this.breakpointRows().filter({ hasText: label }).first();
    await row.waitFor();
    const box = row.locator("[role=checkbox], input[type=checkbox]").first();
    const isSo = async () => (await box.isChecked()) === ticked;
    if (!(await isSo())) await insist(() => box.click(), isSo, `${label} to be ${ticked ? "ticked" : "unticked"}`);
  }

  /** The sign of a breakpoint with a condition beside a line. */
  conditionalBreakpoint() {
    return this.page.locator(".editor-instance .codicon-debug-breakpoint-conditional").first();
  }

  /** Gives one of the side bar's views all of it. @param {string} title */
  async showAlone(title) {
    await this.section(title, true);
    const titles = await this.page.locator(".debug-viewlet .pane-header .title").allTextContents();
    for (const other of titles) if (other !== title) await this.section(other, false);
  }

  /** A row of the view Training, by what it says. @param {string | RegExp} text */
  trainingRow(text) {
    return this.row("Training", text);
  }

  /** A row of one of the side bar's trees, by what it says. @param {string} title of the view @param {string | RegExp} text */
  row(title, text) {
    return this.page
      .locator(`.pane:has(.pane-header[aria-label^="${title}"]) .monaco-list-row`, { hasText: text })
      .first();
  }

  /** Expands rows of a tree, one below the other. @param {string} title of the view @param {string[]} texts */
  async unfold(title, ...texts) {
    for (const text of texts) await setExpanded(this.row(title, text), true);
  }

  /** Waits for what Call Stack says about the stop; VS Code keeps that up to date only while the section is open. @param {RegExp} text */
  async stopReason(text) {
    await this.page
      .locator(".pane-header", { hasText: /^Call Stack/ })
      .filter({ hasText: text })
      .waitFor();
  }

  /** The widget below the paused line that says why the program stopped. */
  exceptionWidget() {
    return this.page.locator(".exception-widget");
  }

  /** Waits until that widget says `text`: an editor that is opened for the stop sometimes loses it. @param {string} text */
  async explanation(text) {
    const widget = this.exceptionWidget().filter({ hasText: text });
    const isThere = () => widget.isVisible();
    if (await isThere()) return;
    await insist(() => this.callStackRows().first().click(), isThere, `an explanation with “${text}”`);
  }

  /** Adds an expression to Watch; its row is then `watched(expression)`. @param {string} expression */
  async watch(expression) {
    await this.section("Watch", true);
    await this.page.locator(".pane-header", { hasText: /^Watch/ }).hover();
    await this.page.locator(".pane-header .codicon-watch-expressions-add").click();
    const input = this.page.locator(".debug-watch input");
    await input.fill(expression);
    await input.press("Enter");
    await this.watched(expression).waitFor();
  }

  /** @param {string} expression */
  watched(expression) {
    return this.#row(".debug-watch", expression);
  }

  /** Evaluates in the Debug Console and returns what it answered. @param {string} expression */
  async evaluate(expression) {
    const rows = this.page.locator(".repl .monaco-list-row");
    await this.page.locator(".repl-input-wrapper .monaco-editor").click();
    await this.page.keyboard.insertText(expression);
    await this.page.keyboard.press("Enter");
    const asked = rows.filter({ has: this.page.locator(".arrow"), hasText: exactly(expression) }).last();
    await asked.waitFor();
    const index = Number(await asked.getAttribute("data-index"));
    const answer = this.page.locator(`.repl .monaco-list-row[data-index="${index + 1}"]`);
    await answer.locator(".evaluation-result").waitFor({ state: "attached" });
    return answer.innerText();
  }

  /**
   * Moves the mouse over an expression on screen and waits for the debug hover.
   * @param {string} text some text of one line of the editor
   * @param {string} [word] the part of it that the mouse goes over
   */
  async hover(text, word = text) {
    const widget = this.page.locator(".debug-hover-widget");
    const point = async () => {
      const { left, right, y } = await this.placeOf(text, word);
      await this.page.mouse.move(1, 1);
      await this.page.mouse.move((left + right) / 2 - 2, y);
      await this.page.mouse.move((left + right) / 2, y);
    };
    await insist(point, () => widget.isVisible(), `a hover over “${word}”`);
    return widget;
  }

  /** Selects text of one line of the editor by dragging over it. @param {string} text */
  async select(text) {
    const { left, right, y } = await this.placeOf(text);
    await this.page.mouse.move(left + 1, y);
    await this.page.mouse.down();
    await this.page.mouse.move(right, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** A line of the editor, inline values included. @param {string} text on that line */
  line(text) {
    return this.page.locator(".editor-instance .view-line", { hasText: text }).first();
  }

  /** Where `word` inside `text` is drawn, in pixels. @param {string} text @param {string} [word] */
  async placeOf(text, word = text) {
    const line = this.line(text);
    await line.waitFor();
    const place = await line.evaluate(placeInLine, { text, word });
    if (!place) throw new Error(`“${word}” of “${text}” is not on screen`);
    return place;
  }

  /** The page inside one of our views, once `selector` is on it. @param {string} selector @returns {Promise<Frame>} */
  async frame(selector) {
    return until(async () => {
      for (const frame of this.page.frames()) if (await isOn(frame, selector)) return frame;
      return undefined;
    }, `a view that shows ${selector}`);
  }

  /** @param {string} tree @param {string} name */
  #row(tree, name) {
    const label = this.page.locator(".name, .scope", { hasText: exactly(name) });
    return this.page.locator(`${tree} .monaco-list-row`).filter({ has: label }).first();
  }
}

/** This text and nothing else, but for the sign that a tree of values puts behind a name. @param {string} text */
function exactly(text) {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*[=:]?\\s*$`);
}

/** @param {Locator} row @param {boolean} expanded */
async function setExpanded(row, expanded) {
  await row.waitFor();
  const isSo = async () => (await row.getAttribute("aria-expanded")) === String(expanded);
  if (await isSo()) return;
  const turn = async () => {
    await row.click();
    await row.page().keyboard.press(expanded ? "ArrowRight" : "ArrowLeft");
  };
  await insist(turn, isSo, expanded ? "a row to expand" : "a row to collapse");
}

/** Whether a frame, which may be gone by now, shows something. @param {Frame} frame @param {string} selector */
async function isOn(frame, selector) {
  return frame
    .locator(selector)
    .first()
    .isVisible()
    .catch(() => false);
}

/** Runs in the page. @param {(HTMLElement | SVGElement)[]} rows @returns {Row[]} */
function readRows(rows) {
  return rows
    .filter((row) => row.getAttribute("aria-level") !== null) // the tree takes rows back before it uses them again
    .sort((a, b) => Number(a.dataset["index"]) - Number(b.dataset["index"]))
    .map((row) => ({
      index: Number(row.dataset["index"]),
      level: Number(row.getAttribute("aria-level")),
      name: (row.querySelector(".name, .scope")?.textContent ?? "").replace(/\s*[=:]?\s*$/, ""),
      value: row.querySelector(".value")?.textContent ?? "",
      lazy: row.querySelector(".expression.lazy") !== null,
    }));
}

/** Runs in the page. @param {HTMLElement | SVGElement} line @param {{ text: string, word: string }} what */
function placeInLine(line, { text, word }) {
  const start = (line.textContent ?? "").replaceAll("\u00a0", " ").indexOf(text);
  if (start < 0) return undefined;
  const from = start + text.indexOf(word);
  const range = document.createRange();
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let offset = 0;
  let begun = false;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (!begun && from < offset + length) {
      range.setStart(node, from - offset);
      begun = true;
    }
    if (begun && from + word.length <= offset + length) {
      range.setEnd(node, from + word.length - offset);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return { left, right, y: (top + bottom) / 2 };
    }
    offset += length;
  }
  return undefined;
}
