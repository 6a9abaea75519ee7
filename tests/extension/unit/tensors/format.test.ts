import { describe, expect, it } from "vitest";
import {
  bytesText,
  fill,
  numberText,
  rangeTexts,
  shapeText,
  splitExpression,
} from "../../../../extension/webview/tensors/format";
import { row } from "./rows";

describe("numbers", () => {
  it.each([
    [0, "0"],
    [255, "255"],
    [-2.1234, "−2.12"],
    [0.031_41, "0.0314"],
    [123.456, "123"],
    [1e-7, "1e−7"],
    [-1.25e9, "−1.25e9"],
    [3e38, "3e38"],
    [1_000_000, "1e6"],
    ["nan", "NaN"],
    ["inf", "+Inf"],
    ["-inf", "−Inf"],
  ] as const)("%j is %s", (value, text) => {
    expect(numberText(value)).toBe(text);
  });
});

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [19_267_584, "19.3 MB"],
    [999_600, "1.0 MB"],
    [4e9, "4.0 GB"],
    [123e12, "123 TB"],
  ])("%d is %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});

it("writes shapes as Python does", () => {
  expect([[], [3], [2, 3]].map(shapeText)).toEqual(["[]", "[3]", "[2, 3]"]);
});

it("says of numbers that cover a part what they are: bounds", () => {
  expect(rangeTexts(row({ exact: false, min: -1, max: 2, mean: 0.5 }))).toEqual({
    min: "≤−1",
    max: "≥2",
    mean: "~0.5",
  });
  expect(rangeTexts(row({ min: null, max: null, mean: null }))).toEqual({ min: "", max: "", mean: "" });
});

it.each([
  ["x", "", "x"],
  ["model.fc.weight", "model.fc", ".weight"],
  ['batch["x"]', "batch", '["x"]'],
  ["[0]", "", "[0]"],
])("splits %s so that its end stays in sight", (expression, head, tail) => {
  expect(splitExpression(expression)).toEqual({ head, tail });
});

it("fills placeholders and leaves unknown ones", () => {
  expect(fill("{0} of {1}, {2}", 3, "five")).toBe("3 of five, {2}");
});
