import type { TensorTable } from "../../src/contract/messages";

/** What the page shows. */
export type PageState =
  | { readonly kind: "table"; readonly table: TensorTable }
  /** Why there is no table. */
  | { readonly kind: "message"; readonly text: string }
  /** The program runs or the answer is on its way: what is shown is of the last pause. */
  | { readonly kind: "stale"; readonly text: string };

export type ToPage =
  { readonly type: "state"; readonly state: PageState } | { readonly type: "select"; readonly expression: string };

export type Action = "copy" | "watch" | "reveal";

export type FromPage =
  | { readonly type: "ready" }
  /** What the view's title says beside its name. */
  | { readonly type: "totals"; readonly text: string }
  | { readonly type: "act"; readonly action: Action; readonly expression: string };

/** The page's texts in the user's language. Numbers in braces stand for what the page knows. */
export interface Strings {
  readonly table: string;
  readonly filter: string;
  readonly alarmsOnly: string;
  readonly sortBy: string;
  readonly frameOrder: string;
  readonly ascending: string;
  readonly descending: string;
  readonly name: string;
  readonly shape: string;
  readonly dtype: string;
  readonly device: string;
  readonly bytes: string;
  readonly min: string;
  readonly max: string;
  readonly mean: string;
  readonly alarm: string;
  readonly copy: string;
  readonly watch: string;
  readonly reveal: string;
  /** {0} of {1} tensors */
  readonly someTensors: string;
  readonly truncated: string;
  /** The numbers cover a part of the elements only. */
  readonly partial: string;
  /** Shares its storage with {0} */
  readonly sharesStorage: string;
  readonly noTensors: string;
  readonly noMatch: string;
  /** Show {0} more */
  readonly showMore: string;
}
