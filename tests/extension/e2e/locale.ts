/** An editor in another display language. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { DRIVEN, folders, installExtensions, startEditor, type Server } from "../../../scripts/editor/server.mjs";
import { pack } from "../../../scripts/editor/vsix.mjs";
import { ensureEditor } from "../../../scripts/setup/editor.mjs";

/** Starts an editor in Spanish. Its own texts stay English: the real language pack is not to be had from npm. */
export async function startSpanishEditor(home: string, vsix: string, python: string): Promise<Server> {
  mkdirSync(home, { recursive: true });
  const languagePack = await pack(join(import.meta.dirname, "standin-spanish"), join(home, "spanish.vsix"), [
    "--skip-license",
  ]);
  const editor = await ensureEditor();
  installExtensions(editor, home, [vsix, languagePack]);
  register(home);
  return startEditor({ editor, home, locale: "es", settings: { ...DRIVEN, "tensorpeek.pythonPath": python } });
}

/** The editor notes installed language packs in a file, but not those installed from the command line. */
function register(home: string): void {
  const { userData, extensions } = folders(home);
  const id = "tensorpeek-tests.standin-language-pack-es";
  const version = "1.0.0";
  const texts = join(extensions, `${id}-${version}`, "translations", "main.i18n.json");
  if (!existsSync(texts)) throw new Error(`The language pack was not installed into ${texts}`);
  const pack = { extensions: [{ extensionIdentifier: { id }, version }], translations: { vscode: texts } };
  const packs = { es: { ...pack, hash: version, label: "español" } };
  writeFileSync(join(userData, "languagepacks.json"), JSON.stringify(packs));
}
