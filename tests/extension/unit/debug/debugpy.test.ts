import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AdapterServers, ListeningAdapter } from "../../../../extension/src/debug/adapterServers";
import { UserError } from "../../../../extension/src/common/errors";
import type { PythonDebugConfiguration } from "../../../../extension/src/debug/configuration";
import { DebugpyConfigurationProvider } from "../../../../extension/src/debug/debugpyConfigurationProvider";
import type { Log } from "../../../../extension/src/log";
import { Backend, type Command } from "../../../../extension/src/python/backend";
import type { Interpreters } from "../../../../extension/src/python/interpreter";
import { settings } from "../fake/vscode";

const backend = new Backend("/extension");
const launch = { name: "train", type: "debugpy", request: "launch", program: "train.py" };
const attach = { name: "child", type: "debugpy", request: "attach", connect: { host: "127.0.0.1", port: 4000 } };
const OUR_PORT = 5001;

let findAtLeast: ReturnType<typeof vi.fn>;
let start: ReturnType<typeof vi.fn<(command: Command) => Promise<ListeningAdapter>>>;
let provider: DebugpyConfigurationProvider;

beforeEach(() => {
  findAtLeast = vi.fn((_oldest: unknown, _folder: unknown, python: unknown) =>
    Promise.resolve({ command: Array.isArray(python) ? python : [python ?? "/usr/bin/python3"], version: [3, 12, 0] }),
  );
  start = vi.fn(() => Promise.resolve({ port: OUR_PORT, accessToken: "secret" }));
  const servers = { start, owns: (port: number) => port === OUR_PORT } as unknown as AdapterServers;
  const log = { warn: () => undefined } as unknown as Log;
  provider = new DebugpyConfigurationProvider(backend, { findAtLeast } as unknown as Interpreters, servers, log);
});

afterEach(() => {
  delete settings["tensorpeek.debugpy.enabled"];
});

const resolve = (configuration: PythonDebugConfiguration) =>
  provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, configuration);

describe("a debugpy configuration", () => {
  it.each([
    launch,
    { ...attach, connect: undefined, processId: 12 },
    { ...attach, connect: undefined, listen: { port: 1 } },
  ])("is led through our adapter by the documented attributes", async (configuration) => {
    expect(await resolve(configuration as PythonDebugConfiguration)).toEqual({
      ...configuration,
      debugAdapterPath: backend.adapterScript,
      debugAdapterPython: "/usr/bin/python3",
      tensorpeek: { valueBudgetMs: 20, answerBudgetMs: 60, budgetPercent: 0.5, traceFirstStep: true },
    });
  });

  it("that connects gets an adapter of ours in front of its port", async () => {
    expect(await resolve(attach)).toEqual({
      ...attach,
      debugServer: OUR_PORT,
      tensorpeek: {
        valueBudgetMs: 20,
        answerBudgetMs: 60,
        budgetPercent: 0.5,
        traceFirstStep: true,
        accessToken: "secret",
      },
    });
    expect(start.mock.calls[0]![0].args).toEqual([backend.adapterScript, "--port", "0", "--connect", "127.0.0.1:4000"]);
  });

  it("of a child is a copy of its parent's, so our own port in it does not count as the user's", async () => {
    expect(await resolve({ ...attach, debugServer: OUR_PORT, debugAdapterPath: backend.adapterScript })).toMatchObject({
      debugServer: OUR_PORT,
    });
    expect(start).toHaveBeenCalledOnce();
  });

  it.each([{ debugServer: 4711 }, { debugAdapterPath: "/mine/adapter" }])(
    "with %j keeps the user's adapter",
    async (own) => {
      const configuration = { ...launch, ...own };
      expect(await resolve(configuration)).toBe(configuration);
    },
  );

  it("keeps the interpreter that the user chose for the adapter", async () => {
    expect(await resolve({ ...launch, debugAdapterPython: "/mine/python" })).toMatchObject({
      debugAdapterPython: "/mine/python",
    });
  });

  it("with an interpreter of several words runs the adapter with the workspace's own", async () => {
    expect(await resolve({ ...launch, python: ["conda", "run", "python"] })).toMatchObject({
      python: ["conda", "run", "python"],
      debugAdapterPython: "/usr/bin/python3",
    });
  });

  it("stays as it is when the setting says so", async () => {
    settings["tensorpeek.debugpy.enabled"] = false;
    expect(await resolve(launch)).toBe(launch);
  });

  it("says why it stays plain when no interpreter can run our adapter", async () => {
    findAtLeast.mockRejectedValue(new UserError("Python 3.7 is too old."));
    expect(await resolve(launch)).toEqual({ ...launch, tensorpeekPlain: "Python 3.7 is too old." });
  });

  it("says why it stays plain when our adapter does not start", async () => {
    start.mockRejectedValue(new Error("it ended"));
    expect(await resolve(attach)).toEqual({
      ...attach,
      tensorpeekPlain: "TensorPeek could not be started: it ended",
    });
  });

  it("of a child does not keep its parent's reason", async () => {
    expect((await resolve({ ...attach, tensorpeekPlain: "too old" }))["tensorpeekPlain"]).toBeUndefined();
  });
});
