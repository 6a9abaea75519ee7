import * as path from "node:path";
import type { Interpreter } from "./interpreter";

/** A program and its arguments, ready to be spawned. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** Host and port of a debug adapter that already listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface AdapterOptions {
  /** Listen on a free loopback port instead of speaking on stdio. */
  readonly listen?: boolean;
  /** The debug adapter to stand in front of, instead of one that ours starts. */
  readonly connect?: Endpoint | undefined;
  readonly logFolder?: string | undefined;
}

/** Where the Python side lies in the installed extension, and how each of its processes is started. */
export class Backend {
  readonly adapterScript: string;
  private readonly serverScript: string;

  constructor(extensionFolder: string) {
    const packageFolder = path.join(extensionFolder, "python_backend", "tensorpeek");
    this.adapterScript = path.join(packageFolder, "adapter", "__main__.py");
    this.serverScript = path.join(packageFolder, "server", "__main__.py");
  }

  adapter(interpreter: Interpreter, options: AdapterOptions = {}): Command {
    const args = [this.adapterScript];
    if (options.listen) {
      args.push("--port", "0");
    }
    if (options.connect) {
      args.push("--connect", `${options.connect.host}:${String(options.connect.port)}`);
    }
    if (options.logFolder !== undefined) {
      args.push("--log-dir", options.logFolder);
    }
    return started(interpreter, args);
  }

  server(interpreter: Interpreter): Command {
    return started(interpreter, [this.serverScript]);
  }
}

function started(interpreter: Interpreter, args: readonly string[]): Command {
  const [program, ...before] = interpreter.command;
  return { program, args: [...before, ...args] };
}
