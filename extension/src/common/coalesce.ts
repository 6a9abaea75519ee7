/**
 * Makes `work` safe to ask for at any moment: while it runs, further calls share one more run after it,
 * so that ten asked-for restarts make at most two.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const current = work().finally(() => {
      running = undefined;
    });
    running = current;
    return current;
  }

  return () => {
    if (!running) {
      return start();
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}
