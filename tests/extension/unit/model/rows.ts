import type { ShapeValue, TracedModule } from "../../../../extension/src/contract/messages";

/** A tensor of these dims. */
export function tensor(...dims: string[]): ShapeValue {
  return { kind: "tensor", type: "Tensor", dims, sizes: [], dtype: "float32", device: "cpu", items: [], length: 0 };
}

/** A called module without parameters, but for what is given. */
export function row(path: string, more: Partial<TracedModule> = {}): TracedModule {
  return {
    path,
    type: path === "" ? "Net" : "Linear",
    file: "",
    line: 0,
    callPath: "/w/net.py",
    callLine: 7,
    outputs: [tensor("B", "4")],
    order: [0],
    parameters: 0,
    trainable: 0,
    ownParameters: 0,
    ownTrainable: 0,
    parameterBytes: 0,
    flops: 0,
    bytes: 0,
    calls: 1,
    sameAs: "",
    tiedTo: "",
    ...more,
  };
}
