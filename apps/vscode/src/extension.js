// Starts `impasse lsp`, which does everything: this file only finds the program, passes the settings on, and adds
// two commands to the palette.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** The client, once the server was started. */
let client;

/** Returns the arguments of the server from the settings. */
function serverOptions() {
  const settings = vscode.workspace.getConfiguration("impasse");
  const args = ["lsp", `--timeout=${settings.get("timeout", "60s")}`, `--jobs=${settings.get("jobs", 1)}`];
  return { command: settings.get("path", "impasse"), args, transport: TransportKind.stdio };
}

async function start() {
  const options = { documentSelector: [{ language: "rwb" }, { language: "mist-spec" }], outputChannelName: "Impasse" };
  client = new LanguageClient("impasse", "Impasse", serverOptions(), options);
  try {
    await client.start();
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `Impasse cannot be started: ${error.message}. The setting impasse.path names the program.`,
      "Open Settings",
    );
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "impasse.path");
    }
  }
}

async function stop() {
  const old = client;
  client = undefined;
  // A server that could not be started cannot be stopped.
  await old?.stop().catch(() => {});
}

async function restart() {
  await stop();
  await start();
}

/** Checks the text of the active editor, as the lens "check this" does. */
async function checkFile() {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || document?.languageId !== "rwb") {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  await vscode.commands.executeCommand("impasse.check", { uri });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("impasse.checkFile", checkFile),
    vscode.commands.registerCommand("impasse.restart", restart),
    vscode.debug.registerDebugAdapterDescriptorFactory("impasse", {
      createDebugAdapterDescriptor() {
        const path = vscode.workspace.getConfiguration("impasse").get("path", "impasse");
        return new vscode.DebugAdapterExecutable(path, ["dap"]);
      },
    }),
    vscode.debug.registerDebugConfigurationProvider("impasse", {
      // Without a `launch.json`, the model in the editor is opened.
      resolveDebugConfiguration(_folder, config) {
        if (config.type !== undefined) return config;
        return { type: "impasse", request: "launch", name: "Model", program: "${file}" };
      },
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const own = ["path", "timeout", "jobs"].map((name) => `impasse.${name}`);
      if (own.some((name) => event.affectsConfiguration(name))) {
        restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
