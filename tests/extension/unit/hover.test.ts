import { describe, expect, it } from "vitest";
import { dottedNameAt, isSafeToEvaluate } from "../../../extension/src/hover/expressionText";

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

describe("a selection", () => {
  it.each(["a @ b", 'batch["x"]', "self.fc.weight.T", "(a + b) * 2", "x[:, 1]", "a == b", "not done", "x <= y != z"])(
    "%s may be evaluated",
    (text) => {
      expect(isSafeToEvaluate(text)).toBe(true);
    },
  );

  it.each([
    "optimizer.step()",
    "f (x)",
    "x[0](y)",
    "a = b",
    "a := b",
    "x += 1",
    "await x",
    "import os",
    "a\nb",
    "  ",
    'f"{run()}"',
    "lambda: x",
  ])("%j may not", (text) => {
    expect(isSafeToEvaluate(text)).toBe(false);
  });
});
