import { spawn } from "node:child_process";
import type { Command } from "../python/backend";

/** What a process that traced has said. */
export interface TraceOutput {
  /** Whether something was traced. */
  readonly ok: boolean;
  /** The annotated source, or why there is none, with what the program printed. */
  readonly text: string;
  /** What the process says about itself at the end, without its name; empty where it said nothing. */
  readonly sentence: string;
}

/** Of what the program prints; the end is kept. */
const MOST_CHARACTERS = 200_000;
const OURS = "tensorpeek: ";

/** Runs the process until it ends or is cancelled, which makes it undefined. Throws where it can't be started. */
export function runTrace(
  { program, args }: Command,
  cwd: string,
  onCancel: (cancel: () => void) => void,
): Promise<TraceOutput | undefined> {
  return new Promise((resolve, reject) => {
    const isGroup = process.platform !== "win32";
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, PYTHONIOENCODING: "utf-8" },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that the workers of the program end with it.
      detached: isGroup,
    });
    let text = "";
    let isCancelled = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (part: string) => {
        text = (text + part).slice(-MOST_CHARACTERS);
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(isCancelled ? undefined : { ok: code === 0, text, sentence: lastSentence(text) });
    });
    onCancel(() => {
      isCancelled = true;
      end(child.pid, isGroup, () => child.kill());
    });
  });
}

/** The last line that begins as ours do. */
export function lastSentence(text: string): string {
  const line = text.split(/\r?\n/).findLast((line) => line.startsWith(OURS));
  return line?.slice(OURS.length).trim() ?? "";
}

function end(pid: number | undefined, isGroup: boolean, otherwise: () => void): void {
  if (!isGroup || pid === undefined) {
    otherwise();
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    otherwise();
  }
}
