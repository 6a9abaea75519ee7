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

export interface ShapesOptions {
  /** The folder of all runs. */
  readonly runs: string;
  /** `FILE:Class`; empty for the first model that the script calls. */
  readonly call: string;
  readonly script: string;
  /** Packages whose source is annotated as well; `*` for all. */
  readonly librarySources: readonly string[];
}

/** Starts the command line from its folder, which is not on the path that children of the program inherit. */
const START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from tensorpeek.__main__ import main; main()";

/** Where the Python side lies in the installed extension, and how each of its processes is started. */
export class Backend {
  readonly adapterScript: string;
  private readonly serverScript: string;
  private readonly folder: string;

  constructor(extensionFolder: string) {
    this.folder = path.join(extensionFolder, "python_backend");
    const packageFolder = path.join(this.folder, "tensorpeek");
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

  /** Traces the shapes of a model without its data. */
  shapes(interpreter: Interpreter, { runs, call, script, librarySources }: ShapesOptions): Command {
    const ours = ["--runs", runs, ...(call === "" ? [] : ["--call", call]), ...sources(librarySources)];
    return started(interpreter, ["-c", START, this.folder, "shapes", ...ours, script]);
  }
}

function sources(packages: readonly string[]): string[] {
  if (packages.includes("*")) {
    return ["--all-sources"];
  }
  return packages.length === 0 ? [] : ["--library-sources", packages.join(",")];
}

function started(interpreter: Interpreter, args: readonly string[]): Command {
  const [program, ...before] = interpreter.command;
  return { program, args: [...before, ...args] };
}
