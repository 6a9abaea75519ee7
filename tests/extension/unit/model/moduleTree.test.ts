import { expect, it } from "vitest";
import { count, filtered, moduleTrees, type ModuleTree } from "../../../../extension/src/model/moduleTree";
import { row } from "./rows";

const outline = (trees: readonly ModuleTree[]): unknown =>
  Object.fromEntries(trees.map(({ name, children }) => [name, outline(children)]));

it("a row belongs to the nearest one above whose path begins its own", () => {
  const paths = ["", "features", "features.0", "features.0.conv", "feature", "head.out"];
  expect(outline(moduleTrees(paths.map((path) => row(path))))).toEqual({
    "": { features: { 0: { conv: {} } }, feature: {}, "head.out": {} },
  });
  expect(moduleTrees([])).toEqual([]);
});

it("what is in a module adds up, and what is shared counts once", () => {
  const [net] = moduleTrees([
    row("", { flops: 100, bytes: 1 }),
    row("list", { calls: 0, outputs: [] }),
    row("list.0", { flops: 60, bytes: 8 }),
    row("again", { flops: 60, bytes: 8, sameAs: "list.0" }),
    row("rest", { calls: 0, outputs: [] }),
  ]);
  const [list, again, rest] = net!.children;
  expect(net!.bytes).toBe(8);
  expect(again!.bytes).toBe(0);
  expect(list!.isCalled).toBe(true);
  expect(rest!.isCalled).toBe(false);
  const [other] = moduleTrees([row("", { flops: 100 }), row("a", { flops: 60 }), row("b", { flops: 60, sameAs: "a" })]);
  expect(other!.ownFlops).toBe(40);
});

it("a filter keeps what is wanted and what is above it", () => {
  const trees = moduleTrees(["", "a", "a.conv", "a.norm", "b", "b.norm"].map((path) => row(path)));
  const isConv = ({ path }: { path: string }): boolean => path.includes("conv");
  expect(outline(filtered(trees, isConv))).toEqual({ "": { a: { conv: {} } } });
  expect(count(trees, isConv)).toBe(1);
  expect(filtered(trees, () => false)).toEqual([]);
});
