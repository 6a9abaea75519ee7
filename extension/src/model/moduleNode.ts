import * as path from "node:path";
import * as vscode from "vscode";
import { bytesText, countText, shareText } from "../common/quantities";
import type { ModelMap, ShapeSymbol, TracedModule } from "../contract/messages";
import { COMMANDS } from "../contributions";
import type { ModuleTree } from "./moduleTree";
import { callsText, shapeText } from "./shapeText";

/** Of one value in a row; what is cut is in the tooltip. */
const LONGEST_SHAPE = 40;
/** Wider than a space and narrower than a dot between two, so that more fits. */
const GAP = "\u2002";
const FAINT = new vscode.ThemeColor("disabledForeground");

/** What the shares in the view are shares of, and what its symbols stand for. */
export interface Whole {
  readonly flops: number;
  readonly bytes: number;
  readonly symbols: readonly ShapeSymbol[];
}

/** A row of the view “Model”: a module, its output, and its part of the whole. */
export class ModuleNode extends vscode.TreeItem {
  readonly children: readonly ModuleNode[];
  /** Of the module, as in `state_dict`. */
  readonly path: string;

  /** @param isOpen whether its children are seen at first; with another value of it, the row is another one */
  constructor(tree: ModuleTree, whole: Whole, isOpen?: boolean) {
    const { module, children, name } = tree;
    const isRoot = module.path === "";
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const isExpanded = isOpen ?? isRoot;
    const label = labelOf(module, name);
    super(label, children.length === 0 ? None : isExpanded ? Expanded : Collapsed);
    this.path = module.path;
    this.id = `${isOpen === undefined ? "" : "filtered"}/${module.path}`;
    this.children = [
      ...children.map((child) => new ModuleNode(child, whole, isOpen)),
      ...(isOpen === undefined && (tree.ownFlops > 0 || (children.length > 0 && module.ownParameters > 0))
        ? [new OwnNode(tree, whole)]
        : []),
    ];
    const facts = isRoot ? wholeFacts(module, whole) : factsOf(tree, whole);
    this.description = facts.join(GAP);
    this.iconPath = iconOf(tree);
    this.tooltip = tooltipOf(tree, whole);
    this.accessibilityInformation = { label: [label, module.type, ...facts].join(", ") };
    this.contextValue = ["module", ...(module.line > 0 ? ["class"] : []), ...(isRoot ? [] : ["named"])].join(" ");
    this.command = { command: COMMANDS.openModule, title: "", arguments: [module.path] };
  }
}

/** What a module does and holds itself, outside of those below it: calls of functions, parameters of its own. */
class OwnNode extends ModuleNode {
  constructor({ module, ownFlops, ...tree }: ModuleTree, whole: Whole) {
    super({ ...tree, module: { ...module, line: 0 }, children: [], ownFlops: 0 }, whole);
    this.id = `itself/${module.path}`;
    this.label = vscode.l10n.t("(itself)");
    const share = shareText(ownFlops, whole.flops);
    const facts = [
      ...(module.ownParameters > 0 ? [countText(module.ownParameters)] : []),
      ...(share === "" ? [] : [share]),
    ];
    this.description = facts.join(GAP);
    this.iconPath = new vscode.ThemeIcon("symbol-method");
    this.tooltip = new vscode.MarkdownString(
      `${vscode.l10n.t("What {0} does and holds itself, outside of the modules in it.", `\`${module.type}\``)}\n\n` +
        table([
          [vscode.l10n.t("parameters"), module.ownParameters.toLocaleString(vscode.env.language)],
          ["FLOPs", amount(countText(ownFlops), share)],
        ]),
    );
    this.accessibilityInformation = { label: [this.label, ...facts].join(", ") };
    this.contextValue = "itself";
  }
}

/** Of a numbered module, whose name says nothing, the class is part of the label. */
function labelOf({ path, type }: TracedModule, name: string): string {
  return path === "" ? type : /(^|\.)\d+$/.test(name) ? `${name} ${type}` : name;
}

/** The units are said here, once, in the order in which the other rows have their numbers. */
function wholeFacts({ parameters }: TracedModule, whole: Whole): string[] {
  return [
    vscode.l10n.t("{0} params", countText(parameters)),
    ...(whole.flops > 0 ? [vscode.l10n.t("{0} FLOPs", countText(whole.flops))] : []),
  ];
}

/** The most important first, since a side bar is narrow. */
function factsOf({ module, isCalled }: ModuleTree, whole: Whole): string[] {
  if (module.sameAs !== "") {
    return [vscode.l10n.t("same as {0}", module.sameAs)];
  }
  const [first = "", ...others] = new Set(module.outputs.map(shapeText));
  return [
    isCalled ? cut(others.length > 0 ? `${first} | …` : first) : vscode.l10n.t("never called"),
    module.parameters > 0 ? countText(module.parameters) : "",
    shareText(module.flops, whole.flops),
    module.calls > 1 ? `×${String(module.calls)}` : "",
    module.calls > 0 && module.outputs.length === 0 ? vscode.l10n.t("no tensor came back") : "",
  ].filter((fact) => fact !== "");
}

function iconOf({ module, children, isCalled }: ModuleTree): vscode.ThemeIcon {
  if (module.sameAs !== "") {
    return new vscode.ThemeIcon("link");
  }
  if (!isCalled) {
    return new vscode.ThemeIcon("circle-slash", FAINT);
  }
  const isFrozen = module.parameters > 0 && module.trainable === 0;
  return new vscode.ThemeIcon(
    children.length > 0
      ? "symbol-class"
      : isFrozen
        ? "lock"
        : module.parameters > 0
          ? "symbol-field"
          : "symbol-operator",
  );
}

function tooltipOf(tree: ModuleTree, whole: Whole): vscode.MarkdownString {
  const { module } = tree;
  const [file, line] = module.callLine > 0 ? [module.callPath, module.callLine] : [module.file, module.line];
  const parts = [
    `**${escape(module.path === "" ? module.type : module.path)}** · \`${module.type}\``,
    ...remarks(tree),
    ...outputs(module),
    table([...(module.sameAs === "" ? numbers(tree, whole) : []), [vscode.l10n.t("calls"), String(module.calls)]]),
    ...(line > 0 ? [`${escape(path.basename(file))}:${String(line)}`] : []),
  ];
  const used = whole.symbols.filter(({ name }) => module.outputs.some((output) => isUsed(name, shapeText(output))));
  const symbols = used.map(({ name, size, origin }) => `\`${name}\` = ${String(size)} (${escape(origin)})`);
  return new vscode.MarkdownString([...parts, ...(symbols.length > 0 ? [symbols.join("  \n")] : [])].join("\n\n"));
}

