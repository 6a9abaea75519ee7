import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { AdapterServers } from "../../../../extension/src/debug/adapterServers";
import type { Log } from "../../../../extension/src/log";

const log = { info: () => undefined } as unknown as Log;
const listening = fileURLToPath(new URL("fixtures/listening.mjs", import.meta.url));
const node = (...args: string[]) => ({ program: process.execPath, args });

it("takes the port that the adapter prints, and ends the adapter on demand", async () => {
  const servers = new AdapterServers(log);
  const { port } = await servers.start(node(listening));
  expect(port).toBeGreaterThan(0);
  expect(servers.owns(port)).toBe(true);
  servers.stop(port);
  await expect.poll(() => servers.owns(port)).toBe(false);
});

it("tells what an adapter said that ended at once", async () => {
  const servers = new AdapterServers(log);
  await expect(servers.start(node("/no/such/script.mjs"))).rejects.toThrow(/ended with code 1.*no\/such\/script/s);
});

it("tells of a program that is not there", async () => {
  await expect(new AdapterServers(log).start({ program: "/no/such/python", args: [] })).rejects.toThrow(/ENOENT/);
});

it("gives each adapter a token of its own, which stands in no command line", async () => {
  const servers = new AdapterServers(log);
  const info = vi.spyOn(log, "info");
  const tokens: string[] = [];
  for (const adapter of [await servers.start(node(listening)), await servers.start(node(listening))]) {
    tokens.push(adapter.accessToken);
    await expect.poll(() => JSON.stringify(info.mock.calls)).toContain(adapter.accessToken);
  }
  servers.dispose();
  expect(new Set(tokens).size).toBe(2);
  expect(tokens.join(" ")).toMatch(/^[0-9a-f]{64} [0-9a-f]{64}$/);
});
