import type { TrainingBreakpointEntry } from "../contract/messages";

export type FieldValues = Readonly<Record<string, number>>;

export function defaultsOf({ fields }: TrainingBreakpointEntry): FieldValues {
  return Object.fromEntries(fields.map((field) => [field.name, field.default]));
}

/** The condition of an entry. A keyword that has its default is left out, for short conditions are read. */
export function conditionText(
  { template, fields }: TrainingBreakpointEntry,
  name: string,
  values: FieldValues,
): string {
  let text = template;
  for (const field of fields) {
    const value = values[field.name] ?? field.default;
    const keyword = new RegExp(`,\\s*${field.name}\\s*=\\s*\\{${field.name}\\}`, "g");
    text = value === field.default ? text.replace(keyword, "") : text;
    text = text.replaceAll(`{${field.name}}`, String(value));
  }
  return text.replaceAll("{name}", name);
}

/** What the user typed as a number, undefined when it is none that Python would take. */
export function parsedNumber(text: string): number | undefined {
  const value = Number(text.trim());
  return text.trim() !== "" && Number.isFinite(value) ? value : undefined;
}
