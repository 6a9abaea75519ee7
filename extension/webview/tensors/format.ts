import type { Number as WireNumber, TensorRow } from "../../src/contract/messages";

const MINUS = "−";

/** A number in at most four significant digits, with a real minus sign: `−2.12`, `1.5e−7`, `NaN`, `+Inf`. */
export function numberText(value: WireNumber): string {
  switch (value) {
    case "nan":
      return "NaN";
    case "inf":
      return "+Inf";
    case "-inf":
      return `${MINUS}Inf`;
  }
  const size = Math.abs(value);
  const isShortInteger = Number.isInteger(value) && size < 1e6;
  const isOrdinary = isShortInteger || (size >= 1e-4 && size < 1e6);
  const text = isShortInteger ? String(value) : isOrdinary ? String(Number(value.toPrecision(3))) : exponential(value);
  return text.replaceAll("-", MINUS);
}

function exponential(value: number): string {
  return value.toExponential(2).replace(/\.?0*e\+?/, "e");
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in decimal units and at most three digits: `512 B`, `19.3 MB`. */
export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // 999.5 would round to 1000 of the smaller unit.
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit++;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

export function shapeText(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}

/** Minimum, maximum and mean as texts, empty when unknown, marked as bounds when only a part was seen. */
export function rangeTexts({ min, max, mean, exact }: TensorRow): { min: string; max: string; mean: string } {
  const text = (value: WireNumber | null, bound: string): string =>
    value === null ? "" : (exact ? "" : bound) + numberText(value);
  return { min: text(min, "≤"), max: text(max, "≥"), mean: text(mean, "~") };
}

/** A long expression keeps its end, which tells its kind from its siblings': `model.layers[3].` + `weight`. */
export function splitExpression(expression: string): { head: string; tail: string } {
  const cut = Math.max(expression.lastIndexOf("."), expression.lastIndexOf("["));
  return cut <= 0 ? { head: "", tail: expression } : { head: expression.slice(0, cut), tail: expression.slice(cut) };
}

/** Puts values into `{0}`, `{1}` … of a localized text. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d+)\}/g, (whole, index: string) => String(values[Number(index)] ?? whole));
}
