import type { Action } from "./protocol";

type Act = (action: Action, expression: string) => void;

/** One row is in the tab order; the arrow keys move to the others, Enter and the buttons act on it. */
export class RowNavigation {
  private current: string | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly act: Act,
  ) {
    root.addEventListener("focusin", ({ target }) => {
      const row = rowOf(target);
      if (row) {
        this.mark(row);
      }
    });
    root.addEventListener("click", ({ target }) => {
      const row = rowOf(target);
      const action =
        target instanceof Element ? target.closest<HTMLElement>("[data-action]")?.dataset["action"] : undefined;
      if (row && action) {
        this.act(action as Action, expressionOf(row));
      } else {
        row?.focus();
      }
    });
    root.addEventListener("dblclick", ({ target }) => {
      this.reveal(rowOf(target));
    });
    root.addEventListener("keydown", (event) => {
      if (this.pressed(event)) {
        event.preventDefault();
      }
    });
  }

  /** Call after the rows were drawn anew: the same tensor stays the current one, with the focus if it had it. */
  refresh(): void {
    const rows = this.rows();
    const kept = rows.find((row) => expressionOf(row) === this.current) ?? rows[0];
    if (kept) {
      this.mark(kept);
    }
  }

  /** Moves to a tensor; false when it is not among the rows. */
  select(expression: string): boolean {
    const row = this.rows().find((candidate) => expressionOf(candidate) === expression);
    row?.focus();
    row?.scrollIntoView({ block: "center" });
    return row !== undefined;
  }

  private pressed(event: KeyboardEvent): boolean {
    const row = rowOf(event.target);
    if (!row) {
      return false;
    }
    const copies =
      event.key === "c" && (event.ctrlKey || event.metaKey) && window.getSelection()?.isCollapsed !== false;
    if (copies) {
      this.act("copy", expressionOf(row));
      return true;
    }
    if (event.key === "Enter" && event.target === row) {
      return this.reveal(row);
    }
    return this.move(row, event.key);
  }

  private move(row: HTMLElement, key: string): boolean {
    const rows = this.rows();
    const index = rows.indexOf(row);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const target = rows[targets[key] ?? -1];
    target?.focus();
    return target !== undefined;
  }

  private reveal(row: HTMLElement | undefined): boolean {
    const canReveal = row?.querySelector('[data-action="reveal"]');
    if (row && canReveal) {
      this.act("reveal", expressionOf(row));
    }
    return Boolean(canReveal);
  }

  private mark(current: HTMLElement): void {
    this.current = expressionOf(current);
    for (const row of this.rows()) {
      const isCurrent = row === current;
      row.tabIndex = isCurrent ? 0 : -1;
      row.setAttribute("aria-selected", String(isCurrent));
      for (const button of row.querySelectorAll("button")) {
        button.tabIndex = isCurrent ? 0 : -1;
      }
    }
  }

  private rows(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>("[data-expression]")];
  }
}

function rowOf(target: EventTarget | null): HTMLElement | undefined {
  return target instanceof Element ? (target.closest<HTMLElement>("[data-expression]") ?? undefined) : undefined;
}

function expressionOf(row: HTMLElement): string {
  return row.dataset["expression"] ?? "";
}
