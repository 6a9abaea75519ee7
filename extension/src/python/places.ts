import * as path from "node:path";

/** What the search for an interpreter needs to know of the machine; a parameter so that tests can make one up. */
export interface Machine {
  readonly windows: boolean;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  isFile(file: string): Promise<boolean>;
}

/** The interpreter of a virtual environment in `folder`, where there is one. */
export async function virtualEnvironment(folder: string, machine: Machine): Promise<string | undefined> {
  const inside = machine.windows ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const name of [".venv", "venv"]) {
    const file = path.join(folder, name, ...inside);
    if (await machine.isFile(file)) {
      return file;
    }
  }
  return undefined;
}

/** Every `python3` and `python` on PATH, in the order in which a shell would find them. */
export async function onSearchPath(machine: Machine): Promise<string[]> {
  const names = machine.windows ? ["python.exe", "python3.exe"] : ["python3", "python"];
  const folders = (machine.env["PATH"] ?? machine.env["Path"] ?? "").split(machine.windows ? ";" : ":");
  const found: string[] = [];
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      if (folder !== "" && !found.includes(file) && (await machine.isFile(file))) {
        found.push(file);
      }
    }
  }
  return found;
}

/** A path as a user may write it: `~`, `${workspaceFolder}`, `${env:NAME}`, or relative to the workspace folder. */
export function expandPath(text: string, folder: string | undefined, machine: Machine): string {
  const expanded = text
    .replace(/^~(?=$|[\\/])/, () => machine.home)
    .replaceAll("${workspaceFolder}", () => folder ?? "")
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => machine.env[name] ?? "");
  const isBareCommand = !/[\\/]/.test(expanded);
  return isBareCommand || !folder ? expanded : path.resolve(folder, expanded);
}
