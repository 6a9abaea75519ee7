import { describe, expect, it, vi } from "vitest";
import { coalesced } from "../../../extension/src/common/coalesce";
import { Disposables } from "../../../extension/src/common/disposables";
import { firstAfter } from "../../../extension/src/common/firstAfter";
import { whileActive } from "../../../extension/src/common/whileActive";

describe("coalesced work", () => {
  it("runs at most once more for all calls that came while it ran", async () => {
    const gates: (() => void)[] = [];
    const work = vi.fn(() => new Promise<void>((resolve) => gates.push(resolve)));
    const run = coalesced(work);
    const all = [run(), run(), run()];
    gates[0]!();
    await all[0];
    await vi.waitFor(() => {
      expect(work).toHaveBeenCalledTimes(2);
    });
    gates[1]!();
    await Promise.all(all);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("runs again after a failure", async () => {
    const work = vi.fn().mockRejectedValueOnce(new Error("no")).mockResolvedValue(undefined);
    const run = coalesced(work);
    await expect(run()).rejects.toThrow("no");
    await run();
    expect(work).toHaveBeenCalledTimes(2);
  });
});

describe("disposables", () => {
  it("disposes newest first, and late additions at once", () => {
    const order: string[] = [];
    const item = (name: string) => ({ dispose: () => order.push(name) });
    const owned = new Disposables();
    owned.add(item("first"));
    owned.add(item("second"));
    owned.dispose();
    owned.add(item("late"));
    expect(order).toEqual(["second", "first", "late"]);
  });
});

it("keeps a registration only while it is wanted", () => {
  let active = false;
  let changed = (): void => undefined;
  const dispose = vi.fn();
  const register = vi.fn(() => ({ dispose }));
  const end = vi.fn();
  const kept = whileActive(
    (listener) => {
      changed = listener;
      return { dispose: end };
    },
    () => active,
    register,
  );
  expect(register).not.toHaveBeenCalled();
  active = true;
  changed();
  changed();
  expect(register).toHaveBeenCalledOnce();
  active = false;
  changed();
  expect(dispose).toHaveBeenCalledOnce();
  active = true;
  changed();
  kept.dispose();
  expect([register, dispose, end].map((call) => call.mock.calls.length)).toEqual([2, 2, 1]);
});

it("waits for the first change after which there is something, but not forever", async () => {
  let change = (): void => undefined;
  const dispose = vi.fn();
  const onDidChange = (listener: () => void) => {
    change = listener;
    return { dispose };
  };
  const values = [undefined, 3];
  const found = firstAfter(onDidChange, () => values.shift(), 10_000);
  change();
  change();
  expect(await found).toBe(3);
  expect(await firstAfter<number>(onDidChange, () => undefined, 1)).toBeUndefined();
  expect(dispose).toHaveBeenCalledTimes(2);
});
