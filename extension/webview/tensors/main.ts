import type { TensorTable } from "../../src/contract/messages";
import { element } from "./dom";
import { arrange, DEFAULT_QUERY, type Query } from "./model";
import type { FromPage, PageState, Strings, ToPage } from "./protocol";
import { RowNavigation } from "./navigation";
import { Listing } from "./listing";
import { Toolbar, totalsText } from "./toolbar";
import "./controls.css";
import "./rows.css";

interface PageMemory {
  readonly query: Query;
  readonly scroll: number;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): PageMemory | undefined;
  setState(state: PageMemory): void;
};

const vscode = acquireVsCodeApi();
const strings = JSON.parse(document.body.dataset["strings"] ?? "{}") as Strings;
const memory = vscode.getState();

let query: Query = { ...DEFAULT_QUERY, ...memory?.query };
let table: TensorTable | undefined;

const toolbar = new Toolbar(strings, (changed) => {
  query = changed;
  remember();
  draw();
});
const listing = new Listing(strings, (column) => {
  toolbar.sortBy(column);
});
const navigation = new RowNavigation(listing.element, (action, expression) => {
  vscode.postMessage({ type: "act", action, expression });
});
/** The totals again for those who hear the page rather than see the view's title. */
const totals = element("div", { class: "unseen", role: "status", "data-testid": "totals" });
document.body.append(toolbar.element, totals, listing.element);

function draw(): void {
  const arranged = arrange(table?.rows ?? [], query);
  toolbar.show(query, arranged);
  listing.show(arranged, query);
  navigation.refresh();
  const text = table ? totalsText(arranged, table.truncated, strings) : "";
  totals.textContent = text;
  vscode.postMessage({ type: "totals", text });
}

function show(state: PageState): void {
  switch (state.kind) {
    case "table": {
      const scroll = table ? window.scrollY : (memory?.scroll ?? 0);
      table = state.table;
      draw();
      window.scrollTo({ top: scroll });
      break;
    }
    case "message":
      table = undefined;
      draw();
      listing.explain(state.text);
      break;
    case "stale":
      listing.explain(state.text, table !== undefined);
      break;
  }
  toolbar.element.hidden = table === undefined;
}

function select(expression: string): void {
  if (!navigation.select(expression)) {
    toolbar.set({ ...query, filter: "", alarmsOnly: false });
    listing.showAll();
    navigation.select(expression);
  }
}

function remember(): void {
  vscode.setState({ query, scroll: window.scrollY });
}

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "state":
      show(data.state);
      break;
    case "select":
      select(data.expression);
      break;
  }
});
window.addEventListener("scrollend", remember);
vscode.postMessage({ type: "ready" });
