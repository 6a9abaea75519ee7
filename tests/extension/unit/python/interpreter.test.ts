import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WorkspaceFolder } from "vscode";
import { UserError } from "../../../../extension/src/common/errors";
import type { Log } from "../../../../extension/src/log";
import { Interpreters } from "../../../../extension/src/python/interpreter";
import { OLDEST_FOR_ADAPTER } from "../../../../extension/src/python/version";
import { settings } from "../fake/vscode";

const log = { warn: () => undefined } as unknown as Log;
const path = process.env["PATH"];
let root: string;
let folder: WorkspaceFolder;

/** A program that says it is Python of this version, and notes each start. */
function interpreter(file: string, version: string): string {
  const program = join(root, file);
  mkdirSync(join(program, ".."), { recursive: true });
  writeFileSync(program, `#!/bin/sh\necho x >> "${program}.starts"\necho "Python ${version}"\n`);
  chmodSync(program, 0o755);
  return program;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tensorpeek ñ "));
  folder = { uri: { fsPath: root } } as WorkspaceFolder;
  process.env["PATH"] = join(root, "path");
});

afterEach(() => {
  process.env["PATH"] = path;
  delete settings["tensorpeek.pythonPath"];
  rmSync(root, { recursive: true });
});

describe.skipIf(process.platform === "win32")("the interpreter", () => {
  it("comes from the launch configuration, the setting, a .venv, PATH, in this order", async () => {
    const onPath = interpreter("path/python3", "3.12.1");
    const interpreters = new Interpreters(log);
    const found = async (python?: unknown): Promise<string> =>
      (await interpreters.find(python, folder)).command.join(" ");

    expect(await found()).toBe(onPath);
    const venv = interpreter(".venv/bin/python", "3.11.0");
    expect(await found()).toBe(venv);
    settings["tensorpeek.pythonPath"] = interpreter("set/python", "3.10.0");
    expect(await found()).toBe(settings["tensorpeek.pythonPath"]);
    const named = interpreter("named/python", "3.13.0");
    expect(await found(named)).toBe(named);
    expect(await found([named, "-X", "dev"])).toBe(`${named} -X dev`);
  });

  it("that the user chose is not replaced when it does not work", async () => {
    interpreter("path/python3", "3.12.1");
    settings["tensorpeek.pythonPath"] = join(root, "absent/python");
    await expect(new Interpreters(log).find(undefined, folder)).rejects.toThrow(UserError);
  });

  it("on PATH that is too old gives way to a newer one", async () => {
    interpreter("path/python3", "3.8.18");
    const newer = interpreter("path/python", "3.12.1");
    expect((await new Interpreters(log).find(undefined, folder)).command).toEqual([newer]);
  });

  it("older than 3.8 is refused with its version", async () => {
    const old = interpreter("old/python", "3.7.17");
    await expect(new Interpreters(log).find(old, folder)).rejects.toThrow(/3\.8 or newer.*is Python 3\.7\.17/);
  });

  it("3.8 that the user chose is debugged, with an adapter that runs in a newer one", async () => {
    const chosen = interpreter("old/python", "3.8.18");
    const newer = interpreter("path/python3", "3.12.1");
    const interpreters = new Interpreters(log);
    expect((await interpreters.find(chosen, folder)).command).toEqual([chosen]);
    expect((await interpreters.findAtLeast(OLDEST_FOR_ADAPTER, folder, chosen)).command).toEqual([newer]);
    expect((await interpreters.findAtLeast(OLDEST_FOR_ADAPTER, folder, newer)).command).toEqual([newer]);
  });

  it("3.8 where there is no newer one is refused with what is needed", async () => {
    const old = interpreter("path/python3", "3.8.18");
    const found = new Interpreters(log).findAtLeast(OLDEST_FOR_ADAPTER, folder, old);
    await expect(found).rejects.toThrow(/3\.9 or newer.*is Python 3\.8\.18/);
  });

  it("is asked for its version once", async () => {
    const python = interpreter("once/python", "3.12.1");
    const interpreters = new Interpreters(log);
    await Promise.all([interpreters.find(python, folder), interpreters.find(python, folder)]);
    await interpreters.find(python, folder);
    expect(readFileSync(`${python}.starts`, "utf8")).toBe("x\n");
  });

  it("is asked again after it failed, for the user may have repaired it", async () => {
    const interpreters = new Interpreters(log);
    await expect(interpreters.find(join(root, "late/python"), folder)).rejects.toThrow(UserError);
    const late = interpreter("late/python", "3.12.1");
    expect((await interpreters.find(late, folder)).version).toEqual([3, 12, 1]);
  });

  it("for the server may be one that a session brought along", async () => {
    const interpreters = new Interpreters(log);
    interpreter("path/python3", "3.9.18");
    const newer = interpreter("named/python", "3.12.1");
    await interpreters.find(newer, folder);
    expect((await interpreters.findAtLeast([3, 10, 0], folder)).command).toEqual([newer]);
  });
});
