/** The part of a DAP message that tells whether values on screen are still true, and which check boxes are ticked. */
export interface ProtocolMessage {
  readonly type?: string;
  readonly seq?: number;
  readonly event?: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly request_seq?: number;
  readonly arguments?: {
    readonly context?: string;
    readonly filters?: readonly string[];
    readonly filterOptions?: readonly { readonly filterId: string; readonly condition?: string }[];
  };
  readonly body?: {
    readonly exceptionBreakpointFilters?: readonly {
      readonly filter: string;
      readonly label: string;
      readonly description?: string;
    }[];
    readonly breakpoints?: readonly { readonly verified?: boolean; readonly message?: string }[];
    readonly reason?: string;
    readonly description?: string;
  };
}

const RESUMING = new Set(["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto"]);
const CHANGING = new Set(["setVariable", "setExpression"]);

/**
 * Follows one session's messages and says when it pauses and when values may have changed while it is paused.
 * `revision` differs between any two moments at which a value may differ.
 */
export class PauseState {
  paused = false;
  revision = 0;
  /** What a breakpoint's condition said when it stopped the program, as in `loss 31, usual 0.212`. */
  said = "";
  private readonly changing = new Set<number>();

  /** A message from the editor to the adapter. */
  received(message: ProtocolMessage): void {
    const isStatement = message.command === "evaluate" && message.arguments?.context === "repl";
    if (message.seq !== undefined && (isStatement || CHANGING.has(message.command ?? ""))) {
      this.changing.add(message.seq);
    }
  }

  /** A message from the adapter to the editor; true when what is on screen may be stale. */
  sent(message: ProtocolMessage): boolean {
    if (message.type === "event") {
      return this.happened(message);
    }
    if (message.type !== "response") {
      return false;
    }
    // A statement that failed may have changed something before.
    if (this.changing.delete(message.request_seq ?? -1)) {
      this.revision++;
      return true;
    }
    return message.success === true && RESUMING.has(message.command ?? "") && this.resume();
  }

  private happened({ event, body }: ProtocolMessage): boolean {
    switch (event) {
      case "stopped":
        this.paused = true;
        this.said = body?.reason === "breakpoint" ? (body.description ?? "") : "";
        this.revision++;
        return true;
      case "invalidated":
        this.revision++;
        return true;
      case "continued":
        return this.resume();
      default:
        return false;
    }
  }

  private resume(): boolean {
    const wasPaused = this.paused;
    this.paused = false;
    return wasPaused;
  }
}
