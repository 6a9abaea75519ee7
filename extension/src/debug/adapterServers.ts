import { randomBytes } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type * as vscode from "vscode";
import type { Log } from "../log";
import type { Command } from "../python/backend";

const START_TIMEOUT_MS = 20_000;

/** Where an adapter finds its token; other users of the machine could read its arguments, but not this. */
const TOKEN_VARIABLE = "TENSORPEEK_ACCESS_TOKEN";

/** An adapter that listens, and what it wants to see in the attribute `tensorpeek` before it does anything. */
export interface ListeningAdapter {
  readonly port: number;
  readonly accessToken: string;
}

/** Adapters of ours that listen on a loopback port: the only way in for `connect` configurations of another debug type. */
export class AdapterServers implements vscode.Disposable {
  private readonly processes = new Map<number, ChildProcess>();

  constructor(private readonly log: Log) {}

  /** Starts an adapter and waits until it listens. */
  async start(command: Command): Promise<ListeningAdapter> {
    const accessToken = randomBytes(32).toString("hex");
    const child = spawn(command.program, command.args, {
      env: { ...process.env, [TOKEN_VARIABLE]: accessToken },
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    try {
      const port = await listeningPort(child);
      this.processes.set(port, child);
      child.once("exit", () => this.processes.delete(port));
      child.stderr.on("data", (data: Buffer) => {
        this.log.info(`adapter on port ${String(port)}: ${data.toString().trimEnd()}`);
      });
      return { port, accessToken };
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  owns(port: number): boolean {
    return this.processes.has(port);
  }

  /** Ends the adapter on `port` if its session ended and it did not end by itself. */
  stop(port: number): void {
    this.processes.get(port)?.kill();
  }

  dispose(): void {
    for (const child of this.processes.values()) {
      child.kill();
    }
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) {
    throw new Error("the adapter has no output to read");
  }
  let complaint = "";
  const hear = (data: Buffer): void => {
    complaint = (complaint + data.toString()).slice(-2000);
  };
  stderr.on("data", hear);
  const lines = createInterface({ input: stdout });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<number>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error("the adapter did not say its port in time"));
      }, START_TIMEOUT_MS);
      lines.on("line", (line) => {
        const match = /listening on .*:(\d+)\s*$/.exec(line);
        if (match) {
          resolve(Number(match[1]));
        }
      });
      child.once("error", reject);
      child.once("exit", (code) => {
        reject(new Error(`the adapter ended with code ${String(code)}. ${complaint.trim()}`));
      });
    });
  } finally {
    clearTimeout(timer);
    stderr.off("data", hear);
    lines.close();
    stdout.resume();
  }
}
