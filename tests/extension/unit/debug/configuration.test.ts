import { expect, it } from "vitest";
import { attachTarget, listeningAdapter, withDefaults } from "../../../../extension/src/debug/configuration";

const attach = { name: "a", type: "tensorpeek", request: "attach" };
const launch = { name: "l", type: "tensorpeek", request: "launch" };

it.each([
  [{ connect: { host: "10.0.0.1", port: 5678 } }, { host: "10.0.0.1", port: 5678 }],
  [{ connect: { port: "5678" } }, { host: "127.0.0.1", port: 5678 }],
  [
    { host: "localhost", port: 5678 },
    { host: "localhost", port: 5678 },
  ],
  [{ listen: { port: 5678 } }, undefined],
  [{ processId: 12 }, undefined],
  [{ connect: { port: "none" } }, undefined],
])("of %j the listening adapter is %j", (attributes, endpoint) => {
  expect(listeningAdapter({ ...attach, ...attributes })).toEqual(endpoint);
});

it("takes no launch for an attach", () => {
  expect(listeningAdapter({ ...launch, port: 5678 })).toBeUndefined();
});

it.each([
  [{ connect: { port: 1 } }, "connect"],
  [{ listen: { port: 1 } }, "listen"],
  [{ processId: "12" }, "process"],
  [{}, undefined],
])("%j attaches by %s", (attributes, target) => {
  expect(attachTarget({ ...attach, ...attributes })).toBe(target);
});

it("fills what is missing and keeps what is there", () => {
  expect(withDefaults({ ...launch, justMyCode: false }, false)).toMatchObject({
    justMyCode: false,
    showReturnValue: true,
    subProcess: true,
    clientOS: "unix",
    console: "integratedTerminal",
    redirectOutput: false,
  });
  expect(withDefaults({ ...launch, console: "internalConsole" }, true)).toMatchObject({
    clientOS: "windows",
    redirectOutput: true,
  });
  expect(withDefaults(attach, false)).not.toHaveProperty("console");
});
