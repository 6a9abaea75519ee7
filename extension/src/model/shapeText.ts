import type { ShapeValue } from "../contract/messages";

/** The shapes of a value in a line: `[B, 64, 8, 8]`, `([B, 16], [B, 16])`, `{logits: [B, 10]}`. */
export function shapeText(value: ShapeValue): string {
  if (value.kind === "tensor") {
    return `[${value.dims.join(", ")}]`;
  }
  if (value.kind === "number") {
    return value.dims.join(", ");
  }
  const rest = value.length > value.items.length ? ["…"] : [];
  const isSequence = value.items.every(({ key }) => /^\d+$/.test(key));
  const items = value.items.map(({ key, value: item }) => (isSequence ? "" : `${key}: `) + shapeText(item));
  const inside = [...items, ...rest].join(", ");
  return isSequence ? `(${inside})` : `{${inside}}`;
}

/** The numbers of the calls that gave the output of this index, from 1 on: `1–3, 5`. */
export function callsText(order: readonly number[], index: number): string {
  const spans: [number, number][] = [];
  order.forEach((which, at) => {
    const last = spans.at(-1);
    if (which !== index) {
      return;
    }
    if (last?.[1] === at) {
      last[1] = at + 1;
    } else {
      spans.push([at + 1, at + 1]);
    }
  });
  return spans.map(([first, last]) => (first === last ? String(first) : `${String(first)}–${String(last)}`)).join(", ");
}
