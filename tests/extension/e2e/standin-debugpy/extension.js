// What Microsoft's Python Debugger does with a configuration of type debugpy, as far as TensorPeek depends on it:
// `debugAdapterPath` names the adapter's script, `connect` leads straight to a port, `debugpyAttach` starts a child.
const vscode = require("vscode");

exports.activate = function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider("debugpy", { resolveDebugConfiguration }),
    vscode.debug.registerDebugAdapterDescriptorFactory("debugpy", { createDebugAdapterDescriptor }),
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type === "debugpy" && event === "debugpyAttach")
        void vscode.debug.startDebugging(session.workspaceFolder, body, { parentSession: session });
    }),
  );
};

// Microsoft's resolver runs the adapter with the interpreter selected in the Python extension, here the one on PATH.
function resolveDebugConfiguration(_folder, configuration) {
  return { debugAdapterPython: "python3", ...configuration };
}

function createDebugAdapterDescriptor({ configuration }) {
  const { connect, listen, debugAdapterPath, debugAdapterPython } = configuration;
  if (configuration.request === "attach" && connect && !listen)
    return new vscode.DebugAdapterServer(connect.port, connect.host);
  if (!debugAdapterPath) throw new Error("The stand-in has no adapter of its own: set debugAdapterPath.");
  return new vscode.DebugAdapterExecutable(debugAdapterPython, [debugAdapterPath]);
}