function remarks({ module, isCalled }: ModuleTree): string[] {
  const { l10n } = vscode;
  return [
    ...(isCalled ? [] : [l10n.t("Its `forward` was not called in the traced pass.")]),
    ...(module.sameAs === "" ? [] : [l10n.t("The same module as {0}; it is counted there.", `\`${module.sameAs}\``)]),
    ...(module.tiedTo === ""
      ? []
      : [l10n.t("Shares a parameter with {0}; it is counted once.", `\`${module.tiedTo}\``)]),
    ...(module.calls > 0 && module.outputs.length === 0 ? [l10n.t("No tensor came back from its call.")] : []),
  ];
}

function outputs({ outputs, order, calls }: TracedModule): string[] {
  if (outputs.length < 2) {
    return outputs.map((output) => `\`${shapeText(output)}\``);
  }
  const rows = outputs.map((output, index): [string, string] => [callsText(order, index), `\`${shapeText(output)}\``]);
  const rest = order.length < calls ? [["…", ""] as const] : [];
  return [table([...rows, ...rest], [vscode.l10n.t("call"), vscode.l10n.t("output")])];
}

function numbers({ module, bytes }: ModuleTree, whole: Whole): [string, string][] {
  const { parameters, trainable, parameterBytes } = module;
  const exact = (count: number): string => count.toLocaleString(vscode.env.language);
  const frozen = parameters - trainable;
  return [
    [vscode.l10n.t("parameters"), amount(exact(parameters), parameters > 0 ? bytesText(parameterBytes) : "")],
    ...(frozen > 0 ? [[vscode.l10n.t("of these frozen"), exact(frozen)] as [string, string]] : []),
    ["FLOPs", amount(countText(module.flops), shareText(module.flops, whole.flops))],
    [vscode.l10n.t("bytes of outputs"), amount(bytesText(bytes), shareText(bytes, whole.bytes))],
  ];
}

function amount(text: string, more: string): string {
  return more === "" ? text : `${text} (${more})`;
}

function table(rows: readonly (readonly [string, string])[], [first, second] = ["", ""]): string {
  return [`| ${first} | ${second} |`, "| --- | --- |", ...rows.map(([name, text]) => `| ${name} | ${text} |`)].join(
    "\n",
  );
}

function cut(text: string): string {
  return text.length <= LONGEST_SHAPE ? text : `${text.slice(0, LONGEST_SHAPE - 1)}…`;
}

function isUsed(symbol: string, shape: string): boolean {
  return shape.split(/\W+/).includes(symbol);
}

/** Text that Markdown leaves as it is. */
function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&");
}

/** The rows of a traced model. @param isOpen all of them, where a filter has chosen them */
export function moduleNodes(trees: readonly ModuleTree[], { symbols }: ModelMap, isOpen?: boolean): ModuleNode[] {
  const whole: Whole = {
    flops: trees[0]?.module.flops ?? 0,
    bytes: trees.reduce((sum, { bytes }) => sum + bytes, 0),
    symbols,
  };
  return trees.map((tree) => new ModuleNode(tree, whole, isOpen));
}
