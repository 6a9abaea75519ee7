import * as vscode from "vscode";
import type { Action } from "../../webview/tensors/protocol";
import { COMMANDS } from "../contributions";
import { act } from "./actions";
import type { TensorsView } from "./tensorsView";

/** What VS Code passes to a command of the page's context menu: the row's `data-vscode-context`. */
interface RowContext {
  readonly expression: string;
}

/** What VS Code passes to a command of the Variables view's context menu. */
interface VariableContext {
  readonly variable: { readonly name: string; readonly evaluateName?: string };
}

/** The context menus of our rows and of tensors in Variables. */
export function registerMenus(view: TensorsView): vscode.Disposable[] {
  const onRow = (command: string, action: Action): vscode.Disposable =>
    vscode.commands.registerCommand(command, ({ expression }: RowContext) =>
      act(action, expression, view.row(expression)),
    );
  const onVariable = (command: string, run: (expression: string) => Promise<void>): vscode.Disposable =>
    vscode.commands.registerCommand(command, ({ variable }: VariableContext) =>
      run(variable.evaluateName ?? variable.name),
    );
  return [
    onRow(COMMANDS.copyTensorExpression, "copy"),
    onRow(COMMANDS.watchTensor, "watch"),
    onRow(COMMANDS.revealTensorLine, "reveal"),
    onVariable(COMMANDS.copyVariableExpression, (expression) => act("copy", expression, undefined)),
    onVariable(COMMANDS.revealVariable, (expression) => view.select(expression)),
    vscode.commands.registerCommand(COMMANDS.refreshTensors, () => view.refresh()),
  ];
}
