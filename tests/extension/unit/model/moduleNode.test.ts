import { describe, expect, it } from "vitest";
import { bytesText, countText, shareText } from "../../../../extension/src/common/quantities";
import type { ModelMap, ShapeValue, TracedModule } from "../../../../extension/src/contract/messages";
import { moduleNodes, type ModuleNode } from "../../../../extension/src/model/moduleNode";
import { moduleTrees } from "../../../../extension/src/model/moduleTree";
import { momentText } from "../../../../extension/src/model/moment";
import { callsText, shapeText } from "../../../../extension/src/model/shapeText";
import { TreeItemCollapsibleState } from "../fake/vscode";
import { row, tensor } from "./rows";

const map = (modules: TracedModule[]): ModelMap => ({
  entry: "Net.forward(x)",
  time: "2026-12-01T04:55:39+00:00",
  symbols: [{ name: "B", size: 64, origin: "the batch" }],
  modules,
  problem: "",
  changed: [],
  table: "",
});
const nodes = (modules: TracedModule[], isOpen?: boolean): ModuleNode[] =>
  moduleNodes(moduleTrees(modules), map(modules), isOpen);
const text = ({ label, description }: ModuleNode): string =>
  `${label as string} ${description as string}`.replaceAll("\u2002", " · ");
const tooltip = ({ tooltip }: ModuleNode): string => (tooltip as { value: string }).value;
const icon = ({ iconPath }: ModuleNode): string => (iconPath as { id: string }).id;

describe("quantities", () => {
  it("have three significant digits at most", () => {
    expect([0, 7, 999, 1000, 12345, 999_499, 999_500, 1.234e12].map(countText)).toEqual(
      "0 7 999 1k 12.3k 999k 1M 1.23T".split(" "),
    );
    expect([0, 850, 12_300, 403_000_000].map(bytesText)).toEqual(["0 B", "850 B", "12.3 KB", "403 MB"]);
  });

  it("are shares of what there is", () => {
    expect([shareText(1, 3), shareText(1, 1000), shareText(0, 3), shareText(1, 0), shareText(5, 4)]).toEqual([
      "33%",
      "<1%",
      "",
      "",
      "100%",
    ]);
  });
});

describe("shapes", () => {
  const container = (items: ShapeValue["items"], length = items.length): ShapeValue => ({
    ...tensor(),
    kind: "container",
    items,
    length,
  });

  it("of tensors and of what holds them fit a line", () => {
    expect(shapeText(tensor("B", "2*T"))).toBe("[B, 2*T]");
    expect(shapeText(tensor())).toBe("[]");
    const pair = [
      { key: "0", value: tensor("B") },
      { key: "1", value: tensor("T") },
    ];
    expect(shapeText(container(pair, 3))).toBe("([B], [T], …)");
    expect(shapeText(container([{ key: "logits", value: tensor("B") }]))).toBe("{logits: [B]}");
  });

  it("are told with the calls that gave them", () => {
    expect(callsText([0, 0, 1, 0, 0, 0, 1], 0)).toBe("1–2, 4–6");
    expect(callsText([0, 0, 1, 0], 1)).toBe("3");
    expect(callsText([], 0)).toBe("");
  });
});

