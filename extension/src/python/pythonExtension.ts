import * as vscode from "vscode";

/** The part of the public API of Microsoft's Python extension that we use. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
  };
}

const EXTENSION_ID = "ms-python.python";

export function hasPythonExtension(): boolean {
  return vscode.extensions.getExtension(EXTENSION_ID) !== undefined;
}

/** The interpreter selected in the Python extension, undefined when that extension is absent or has none. */
export async function selectedInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(EXTENSION_ID);
  if (!extension) {
    return undefined;
  }
  const api = await extension.activate();
  const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(resource));
  return environment?.executable.uri?.fsPath;
}

export async function selectInterpreter(): Promise<void> {
  await vscode.commands.executeCommand("python.setInterpreter");
}
