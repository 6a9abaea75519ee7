/** A count in three significant digits: `850`, `12.3k`, `1.23M`. */
export function countText(count: number): string {
  return scaled(count, ["", "k", "M", "G", "T", "P"], "");
}

/** Bytes in powers of 1000 and three significant digits: `850 B`, `12.3 KB`, `403 MB`. */
export function bytesText(bytes: number): string {
  return scaled(bytes, ["B", "KB", "MB", "GB", "TB"], " ");
}

/** A part of a whole: `34%`; `<1%` for what would be rounded to nothing, and empty where there is no whole. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) {
    return "";
  }
  const percent = Math.min(100, (100 * part) / whole);
  return percent < 0.5 ? "<1%" : `${String(Math.round(percent))}%`;
}

function scaled(count: number, units: readonly string[], gap: string): string {
  let amount = count;
  let unit = 0;
  // 999.5 would round to 1000 of the smaller unit.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${String(Number(amount.toPrecision(3)))}${gap}${units[unit] ?? ""}`.trim();
}
