import type { ProtocolMessage } from "./pauseState";

/** A check box of the Breakpoints view that a session's adapter offers, and how it is set. */
export interface Filter {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly on: boolean;
  /** What the user wrote into it, as in `factor=5`. */
  readonly settings: string;
  /** Why the adapter refused it; empty when it did not. */
  readonly problem: string;
}

/** What of a check box is asked for in `setExceptionBreakpoints`. */
export interface FilterOption {
  readonly filterId: string;
  readonly condition?: string;
}

/**
 * Follows which check boxes of the Breakpoints view hold in one session, for VS Code has no API that says it:
 * the adapter announces them in its first answer, and the editor sends all that are ticked at each change.
 */
export class FilterState {
  private offered: readonly { readonly filter: string; readonly label: string; readonly description?: string }[] = [];
  private problems = new Map<string, string>();
  private readonly asked = new Map<number, readonly FilterOption[]>();
  /** What is ticked, as last asked for. */
  options: readonly FilterOption[] = [];

  get filters(): readonly Filter[] {
    return this.offered.map(({ filter: id, label, description = "" }) => {
      const option = this.options.find(({ filterId }) => filterId === id);
      const problem = this.problems.get(id) ?? "";
      return { id, label, description, on: option !== undefined, settings: option?.condition ?? "", problem };
    });
  }

  /** A message from the editor to the adapter; true when another set is ticked. */
  received({ command, seq = -1, arguments: args }: ProtocolMessage): boolean {
    if (command !== "setExceptionBreakpoints") {
      return false;
    }
    this.options = [...(args?.filters ?? []).map((filterId) => ({ filterId })), ...(args?.filterOptions ?? [])];
    this.asked.set(seq, this.options);
    return true;
  }

  /** A message from the adapter to the editor; true when it says something about the check boxes. */
  sent({ type, command, request_seq: seq = -1, body }: ProtocolMessage): boolean {
    if (type !== "response") {
      return false;
    }
    if (command === "initialize" && body?.exceptionBreakpointFilters) {
      this.offered = body.exceptionBreakpointFilters;
      return true;
    }
    const asked = this.asked.get(seq);
    this.asked.delete(seq);
    if (!asked) {
      return false;
    }
    const refused = asked.flatMap(({ filterId }, index): [string, string][] => {
      const { verified, message } = body?.breakpoints?.[index] ?? {};
      return verified === false ? [[filterId, message ?? ""]] : [];
    });
    this.problems = new Map(refused);
    return true;
  }
}
