import * as vscode from "vscode";
import { Disposables } from "../common/disposables";
import { firstAfter } from "../common/firstAfter";
import type { DebugEvents } from "../contract/methods";
import type { ModeEvent } from "../contract/messages";
import { CONTEXT_KEYS, DEBUG_TYPES } from "../contributions";
import type { Log } from "../log";
import type { PythonDebugConfiguration } from "./configuration";
import { PauseState, type ProtocolMessage } from "./pauseState";

/** A live session that runs through our adapter. */
export interface TrackedSession {
  readonly session: vscode.DebugSession;
  /** What the adapter said last about itself; undefined until it has said anything. */
  readonly mode: ModeEvent | undefined;
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
export type Focus = { readonly kind: "none" } | { readonly kind: "running" } | PausedFrame;

/** VS Code may ask for the values of a frame before it tells that the frame is in focus. */
const FOCUS_PATIENCE_MS = 2000;

interface Entry {
  readonly session: vscode.DebugSession;
  mode: ModeEvent | undefined;
}

/** The only listener to VS Code's debug session events; everyone else asks it. */
export class SessionTracker implements vscode.Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly pauses = new Map<string, PauseState>();
  private readonly owned = new Disposables();
  private readonly sessionsChanged = this.owned.add(new vscode.EventEmitter<void>());
  private readonly focusChanged = this.owned.add(new vscode.EventEmitter<void>());
  private readonly ended = this.owned.add(new vscode.EventEmitter<vscode.DebugSession>());

  /** A session of ours started or ended, became the active one, or said its mode. */
  readonly onDidChangeSessions = this.sessionsChanged.event;
  /** `focus` is another one, or its values may have changed. */
  readonly onDidChangeFocus = this.focusChanged.event;
  /** A session of any kind ended. */
  readonly onDidEndSession = this.ended.event;

  constructor(private readonly log: Log) {
    for (const type of DEBUG_TYPES) {
      this.owned.add(
        vscode.debug.registerDebugAdapterTrackerFactory(type, {
          createDebugAdapterTracker: (session) => (isOurs(session) ? this.follow(session) : undefined),
        }),
      );
    }
    this.owned.add(
      vscode.debug.onDidStartDebugSession((session) => {
        this.started(session);
      }),
    );
    this.owned.add(
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.terminated(session);
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

  get hasSessions(): boolean {
    return this.entries.size > 0;
  }

  /** The session in focus where that is one of ours, else the latest one. */
  get current(): TrackedSession | undefined {
    const active = this.entries.get(vscode.debug.activeDebugSession?.id ?? "");
    return active ?? [...this.entries.values()].at(-1);
  }

  get focus(): Focus {
    if (!this.hasSessions) {
      return { kind: "none" };
    }
    const item = vscode.debug.activeStackItem;
    if (!(item instanceof vscode.DebugStackFrame)) {
      return { kind: "running" };
    }
    const pause = this.pauses.get(item.session.id);
    if (!this.entries.has(item.session.id) || pause?.paused !== true) {
      return { kind: "running" };
    }
    return { kind: "paused", session: item.session, frameId: item.frameId, revision: pause.revision };
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

  private follow(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    const pause = new PauseState();
    this.pauses.set(session.id, pause);
    return {
      onWillReceiveMessage: (message: ProtocolMessage) => {
        pause.received(message);
      },
      onDidSendMessage: (message: ProtocolMessage) => {
        if (pause.sent(message)) {
          this.focusChanged.fire();
        }
      },
      onError: (error) => {
        this.log.error(`${session.name}: the adapter failed: ${error.message}`);
      },
      onExit: (code, signal) => {
        this.log.info(`${session.name}: the adapter ended (${signal ?? String(code ?? 0)})`);
      },
    };
  }

  private started(session: vscode.DebugSession): void {
    if (isOurs(session)) {
      this.entry(session);
      this.changed();
    }
  }

  private terminated(session: vscode.DebugSession): void {
    this.pauses.delete(session.id);
    if (this.entries.delete(session.id)) {
      this.changed();
    }
    this.ended.fire(session);
  }

  private received({ session, event, body }: vscode.DebugSessionCustomEvent): void {
    if (!isOurs(session)) {
      return;
    }
    switch (event as keyof DebugEvents) {
      case "tensorpeek/mode": {
        const mode = body as DebugEvents["tensorpeek/mode"];
        this.entry(session).mode = mode;
        this.log.info(`${session.name}: ${mode.mode}. ${mode.reason}`);
        this.changed();
        break;
      }
      case "tensorpeek/process": {
        const { name } = body as DebugEvents["tensorpeek/process"];
        if (session.parentSession && name !== "") {
          session.name = name;
          this.sessionsChanged.fire();
        }
        break;
      }
    }
  }

  private entry(session: vscode.DebugSession): Entry {
    let entry = this.entries.get(session.id);
    if (!entry) {
      entry = { session, mode: undefined };
      this.entries.set(session.id, entry);
    }
    return entry;
  }

  private changed(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT_KEYS.sessionActive, this.hasSessions);
    this.sessionsChanged.fire();
    this.focusChanged.fire();
  }
}

/** Our own type always; Microsoft's where our provider led the session through our adapter. */
function isOurs({ type, configuration }: vscode.DebugSession): boolean {
  return type === "tensorpeek" || (configuration as PythonDebugConfiguration).tensorpeek !== undefined;
}
