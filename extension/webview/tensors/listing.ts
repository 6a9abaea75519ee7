import { element } from "./dom";
import { fill } from "./format";
import { COLUMNS, type Column, type Group, type Listing as Arranged, type Query } from "./model";
import type { Strings } from "./protocol";
import { groupElement } from "./row";

/** Enough to fill any screen; a frame may reach thousands. */
const FIRST_GROUPS = 300;

/** The rows, or the sentence that says why there are none. */
export class Listing {
  readonly element: HTMLElement;
  private readonly head: HTMLElement;
  private readonly rows: HTMLElement;
  private readonly more: HTMLButtonElement;
  private readonly explanation: HTMLElement;
  private readonly headers = new Map<Column, HTMLElement>();
  private groups: readonly Group[] = [];
  private drawn = 0;

  constructor(
    private readonly strings: Strings,
    sortBy: (column: Column) => void,
  ) {
    this.head = element("div", { role: "row", class: "row columns" });
    for (const column of COLUMNS) {
      const button = element("button", { type: "button", "data-testid": `sort-${column}` }, strings[column]);
      button.addEventListener("click", () => {
        sortBy(column);
      });
      const header = element("div", { role: "columnheader", class: `cell ${column}` }, button);
      this.headers.set(column, header);
      this.head.append(header);
    }
    this.rows = element(
      "div",
      { role: "grid", class: "rows", "aria-label": strings.table, "data-testid": "table" },
      element("div", { role: "rowgroup" }, this.head),
    );
    this.more = element("button", { type: "button", class: "more", "data-testid": "more" });
    this.more.addEventListener("click", () => {
      this.draw(this.drawn + FIRST_GROUPS);
    });
    this.explanation = element("p", { class: "explanation", role: "status", "data-testid": "explanation" });
    this.element = element("main", {}, this.explanation, this.rows, this.more);
  }

  show({ groups, total, shown }: Arranged, query: Query): void {
    for (const [column, header] of this.headers) {
      const order = query.descending ? "descending" : "ascending";
      header.setAttribute("aria-sort", column === query.column ? order : "none");
    }
    this.groups = groups;
    for (const group of [...this.rows.children].slice(1)) {
      group.remove();
    }
    this.drawn = 0;
    this.draw(FIRST_GROUPS);
    this.rows.hidden = shown === 0;
    this.explain(shown > 0 ? undefined : total > 0 ? this.strings.noMatch : this.strings.noTensors);
  }

  showAll(): void {
    this.draw(this.groups.length);
  }

  /**
   * Says why there are no rows; with `keepRows`, why those that stay are of an earlier moment. That is seen by their
   * being faint, and said aloud only: a sentence above them would make them jump at every step.
   */
  explain(text: string | undefined, keepRows = false): void {
    this.explanation.textContent = text ?? "";
    this.explanation.hidden = text === undefined;
    this.explanation.classList.toggle("unseen", keepRows);
    this.element.classList.toggle("stale", keepRows);
    this.rows.setAttribute("aria-busy", String(keepRows));
  }

  private draw(until: number): void {
    const next = this.groups.slice(this.drawn, until);
    this.rows.append(...next.map((group) => groupElement(group, this.strings)));
    this.drawn += next.length;
    const left = this.groups.length - this.drawn;
    this.more.hidden = left === 0;
    this.more.textContent = fill(this.strings.showMore, Math.min(left, FIRST_GROUPS));
  }
}
