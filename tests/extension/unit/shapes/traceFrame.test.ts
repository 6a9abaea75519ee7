import { beforeEach, describe, expect, it, vi } from "vitest";
import * as vscode from "vscode";
import type { PausedFrame } from "../../../../extension/src/debug/sessionTracker";
import { traceFrame } from "../../../../extension/src/shapes/traceFrame";

const asked: unknown[][] = [];
const said: string[] = [];
const traced = vi.fn();

/** A paused frame whose adapter answers so; an Error is what it refuses with. */
function paused(answer: { path: string; problem: string } | Error): PausedFrame {
  const customRequest = (...request: unknown[]): Promise<unknown> => {
    asked.push(request);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ entry: "", expressions: 0, ...answer });
  };
  return { kind: "paused", session: { customRequest } as never, frameId: 7, revision: 1 };
}

/** What is answered to a warning. */
let chosen: string | undefined;

beforeEach(() => {
  asked.length = said.length = 0;
  traced.mockClear();
  chosen = undefined;
  Object.assign(vscode, { ProgressLocation: { Window: 10 } });
  Object.assign(vscode.window, {
    withProgress: (_: unknown, work: () => unknown) => work(),
    showWarningMessage: (message: string) => {
      said.push(message);
      return Promise.resolve(chosen);
    },
  });
});

describe("a trace from the paused frame", () => {
  it("asks for the frame's own call and says nothing when all went well", async () => {
    expect(await traceFrame(paused({ path: "/runs/shapes.json", problem: "" }), traced)).toBe("done");
    expect(asked).toEqual([["tensorpeek/traceShapes", { frameId: 7, expression: "" }]]);
    expect(traced).toHaveBeenCalledOnce();
    expect(said).toEqual([]);
  });

  it("says what is missing in it", async () => {
    expect(await traceFrame(paused({ path: "/runs/shapes.json", problem: "RuntimeError" }), traced)).toBe("done");
    expect(traced).toHaveBeenCalledOnce();
    expect(said).toEqual(["The shapes are traced, but not all: RuntimeError"]);
  });

  it.each([
    ["the adapter says", paused({ path: "", problem: "no model is called" }), "no model is called"],
    ["the session has ended", paused(new Error("it is over")), "it is over"],
  ])("says why there is none, where %s so, and offers to run the file", async (_, frame, why) => {
    expect(await traceFrame(frame, traced)).toBe("done");
    chosen = "Run the File Instead";
    expect(await traceFrame(frame, traced)).toBe("run");
    expect(traced).not.toHaveBeenCalled();
    expect(said).toEqual(Array(2).fill(`No shapes were traced from the paused frame: ${why}`));
  });
});
