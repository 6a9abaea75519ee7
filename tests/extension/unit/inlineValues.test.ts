import { beforeEach, expect, it, vi } from "vitest";
import type { InlineValueContext, InlineValueText, TextDocument } from "vscode";
import type { PausedFrame, SessionTracker } from "../../../extension/src/debug/sessionTracker";
import { InlineValuesProvider } from "../../../extension/src/inlineValues/inlineValuesProvider";
import type { Log } from "../../../extension/src/log";
import { Range } from "./fake/vscode";

const customRequest = vi.fn();
const log = { debug: () => undefined } as unknown as Log;
const document = { uri: { fsPath: "/w/train.py", toString: () => "file:///w/train.py" }, version: 1, lineCount: 10 };
const context = { frameId: 4, stoppedLocation: new Range(7, 0, 7, 5) };

let focus: PausedFrame | undefined;
const tracker = {
  focusOn: (frameId: number) => Promise.resolve(focus?.frameId === frameId ? focus : undefined),
} as SessionTracker;

beforeEach(() => {
  customRequest.mockReset();
  customRequest.mockResolvedValue({
    values: [
      { line: 3, startColumn: 5, endColumn: 6, text: "x f32[2]" },
      { line: 99, startColumn: 1, endColumn: 2, text: "beyond the end" },
    ],
  });
  focus = { kind: "paused", session: { id: "s", customRequest } as never, frameId: 4, revision: 1 };
});

async function texts(provider: InlineValuesProvider, frameId = 4): Promise<string[]> {
  const values = await provider.provideInlineValues(
    document as unknown as TextDocument,
    new Range(0, 0, 9, 0) as never,
    { ...context, frameId } as unknown as InlineValueContext,
  );
  return values.map((value) => (value as InlineValueText).text);
}

it("asks once per stop, for the lines up to the one that is next, and drops what lies beyond the file", async () => {
  const provider = new InlineValuesProvider(tracker, log);
  expect(await texts(provider)).toEqual(["x f32[2]"]);
  expect(await texts(provider)).toEqual(["x f32[2]"]);
  expect(customRequest.mock.calls).toEqual([
    ["tensorpeek/inlineValues", { frameId: 4, path: "/w/train.py", startLine: 1, endLine: 8 }],
  ]);
});

it("asks again at the next stop, though the frame has the same number", async () => {
  const provider = new InlineValuesProvider(tracker, log);
  await texts(provider);
  focus = { ...focus!, revision: 2 };
  await texts(provider);
  expect(customRequest).toHaveBeenCalledTimes(2);
});

it("shows nothing for a frame that is not in focus, while running, or when the adapter refuses", async () => {
  const provider = new InlineValuesProvider(tracker, log);
  expect(await texts(provider, 5)).toEqual([]);
  customRequest.mockRejectedValue(new Error("not active"));
  expect(await texts(provider)).toEqual([]);
  focus = undefined;
  expect(await texts(provider)).toEqual([]);
});
