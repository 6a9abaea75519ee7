import { expect, it } from "vitest";
import type { TrainingBreakpointEntry } from "../../../../extension/src/contract/messages";
import { conditionText, defaultsOf, parsedNumber } from "../../../../extension/src/trainingBreakpoints/conditionText";

const field = (name: string, value: number) => ({ name, default: value, help: "" });
const entry = (template: string, ...fields: ReturnType<typeof field>[]): TrainingBreakpointEntry => ({
  kind: "spike",
  label: "Loss spike…",
  detail: "",
  names: ["loss"],
  fields,
  template,
});
const spike = entry("tp.spike({name}, factor={factor}, warmup={warmup})", field("factor", 8), field("warmup", 20));

it("leaves out what has its default", () => {
  expect(conditionText(spike, "loss", defaultsOf(spike))).toBe("tp.spike(loss)");
  expect(conditionText(spike, "loss", { factor: 8, warmup: 100 })).toBe("tp.spike(loss, warmup=100)");
  expect(conditionText(spike, "out['loss']", { factor: 2.5, warmup: 20 })).toBe("tp.spike(out['loss'], factor=2.5)");
});

it("keeps what has no keyword", () => {
  const norm = entry("tp.grad_norm({name}) > {threshold}", field("threshold", 10));
  expect(conditionText(norm, "model", defaultsOf(norm))).toBe("tp.grad_norm(model) > 10");
  const every = entry("tp.every({n})", field("n", 100));
  expect(conditionText(every, "", { n: 1e21 })).toBe("tp.every(1e+21)");
});

it("takes the numbers that Python takes", () => {
  expect(["3", " 1e-4 ", "-2.5"].map(parsedNumber)).toEqual([3, 1e-4, -2.5]);
  expect(["", "x", "inf", "1,5"].map(parsedNumber)).toEqual([undefined, undefined, undefined, undefined]);
});
