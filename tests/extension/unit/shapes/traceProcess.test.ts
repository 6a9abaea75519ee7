import { describe, expect, it } from "vitest";
import { Backend } from "../../../../extension/src/python/backend";
import { lastSentence, runTrace } from "../../../../extension/src/shapes/traceProcess";

const node = (code: string) => ({ program: process.execPath, args: ["-e", code] });
const never = (): void => undefined;

describe("the process that traces", () => {
  it("says what it printed, and that it traced", async () => {
    const output = await runTrace(node("console.log('x = f(x)  # → [B, 4]')"), ".", never);
    expect(output).toEqual({ ok: true, text: "x = f(x)  # → [B, 4]\n", sentence: "" });
  });

  it("says its sentence where it could not", async () => {
    const code =
      "console.error('noise'); console.error('tensorpeek: the program has called no model'); process.exit(1)";
    const output = await runTrace(node(code), ".", never);
    expect(output).toMatchObject({ ok: false, sentence: "the program has called no model" });
  });

  it("ends when it is cancelled, with what it started", async () => {
    const code =
      "require('child_process').spawn(process.execPath, ['-e', 'setInterval(()=>0,1e6)'], {stdio:'inherit'}); setInterval(() => 0, 1e6)";
    expect(await runTrace(node(code), ".", (cancel) => setImmediate(cancel))).toBeUndefined();
  });

  it("that can't be started is an error", async () => {
    await expect(runTrace({ program: "/no/such/python", args: [] }, ".", never)).rejects.toThrow("ENOENT");
  });
});

it("the last sentence of ours counts", () => {
  expect(lastSentence("tensorpeek: one\nother: two\r\ntensorpeek: three\r\nmore\n")).toBe("three");
  expect(lastSentence("nothing\n")).toBe("");
});

describe("the command line", () => {
  const interpreter = { command: ["conda", "python"], version: [3, 12, 0] } as const;
  const backend = new Backend("/ext");
  const shapes = backend.shapes.bind(backend);
  const script = { runs: "/r", call: "", script: "/m.py", librarySources: [] };

  it("of a script", () => {
    const { program, args } = shapes(interpreter, { ...script, script: "/a b.py" });
    expect(program).toBe("conda");
    expect(args.slice(-5)).toEqual(["/ext/python_backend", "shapes", "--runs", "/r", "/a b.py"]);
  });

  it("of a class", () => {
    const { args } = shapes(interpreter, { ...script, call: "/m.py:Net" });
    expect(args.slice(-4)).toEqual(["/r", "--call", "/m.py:Net", "/m.py"]);
  });

  it("with the sources of libraries", () => {
    const some = shapes(interpreter, { ...script, librarySources: ["transformers", "timm"] });
    const all = shapes(interpreter, { ...script, librarySources: ["timm", "*"] });
    expect(some.args.slice(-4)).toEqual(["/r", "--library-sources", "transformers,timm", "/m.py"]);
    expect(all.args.slice(-3)).toEqual(["/r", "--all-sources", "/m.py"]);
  });
});
