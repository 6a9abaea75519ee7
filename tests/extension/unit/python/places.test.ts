import { expect, it } from "vitest";
import { expandPath, onSearchPath, virtualEnvironment, type Machine } from "../../../../extension/src/python/places";

function machine(files: string[], env: Record<string, string> = {}): Machine {
  return { windows: false, home: "/home/ana", env, isFile: (file) => Promise.resolve(files.includes(file)) };
}

it("prefers .venv to venv", async () => {
  const both = machine(["/home/ada/venv/bin/python", "/home/ada/.venv/bin/python"]);
  expect(await virtualEnvironment("/home/ada", both)).toBe("/home/ada/.venv/bin/python");
  expect(await virtualEnvironment("/home/ada", machine(["/home/ada/venv/bin/python"]))).toBe(
    "/home/ada/venv/bin/python",
  );
  expect(await virtualEnvironment("/home/ada", machine([]))).toBeUndefined();
});

it("searches PATH as a shell does, python3 first", async () => {
  const files = ["/a/python", "/b/python3", "/a/python3"];
  expect(await onSearchPath(machine(files, { PATH: "/a::/b" }))).toEqual(["/a/python3", "/b/python3", "/a/python"]);
});

it.each([
  ["~/env/bin/python", "/home/ana/env/bin/python"],
  ["${workspaceFolder}/.venv/bin/python", "/home/ada/mi proyecto/.venv/bin/python"],
  ["${env:CONDA}/bin/python", "/opt/conda/bin/python"],
  ["./bin/python", "/home/ada/mi proyecto/bin/python"],
  ["python3", "python3"],
  ["/usr/bin/python3", "/usr/bin/python3"],
])("expands %s", (written, expected) => {
  expect(expandPath(written, "/home/ada/mi proyecto", machine([], { CONDA: "/opt/conda" }))).toBe(expected);
});
