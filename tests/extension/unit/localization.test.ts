import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (file: string): string => readFileSync(root + file, "utf8");
const texts = (file: string): Record<string, string> => JSON.parse(read(file)) as Record<string, string>;
const placeholders = (text: string): string[] =>
  (text.match(/\{\d+\}|\$\{[^}]+\}|`[^`]+`|\(command:[^)]+\)/g) ?? []).sort();

const LANGUAGES = ["es", "pt-br"];

const code = readdirSync(`${root}extension/src`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(`extension/src/${file}`))
  .join("\n");

/** The English messages in the code; a message is always written out where it is used. */
const messages = [...code.matchAll(/l10n\.t\(\s*("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1]!) as string);

it("finds every message of the code", () => {
  expect(messages).toHaveLength([...code.matchAll(/l10n\.t\(/g)].length);
});

describe.each(LANGUAGES)("in %s", (language) => {
  it("every message of the code is said, and no other", () => {
    expect(Object.keys(texts(`extension/l10n/bundle.l10n.${language}.json`)).sort()).toEqual(
      [...new Set(messages)].sort(),
    );
  });

  it("messages keep their placeholders", () => {
    for (const [message, said] of Object.entries(texts(`extension/l10n/bundle.l10n.${language}.json`))) {
      expect(placeholders(said), message).toEqual(placeholders(message));
    }
  });

  it("every text of the manifest is said, with its placeholders", () => {
    const english = texts("package.nls.json");
    const said = texts(`package.nls.${language}.json`);
    expect(Object.keys(said)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english)) {
      expect(placeholders(said[key]!), key).toEqual(placeholders(text));
    }
  });
});

it("the manifest uses every text of its own, and no other", () => {
  const used = [...read("package.json").matchAll(/"%([^%"]+)%"/g)].map((match) => match[1]!);
  expect([...new Set(used)].sort()).toEqual(Object.keys(texts("package.nls.json")).sort());
});
