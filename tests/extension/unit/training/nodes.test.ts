import { describe, expect, it } from "vitest";
import type { SourceBreakpoint as Breakpoint } from "vscode";
import { shortNumber, sparkline } from "../../../../extension/src/common/numbers";
import type { Finding, TrainingState } from "../../../../extension/src/contract/messages";
import { COMMANDS } from "../../../../extension/src/contributions";
import { clockNode, lossNodes } from "../../../../extension/src/training/clock";
import { filtersNode, lineConditionsNode } from "../../../../extension/src/training/conditions";
import { findingsNode } from "../../../../extension/src/training/findings";
import type { Node } from "../../../../extension/src/training/node";
import { Location, Position, SourceBreakpoint, TreeItemCollapsibleState } from "../fake/vscode";

const finding: Finding = {
  number: 1,
  condition: "nan-gradient",
  title: "NaN in gradients",
  message: "`sqrt` of 0 has no *gradient*.",
  path: "/w/loss.py",
  line: 15,
  lineText: "    return squared.sqrt()",
  module: "",
  step: 9,
  epoch: 0,
  rank: 0,
  time: "2026-11-30T03:15:00+00:00",
  value: "nan",
  threshold: null,
  history: [1, 2, "nan"],
  evidence: ["fc.weight.grad: 12 NaN"],
  next: ["Clamp inside of where()."],
  related: [],
  stopped: true,
};
const state: TrainingState = {
  step: 1204,
  epoch: 3,
  stepMs: 5.12345,
  losses: [],
  gradientNorm: "nan",
  learningRates: [0.001, 1e-5],
  overheadPercent: 0.41234,
  sampled: "Norms are measured in each 4th step.",
  blind: ["Inside of torch.compile nothing is seen."],
  findings: [],
  modules: [],
  runFolder: "",
};
const texts = (nodes: readonly Node[]): string[] =>
  nodes.map(({ label, description }) => `${label as string} ${description as string}`.trim());
const tooltip = ({ tooltip }: Node): string => (tooltip as { value: string }).value;

describe("numbers", () => {
  it("are short, whatever they are", () => {
    expect([0.312099, 0, 1e-9, -1234567, 3, "nan", "-inf"].map((value) => shortNumber(value as number))).toEqual([
      "0.3121",
      "0",
      "1.0e-9".replace("-", "−"),
      "−1.2e+6",
      "3",
      "NaN",
      "−Inf",
    ]);
  });

  it("become a line that fits, also where none is finite", () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe("▁▂▃▄▅▆▇█");
    expect(sparkline(["nan", 1, 1, "inf"])).toBe("×▁▁×");
    expect(sparkline(Array.from({ length: 99 }, (_, index) => index))).toHaveLength(16);
    expect(sparkline([])).toBe("");
  });
});

it("the clock says where the training is, and what is not seen", () => {
  const clock = clockNode(state);
  expect(texts([clock])).toEqual(["Step 1204 epoch 3 · 5.12 ms per step"]);
  expect(texts(clock.children)).toEqual([
    "gradient norm NaN",
    "learning rate 0.001, 1.0e−5",
    "cost of the checks 0.41 %",
    "not seen Inside of torch.compile nothing is seen.",
  ]);
  expect(tooltip(clock.children[2]!)).toBe("Norms are measured in each 4th step.");
  expect(texts([clockNode({ ...state, epoch: -1, stepMs: 0 })])).toEqual(["Step 1204"]);
});

it("one loss is a row, several are a group", () => {
  const loss = { name: "loss", value: 0.5, history: [1, 0.5] } as const;
  expect(texts(lossNodes([loss]))).toEqual(["loss 0.5 █▁"]);
  expect(lossNodes([])).toEqual([]);
  const [group] = lossNodes([loss, { name: "g_loss", value: "nan", history: [1, "nan"] }]);
  expect(texts(group!.children)).toEqual(["loss 0.5 █▁", "g_loss NaN ▁×"]);
});

it("a finding tells its cause, leads to its line, and tells everything when hovered", () => {
  const [row] = findingsNode([finding]).children;
  expect(texts([row!])).toEqual(["NaN in gradients step 9"]);
  expect(texts(row!.children)).toEqual([
    "`sqrt` of 0 has no *gradient*.",
    "loss.py:15 return squared.sqrt()",
    "Clamp inside of where().",
  ]);
  expect(row!.command).toMatchObject({ command: COMMANDS.openFinding, arguments: ["/w/loss.py", 15] });
  for (const part of ["return squared.sqrt()", "fc.weight.grad: 12 NaN", "- Clamp inside", "\\*gradient\\*"])
    expect(tooltip(row!)).toContain(part);
});

it("findings are listed from the latest on, with their rank, and one without a line leads nowhere", () => {
  const others = findingsNode([finding, { ...finding, number: 2, line: 0, step: 30, rank: 1 }]).children;
  expect(texts(others)).toEqual(["NaN in gradients step 30 · rank 1", "NaN in gradients step 9"]);
  expect(others.map(({ collapsibleState }) => collapsibleState)).toEqual([
    TreeItemCollapsibleState.Expanded,
    TreeItemCollapsibleState.Collapsed,
  ]);
  expect(others[0]!.command).toBeUndefined();
  expect(new Set(others.map(({ id }) => id)).size).toBe(2);
  expect(texts([findingsNode([])])).toEqual(["No findings"]);
});

it("line conditions show the condition, its place, and whether it is on", () => {
  const uri = { fsPath: "/w/train.py", toString: () => "file:///w/train.py" };
  const at = (line: number, enabled: boolean): SourceBreakpoint =>
    new SourceBreakpoint(new Location(uri, new Position(line - 1, 0)), enabled, "tp.spike(loss)");
  const { children } = lineConditionsNode([at(28, true), at(30, false)] as unknown as Breakpoint[]);
  expect(texts(children)).toEqual(["tp.spike(loss) train.py:28", "tp.spike(loss) train.py:30"]);
  expect(children.map(({ iconPath }) => (iconPath as { id: string }).id)).toEqual([
    "debug-breakpoint-conditional",
    "debug-breakpoint-conditional-disabled",
  ]);
  expect(children[0]).toMatchObject({ uri, lineNumber: 28, contextValue: "lineCondition" });
});

it("conditions that are ticked stand there with settings or with what is wrong; the way to the others is a row", () => {
  const filter = { id: "tp.a", label: "A", description: "", on: false, settings: "", problem: "" };
  const node = filtersNode([
    { ...filter, id: "uncaught", on: true },
    filter,
    { ...filter, id: "tp.b", label: "B", on: true, settings: "factor=5" },
    { ...filter, id: "tp.c", label: "C", on: true, problem: "no such setting" },
  ]);
  expect(node.description).toBe("2 of 3");
  expect(texts(node.children)).toEqual(["B factor=5", "C no such setting", "Tick in Breakpoints…"]);
});
