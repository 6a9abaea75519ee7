import type { Disposable } from "vscode";

/** What `look` finds at one of the next changes; undefined when it finds nothing for so long. */
export async function firstAfter<T>(
  onDidChange: (listener: () => void) => Disposable,
  look: () => T | undefined,
  patienceMs: number,
): Promise<T | undefined> {
  let subscription: Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T | undefined>((resolve) => {
      subscription = onDidChange(() => {
        const found = look();
        if (found !== undefined) {
          resolve(found);
        }
      });
      timer = setTimeout(() => {
        resolve(undefined);
      }, patienceMs);
    });
  } finally {
    subscription?.dispose();
    clearTimeout(timer);
  }
}
