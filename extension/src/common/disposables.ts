import type { Disposable } from "vscode";

/** Owns disposables; what is added after its own end is disposed at once, so late work cannot leak. */
export class Disposables implements Disposable {
  private readonly items = new Set<Disposable>();
  private ended = false;

  add<T extends Disposable>(item: T): T {
    if (this.ended) {
      item.dispose();
    } else {
      this.items.add(item);
    }
    return item;
  }

  /** Disposes everything added so far, newest first, and stays usable. */
  clear(): void {
    const items = [...this.items].reverse();
    this.items.clear();
    for (const item of items) {
      item.dispose();
    }
  }

  dispose(): void {
    this.ended = true;
    this.clear();
  }
}
