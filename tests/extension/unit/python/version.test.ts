import { expect, it } from "vitest";
import { isAtLeast, OLDEST_FOR_ADAPTER, parseVersion } from "../../../../extension/src/python/version";

it.each([
  ["Python 3.11.7\n", [3, 11, 7]],
  ["Python 3.14.0rc2", [3, 14, 0]],
  ["Python 3.10.14 (abc, 2024)\n[PyPy 7.3.16]", [3, 10, 14]],
  ["warning: something\nPython 3.9.18", [3, 9, 18]],
  ["Python was not found; run without arguments to install", undefined],
  ["", undefined],
])("reads %j", (output, version) => {
  expect(parseVersion(output)).toEqual(version);
});

it("compares versions by number, not by letter", () => {
  expect(isAtLeast([3, 10, 0], OLDEST_FOR_ADAPTER)).toBe(true);
  expect(isAtLeast([3, 9, 0], OLDEST_FOR_ADAPTER)).toBe(true);
  expect(isAtLeast([3, 8, 18], OLDEST_FOR_ADAPTER)).toBe(false);
  expect(isAtLeast([2, 99, 0], OLDEST_FOR_ADAPTER)).toBe(false);
});
