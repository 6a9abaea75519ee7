import * as vscode from "vscode";
import type { TrainingBreakpointEntry, TrainingBreakpointField } from "../contract/messages";
import { conditionText, defaultsOf, parsedNumber, type FieldValues } from "./conditionText";

/** The condition with the numbers that the user wants; undefined when they want none. */
export async function askFields(
  entry: TrainingBreakpointEntry,
  name: string,
  title: string,
): Promise<string | undefined> {
  let values: FieldValues = defaultsOf(entry);
  const [only, ...more] = entry.fields;
  if (!only) {
    return conditionText(entry, name, values);
  }
  if (more.length === 0) {
    const value = await askNumber(only, only.default, title);
    return value === undefined ? undefined : conditionText(entry, name, { [only.name]: value });
  }
  for (;;) {
    const chosen = await vscode.window.showQuickPick(choices(entry, name, values), {
      title,
      placeHolder: vscode.l10n.t("Enter sets the breakpoint; choose a number to change it"),
      ignoreFocusOut: true,
    });
    if (!chosen?.field) {
      return chosen && conditionText(entry, name, values);
    }
    const { field } = chosen;
    const value = await askNumber(field, values[field.name] ?? field.default, title);
    values = value === undefined ? values : { ...values, [field.name]: value };
  }
}

interface Choice extends vscode.QuickPickItem {
  readonly field?: TrainingBreakpointField;
}

function choices(entry: TrainingBreakpointEntry, name: string, values: FieldValues): Choice[] {
  const numbers = entry.fields.map((field): Choice => ({
    label: `$(edit) ${field.name} = ${String(values[field.name])}`,
    description: field.help,
    field,
  }));
  return [{ label: `$(check) ${conditionText(entry, name, values)}`, detail: entry.detail }, ...numbers];
}

async function askNumber(field: TrainingBreakpointField, value: number, title: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value: String(value),
    prompt: `${field.name}: ${field.help}`,
    ignoreFocusOut: true,
    validateInput: (typed) => (parsedNumber(typed) === undefined ? vscode.l10n.t("Type a number, as 3 or 1e-4.") : ""),
  });
  return text === undefined ? undefined : parsedNumber(text);
}
