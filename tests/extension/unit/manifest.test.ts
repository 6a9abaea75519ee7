import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS, CONTEXT_KEYS, SETTINGS, VIEWS } from "../../../extension/src/contributions";

const root = new URL("../../../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

interface Manifest {
  icon: string;
  activationEvents: string[];
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    views: Record<string, { id: string; when: string; icon: string }[]>;
    configuration: { properties: Record<string, unknown> };
    debuggers: {
      type: string;
      variables: Record<string, string>;
      configurationAttributes: Record<string, { properties: Record<string, unknown> }>;
      configurationSnippets: { body: { request: string } & Record<string, unknown> }[];
    }[];
    walkthroughs: { steps: { media: { svg: string } }[] }[];
  };
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const { contributes } = manifest;
const debug = contributes.debuggers[0]!;

describe("package.json and the code name the same", () => {
  it("commands", () => {
    expect(contributes.commands.map(({ command }) => command).sort()).toEqual(Object.values(COMMANDS).sort());
  });

  it("settings", () => {
    const settings = Object.values(SETTINGS).map((setting) => `tensorpeek.${setting}`);
    expect(Object.keys(contributes.configuration.properties).sort()).toEqual(settings.sort());
  });

  it("views and the keys that show them", () => {
    const views = Object.values(contributes.views).flat();
    expect(views.map(({ id }) => id)).toEqual(Object.values(VIEWS));
    expect(views.map(({ when }) => when)).toEqual([
      `${CONTEXT_KEYS.sessionActive} || ${CONTEXT_KEYS.hasTraining}`,
      CONTEXT_KEYS.sessionActive,
      `${CONTEXT_KEYS.sessionActive} || ${CONTEXT_KEYS.hasModel}`,
    ]);
  });

  it("keys of conditions", () => {
    const known = new Set<string>([...Object.values(CONTEXT_KEYS), ...Object.values(VIEWS)]);
    const used = [...JSON.stringify(contributes).matchAll(/"(?:when|enablement)":"([^"]+)"/g)].flatMap(
      ([, clause]) => clause!.match(/tensorpeek\.\w+/g) ?? [],
    );
    expect(used.filter((key) => !known.has(key))).toEqual([]);
  });

  it("commands in menus and variables", () => {
    const known = new Set<string>(Object.values(COMMANDS));
    const used = Object.values(contributes.menus)
      .flat()
      .map(({ command }) => command);
    expect([...used, ...Object.values(debug.variables)].filter((command) => !known.has(command))).toEqual([]);
  });
});

it("every picture that package.json names is there", () => {
  const pictures = [
    manifest.icon,
    ...Object.values(contributes.views)
      .flat()
      .map(({ icon }) => icon),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
  ];
  expect(pictures.filter((picture) => !existsSync(new URL(picture, root)))).toEqual([]);
});

it("a snippet uses only attributes that launch.json completes", () => {
  for (const { body } of debug.configurationSnippets) {
    const known = Object.keys(debug.configurationAttributes[body.request]!.properties);
    const own = Object.keys(body).filter((key) => !["name", "type", "request"].includes(key));
    expect(known).toEqual(expect.arrayContaining(own));
  }
});

it("launch and attach offer what the documentation promises", () => {
  const names = (request: string): string[] => Object.keys(debug.configurationAttributes[request]!.properties);
  expect(names("launch")).toEqual(
    expect.arrayContaining(
      (
        "program module code args cwd env envFile python console justMyCode stopOnEntry subProcess redirectOutput " +
        "showReturnValue pathMappings debugpyPath tensorpeek"
      ).split(" "),
    ),
  );
  expect(names("attach")).toEqual(expect.arrayContaining(["connect", "listen", "processId", "pathMappings"]));
});

it("what launch and attach have in common is the same in both", () => {
  const [launch, attach] = ["launch", "attach"].map((request) => debug.configurationAttributes[request]!.properties);
  const common = Object.keys(launch!).filter((name) => name in attach!);
  expect(common).toContain("tensorpeek");
  for (const name of common) expect(attach![name], name).toEqual(launch![name]);
});
