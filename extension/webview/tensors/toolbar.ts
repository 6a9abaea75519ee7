import { element, icon, ICONS } from "./dom";
import { bytesText, fill } from "./format";
import { COLUMNS, DEFAULT_QUERY, toggleOrder, type Column, type Listing, type Query } from "./model";
import type { Strings } from "./protocol";

/** Filter, alarms, order and totals: what the user asks of the rows, above them. */
export class Toolbar {
  readonly element: HTMLElement;
  private query: Query = DEFAULT_QUERY;
  private readonly filter: HTMLInputElement;
  private readonly alarms: HTMLButtonElement;
  private readonly column: HTMLSelectElement;
  private readonly direction: HTMLButtonElement;
  private readonly alarmCount: HTMLElement;

  constructor(
    private readonly strings: Strings,
    private readonly changed: (query: Query) => void,
  ) {
    this.filter = element("input", {
      type: "search",
      placeholder: strings.filter,
      "aria-label": strings.filter,
      "data-testid": "filter",
      spellcheck: "false",
    });
    this.alarmCount = element("span");
    this.alarms = element(
      "button",
      { type: "button", class: "alarms", title: strings.alarmsOnly, "data-testid": "alarms-only" },
      icon(ICONS.alarm),
      this.alarmCount,
      element("span", { class: "unseen" }, strings.alarmsOnly),
    );
    this.column = element(
      "select",
      { title: strings.sortBy, "aria-label": strings.sortBy, "data-testid": "sort" },
      element("option", { value: "frame" }, strings.frameOrder),
      ...COLUMNS.map((column) => element("option", { value: column }, strings[column])),
    );
    this.direction = element("button", { type: "button", "data-testid": "direction" });
    const order = element("div", { class: "order" }, this.column, this.direction);
    this.element = element("header", {}, this.filter, this.alarms, order);

    this.filter.addEventListener("input", () => {
      this.set({ ...this.query, filter: this.filter.value });
    });
    this.alarms.addEventListener("click", () => {
      this.set({ ...this.query, alarmsOnly: !this.query.alarmsOnly });
    });
    this.column.addEventListener("change", () => {
      const column = this.column.value as Column | "frame";
      this.set(
        column === "frame" ? { ...this.query, column } : toggleOrder({ ...this.query, column: "frame" }, column),
      );
    });
    this.direction.addEventListener("click", () => {
      this.set({ ...this.query, descending: !this.query.descending });
    });
  }

  sortBy(column: Column): void {
    this.set(toggleOrder(this.query, column));
  }

  set(query: Query): void {
    this.query = query;
    this.changed(query);
  }

  show(query: Query, { alarms }: Listing): void {
    this.query = query;
    if (this.filter.value !== query.filter) {
      this.filter.value = query.filter;
    }
    this.alarms.setAttribute("aria-pressed", String(query.alarmsOnly));
    this.alarms.classList.toggle("raised", alarms > 0);
    this.alarmCount.textContent = alarms > 0 ? String(alarms) : "";
    this.column.value = query.column;
    this.direction.hidden = query.column === "frame";
    this.direction.textContent = query.descending ? "↓" : "↑";
    const direction = query.descending ? this.strings.descending : this.strings.ascending;
    this.direction.title = direction;
    this.direction.setAttribute("aria-label", direction);
  }
}

/** How many rows are shown, and their bytes; told beside the title of the view. */
export function totalsText({ shown, total, bytes }: Listing, truncated: boolean, strings: Strings): string {
  const count = shown === total ? String(total) : fill(strings.someTensors, shown, total);
  return [count, bytesText(bytes), ...(truncated ? [strings.truncated] : [])].join(" · ");
}
