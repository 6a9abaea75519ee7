import type { TracedModule } from "../contract/messages";

/** A module and what lies directly below it. */
export interface ModuleTree {
  readonly module: TracedModule;
  readonly children: readonly ModuleTree[];
  /** Its path without that of the module above it: `0.conv1`. */
  readonly name: string;
  /** Of the outputs of the modules in it that have none below them. */
  readonly bytes: number;
  /** FLOPs that it does itself, outside of those below it; 0 where there are none. */
  readonly ownFlops: number;
  /** Or something in it: a `ModuleList` is never called itself. */
  readonly isCalled: boolean;
}

/** The trees of rows in depth-first order; a row belongs to the nearest one above whose path begins its own. */
export function moduleTrees(modules: readonly TracedModule[]): ModuleTree[] {
  return treesBelow([...modules], undefined);
}

/** What is left of trees when only modules count that `isWanted`, with those above them. */
export function filtered(
  trees: readonly ModuleTree[],
  isWanted: (module: TracedModule) => boolean,
): readonly ModuleTree[] {
  return trees.flatMap((tree) => {
    const children = filtered(tree.children, isWanted);
    return children.length > 0 || isWanted(tree.module) ? [{ ...tree, children }] : [];
  });
}

/** How many modules there are for which this holds. */
export function count(trees: readonly ModuleTree[], isWanted: (module: TracedModule) => boolean): number {
  return trees.reduce((sum, { module, children }) => sum + Number(isWanted(module)) + count(children, isWanted), 0);
}

/** Takes the rows below a module, or all of them, from the beginning of what is waiting. */
function treesBelow(waiting: TracedModule[], parent: TracedModule | undefined): ModuleTree[] {
  const trees: ModuleTree[] = [];
  for (let next = waiting[0]; next && (!parent || isBelow(next.path, parent.path)); next = waiting[0]) {
    waiting.shift();
    trees.push(treeOf(next, parent?.path ?? "", treesBelow(waiting, next)));
  }
  return trees;
}

function treeOf(module: TracedModule, parent: string, children: readonly ModuleTree[]): ModuleTree {
  const sum = (of: (child: ModuleTree) => number): number => children.reduce((total, child) => total + of(child), 0);
  // What is shared is counted where it was first.
  const below = sum(({ module: { flops, sameAs } }) => (sameAs === "" ? flops : 0));
  return {
    module,
    children,
    name: parent === "" ? module.path : module.path.slice(parent.length + 1),
    bytes: children.length > 0 ? sum(({ bytes }) => bytes) : module.sameAs === "" ? module.bytes : 0,
    ownFlops: children.length > 0 ? Math.max(0, module.flops - below) : 0,
    isCalled: module.calls > 0 || children.some(({ isCalled }) => isCalled),
  };
}

function isBelow(path: string, parent: string): boolean {
  return path !== parent && (parent === "" || path.startsWith(`${parent}.`));
}
