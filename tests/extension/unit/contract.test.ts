import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  CONTRACT_VERSION,
  type Mode,
  type TensorRow,
  type Number as WireNumber,
} from "../../../extension/src/contract/messages";

/** The part of JSON Schema that the contract uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const root = join(import.meta.dirname, "../../..");
const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(root, ...path), "utf8"));

const contract = read("python_backend/tensorpeek/contract/wire.schema.json") as {
  readonly version: number;
  readonly definitions: Readonly<Record<string, Schema>>;
};
const golden = "tests/contract/golden";
const names = readdirSync(join(root, golden)).map((file) => basename(file, ".json"));

/** Whether `value` is what the schema says, as the generated TypeScript types promise it. */
function conforms(value: unknown, schema: Schema): boolean {
  if (schema.$ref !== undefined) return conforms(value, definition(basename(schema.$ref)));
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => conforms(value, one));
  if (schema.enum !== undefined) return schema.enum.includes(value);
  switch (schema.type) {
    case "array":
      return Array.isArray(value) && value.every((item) => conforms(item, schema.items ?? {}));
    case "object":
      return isRecord(value) && hasFields(value, schema);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === schema.type;
  }
}

function hasFields(value: Readonly<Record<string, unknown>>, { properties, required = [] }: Schema): boolean {
  if (properties === undefined) return true;
  const fits = (key: string): boolean => {
    const field = properties[key];
    return field !== undefined && conforms(value[key], field);
  };
  return required.every((key) => key in value) && Object.keys(value).every(fits);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function definition(name: string): Schema {
  const found = contract.definitions[name];
  if (found === undefined) throw new Error(`no definition ${name}`);
  return found;
}

describe("the wire contract", () => {
  it("has the version that the generated code was made for", () => {
    expect(contract.version).toBe(CONTRACT_VERSION);
  });

  it("has one golden message for each definition", () => {
    expect(names.sort()).toEqual(Object.keys(contract.definitions).sort());
  });

  it.each(names)("is kept by a real %s", (name) => {
    expect(conforms(read(golden, `${name}.json`), definition(name))).toBe(true);
  });

  it("is not kept by a message with a wrong, a missing or a foreign field", () => {
    const row = read(golden, "TensorRow.json") as TensorRow;
    const withoutAlarm = Object.fromEntries(Object.entries(row).filter(([key]) => key !== "alarm"));
    for (const wrong of [
      { ...row, line: "1" },
      withoutAlarm,
      { ...row, color: "red" },
      { ...row, shape: [1.5] },
      null,
    ]) {
      expect(conforms(wrong, definition("TensorRow"))).toBe(false);
    }
  });

  it("gives TypeScript the types that it gives JSON", () => {
    expectTypeOf<Mode>().toEqualTypeOf<"active" | "plain">();
    expectTypeOf<WireNumber>().toEqualTypeOf<number | "nan" | "inf" | "-inf">();
    expectTypeOf<TensorRow["shape"]>().toEqualTypeOf<readonly number[]>();
    expectTypeOf<TensorRow["mean"]>().toEqualTypeOf<WireNumber | null>();
  });
});
