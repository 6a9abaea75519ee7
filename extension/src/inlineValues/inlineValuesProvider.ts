import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import { inlineValuesEnabled } from "../configuration";
import type { InlineValue } from "../contract/messages";
import { request } from "../debug/sessionClient";
import type { SessionTracker } from "../debug/sessionTracker";
import type { Log } from "../log";

/** What the values were asked for; VS Code asks twice per stop, we ask the debuggee once. */
interface Asked {
  readonly key: string;
  readonly values: Promise<readonly InlineValue[]>;
}

/** Short texts at the ends of lines while paused. Always texts: a lookup would print colour codes into the editor. */
export class InlineValuesProvider implements vscode.InlineValuesProvider {
  private last: Asked | undefined;

  constructor(
    private readonly tracker: SessionTracker,
    private readonly log: Log,
  ) {}

  async provideInlineValues(
    document: vscode.TextDocument,
    viewPort: vscode.Range,
    context: vscode.InlineValueContext,
  ): Promise<vscode.InlineValue[]> {
    const focus = inlineValuesEnabled(document) ? await this.tracker.focusOn(context.frameId) : undefined;
    if (!focus) {
      return [];
    }
    const endLine = context.stoppedLocation.end.line + 1;
    const key = [focus.session.id, focus.frameId, focus.revision, document.uri, document.version, endLine].join("\n");
    if (this.last?.key !== key) {
      const args = { frameId: focus.frameId, path: document.uri.fsPath, startLine: 1, endLine };
      this.last = { key, values: this.ask(focus.session, args) };
    }
    return (await this.last.values)
      .map(({ line, startColumn, endColumn, text }) => {
        const range = new vscode.Range(line - 1, startColumn - 1, line - 1, endColumn - 1);
        return new vscode.InlineValueText(range, text);
      })
      .filter(({ range }) => range.start.line < document.lineCount && viewPort.intersection(range));
  }

  private async ask(
    session: vscode.DebugSession,
    args: { frameId: number; path: string; startLine: number; endLine: number },
  ): Promise<readonly InlineValue[]> {
    try {
      return (await request(session, "tensorpeek/inlineValues", args)).values;
    } catch (error) {
      this.log.debug(`tensorpeek/inlineValues: ${messageOf(error)}`);
      return [];
    }
  }
}
