/** The small part of the editor's API that unit tests touch. Settings and extensions are what a test puts here. */
export const settings: Record<string, unknown> = {};
export const executed: unknown[][] = [];

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = new Position(startLine, startCharacter);
    this.end = new Position(endLine, endCharacter);
  }
  intersection(other: Range): Range | undefined {
    return this.end.line < other.start.line || this.start.line > other.end.line ? undefined : this;
  }
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
  activeTextEditor: undefined as { document: { languageId: string } } | undefined,
  showErrorMessage: (): Promise<undefined> => Promise.resolve(undefined),
};

export const env = { clipboard: { writeText: (): Promise<void> => Promise.resolve() } };
