/** What a person sees while something is prepared: one line per step, and one clear line when it can't be had. */
const HEARTBEAT_MS = 15_000;
const REDRAW_MS = 200;
const WIDTH = 100;

/** Something the machine lacks. Its message is one line: what is missing, and how to get it. */
export class Missing extends Error {}

/** @typedef {{ latest: (line: string) => void }} Progress */

/**
 * Shows `title` while `work` runs; on a terminal with the latest line of output, elsewhere with a sign of life.
 * @template T
 * @param {string} title
 * @param {(progress: Progress) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const started = Date.now();
  const terminal = process.stdout.isTTY;
  let latest = "";
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const draw = () => {
    const width = (process.stdout.columns || WIDTH) - 1;
    process.stdout.write(`\r\x1b[K${`  … ${title} (${seconds()} s) ${latest}`.slice(0, width)}`);
  };
  if (!terminal) console.log(`  … ${title}`);
  const timer = terminal
    ? setInterval(draw, REDRAW_MS)
    : setInterval(() => console.log(`  … ${title}: ${seconds()} s ${latest}`.slice(0, WIDTH)), HEARTBEAT_MS);
  try {
    const result = await work({ latest: (line) => (latest = line) });
    done(terminal, `  ✓ ${title} (${seconds()} s)`);
    return result;
  } catch (error) {
    done(terminal, `  ✗ ${title} (${seconds()} s)`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** @param {boolean} terminal @param {string} line */
function done(terminal, line) {
  console.log(terminal ? `\r\x1b[K${line}` : line);
}

/**
 * Runs a command's `main` and turns what went wrong into a plain line and an exit status.
 * @param {() => Promise<void>} main
 */
export async function command(main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof Missing) console.error(`\n${error.message}`);
    else console.error(error);
    process.exitCode = 1;
  }
}
