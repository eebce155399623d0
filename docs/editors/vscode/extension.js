// Starts `ce lsp` for rules files and programs; everything else is the server's.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const [command, ...args] = workspace.getConfiguration("codeeraser").get("command");
  client = new LanguageClient("codeeraser", "CodeEraser", { command, args }, { documentSelector: [{ language: "ce-datalog" }] });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
