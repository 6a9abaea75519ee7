import type { TensorRow } from "../../../../extension/src/contract/messages";

/** A healthy tensor; a test says only what matters to it. */
export function row(changes: Partial<TensorRow> = {}): TensorRow {
  return {
    expression: "x",
    type: "Tensor",
    shape: [64, 10],
    dtype: "f32",
    device: "cpu",
    bytes: 2560,
    min: -1,
    max: 1,
    mean: 0,
    exact: true,
    alarm: "",
    storage: "",
    line: 3,
    ...changes,
  };
}
