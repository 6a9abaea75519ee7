// What a person would do first, done for them: open train.py, set a breakpoint where a step has its gradients, press F5.
const vscode = require("vscode");

const CONFIGURATION = "Train on digits";
const MARKER = "# @bp:step";
const AFTER_TWELVE_STEPS = "len(history) == 12";

exports.activate = async function activate() {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder || vscode.debug.activeDebugSession) return;
  const file = vscode.Uri.joinPath(folder.uri, "digits", "train.py");
  const document = await vscode.workspace.openTextDocument(file);
  const position = document.positionAt(document.getText().indexOf(MARKER)).with({ character: 0 });
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenter);

  const set = vscode.debug.breakpoints.some((breakpoint) => breakpoint.condition === AFTER_TWELVE_STEPS);
  const location = new vscode.Location(file, position);
  if (!set) vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(location, true, AFTER_TWELVE_STEPS)]);
  await vscode.commands.executeCommand("workbench.view.debug");
  await vscode.debug.startDebugging(folder, CONFIGURATION);
};
