import * as vscode from "vscode";
import { Disposables } from "../common/disposables";
import { firstAfter } from "../common/firstAfter";
import type { DebugEvents, Finding, ModeEvent } from "../contract/messages";
import { CONTEXT_KEYS, DEBUG_TYPES } from "../contributions";
import type { Log } from "../log";
import type { PythonDebugConfiguration } from "./configuration";
import { FilterState } from "./filterState";
import { PauseState, type ProtocolMessage } from "./pauseState";

/** A live session that was to show tensors. */
export interface TrackedSession {
  readonly session: vscode.DebugSession;
  /** What the adapter said last about itself; undefined until it has said anything. */
  readonly mode: ModeEvent | undefined;
  readonly filters: FilterState;
}

/** A frame of a paused session of ours, at one moment. */
export interface PausedFrame {
  readonly kind: "paused";
  readonly session: vscode.DebugSession;
  readonly frameId: number;
  /** Differs between two moments at which a value may differ. */
  readonly revision: number;
}

/** What the user looks at in the Call Stack. */
export type Focus =
  | { readonly kind: "none" }
  | { readonly kind: "running" }
  | { readonly kind: "plain"; readonly reason: string }
  | PausedFrame;

/** VS Code may ask for the values of a frame before it tells that the frame is in focus. */
const FOCUS_PATIENCE_MS = 2000;

interface Entry {
  readonly session: vscode.DebugSession;
  readonly pause: PauseState;
  readonly filters: FilterState;
  mode: ModeEvent | undefined;
  /** What the program was stopped for, until it goes on. */
  stop: Finding | undefined;
}

/** The only listener to VS Code's debug session events; everyone else asks it. */
export class SessionTracker implements vscode.Disposable {
  /** From before a session's first message until it ends, or fails to start. */
  private readonly entries = new Map<string, Entry>();
  /** The training that the user launched last. */
  launched: vscode.DebugSession | undefined;
  private readonly owned = new Disposables();
  private readonly sessionsChanged = this.owned.add(new vscode.EventEmitter<void>());
  private readonly focusChanged = this.owned.add(new vscode.EventEmitter<void>());
  private readonly filtersChanged = this.owned.add(new vscode.EventEmitter<void>());
  private readonly found = this.owned.add(new vscode.EventEmitter<Finding>());
  private readonly ended = this.owned.add(new vscode.EventEmitter<vscode.DebugSession>());

  /** A session of ours started or ended, became the active one, or said its mode. */
  readonly onDidChangeSessions = this.sessionsChanged.event;
  /** `focus` is another one, or its values may have changed. */
  readonly onDidChangeFocus = this.focusChanged.event;
  /** Other check boxes are ticked in a session, or its adapter said something about them. */
  readonly onDidChangeFilters = this.filtersChanged.event;
  /** A training went wrong somewhere. */
  readonly onDidFind = this.found.event;
  /** A session of any kind ended. */
  readonly onDidEndSession = this.ended.event;