describe("a row", () => {
  const modules = [
    row("", { parameters: 21_568, trainable: 21_568, flops: 1000, type: "PrototypeNet", ownParameters: 320 }),
    row("features", { type: "Sequential", parameters: 160, trainable: 160, flops: 800 }),
    row("features.0", { type: "Conv2d", parameters: 160, trainable: 0, flops: 800, bytes: 10 }),
    row("features.1", { type: "ReLU", outputs: [tensor("B", "4"), tensor("B", "8")], order: [0, 1, 1], calls: 3 }),
    row("fc", { calls: 0, outputs: [], callLine: 0, line: 9, file: "/w/net.py", parameters: 5 }),
    row("again", { sameAs: "features" }),
    row("head", { tiedTo: "features.0", calls: 1, outputs: [], order: [] }),
  ];
  const [net] = nodes(modules);
  const [features, fc, again, head, itself] = net!.children;
  const [conv, relu] = features!.children;

  it("says output, parameters and share, the first one with units", () => {
    expect(text(net!)).toBe("PrototypeNet 21.6k params · 1k FLOPs");
    expect(text(features!)).toBe("features [B, 4] · 160 · 80%");
  });

  it("has its class in the label where its name is a number", () => {
    expect(text(conv!)).toBe("0 Conv2d [B, 4] · 160 · 80%");
  });

  it("says how often it was called and that its outputs differ", () => {
    expect(text(relu!)).toBe("1 ReLU [B, 4] | … · ×3");
    expect(tooltip(relu!)).toContain("| 1 | `[B, 4]` |\n| 2–3 | `[B, 8]` |");
  });

  it("says what is not as with the others", () => {
    expect(text(fc!)).toBe("fc never called · 5");
    expect(icon(fc!)).toBe("circle-slash");
    expect(text(again!)).toBe("again same as features");
    expect(icon(again!)).toBe("link");
    expect(text(head!)).toBe("head no tensor came back");
    expect(tooltip(head!)).toContain("Shares a parameter with `features.0`; it is counted once.");
    expect(icon(conv!)).toBe("lock");
    expect(tooltip(conv!)).toContain("| of these frozen | 160 |");
  });

  it("below the others says what a module does itself", () => {
    expect(text(itself!)).toBe("(itself) 320 · 20%");
    expect(itself!.contextValue).toBe("itself");
  });

  it("goes to its line, and to its class where that is known", () => {
    expect(conv!.command).toMatchObject({ command: "tensorpeek.model.open", arguments: ["features.0"] });
    expect(conv!.contextValue).toBe("module named");
    expect(fc!.contextValue).toBe("module class named");
    expect(tooltip(fc!)).toContain("net\\.py:9");
  });

  it("is read out with its class", () => {
    expect(conv!.accessibilityInformation?.label).toBe("0 Conv2d, Conv2d, [B, 4], 160, 80%");
  });

  it("explains the symbols of its output, and no others", () => {
    expect(tooltip(conv!)).toContain("`B` = 64 (the batch)");
    expect(tooltip(fc!)).not.toContain("`B`");
  });

  it("is open from the start when a filter has chosen it", () => {
    const states = (node: ModuleNode): unknown[] => [node.collapsibleState, ...node.children.flatMap(states)];
    const { None, Collapsed, Expanded } = TreeItemCollapsibleState;
    expect(states(features!)).toEqual([Collapsed, None, None]);
    const [chosen] = nodes(modules, true);
    expect(states(chosen!.children[0]!)).toEqual([Expanded, None, None]);
    expect(chosen!.children.map(({ label }) => label)).not.toContain("(itself)");
    expect(chosen!.id).not.toBe(net!.id);
  });

  it("each has an id of its own", () => {
    const ids = (node: ModuleNode): (string | undefined)[] => [node.id, ...node.children.flatMap(ids)];
    expect(new Set(ids(net!)).size).toBe(modules.length + 1);
  });
});

it("text of the user's can't become Markdown", () => {
  const [net] = nodes([row("", { type: "A" }), row("a_b_c", { callPath: "/w/my_net_[x](y).py" })]);
  expect(tooltip(net!.children[0]!)).toContain("my\\_net\\_\\[x\\]\\(y\\)\\.py:7");
});

it("the time is that of the day, and on other days the day too", () => {
  const now = new Date(2026, 11, 1, 12, 0);
  expect(momentText(new Date(2026, 11, 1, 4, 55).toISOString(), now)).toBe("04:55");
  expect(momentText(new Date(2026, 10, 30, 14, 5).toISOString(), now)).toMatch(/30.*14:05/);
  expect(momentText("never", now)).toBe("");
});
