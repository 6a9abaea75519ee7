import * as vscode from "vscode";
import { Disposables } from "./common/disposables";
import { showOnce } from "./common/showOnce";
import { whileActive } from "./common/whileActive";
import { onDidChangePythonPath } from "./configuration";
import { COMMANDS, VIEWS } from "./contributions";
import { AdapterFactory } from "./debug/adapterFactory";
import { AdapterServers } from "./debug/adapterServers";
import { debugFile } from "./debug/debugFile";
import { DebugpyConfigurationProvider } from "./debug/debugpyConfigurationProvider";
import { readyMadeConfigurations } from "./debug/readyMade";
import { SessionTracker } from "./debug/sessionTracker";
import { TensorPeekConfigurationProvider } from "./debug/tensorpeekConfigurationProvider";
import { EvaluatableExpressionProvider } from "./hover/evaluatableExpressionProvider";
import { InlineValuesProvider } from "./inlineValues/inlineValuesProvider";
import { ServerClient } from "./languageClient/serverClient";
import { createLog } from "./log";
import { registerModel } from "./model/commands";
import { ModelView } from "./model/modelView";
import { pickProcess } from "./processPicker/pickProcess";
import { Backend } from "./python/backend";
import { Interpreters } from "./python/interpreter";
import { noticePlainSessions } from "./statusBar/plainNotice";
import { registerShapes } from "./shapes/commands";
import { StatusBar } from "./statusBar/statusBar";
import { registerMenus } from "./tensors/menus";
import { TensorsView } from "./tensors/tensorsView";
import { registerTraining } from "./training/commands";
import { rememberConditions } from "./training/showConditions";
import { TrainingView } from "./training/trainingView";
import { registerTrainingBreakpoints } from "./trainingBreakpoints/commands";
import { followGutterLines } from "./trainingBreakpoints/gutterLines";

/** Builds the objects, hands them to each other, and registers what VS Code calls. */
export function activate(context: vscode.ExtensionContext): void {
  const owned = new Disposables();
  context.subscriptions.push(owned);

  const log = owned.add(createLog());
  const backend = new Backend(context.extensionPath);
  const interpreters = new Interpreters(log);
  const tracker = owned.add(new SessionTracker(log));
  const servers = owned.add(new AdapterServers(log));
  const server = owned.add(new ServerClient(backend, interpreters, log));

  owned.add(
    vscode.debug.registerDebugAdapterDescriptorFactory(
      "tensorpeek",
      new AdapterFactory(backend, interpreters, context.logUri.fsPath),
    ),
  );
  owned.add(
    vscode.debug.registerDebugConfigurationProvider("tensorpeek", new TensorPeekConfigurationProvider(interpreters)),
  );
  owned.add(
    vscode.debug.registerDebugConfigurationProvider(
      "tensorpeek",
      readyMadeConfigurations,
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
  );
  owned.add(
    vscode.debug.registerDebugConfigurationProvider(
      "debugpy",
      new DebugpyConfigurationProvider(backend, interpreters, servers, log),
    ),
  );
  owned.add(
    tracker.onDidEndSession(({ configuration }) => {
      servers.stop(Number(configuration["debugServer"]));
    }),
  );

  const python: vscode.DocumentSelector = { language: "python" };
  const inOurSessions = (register: () => vscode.Disposable): void => {
    owned.add(whileActive(tracker.onDidChangeSessions, () => tracker.hasSessions, register));
  };
  inOurSessions(() => vscode.languages.registerInlineValuesProvider(python, new InlineValuesProvider(tracker, log)));
  inOurSessions(() =>
    vscode.languages.registerEvaluatableExpressionProvider(python, new EvaluatableExpressionProvider(server, log)),
  );

  owned.add(new StatusBar(tracker));
  owned.add(noticePlainSessions(tracker));
  const tensors = owned.add(new TensorsView(tracker, log, context.extensionUri));
  owned.add(vscode.window.registerWebviewViewProvider(VIEWS.tensors, tensors));
  owned.add(
    showOnce(VIEWS.tensors, tracker.onDidChangeFocus, () => tracker.focus.kind === "paused", context.globalState),
  );
  registerMenus(tensors).forEach((menu) => owned.add(menu));

  owned.add(new TrainingView(tracker, log));
  owned.add(showOnce(VIEWS.training, tracker.onDidFind, () => true, context.globalState));
  owned.add(rememberConditions(tracker, context.globalState));
  registerTraining(tracker, context.globalState).forEach((command) => owned.add(command));
  owned.add(followGutterLines());
  registerTrainingBreakpoints(server, tracker, log).forEach((command) => owned.add(command));

  const model = owned.add(new ModelView(server, log));
  registerModel(model).forEach((command) => owned.add(command));
  owned.add(tracker.onDidEndSession(() => void model.traceChanged()));
  const traced = (): void => void model.traceChanged();
  const tools = { backend, interpreters, log, memory: context.workspaceState, traced };
  registerShapes(tools, tracker).forEach((command) => owned.add(command));

  // Code actions, and the findings of the last run, are there without a session.
  void server.start();
  owned.add(tracker.onDidFind(() => server.runChanged()));

  owned.add(onDidChangePythonPath(() => server.restart()));
  owned.add(vscode.commands.registerCommand(COMMANDS.restartServer, () => server.restart()));
  owned.add(vscode.commands.registerCommand(COMMANDS.debugFile, debugFile));
  owned.add(vscode.commands.registerCommand(COMMANDS.pickProcess, pickProcess));
  owned.add(
    vscode.commands.registerCommand(COMMANDS.showLog, () => {
      log.show();
    }),
  );
}
