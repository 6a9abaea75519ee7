import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** A process of this machine that the user may attach to. */
export interface RunningProcess {
  readonly pid: number;
  /** Its command line, arguments separated by spaces. */
  readonly command: string;
}

const run = promisify(execFile);
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;

export async function listProcesses(): Promise<RunningProcess[]> {
  switch (process.platform) {
    case "linux":
      return await readProcFolder();
    case "win32": {
      const query =
        "Get-CimInstance Win32_Process | Select-Object ProcessId,Name,CommandLine | ConvertTo-Json -Compress";
      const { stdout } = await run("powershell", ["-NoProfile", "-NonInteractive", "-Command", query], {
        maxBuffer: MOST_OUTPUT_BYTES,
      });
      return parseWindowsList(stdout);
    }
    default: {
      const { stdout } = await run("ps", ["-axww", "-o", "pid=,args="], { maxBuffer: MOST_OUTPUT_BYTES });
      return parsePs(stdout);
    }
  }
}

/** Python processes first, then the others, the youngest of each first. */
export function inOrder(processes: readonly RunningProcess[]): RunningProcess[] {
  return [...processes].sort((a, b) => Number(isPython(b)) - Number(isPython(a)) || b.pid - a.pid);
}

export function isPython({ command }: RunningProcess): boolean {
  const [program = ""] = /^"[^"]*"|^\S+/.exec(command) ?? [];
  return /python|pypy|torchrun/i.test(program.split(/[\\/]/).at(-1) ?? "");
}

export function parsePs(output: string): RunningProcess[] {
  return output.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(.+)$/.exec(line);
    return match?.[2] === undefined ? [] : [{ pid: Number(match[1]), command: match[2].trim() }];
  });
}

export function parseWindowsList(output: string): RunningProcess[] {
  const rows = JSON.parse(output) as { ProcessId: number; Name: string; CommandLine: string | null }[];
  return rows.map((row) => ({ pid: row.ProcessId, command: row.CommandLine ?? row.Name }));
}

async function readProcFolder(): Promise<RunningProcess[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(
    names.map(async (name) => {
      // A process may end between the listing and the reading.
      const text = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
      return { pid: Number(name), command: text.replaceAll("\0", " ").trim() };
    }),
  );
  return processes.filter(({ command }) => command !== "");
}
