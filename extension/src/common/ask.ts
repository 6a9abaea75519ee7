import * as vscode from "vscode";
import { Disposables } from "./disposables";

export interface Answer extends vscode.QuickPickItem {
  readonly text: string;
}

/** How a question is put; `typed` makes an answer of what the user wrote themselves. */
export interface Question {
  readonly title: string;
  readonly placeholder: string;
  readonly answers: readonly Answer[];
  readonly typed: (text: string) => Answer;
  /** Answers that say more, once they do. */
  readonly fuller?: Promise<readonly Answer[]>;
}

/** Lets the user choose an answer or write one; undefined when they do neither. */
export async function pickOrType({
  title,
  placeholder,
  answers,
  typed,
  fuller,
}: Question): Promise<string | undefined> {
  const owned = new Disposables();
  const pick = owned.add(vscode.window.createQuickPick<Answer>());
  let offered = answers;
  const update = (): void => {
    const text = pick.value.trim();
    const isOffered = text === "" || offered.some((answer) => answer.text === text);
    pick.items = isOffered ? offered : [...offered, typed(text)];
  };
  Object.assign(pick, { title, placeholder, matchOnDescription: true, ignoreFocusOut: true });
  update();
  owned.add(pick.onDidChangeValue(update));
  void fuller?.then((found) => {
    offered = found;
    update();
  });
  const chosen = await new Promise<string | undefined>((resolve) => {
    owned.add(
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.text);
      }),
    );
    owned.add(
      pick.onDidHide(() => {
        resolve(undefined);
      }),
    );
    pick.show();
  });
  owned.dispose();
  return chosen;
}