  constructor(private readonly log: Log) {
    for (const type of DEBUG_TYPES) {
      this.owned.add(
        vscode.debug.registerDebugAdapterTrackerFactory(type, {
          createDebugAdapterTracker: (session) => (isTracked(session) ? this.follow(session) : undefined),
        }),
      );
    }
    this.owned.add(
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.forget(session);
        this.ended.fire(session);
      }),
    );
    this.owned.add(
      vscode.debug.onDidReceiveDebugSessionCustomEvent((event) => {
        this.received(event);
      }),
    );
    this.owned.add(
      vscode.debug.onDidChangeActiveDebugSession(() => {
        this.sessionsChanged.fire();
      }),
    );
    this.owned.add(
      vscode.debug.onDidChangeActiveStackItem(() => {
        this.focusChanged.fire();
      }),
    );
  }

  /** Whether any session runs through our adapter. */
  get hasSessions(): boolean {
    return [...this.entries.values()].some(({ session }) => isOurs(session));
  }

  /** The session in focus where that is a tracked one, else the latest one. */
  get current(): TrackedSession | undefined {
    return this.entryOf(vscode.debug.activeDebugSession);
  }

  get focus(): Focus {
    const item = vscode.debug.activeStackItem;
    const entry = this.entryOf(item?.session ?? vscode.debug.activeDebugSession);
    if (!entry) {
      return { kind: "none" };
    }
    const { session, pause, mode } = entry;
    if (mode?.mode === "plain") {
      return { kind: "plain", reason: mode.reason };
    }
    if (!(item instanceof vscode.DebugStackFrame) || item.session.id !== session.id || !pause.paused) {
      return { kind: "running" };
    }
    return { kind: "paused", session: item.session, frameId: item.frameId, revision: pause.revision };
  }

  /** What the session in focus is stopped for; undefined where that is nothing of the training's. */
  get stop(): Finding | undefined {
    const { focus } = this;
    return focus.kind === "paused" ? this.entries.get(focus.session.id)?.stop : undefined;
  }

  /** What the condition of the breakpoint said that the session in focus is stopped at; empty where there is none. */
  get said(): string {
    const { focus } = this;
    return focus.kind === "paused" ? (this.entries.get(focus.session.id)?.pause.said ?? "") : "";
  }

  /** The focus once it is on this frame; undefined when that does not happen. */
  async focusOn(frameId: number): Promise<PausedFrame | undefined> {
    const focused = (): PausedFrame | undefined => {
      const { focus } = this;
      return focus.kind === "paused" && focus.frameId === frameId ? focus : undefined;
    };
    return focused() ?? (await firstAfter(this.onDidChangeFocus, focused, FOCUS_PATIENCE_MS));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private entryOf(session: vscode.DebugSession | undefined): Entry | undefined {
    return this.entries.get(session?.id ?? "") ?? [...this.entries.values()].at(-1);
  }

  private follow(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    const pause = new PauseState();
    const filters = new FilterState();
    const entry: Entry = { session, pause, filters, mode: leftPlain(session), stop: undefined };
    this.entries.set(session.id, entry);
    if (isLaunchOfAProgram(session)) {
      this.launched = session;
    }
    this.changed();
    return {
      onWillReceiveMessage: (message: ProtocolMessage) => {
        pause.received(message);
        if (filters.received(message)) {
          this.filtersChanged.fire();
        }
      },
      onDidSendMessage: (message: ProtocolMessage) => {
        if (filters.sent(message)) {
          this.filtersChanged.fire();
        }
        if (pause.sent(message)) {
          entry.stop = pause.paused ? entry.stop : undefined;
          this.focusChanged.fire();
        }
      },
      // VS Code does not say that a session ended which could not be started.
      onWillStopSession: () => {
        this.forget(session);
      },
      onError: (error) => {
        this.log.error(`${session.name}: the adapter failed: ${error.message}`);
      },
      onExit: (code, signal) => {
        this.log.info(`${session.name}: the adapter ended (${signal ?? String(code ?? 0)})`);
      },
    };
  }

  private forget({ id }: vscode.DebugSession): void {
    if (this.entries.delete(id)) {
      this.changed();
    }
  }

  private received({ session, event, body }: vscode.DebugSessionCustomEvent): void {
    const entry = this.entries.get(session.id);
    if (!entry) {
      return;
    }
    switch (event as keyof DebugEvents) {
      case "tensorpeek/mode": {
        const mode = body as DebugEvents["tensorpeek/mode"]["body"];
        entry.mode = mode;
        this.log.info(`${session.name}: ${mode.mode}. ${mode.reason}`);
        this.changed();
        break;
      }
      case "tensorpeek/process": {
        const { name } = body as DebugEvents["tensorpeek/process"]["body"];
        if (session.parentSession && name !== "") {
          session.name = name;
          this.sessionsChanged.fire();
        }
        break;
      }
      case "tensorpeek/finding": {
        const finding = body as DebugEvents["tensorpeek/finding"]["body"];
        if (finding.stopped) {
          entry.stop = finding;
          this.focusChanged.fire();
        }
        this.found.fire(finding);
        break;
      }
    }
  }

  private changed(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.sessionActive, this.hasSessions);
    this.sessionsChanged.fire();
    this.focusChanged.fire();
  }
}

function configurationOf({ configuration }: vscode.DebugSession): PythonDebugConfiguration {
  return configuration;
}

/** Our own type always; Microsoft's where our provider led the session through our adapter. */
function isOurs(session: vscode.DebugSession): boolean {
  return session.type === "tensorpeek" || (configurationOf(session).tensorpeek !== undefined && !leftPlain(session));
}

function isLaunchOfAProgram({ configuration, parentSession }: vscode.DebugSession): boolean {
  const { request, code, noDebug } = configuration as PythonDebugConfiguration;
  return request === "launch" && code === undefined && noDebug !== true && !parentSession;
}

function isTracked(session: vscode.DebugSession): boolean {
  return isOurs(session) || leftPlain(session) !== undefined;
}

/** The mode of a session that our provider had to leave to Microsoft's adapter. */
function leftPlain(session: vscode.DebugSession): ModeEvent | undefined {
  const reason = session.type === "tensorpeek" ? undefined : configurationOf(session).tensorpeekPlain;
  return reason === undefined ? undefined : { mode: "plain", reason };
}
