import * as vscode from "vscode";
import { messageOf } from "../common/errors";
import type { ServerClient } from "../languageClient/serverClient";
import type { Log } from "../log";
import { dottedNameAt } from "./expressionText";

/** A hover that takes longer feels broken, so a server that is still starting gives way to the plain name. */
const SERVER_PATIENCE_MS = 400;

/**
 * Tells the debug hover what to evaluate: what the server makes of the selection or of the place, and the name there while
 * no server answers. Only the server judges what is safe, for it has the syntax tree.
 */
export class EvaluatableExpressionProvider implements vscode.EvaluatableExpressionProvider {
  constructor(
    private readonly server: ServerClient,
    private readonly log: Log,
  ) {}

  async provideEvaluatableExpression(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.EvaluatableExpression | undefined> {
    const selection = selectionAt(document, position);
    const selected = selection && (await this.fromServer(document, selection, token));
    if (selected) {
      return selected;
    }
    const found = await this.fromServer(document, new vscode.Range(position, position), token);
    return found === undefined ? nameAt(document, position) : (found ?? undefined);
  }

  /** Null when the server says that there is nothing safe to evaluate; undefined when it does not answer. */
  private async fromServer(
    document: vscode.TextDocument,
    { start, end, isEmpty }: vscode.Range,
    token: vscode.CancellationToken,
  ): Promise<vscode.EvaluatableExpression | null | undefined> {
    const params = {
      uri: document.uri.toString(),
      line: start.line,
      character: start.character,
      ...(isEmpty ? {} : { endLine: end.line, endCharacter: end.character }),
    };
    const answer = this.server.request("tensorpeek/evaluatableExpression", params, token).catch((error: unknown) => {
      this.log.warn(`tensorpeek/evaluatableExpression: ${messageOf(error)}`);
      return undefined;
    });
    const found = await withinPatience(answer);
    if (!found) {
      return found;
    }
    const range = new vscode.Range(found.startLine, found.startCharacter, found.endLine, found.endCharacter);
    return new vscode.EvaluatableExpression(range, found.expression);
  }
}

function selectionAt(document: vscode.TextDocument, position: vscode.Position): vscode.Selection | undefined {
  const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
  return editor?.selections.find((range) => !range.isEmpty && range.contains(position));
}

function nameAt(document: vscode.TextDocument, position: vscode.Position): vscode.EvaluatableExpression | undefined {
  const found = dottedNameAt(document.lineAt(position.line).text, position.character);
  if (!found) {
    return undefined;
  }
  const start = new vscode.Position(position.line, found.start);
  return new vscode.EvaluatableExpression(
    new vscode.Range(start, start.translate(0, found.expression.length)),
    found.expression,
  );
}

async function withinPatience<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, SERVER_PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, patience]);
  } finally {
    clearTimeout(timer);
  }
}
