import type { DebugConfiguration } from "vscode";
import type { SessionSettings } from "../contract/messages";
import type { Endpoint } from "../python/backend";

/** The attributes of launch.json that we read or write; all others pass through untouched. */
export interface PythonDebugConfiguration extends DebugConfiguration {
  program?: string;
  module?: string;
  code?: string | string[];
  cwd?: string;
  env?: Record<string, string | null>;
  envFile?: string;
  python?: string | string[];
  console?: string;
  redirectOutput?: boolean;
  showReturnValue?: boolean;
  subProcess?: boolean;
  connect?: { host?: string; port: number | string };
  listen?: { host?: string; port: number | string };
  /** The older spelling of `connect`. */
  host?: string;
  port?: number | string;
  processId?: number | string;
  /** Set by debugpy in the configuration of a child session. */
  subProcessId?: number;
  logToFile?: boolean;
  noDebug?: boolean;
  clientOS?: "windows" | "unix";
  /** VS Code connects there instead of starting an adapter. */
  debugServer?: number;
  /** Microsoft's Python Debugger starts this adapter instead of its own. */
  debugAdapterPath?: string;
  debugAdapterPython?: string;
  tensorpeek?: SessionSettings;
  /** Why our provider left a session of Microsoft's Python Debugger as it was; one sentence for the user. */
  tensorpeekPlain?: string | undefined;
}

/** The debug adapter that listens already: of `debugpy.listen()`, or of a parent session for its child. */
export function listeningAdapter(configuration: PythonDebugConfiguration): Endpoint | undefined {
  if (configuration.request !== "attach" || configuration.listen) {
    return undefined;
  }
  const { host, port } = configuration.connect ?? configuration;
  const number = Number(port);
  return Number.isInteger(number) && number > 0 ? { host: host ?? "127.0.0.1", port: number } : undefined;
}

/** Which of the ways of attaching a configuration names; undefined when it names none. */
export function attachTarget(configuration: PythonDebugConfiguration): "connect" | "listen" | "process" | undefined {
  if (configuration.listen) {
    return "listen";
  }
  if (configuration.processId !== undefined) {
    return "process";
  }
  return listeningAdapter(configuration) ? "connect" : undefined;
}

/**
 * Fills what VS Code's own Python debugger fills before debugpy sees a configuration, so that both behave alike.
 * A value that is there already stays.
 */
export function withDefaults(configuration: PythonDebugConfiguration, windows: boolean): PythonDebugConfiguration {
  const completed: PythonDebugConfiguration = {
    justMyCode: true,
    showReturnValue: true,
    subProcess: true,
    clientOS: windows ? "windows" : "unix",
    ...configuration,
  };
  if (completed.request === "launch") {
    completed.console ??= "integratedTerminal";
    completed.redirectOutput ??= completed.console === "internalConsole";
  }
  return completed;
}
