import * as vscode from "vscode";
import type { Backend } from "../python/backend";
import type { Interpreters } from "../python/interpreter";
import { OLDEST_FOR_ADAPTER } from "../python/version";
import { listeningAdapter, type PythonDebugConfiguration } from "./configuration";

/** A developer's adapter, started by hand under a debugger and listening on this loopback port. */
const DEVELOPER_PORT = "TENSORPEEK_ADAPTER_PORT";

/** Starts one adapter process per session of our debug type; it speaks on stdio, since ports raise toasts in remote windows. */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  constructor(
    private readonly backend: Backend,
    private readonly interpreters: Interpreters,
    private readonly logFolder: string,
  ) {}

  async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const developerPort = Number(process.env[DEVELOPER_PORT]);
    if (developerPort > 0) {
      return new vscode.DebugAdapterServer(developerPort);
    }
    const configuration: PythonDebugConfiguration = session.configuration;
    const { python } = configuration;
    const interpreter = await this.interpreters.findAtLeast(OLDEST_FOR_ADAPTER, session.workspaceFolder, python);
    const { program, args } = this.backend.adapter(interpreter, {
      connect: listeningAdapter(configuration),
      logFolder: configuration.logToFile === true ? this.logFolder : undefined,
    });
    return new vscode.DebugAdapterExecutable(program, [...args]);
  }
}
