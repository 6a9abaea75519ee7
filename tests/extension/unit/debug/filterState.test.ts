import { beforeEach, expect, it } from "vitest";
import { FilterState } from "../../../../extension/src/debug/filterState";

const offered = [
  { filter: "uncaught", label: "Uncaught Exceptions" },
  { filter: "tp.nan-loss", label: "NaN or Inf in the loss", description: "Stops at backward()." },
  { filter: "tp.loss-spike", label: "Loss spike" },
];

let state: FilterState;

beforeEach(() => {
  state = new FilterState();
  const body = { exceptionBreakpointFilters: offered };
  expect(state.sent({ type: "response", command: "initialize", request_seq: 1, body })).toBe(true);
});

function asks(seq: number, ...filterOptions: { filterId: string; condition?: string }[]): void {
  const args = { filters: [], filterOptions };
  expect(state.received({ type: "request", command: "setExceptionBreakpoints", seq, arguments: args })).toBe(true);
}

it("knows what is offered before anything is ticked", () => {
  expect(state.filters.map(({ label, on }) => [label, on])).toEqual([
    ["Uncaught Exceptions", false],
    ["NaN or Inf in the loss", false],
    ["Loss spike", false],
  ]);
});

it("follows what is ticked, with its settings", () => {
  asks(2, { filterId: "tp.nan-loss" }, { filterId: "tp.loss-spike", condition: "factor=5" });
  expect(state.filters.filter(({ on }) => on).map(({ id, settings }) => [id, settings])).toEqual([
    ["tp.nan-loss", ""],
    ["tp.loss-spike", "factor=5"],
  ]);
  asks(3, { filterId: "uncaught" });
  expect(state.filters.filter(({ on }) => on).map(({ id }) => id)).toEqual(["uncaught"]);
});

it("says why the adapter refused settings, until they are right", () => {
  asks(2, { filterId: "uncaught" }, { filterId: "tp.loss-spike", condition: "factr=5" });
  const body = { breakpoints: [{ verified: true }, { verified: false, message: "did you mean factor?" }] };
  expect(state.sent({ type: "response", command: "setExceptionBreakpoints", request_seq: 2, body })).toBe(true);
  expect(state.filters[2]!.problem).toBe("did you mean factor?");
  asks(3, { filterId: "tp.loss-spike", condition: "factor=5" });
  state.sent({ type: "response", command: "setExceptionBreakpoints", request_seq: 3, body: {} });
  expect(state.filters[2]!.problem).toBe("");
});

it("ignores every other message", () => {
  expect(state.received({ type: "request", command: "setBreakpoints", seq: 9 })).toBe(false);
  expect(state.sent({ type: "event", event: "stopped" })).toBe(false);
  expect(state.sent({ type: "response", command: "setBreakpoints", request_seq: 9 })).toBe(false);
});
