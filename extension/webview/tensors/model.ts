import type { Number as WireNumber, TensorRow } from "../../src/contract/messages";
import { shapeText } from "./format";

export const COLUMNS = ["name", "alarm", "dtype", "shape", "device", "bytes", "min", "max", "mean"] as const;
export type Column = (typeof COLUMNS)[number];

/** How the user wants the rows: `frame` is the order in which the debuggee lists them. */
export interface Query {
  readonly filter: string;
  readonly alarmsOnly: boolean;
  readonly column: Column | "frame";
  readonly descending: boolean;
}

export const DEFAULT_QUERY: Query = { filter: "", alarmsOnly: false, column: "frame", descending: false };

/** Rows that share one storage; most groups hold one row. */
export type Group = readonly [TensorRow, ...TensorRow[]];

export interface Listing {
  readonly groups: readonly Group[];
  /** Rows in `groups`. */
  readonly shown: number;
  /** Rows in all. */
  readonly total: number;
  /** Bytes of the shown rows, what shares a storage counted once. */
  readonly bytes: number;
  /** Rows with an alarm, in all. */
  readonly alarms: number;
}

/** Filters, sorts and groups the rows of one pause. */
export function arrange(rows: readonly TensorRow[], query: Query): Listing {
  const matching = rows.filter((row) => matches(row, query));
  const sorted = query.column === "frame" ? matching : [...matching].sort(comparator(query.column, query.descending));
  const groups = groupByStorage(sorted);
  return {
    groups,
    shown: matching.length,
    total: rows.length,
    bytes: groups.reduce((sum, group) => sum + Math.max(...group.map((row) => row.bytes)), 0),
    alarms: rows.filter((row) => row.alarm !== "").length,
  };
}

/** A first click sorts by a column, largest or worst first where that is what one looks for; a third goes back to the frame's order. */
export function toggleOrder(query: Query, column: Column): Query {
  const firstDescending = column === "bytes" || column === "max" || column === "alarm";
  if (query.column !== column) {
    return { ...query, column, descending: firstDescending };
  }
  return query.descending === firstDescending
    ? { ...query, descending: !firstDescending }
    : { ...query, column: "frame", descending: false };
}

/** Every word of the filter must occur somewhere in the row. */
function matches(row: TensorRow, { filter, alarmsOnly }: Query): boolean {
  if (alarmsOnly && row.alarm === "") {
    return false;
  }
  const shape = shapeText(row.shape);
  const text = [row.expression, row.type, row.dtype, shape, shape.replaceAll(" ", ""), row.device, row.alarm]
    .join("\n")
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** A group stands where its first row stands. */
function groupByStorage(rows: readonly TensorRow[]): Group[] {
  const groups: [TensorRow, ...TensorRow[]][] = [];
  const byStorage = new Map<string, TensorRow[]>();
  for (const row of rows) {
    const known = byStorage.get(row.storage);
    if (known) {
      known.push(row);
      continue;
    }
    const group: [TensorRow, ...TensorRow[]] = [row];
    groups.push(group);
    if (row.storage !== "") {
      byStorage.set(row.storage, group);
    }
  }
  return groups;
}

type Compare = (a: TensorRow, b: TensorRow) => number;

const collator = new Intl.Collator(undefined, { numeric: true });

function comparator(column: Column, descending: boolean): Compare {
  const sign = descending ? -1 : 1;
  switch (column) {
    case "name":
      return (a, b) => sign * collator.compare(a.expression, b.expression);
    case "alarm":
      return (a, b) => sign * (Number(a.alarm !== "") - Number(b.alarm !== "") || collator.compare(b.alarm, a.alarm));
    case "dtype":
    case "device":
      return (a, b) => sign * collator.compare(a[column], b[column]);
    case "shape":
      return (a, b) => sign * compareShapes(a.shape, b.shape);
    case "bytes":
      return (a, b) => sign * (a.bytes - b.bytes);
    case "min":
    case "max":
    case "mean":
      return (a, b) => compareNumbers(a[column], b[column], sign);
  }
}

function compareShapes(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) {
    return a.length - b.length;
  }
  const index = a.findIndex((size, dimension) => size !== b[dimension]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

/** What has no place on the number line comes last, in either direction. */
function compareNumbers(a: WireNumber | null, b: WireNumber | null, sign: number): number {
  const [left, right] = [place(a), place(b)];
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  return left === right ? 0 : sign * (left < right ? -1 : 1);
}

function place(value: WireNumber | null): number | undefined {
  switch (value) {
    case null:
    case "nan":
      return undefined;
    case "inf":
      return Infinity;
    case "-inf":
      return -Infinity;
    default:
      return value;
  }
}
