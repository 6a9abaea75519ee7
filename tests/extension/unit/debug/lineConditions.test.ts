import { beforeEach, expect, it } from "vitest";
import type { Uri } from "vscode";
import {
  breakpointsAt,
  setCondition,
  setLogMessage,
  trainingBreakpoints,
} from "../../../../extension/src/debug/lineConditions";
import { debug, Location, Position, SourceBreakpoint } from "../fake/vscode";

const uri = "file:///w/train.py" as unknown as Uri;
const at = (line: number, ...rest: [boolean?, string?, string?, string?]): SourceBreakpoint =>
  new SourceBreakpoint(new Location(uri, new Position(line - 1, 0)), ...rest);

beforeEach(() => {
  debug.breakpoints = [];
});

it("lists the breakpoints that ask tp, line by line", () => {
  debug.breakpoints = [
    at(100, true, "tp.every(10)"),
    at(9, true, "tp.spike(loss)"),
    at(10, true, "http.ok"),
    at(11, true, undefined, undefined, "{tp.line(x)}"),
    { functionName: "f" },
  ];
  expect(trainingBreakpoints().map(({ condition, logMessage }) => condition ?? logMessage)).toEqual([
    "tp.spike(loss)",
    "{tp.line(x)}",
    "tp.every(10)",
  ]);
});

it("sets a breakpoint where there is none", () => {
  setCondition({ uri, lineNumber: 5 }, "tp.spike(loss)");
  expect(breakpointsAt({ uri, lineNumber: 5 })).toMatchObject([{ enabled: true, condition: "tp.spike(loss)" }]);
});

it("changes the condition of the one that is there, and nothing else of it", () => {
  debug.breakpoints = [at(5, true, "x > 1", ">3", "here"), at(6)];
  setCondition({ uri, lineNumber: 5 }, "tp.spike(loss)");
  expect(breakpointsAt({ uri, lineNumber: 5 })).toMatchObject([
    { condition: "tp.spike(loss)", hitCondition: ">3", logMessage: "here" },
  ]);
  expect(debug.breakpoints).toHaveLength(2);
});

it("changes the message of the one that is there, and nothing else of it", () => {
  debug.breakpoints = [at(5, true, "x > 1", ">3", "here")];
  setLogMessage({ uri, lineNumber: 5 }, "{tp.line(x)}");
  expect(debug.breakpoints).toMatchObject([{ condition: "x > 1", hitCondition: ">3", logMessage: "{tp.line(x)}" }]);
});
