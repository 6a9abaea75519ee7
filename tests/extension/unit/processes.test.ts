import { expect, it } from "vitest";
import {
  inOrder,
  isPython,
  listProcesses,
  parsePs,
  parseWindowsList,
} from "../../../extension/src/processPicker/processList";

it("reads what ps prints", () => {
  expect(parsePs("    1 /sbin/launchd\n  501 /usr/bin/python3 train.py --lr 0.1 \n\n")).toEqual([
    { pid: 1, command: "/sbin/launchd" },
    { pid: 501, command: "/usr/bin/python3 train.py --lr 0.1" },
  ]);
});

it("reads what Windows prints, with names where the command line is hidden", () => {
  const output = JSON.stringify([
    { ProcessId: 4, Name: "System", CommandLine: null },
    { ProcessId: 9, Name: "python.exe", CommandLine: '"C:\\Program Files\\Python\\python.exe" train.py' },
  ]);
  expect(parseWindowsList(output).map(({ pid, command }) => [pid, command.slice(0, 8)])).toEqual([
    [4, "System"],
    [9, '"C:\\Prog'],
  ]);
  expect(isPython(parseWindowsList(output)[1]!)).toBe(true);
});

it("puts Python first, the youngest before the others", () => {
  const processes = [
    { pid: 1, command: "/sbin/init" },
    { pid: 5, command: "/opt/python3.12 -m http.server" },
    { pid: 9, command: "vim python.txt" },
    { pid: 7, command: "torchrun train.py" },
  ];
  expect(inOrder(processes).map(({ pid }) => pid)).toEqual([7, 5, 9, 1]);
});

it("lists this very process", async () => {
  expect((await listProcesses()).map(({ pid }) => pid)).toContain(process.pid);
});
