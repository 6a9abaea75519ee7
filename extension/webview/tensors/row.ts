import type { TensorRow } from "../../src/contract/messages";
import { element, icon, ICONS } from "./dom";
import { bytesText, fill, rangeTexts, shapeText, splitExpression } from "./format";
import type { Group } from "./model";
import type { Action, Strings } from "./protocol";

/** The rows of one storage. In a narrow view a row takes two lines, in a wide one the same cells form a table. */
export function groupElement(group: Group, strings: Strings): HTMLElement {
  const [first] = group;
  const isShared = group.length > 1;
  return element(
    "div",
    { role: "rowgroup", class: isShared ? "group shared" : "group", "data-testid": "group" },
    ...group.map((row) => rowElement(row, strings, row === first ? undefined : first.expression)),
  );
}

function rowElement(row: TensorRow, strings: Strings, alias: string | undefined): HTMLElement {
  const { min, max, mean } = rangeTexts(row);
  const partial = row.exact ? undefined : strings.partial;
  return element(
    "div",
    {
      role: "row",
      class: ["row", alias === undefined ? "" : "alias", isOneValue(row) ? "single" : ""].join(" ").trim(),
      tabindex: -1,
      "data-testid": "row",
      "data-expression": row.expression,
      "data-vscode-context": JSON.stringify({
        webviewSection: row.line > 0 ? "tensorWithLine" : "tensor",
        expression: row.expression,
        preventDefaultContextMenuItems: true,
      }),
    },
    line(
      nameCell(row, strings, alias),
      cell("alarm", row.alarm),
      cell(row.device === "cpu" ? "device usual" : "device", row.device),
      cell("bytes", bytesText(row.bytes)),
    ),
    line(
      cell("dtype", row.dtype),
      cell("shape", shapeText(row.shape), `${row.type} ${row.dtype}${shapeText(row.shape)}`),
      element(
        "div",
        { role: "presentation", class: "range" },
        cell("min", min, partial),
        cell("max", max, partial),
        cell("mean", mean, partial),
      ),
    ),
    actionsCell(row, strings),
  );
}

/** Minimum, maximum and mean would say the same number three times. */
function isOneValue({ min, max, exact }: TensorRow): boolean {
  return exact && min !== null && min === max;
}

function nameCell(row: TensorRow, strings: Strings, alias: string | undefined): HTMLElement {
  const { head, tail } = splitExpression(row.expression);
  const shares = alias === undefined ? "" : fill(strings.sharesStorage, alias);
  const cellOfName = cell("name", "", shares === "" ? row.expression : `${row.expression}\n${shares}`);
  cellOfName.append(element("span", { class: "head" }, head), element("span", { class: "tail" }, tail));
  if (shares !== "") {
    cellOfName.append(element("span", { class: "unseen" }, `, ${shares}`));
  }
  return cellOfName;
}

function actionsCell(row: TensorRow, strings: Strings): HTMLElement {
  const actions: Action[] = row.line > 0 ? ["copy", "watch", "reveal"] : ["copy", "watch"];
  return element(
    "div",
    { role: "gridcell", class: "actions" },
    ...actions.map((action) =>
      element(
        "button",
        {
          type: "button",
          tabindex: -1,
          title: strings[action],
          "aria-label": strings[action],
          "data-action": action,
          "data-testid": `action-${action}`,
        },
        icon(ICONS[action]),
      ),
    ),
  );
}

function line(...cells: readonly HTMLElement[]): HTMLElement {
  return element("div", { role: "presentation", class: "line" }, ...cells);
}

function cell(name: string, text: string, title?: string): HTMLElement {
  return element("div", { role: "gridcell", class: `cell ${name}`, title }, text);
}
