import { beforeEach, describe, expect, it, vi } from "vitest";
import { EvaluatableExpressionProvider } from "../../../extension/src/hover/evaluatableExpressionProvider";
import { dottedNameAt } from "../../../extension/src/hover/expressionText";
import type { ServerClient } from "../../../extension/src/languageClient/serverClient";
import type { Log } from "../../../extension/src/log";
import { Position, Range, window } from "./fake/vscode";

describe("the name under the pointer", () => {
  const line = "    y = self.fc.weight.grad + größe";

  it.each([
    ["self", "self"],
    ["fc", "self.fc"],
    ["weight", "self.fc.weight"],
    ["grad", "self.fc.weight.grad"],
    ["größe", "größe"],
  ])("on %s is %s", (word, expression) => {
    expect(dottedNameAt(line, line.indexOf(word))?.expression).toBe(expression);
  });

  it("is nothing between names", () => {
    expect(dottedNameAt(line, line.indexOf("+"))).toBeUndefined();
    expect(dottedNameAt("", 0)).toBeUndefined();
  });
});

describe("the expression of a hover", () => {
  const line = "loss = a + f(b)";
  const at = (character: number): Position => new Position(0, character);
  const range = (start: number, end: number): Range => new Range(0, start, 0, end);
  const document = { uri: "file:///train.py", lineAt: () => ({ text: line }) };
  const request = vi.fn();
  const log = { warn: () => undefined } as unknown as Log;
  const provider = new EvaluatableExpressionProvider({ request } as unknown as ServerClient, log);

  async function hover(character: number, ...selections: Range[]): Promise<string | undefined> {
    window.visibleTextEditors = [{ document, selections }];
    const expression = await provider.provideEvaluatableExpression(
      document as never,
      at(character) as never,
      undefined as never,
    );
    return expression?.expression;
  }

  const answer = (expression: string) => ({
    expression,
    startLine: 0,
    startCharacter: 0,
    endLine: 0,
    endCharacter: 1,
  });

  beforeEach(() => {
    request.mockReset();
  });

  it("is what the server makes of the selection", async () => {
    request.mockResolvedValueOnce(answer("a + b"));
    expect(await hover(8, range(7, 10))).toBe("a + b");
    expect(request.mock.calls).toEqual([
      [
        "tensorpeek/evaluatableExpression",
        { uri: "file:///train.py", line: 0, character: 7, endLine: 0, endCharacter: 10 },
        undefined,
      ],
    ]);
  });

  it("is what is under the pointer where the server refuses the selection, or it is elsewhere", async () => {
    request.mockResolvedValueOnce(null).mockResolvedValueOnce(answer("f"));
    expect(await hover(11, range(7, 15))).toBe("f");
    request.mockResolvedValueOnce(answer("loss"));
    expect(await hover(1, range(7, 15))).toBe("loss");
    expect(request.mock.lastCall?.[1]).toEqual({ uri: "file:///train.py", line: 0, character: 1 });
  });

  it("is nothing where the server says so, and the name where it does not answer", async () => {
    request.mockResolvedValueOnce(null);
    expect(await hover(7)).toBeUndefined();
    request.mockRejectedValue(new Error("it ended"));
    expect(await hover(8, range(7, 15))).toBeUndefined();
    expect(await hover(7, range(7, 15))).toBe("a");
  });
});
