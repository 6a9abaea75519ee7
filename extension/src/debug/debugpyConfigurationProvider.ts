import * as vscode from "vscode";
import { messageOf, UserError } from "../common/errors";
import { debugpyEnabled, sessionSettings } from "../configuration";
import type { Log } from "../log";
import type { Backend } from "../python/backend";
import type { Interpreter, Interpreters } from "../python/interpreter";
import { OLDEST_FOR_ADAPTER } from "../python/version";
import type { AdapterServers } from "./adapterServers";
import { listeningAdapter, type PythonDebugConfiguration } from "./configuration";

/**
 * Leads the user's own `debugpy` sessions through our adapter, by the attributes that Microsoft's Python Debugger documents.
 * Whatever stands in the way leaves the session a plain one, and its configuration says why.
 */
export class DebugpyConfigurationProvider implements vscode.DebugConfigurationProvider {
  constructor(
    private readonly backend: Backend,
    private readonly interpreters: Interpreters,
    private readonly servers: AdapterServers,
    private readonly log: Log,
  ) {}

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: PythonDebugConfiguration,
  ): Promise<vscode.DebugConfiguration> {
    if (!debugpyEnabled(folder) || this.hasAdapterOfItsOwn(configuration)) {
      return configuration;
    }
    try {
      // A child's configuration is a copy of its parent's, but not its reason.
      return await this.led(folder, { ...configuration, tensorpeekPlain: undefined });
    } catch (error) {
      this.log.warn(`“${configuration.name}” stays a plain debugpy session: ${messageOf(error)}`);
      return { ...configuration, tensorpeekPlain: reasonOf(error) };
    }
  }

  private async led(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: PythonDebugConfiguration,
  ): Promise<PythonDebugConfiguration> {
    const interpreter = await this.adapterInterpreter(folder, configuration);
    const tensorpeek = { ...sessionSettings(folder), ...configuration.tensorpeek };
    const connect = listeningAdapter(configuration);
    if (connect) {
      // Microsoft's extension ignores debugAdapterPath here and connects straight to the port.
      const command = this.backend.adapter(interpreter, { listen: true, connect });
      const { port, accessToken } = await this.servers.start(command);
      return { ...configuration, tensorpeek: { ...tensorpeek, accessToken }, debugServer: port };
    }
    return {
      ...configuration,
      tensorpeek,
      debugAdapterPath: this.backend.adapterScript,
      debugAdapterPython: interpreter.command[0],
    };
  }

  /** `debugAdapterPython` holds one path, so an interpreter that needs more words gives way to the workspace's own. */
  private async adapterInterpreter(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: PythonDebugConfiguration,
  ): Promise<Interpreter> {
    const named = configuration.debugAdapterPython ?? configuration.python;
    const interpreter = await this.interpreters.findAtLeast(OLDEST_FOR_ADAPTER, folder, named);
    return interpreter.command.length === 1
      ? interpreter
      : await this.interpreters.findAtLeast(OLDEST_FOR_ADAPTER, folder);
  }

  /** A child's configuration is a copy of its parent's, so what we wrote there is not the user's. */
  private hasAdapterOfItsOwn({ debugServer, debugAdapterPath }: PythonDebugConfiguration): boolean {
    const ownServer = debugServer !== undefined && !this.servers.owns(debugServer);
    const ownPath = debugAdapterPath !== undefined && debugAdapterPath !== this.backend.adapterScript;
    return ownServer || ownPath;
  }
}

function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return error instanceof UserError ? message : vscode.l10n.t("TensorPeek could not be started: {0}", message);
}
