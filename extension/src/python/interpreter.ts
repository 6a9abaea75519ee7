import { execFile } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { asError, messageOf, openLaunchJson, UserError, type Remedy } from "../common/errors";
import { pythonPathSetting } from "../configuration";
import type { Log } from "../log";
import { expandPath, onSearchPath, virtualEnvironment, type Machine } from "./places";
import { hasPythonExtension, selectedInterpreter, selectInterpreter } from "./pythonExtension";
import {
  isAtLeast,
  OLDEST_FOR_ADAPTER,
  OLDEST_FOR_DEBUGGING,
  parseVersion,
  versionText,
  type Version,
} from "./version";

/** An interpreter that was started once and said its version. */
export interface Interpreter {
  /** How to start it: the program, then arguments before its own, as in `["conda", "run", "python"]`. */
  readonly command: readonly [string, ...string[]];
  readonly version: Version;
}

const run = promisify(execFile);
const START_TIMEOUT_MS = 20_000;

const thisMachine: Machine = {
  windows: process.platform === "win32",
  home: homedir(),
  env: process.env,
  async isFile(file) {
    try {
      await access(file, constants.X_OK);
      return (await stat(file)).isFile();
    } catch {
      return false;
    }
  },
};

/** Finds the interpreters to debug with and to run our own processes, and remembers what each one said about itself. */
export class Interpreters {
  private readonly versions = new Map<string, Promise<Version>>();
  /** Those that were found to be usable by their commands, latest last. */
  private readonly usable = new Map<string, Interpreter>();

  constructor(private readonly log: Log) {}

  /**
   * The interpreter for a launch configuration's `python`, else for the Python extension, the setting, a `.venv`, PATH.
   * Throws a UserError when the chosen one cannot be used; only the last two, which nobody chose, are searched on.
   */
  async find(launchPython: unknown, folder: vscode.WorkspaceFolder | undefined): Promise<Interpreter> {
    const root = rootOf(folder);
    const fromLaunch = asCommand(launchPython);
    if (fromLaunch) {
      const [program, ...rest] = fromLaunch;
      return await this.check([expandPath(program, root, thisMachine), ...rest], openLaunchJson());
    }
    const selected = await this.selectedInPythonExtension(folder);
    if (selected !== undefined) {
      return await this.check([selected], selectInPythonExtension());
    }
    const setting = pythonPathSetting(folder);
    if (setting !== "") {
      return await this.check([expandPath(setting, root, thisMachine)], openSetting());
    }
    return await this.search(root, OLDEST_FOR_ADAPTER);
  }

  /**
   * An interpreter of at least this version, to run a process of ours: the one that `find` finds, else one that a session
   * was started with, else a `.venv` or one on PATH.
   */
  async findAtLeast(
    oldest: Version,
    folder: vscode.WorkspaceFolder | undefined,
    launchPython?: unknown,
  ): Promise<Interpreter> {
    let problem: Error | undefined;
    try {
      const interpreter = await this.find(launchPython, folder);
      if (isAtLeast(interpreter.version, oldest)) {
        return interpreter;
      }
    } catch (error) {
      problem = asError(error);
    }
    const known = [...this.usable.values()].findLast((interpreter) => isAtLeast(interpreter.version, oldest));
    try {
      return known ?? (await this.search(rootOf(folder), oldest));
    } catch (error) {
      throw problem ?? error;
    }
  }

  private async search(root: string | undefined, oldest: Version): Promise<Interpreter> {
    const venv = root === undefined ? undefined : await virtualEnvironment(root, thisMachine);
    const candidates = [...(venv === undefined ? [] : [venv]), ...(await onSearchPath(thisMachine))];
    const remedy = hasPythonExtension() ? selectInPythonExtension() : openSetting();
    let firstProblem: Error | undefined;
    for (const candidate of candidates) {
      try {
        return await this.check([candidate], remedy, oldest);
      } catch (problem) {
        firstProblem ??= asError(problem);
      }
    }
    throw (
      firstProblem ??
      new UserError(
        vscode.l10n.t(
          "No Python was found: none is named in the launch configuration or in the settings, there is no .venv in the workspace, and none is on PATH.",
        ),
        [remedy],
      )
    );
  }

  private async selectedInPythonExtension(folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
    try {
      return await selectedInterpreter(folder?.uri);
    } catch (error) {
      this.log.warn(`The Python extension could not name its interpreter: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async check(
    command: readonly [string, ...string[]],
    remedy: Remedy,
    oldest: Version = OLDEST_FOR_DEBUGGING,
  ): Promise<Interpreter> {
    const shown = command.join(" ");
    let version: Version;
    try {
      version = await this.versionOf(command);
    } catch (error) {
      this.log.warn(`${shown} --version: ${messageOf(error)}`);
      throw new UserError(vscode.l10n.t("“{0}” could not be started as a Python interpreter.", shown), [remedy]);
    }
    if (!isAtLeast(version, oldest)) {
      throw new UserError(
        vscode.l10n.t(
          "TensorPeek needs Python {0} or newer, and “{1}” is Python {2}.",
          versionText(oldest).replace(/\.0$/, ""),
          shown,
          versionText(version),
        ),
        [remedy],
      );
    }
    const interpreter = { command, version };
    this.usable.delete(shown);
    this.usable.set(shown, interpreter);
    return interpreter;
  }

  private versionOf(command: readonly [string, ...string[]]): Promise<Version> {
    const key = JSON.stringify(command);
    const known = this.versions.get(key);
    if (known) {
      return known;
    }
    const asked = askVersion(command);
    this.versions.set(key, asked);
    asked.catch(() => this.versions.delete(key));
    return asked;
  }
}

async function askVersion([program, ...rest]: readonly [string, ...string[]]): Promise<Version> {
  const { stdout, stderr } = await run(program, [...rest, "--version"], { timeout: START_TIMEOUT_MS });
  const version = parseVersion(stdout + stderr);
  if (!version) {
    throw new Error(`it printed ${JSON.stringify(stdout.slice(0, 200))}`);
  }
  return version;
}

function rootOf(folder: vscode.WorkspaceFolder | undefined): string | undefined {
  return folder?.uri.fsPath ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

/** The attribute `python` as debugpy takes it: a path, or a list of a program and its arguments. */
function asCommand(python: unknown): readonly [string, ...string[]] | undefined {
  const words: unknown[] = Array.isArray(python) ? python : [python];
  const [program, ...rest] = words.filter((word): word is string => typeof word === "string" && word !== "");
  return program === undefined ? undefined : [program, ...rest];
}

function openSetting(): Remedy {
  return {
    label: vscode.l10n.t("Choose an Interpreter"),
    run: () => vscode.commands.executeCommand("workbench.action.openSettings", "@id:tensorpeek.pythonPath"),
  };
}

function selectInPythonExtension(): Remedy {
  return { label: vscode.l10n.t("Choose an Interpreter"), run: selectInterpreter };
}
