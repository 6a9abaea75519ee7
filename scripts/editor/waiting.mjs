/** Waiting for what is seen to become so. */

/** For one look or one click; long, because a busy machine is no reason to fail. */
export const STEP_TIMEOUT_MS = 60_000;
const MOMENT_MS = 3_000;
const POLL_MS = 30;

/**
 * Waits until `condition` gives something, and returns it.
 * @template T
 * @param {() => Promise<T | false | undefined>} condition
 * @param {string} what for the message
 * @param {number} [timeout] in milliseconds
 * @returns {Promise<T>}
 */
export async function until(condition, what, timeout = STEP_TIMEOUT_MS) {
  const end = Date.now() + timeout;
  for (;;) {
    const result = await condition();
    if (result !== false && result !== undefined) return result;
    if (Date.now() > end) throw new Error(`Waited ${timeout / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Whether `condition` comes to hold within a moment. @param {() => Promise<boolean>} condition */
export async function soon(condition) {
  return until(condition, "a moment", MOMENT_MS).catch(() => false);
}

/**
 * Does something again and again until it shows: the workbench drops a click or a key that comes while it redraws.
 * @param {() => Promise<void>} action that does no harm when it is done twice
 * @param {() => Promise<boolean>} effect
 * @param {string} what for the message
 */
export async function insist(action, effect, what) {
  const tried = async () => {
    await action();
    return soon(effect);
  };
  await until(tried, what);
}
