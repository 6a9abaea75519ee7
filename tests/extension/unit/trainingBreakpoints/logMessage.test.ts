import { expect, it } from "vitest";
import type { Uri } from "vscode";
import type { ServerClient } from "../../../../extension/src/languageClient/serverClient";
import { messageAbout, problemIn } from "../../../../extension/src/trainingBreakpoints/logMessage";

const place = { uri: "file:///w/train.py" as unknown as Uri, lineNumber: 5 };

/** Finds fault with what does not end in a bracket. */
const server = (asked: string[]): ServerClient =>
  ({
    request: (_method: string, { text, line }: { text: string; line: number }) => {
      asked.push(`${text} ${String(line)}`);
      return Promise.resolve({ problem: text.endsWith(")") ? "" : `${text}?`, explanation: "", completions: [] });
    },
  }) as unknown as ServerClient;

it("begins with what fits the line", () => {
  expect(messageAbout("loss")).toBe("loss: {tp.line(loss)}");
  expect(messageAbout(undefined)).toBe("{tp.step()}");
});

it("is checked inside its braces only", async () => {
  const asked: string[] = [];
  expect(await problemIn("at {tp.step()}: loss {tp.line(loss)}!", place, server(asked))).toBe("");
  expect(asked).toEqual(["tp.step() 4", "tp.line(loss) 4"]);
  expect(await problemIn("{tp.step()} {tp.}", place, server([]))).toBe("tp.?");
  expect(await problemIn("no braces", place, server([]))).toBe("");
});
