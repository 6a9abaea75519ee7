import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DebugAdapterTracker } from "vscode";
import { SessionTracker } from "../../../../extension/src/debug/sessionTracker";
import type { Log } from "../../../../extension/src/log";
import { noticePlainSessions } from "../../../../extension/src/statusBar/plainNotice";
import { StatusBar } from "../../../../extension/src/statusBar/statusBar";
import { debug, DebugStackFrame, executed, happening, statusBarItem, warnings } from "../fake/vscode";

interface Session {
  readonly id: string;
  name: string;
  readonly type: string;
  readonly configuration: Record<string, unknown>;
  readonly parentSession?: Session;
}

const log = { info: () => undefined, error: () => undefined } as unknown as Log;
const ours = (id: string): Session => ({ id, name: id, type: "tensorpeek", configuration: {} });
const leftPlain = (id: string): Session => ({
  ...ours(id),
  type: "debugpy",
  configuration: { tensorpeekPlain: "No Python was found." },
});

let tracker: SessionTracker;

beforeEach(() => {
  tracker = new SessionTracker(log);
  warnings.length = executed.length = 0;
});

afterEach(() => {
  tracker.dispose();
  debug.activeStackItem = debug.activeDebugSession = undefined;
});

function start(session: Session): DebugAdapterTracker {
  return happening.trackers.get(session.type)?.createDebugAdapterTracker(session) as DebugAdapterTracker;
}

function says(session: Session, mode: "active" | "plain", reason = ""): void {
  happening.customEvent.fire({ session, event: "tensorpeek/mode", body: { mode, reason } });
}

function stopAt(session: Session, messages: DebugAdapterTracker): void {
  messages.onDidSendMessage?.({ type: "event", event: "stopped" });
  debug.activeStackItem = new DebugStackFrame(session, 1, 7);
}

describe("a session of ours", () => {
  it("is in focus from its first message to its end", () => {
    const session = ours("a");
    expect(tracker.focus).toEqual({ kind: "none" });
    const messages = start(session);
    expect(tracker.hasSessions).toBe(true);
    expect(tracker.focus).toEqual({ kind: "running" });
    says(session, "active");
    stopAt(session, messages);
    expect(tracker.focus).toMatchObject({ kind: "paused", frameId: 7 });
    happening.terminated.fire(session);
    expect(tracker.hasSessions).toBe(false);
    expect(tracker.focus).toEqual({ kind: "none" });
  });

  it("does not come back by an event that arrives after its end", () => {
    const session = ours("a");
    start(session);
    happening.terminated.fire(session);
    says(session, "active");
    expect(tracker.current).toBeUndefined();
    expect(executed.at(-1)).toEqual(["setContext", expect.anything(), false]);
  });

  it("is stopped for a finding until it goes on, whichever is told first", () => {
    const session = ours("a");
    const messages = start(session);
    const found: unknown[] = [];
    tracker.onDidFind((finding) => found.push(finding));
    const finding = (stopped: boolean): void => {
      happening.customEvent.fire({ session, event: "tensorpeek/finding", body: { title: "Loss spike", stopped } });
    };
    finding(true);
    expect(tracker.stop).toBeUndefined();
    stopAt(session, messages);
    expect(tracker.stop).toMatchObject({ title: "Loss spike" });
    messages.onDidSendMessage?.({ type: "event", event: "continued" });
    expect(tracker.stop).toBeUndefined();
    finding(false);
    stopAt(session, messages);
    expect(tracker.stop).toBeUndefined();
    finding(true);
    expect(tracker.stop).toMatchObject({ title: "Loss spike" });
    expect(found).toHaveLength(3);
  });

  it("that could not be started leaves nothing behind", () => {
    start(ours("a")).onWillStopSession?.();
    expect(tracker.hasSessions).toBe(false);
  });

  it("that became plain is so in its own frames, not in those of another session", () => {
    const [plain, active] = [ours("plain"), ours("active")];
    const [plainMessages, activeMessages] = [start(plain), start(active)];
    says(plain, "plain", "The probe failed.");
    says(active, "active");
    stopAt(plain, plainMessages);
    expect(tracker.focus).toEqual({ kind: "plain", reason: "The probe failed." });
    stopAt(active, activeMessages);
    expect(tracker.focus).toMatchObject({ kind: "paused", session: { id: "active" } });
  });
});

describe("a debugpy session that had to stay plain", () => {
  it("is told once, and the status bar says why", () => {
    const bar = new StatusBar(tracker);
    const notice = noticePlainSessions(tracker);
    const session = leftPlain("train");
    start(session);
    start({ ...leftPlain("child"), parentSession: session });
    expect(warnings).toEqual(["No Python was found."]);
    expect(statusBarItem).toMatchObject({ visible: true, text: expect.stringContaining("plain") as string });
    expect(statusBarItem["tooltip"]).toContain("No Python was found.");
    happening.terminated.fire(session);
    bar.dispose();
    notice.dispose();
  });

  it("asks nothing of Microsoft's adapter", () => {
    const session = leftPlain("train");
    stopAt(session, start(session));
    expect(tracker.hasSessions).toBe(false);
    expect(tracker.focus).toEqual({ kind: "plain", reason: "No Python was found." });
  });

  it("of the user's own adapter is none of our business", () => {
    expect(start({ ...leftPlain("theirs"), configuration: {} })).toBeUndefined();
    expect(tracker.current).toBeUndefined();
  });
});
