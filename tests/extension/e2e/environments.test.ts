import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";

import { torchOnly } from "./environments";
import { useWindow } from "./window";

const environments = [
  { name: "torch", packages: [], hasNumpy: false },
  { name: "torch and numpy", packages: ["numpy", "numpy.libs"], hasNumpy: true },
];
const launch = (name: string, python: string) => ({
  name,
  type: "tensorpeek",
  request: "launch",
  program: "${workspaceFolder}/zoo.py",
  console: "internalConsole",
  python,
});
const interpreterOf = (name: string) => join(inject("home"), name, "bin", "python");
const window = useWindow({
  configurations: [
    ...environments.map(({ name }) => launch(name, interpreterOf(name))),
    launch("no such file", "/no/such/python"),
  ],
});

afterEach(() => window.workbench.stop());

describe.each(environments)("an interpreter with nothing but $name", ({ name, packages, hasNumpy }) => {
  beforeAll(() => {
    const python = torchOnly(inject("python"), join(inject("home"), name), packages);
    const has = (module: string) => `import importlib.util as u; print(u.find_spec("${module}") is not None)`;
    const answer = (module: string) => execFileSync(python, ["-c", has(module)], { encoding: "utf8" }).trim();
    expect(answer("debugpy")).toBe("False");
    expect(answer("numpy")).toBe(hasNumpy ? "True" : "False");
  });

  test("is debugged, and its tensors say what they are", async () => {
    const { workbench } = window;
    await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
    await workbench.startConfiguration(name);
    await workbench.waitPaused("# @bp:main");
    await workbench.debug.expand("Locals");
    expect(await workbench.debug.value("broken")).toMatch(/^NaN 1 f32\[5\]/);
    await workbench.toggleBreakpoint("zoo.py", "# @bp:main");
  });
});

test("an interpreter that does not exist is named in an error", async () => {
  const { workbench } = window;
  await workbench.startConfiguration("no such file");
  const said = workbench.dialog().or(workbench.notifications()).filter({ hasText: "/no/such/python" });
  await said.first().waitFor();
});
