import type { Disposable } from "vscode";
import { Disposables } from "./disposables";

/**
 * Keeps a registration only while `isActive`. A provider that is merely registered switches off what VS Code
 * does without one, so it must not be there for sessions that are not ours.
 */
export function whileActive(
  onDidChange: (listener: () => void) => Disposable,
  isActive: () => boolean,
  register: () => Disposable,
): Disposable {
  const owned = new Disposables();
  const registered = owned.add(new Disposables());
  let isRegistered = false;
  const update = (): void => {
    if (isActive() && !isRegistered) {
      registered.add(register());
    } else if (!isActive()) {
      registered.clear();
    }
    isRegistered = isActive();
  };
  owned.add(onDidChange(update));
  update();
  return owned;
}
