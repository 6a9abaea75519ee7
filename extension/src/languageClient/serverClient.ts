import * as vscode from "vscode";
import { DidChangeWatchedFilesNotification, LanguageClient, RevealOutputChannelOn } from "vscode-languageclient/node";
import { coalesced } from "../common/coalesce";
import { messageOf } from "../common/errors";
import type { ServerRequests } from "../contract/messages";
import type { Log } from "../log";
import type { Backend } from "../python/backend";
import type { Interpreters } from "../python/interpreter";
import { OLDEST_FOR_SERVER } from "../python/version";

/** Our language server: started when it is first wanted, started anew on demand, and silent when it cannot be had. */
export class ServerClient implements vscode.Disposable {
  /** Undefined while nobody wanted it; resolves to undefined when it could not be started. */
  private starting: Promise<LanguageClient | undefined> | undefined;

  /** Starts the server again where it runs or failed to; does nothing where nobody wanted it yet. */
  readonly restart = coalesced(async () => {
    const previous = this.starting;
    if (!previous) {
      return;
    }
    await stop(await previous);
    this.starting = undefined;
    await this.start();
  });

  constructor(
    private readonly backend: Backend,
    private readonly interpreters: Interpreters,
    private readonly log: Log,
  ) {}

  /** Brings the server up, so that the first request need not wait for it. */
  async start(): Promise<void> {
    await this.client();
  }

  /** Sends one of our own LSP requests; undefined when there is no server to answer it. */
  async request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]["params"],
    token: vscode.CancellationToken,
  ): Promise<ServerRequests[M]["result"] | undefined> {
    const client = await this.client();
    return await client?.sendRequest<ServerRequests[M]["result"]>(method, params, token);
  }

  /** Tells the server that a run wrote something: watchers miss files in folders that were made just before. */
  async runChanged(): Promise<void> {
    const client = await this.starting;
    await client?.sendNotification(DidChangeWatchedFilesNotification.type, { changes: [] });
  }

  dispose(): void {
    void this.starting?.then(stop);
  }

  private client(): Promise<LanguageClient | undefined> {
    this.starting ??= this.launch().catch((error: unknown) => {
      this.log.error(`The language server could not be started: ${messageOf(error)}`);
      return undefined;
    });
    return this.starting;
  }

  private async launch(): Promise<LanguageClient> {
    const interpreter = await this.interpreters.findAtLeast(OLDEST_FOR_SERVER, vscode.workspace.workspaceFolders?.[0]);
    const { program, args } = this.backend.server(interpreter);
    const client = new LanguageClient(
      "tensorpeek",
      "TensorPeek",
      { command: program, args: [...args] },
      {
        documentSelector: [{ scheme: "file", language: "python" }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
      },
    );
    await client.start();
    return client;
  }
}

async function stop(client: LanguageClient | undefined): Promise<void> {
  await client?.dispose();
}
