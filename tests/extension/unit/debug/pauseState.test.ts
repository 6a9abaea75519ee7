import { beforeEach, describe, expect, it } from "vitest";
import { PauseState } from "../../../../extension/src/debug/pauseState";

const event = (name: string) => ({ type: "event", event: name });
const response = (command: string, request_seq: number, success = true) => ({
  type: "response",
  command,
  request_seq,
  success,
});

let state: PauseState;
beforeEach(() => {
  state = new PauseState();
});

it("is paused from a stop to the next step", () => {
  expect(state.paused).toBe(false);
  expect(state.sent(event("stopped"))).toBe(true);
  expect(state.paused).toBe(true);
  expect(state.sent(response("next", 1))).toBe(true);
  expect(state.paused).toBe(false);
});

it("keeps what the condition of a breakpoint said, and nothing of other stops", () => {
  const stopped = (reason: string) => ({ ...event("stopped"), body: { reason, description: "loss 31, usual 0.2" } });
  state.sent(stopped("breakpoint"));
  expect(state.said).toBe("loss 31, usual 0.2");
  state.sent(stopped("step"));
  expect(state.said).toBe("");
});

it("says each resumption once, though an event and a response tell of it", () => {
  state.sent(event("stopped"));
  expect([state.sent(response("continue", 1)), state.sent(event("continued"))]).toEqual([true, false]);
});

it("stays paused when the step was refused", () => {
  state.sent(event("stopped"));
  expect(state.sent(response("next", 1, false))).toBe(false);
  expect(state.paused).toBe(true);
});

describe("the revision", () => {
  it("differs at every stop, though a frame may keep its number", () => {
    state.sent(event("stopped"));
    const first = state.revision;
    state.sent(event("stopped"));
    expect(state.revision).not.toBe(first);
  });

  it.each([
    [{ command: "setVariable", seq: 7 }, true],
    [{ command: "evaluate", seq: 7, arguments: { context: "repl" } }, true],
    [{ command: "evaluate", seq: 7, arguments: { context: "hover" } }, false],
    [{ command: "variables", seq: 7 }, false],
  ])("after %j differs: %j", (request, differs) => {
    state.sent(event("stopped"));
    const before = state.revision;
    state.received(request);
    expect(state.sent(response(request.command, 7))).toBe(differs);
    expect(state.revision !== before).toBe(differs);
  });

  it("differs after a statement that failed, once", () => {
    state.sent(event("stopped"));
    const before = state.revision;
    state.received({ command: "evaluate", seq: 7, arguments: { context: "repl" } });
    expect(state.sent({ ...response("evaluate", 7), success: false })).toBe(true);
    expect(state.revision).toBe(before + 1);
    expect(state.sent(response("variables", 7))).toBe(false);
  });
});

it("lets every other message pass unnoticed", () => {
  expect(
    [event("output"), event("thread"), response("variables", 3), {}].map((message) => state.sent(message)),
  ).toEqual([false, false, false, false]);
});
