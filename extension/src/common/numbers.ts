import type { Number as WireNumber } from "../contract/messages";

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const NOT_FINITE = "×";

/** A number in few characters: `0.3121`, `1.2e-7`, `NaN`. */
export function shortNumber(value: WireNumber): string {
  if (typeof value === "string") {
    return { nan: "NaN", inf: "Inf", "-inf": "−Inf" }[value];
  }
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-4 && size < 1e6);
  return (isPlain ? String(Number(value.toPrecision(4))) : value.toExponential(1)).replace("-", "−");
}

/** The last `width` values as a line of blocks; what is not finite is a cross. */
export function sparkline(values: readonly WireNumber[], width = 16): string {
  const last = values.slice(-width);
  const finite = last.filter((value) => typeof value === "number");
  const least = Math.min(...finite);
  const range = Math.max(...finite) - least;
  return last
    .map((value) => {
      if (typeof value === "string") {
        return NOT_FINITE;
      }
      const height = range > 0 ? (value - least) / range : 0;
      return BLOCKS[Math.round(height * (BLOCKS.length - 1))];
    })
    .join("");
}
