import { describe, expect, it } from "vitest";
import { arrange, COLUMNS, DEFAULT_QUERY, toggleOrder, type Column } from "../../../../extension/webview/tensors/model";
import { row } from "./rows";

const names = (rows: ReturnType<typeof row>[], query: Partial<typeof DEFAULT_QUERY> = {}): string[] =>
  arrange(rows, { ...DEFAULT_QUERY, ...query }).groups.flatMap((group) => group.map(({ expression }) => expression));

describe("filtering", () => {
  const rows = [
    row({ expression: "model.fc.weight", shape: [10, 640], type: "Parameter" }),
    row({ expression: "images", dtype: "u8", device: "cuda:0", shape: [64, 1, 8, 8] }),
    row({ expression: "logits", alarm: "NaN 3" }),
  ];

  it.each([
    ["", ["model.fc.weight", "images", "logits"]],
    ["FC", ["model.fc.weight"]],
    ["u8", ["images"]],
    ["cuda", ["images"]],
    ["parameter", ["model.fc.weight"]],
    ["[64,1,8,8]", ["images"]],
    ["nan", ["logits"]],
    ["f32 weight", ["model.fc.weight"]],
    ["f32 absent", []],
  ])("finds by %j", (filter, expected) => {
    expect(names(rows, { filter })).toEqual(expected);
  });

  it("keeps only rows with an alarm when asked to", () => {
    expect(names(rows, { alarmsOnly: true })).toEqual(["logits"]);
  });
});

describe("sorting", () => {
  it("keeps the frame's order until asked otherwise", () => {
    expect(names([row({ expression: "b" }), row({ expression: "a" })])).toEqual(["b", "a"]);
  });

  it("sorts names as people count", () => {
    const rows = ["layers[10]", "layers[9]", "bias"].map((expression) => row({ expression }));
    expect(names(rows, { column: "name" })).toEqual(["bias", "layers[9]", "layers[10]"]);
  });

  it.each([false, true])("puts what has no number last (descending: %j)", (descending) => {
    const rows = [
      row({ expression: "nan", max: "nan" }),
      row({ expression: "none", max: null }),
      row({ expression: "one" }),
    ];
    expect(names(rows, { column: "max", descending })).toEqual(["one", "nan", "none"]);
  });

  it("takes infinities as the ends of the number line", () => {
    const rows = [
      row({ expression: "up", min: "inf" }),
      row({ expression: "down", min: "-inf" }),
      row({ expression: "mid" }),
    ];
    expect(names(rows, { column: "min" })).toEqual(["down", "mid", "up"]);
  });

  it("sorts shapes by their rank, then by their sizes", () => {
    const rows = [[3, 2], [10], [3, 1], []].map((shape) => row({ expression: String(shape), shape }));
    expect(names(rows, { column: "shape" })).toEqual(["", "10", "3,1", "3,2"]);
  });

  it("sorts by every column without failing", () => {
    const rows = [row({ expression: "a" }), row({ expression: "b", alarm: "NaN 1", mean: null })];
    for (const column of COLUMNS) {
      expect(names(rows, { column }).sort()).toEqual(["a", "b"]);
    }
  });

  it("goes from one order to the other, then back to the frame's", () => {
    const clicks = (column: Column): unknown[] => {
      const first = toggleOrder(DEFAULT_QUERY, column);
      const second = toggleOrder(first, column);
      const third = toggleOrder(second, column);
      return [first, second, third].map((query) => (query.column === "frame" ? "frame" : query.descending));
    };
    expect(clicks("name")).toEqual([false, true, "frame"]);
    expect(clicks("bytes")).toEqual([true, false, "frame"]);
  });
});

describe("grouping", () => {
  it("puts aliases of one storage together, where the first of them stands", () => {
    const rows = [
      row({ expression: "a", storage: "1" }),
      row({ expression: "b", storage: "2" }),
      row({ expression: "c", storage: "1" }),
    ];
    expect(names(rows)).toEqual(["a", "c", "b"]);
  });

  it("never groups rows whose storage is unknown", () => {
    const { groups } = arrange([row({ storage: "" }), row({ storage: "" })], DEFAULT_QUERY);
    expect(groups).toHaveLength(2);
  });

  it("counts a shared storage once", () => {
    const rows = [row({ storage: "1", bytes: 100 }), row({ storage: "1", bytes: 40 }), row({ bytes: 5 })];
    expect(arrange(rows, DEFAULT_QUERY)).toMatchObject({ bytes: 105, shown: 3, total: 3, alarms: 0 });
  });
});
