import * as vscode from "vscode";

/** A time in few characters: of today the hour and minute, of other days the day too. */
export function momentText(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) {
    return "";
  }
  const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const isToday = time.toDateString() === now.toDateString();
  const day: Intl.DateTimeFormatOptions = isToday ? {} : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(vscode.env.language, { ...clock, ...day }).format(time);
}
