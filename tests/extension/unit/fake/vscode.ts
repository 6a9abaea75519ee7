/** The small part of the editor's API that unit tests touch. Settings and extensions are what a test puts here. */
export const settings: Record<string, unknown> = {};
export const executed: unknown[][] = [];
export const warnings: string[] = [];
export const statusBarItem: Record<string, unknown> = {
  show: () => (statusBarItem["visible"] = true),
  hide: () => (statusBarItem["visible"] = false),
  dispose: () => undefined,
};

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
  translate(lines: number, characters: number): Position {
    return new Position(this.line + lines, this.character + characters);
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position, end: Position);
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number);
  constructor(...ends: [Position, Position] | [number, number, number, number]) {
    [this.start, this.end] =
      ends.length === 2 ? ends : [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])];
  }
  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
  /** Of a position on the line of a range of one line. */
  contains({ line, character }: Position): boolean {
    return line === this.start.line && this.start.character <= character && character <= this.end.character;
  }
  intersection(other: Range): Range | undefined {
    return this.end.line < other.start.line || this.start.line > other.end.line ? undefined : this;
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void): { dispose: () => void } => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class DebugStackFrame {
  constructor(
    readonly session: unknown,
    readonly threadId: number,
    readonly frameId: number,
  ) {}
}

/** What a test lets happen to debug sessions; `trackers` are the factories by debug type. */
export const happening = {
  terminated: new EventEmitter<unknown>(),
  customEvent: new EventEmitter<unknown>(),
  activeSession: new EventEmitter<unknown>(),
  activeItem: new EventEmitter<unknown>(),
  trackers: new Map<string, { createDebugAdapterTracker(session: unknown): unknown }>(),
};

export class Location {
  readonly range: Range;
  constructor(
    readonly uri: unknown,
    position: Position,
  ) {
    this.range = new Range(position, position);
  }
}

export class SourceBreakpoint {
  constructor(
    readonly location: Location,
    readonly enabled = true,
    readonly condition?: string,
    readonly hitCondition?: string,
    readonly logMessage?: string,
  ) {}
}

export const debug = {
  breakpoints: [] as unknown[],
  addBreakpoints: (added: unknown[]): void => {
    debug.breakpoints = [...debug.breakpoints, ...added];
  },
  removeBreakpoints: (removed: unknown[]): void => {
    debug.breakpoints = debug.breakpoints.filter((breakpoint) => !removed.includes(breakpoint));
  },
  activeDebugSession: undefined as unknown,
  activeStackItem: undefined as unknown,
  onDidTerminateDebugSession: happening.terminated.event,
  onDidReceiveDebugSessionCustomEvent: happening.customEvent.event,
  onDidChangeActiveDebugSession: happening.activeSession.event,
  onDidChangeActiveStackItem: happening.activeItem.event,
  registerDebugAdapterTrackerFactory: (
    type: string,
    factory: { createDebugAdapterTracker(session: unknown): unknown },
  ) => {
    happening.trackers.set(type, factory);
    return { dispose: () => void happening.trackers.delete(type) };
  },
};

export class CancellationTokenSource {
  readonly token = {};
}

export class EvaluatableExpression {
  constructor(
    readonly range: Range,
    readonly expression: string,
  ) {}
}

export enum TreeItemCollapsibleState {
  None,
  Collapsed,
  Expanded,
}

export class TreeItem {
  constructor(
    readonly label: string,
    readonly collapsibleState: TreeItemCollapsibleState,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class MarkdownString {
  constructor(readonly value: string) {}
}

export class InlineValueText {
  constructor(
    readonly range: Range,
    readonly text: string,
  ) {}
}

export const l10n = {
  t: (message: string, ...values: unknown[]): string =>
    message.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)])),
};

export const workspace = {
  workspaceFolders: undefined as { uri: { fsPath: string } }[] | undefined,
  getConfiguration: (section: string) => ({
    get: (name: string, fallback: unknown): unknown => settings[`${section}.${name}`] ?? fallback,
  }),
};

export const extensions = { getExtension: (): undefined => undefined };

export const commands = {
  executeCommand: (...call: unknown[]): Promise<void> => {
    executed.push(call);
    return Promise.resolve();
  },
};

export const window = {
  visibleTextEditors: [] as { document: unknown; selections: Range[] }[],
  activeTextEditor: undefined as { document: { languageId: string } } | undefined,
  showErrorMessage: (): Promise<undefined> => Promise.resolve(undefined),
  showWarningMessage: (message: string): Promise<undefined> => {
    warnings.push(message);
    return Promise.resolve(undefined);
  },
  createStatusBarItem: (): Record<string, unknown> => statusBarItem,
};

export const env = { language: "en", clipboard: { writeText: (): Promise<void> => Promise.resolve() } };

export enum StatusBarAlignment {
  Left = 1,
}
