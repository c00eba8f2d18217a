// The extension: it starts `syncpoint lsp`, finds the region's debugger, shows maps, and offers tasks.

"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;
const previews = new Map();

function program() {
  return vscode.workspace.getConfiguration("syncpoint").get("path", "syncpoint");
}

async function start() {
  const server = { command: program(), args: ["lsp"], transport: TransportKind.stdio };
  const options = {
    documentSelector: [{ language: "cobol" }, { language: "bms" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{cbl,cob,cpy,dcl,inc,bms,toml}") },
  };
  client = new LanguageClient("syncpoint", "Syncpoint", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `${program()} lsp does not start (${error.message}): the setting syncpoint.path says where syncpoint is`,
    );
  }
}

async function stop() {
  const stopped = client;
  client = undefined;
  if (stopped) {
    await stopped.stop();
  }
}

// The map at the cursor, as its user will see it.
async function draw(panel, editor) {
  if (!client) {
    return;
  }
  const parameters = {
    textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
    position: client.code2ProtocolConverter.asPosition(editor.selection.active),
  };
  try {
    const answer = await client.sendRequest("syncpoint/preview", parameters);
    panel.title = `Map ${answer.map}`;
    panel.webview.html = page(answer.svg);
  } catch (error) {
    panel.webview.html = page(`<p>${escaped(error.message)}</p>`);
  }
}

function page(body) {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  const head = `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return `<!DOCTYPE html><html><head>${head}</head><body style="padding:1em">${body}</body></html>`;
}

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function preview() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "bms") {
    return;
  }
  const key = editor.document.uri.toString();
  let panel = previews.get(key);
  if (panel) {
    panel.reveal(undefined, true);
  } else {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    panel = vscode.window.createWebviewPanel("syncpoint.map", "Map", column, { enableScripts: false });
    panel.onDidDispose(() => previews.delete(key));
    previews.set(key, panel);
  }
  draw(panel, editor);
}

function redraw(editor) {
  const panel = editor && previews.get(editor.document.uri.toString());
  if (panel) {
    draw(panel, editor);
  }
}

// Where the region's debugger listens: `syncpoint debug` opens the port.
const debuggers = {
  createDebugAdapterDescriptor(session) {
    const { port = 4711, host = "127.0.0.1" } = session.configuration;
    return new vscode.DebugAdapterServer(port, host);
  },
};

const configurations = {
  resolveDebugConfiguration(_folder, configuration) {
    const chosen = { type: "syncpoint", request: "attach", name: "Syncpoint region" };
    return configuration.type ? configuration : chosen;
  },
};

function task(folder, command) {
  const run = new vscode.ProcessExecution(program(), [command, "."], { cwd: folder.uri.fsPath });
  const made = new vscode.Task({ type: "syncpoint", command }, folder, command, "syncpoint", run, ["$syncpoint"]);
  made.group = command === "check" ? vscode.TaskGroup.Build : undefined;
  made.isBackground = command !== "check";
  return made;
}

const tasks = {
  provideTasks() {
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.flatMap((folder) => ["check", "run", "debug"].map((command) => task(folder, command)));
  },
  resolveTask(asked) {
    const folder = asked.scope && asked.scope.uri ? asked.scope : vscode.workspace.workspaceFolders?.[0];
    return folder && ["check", "run", "debug"].includes(asked.definition.command)
      ? task(folder, asked.definition.command)
      : undefined;
  },
};

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("syncpoint.preview", preview),
    vscode.commands.registerCommand("syncpoint.restart", async () => {
      await stop();
      await start();
    }),
    vscode.window.onDidChangeTextEditorSelection((event) => redraw(event.textEditor)),
    vscode.workspace.onDidChangeTextDocument((event) => {
      const shown = vscode.window.activeTextEditor;
      if (shown && shown.document === event.document) {
        redraw(shown);
      }
    }),
    vscode.debug.registerDebugAdapterDescriptorFactory("syncpoint", debuggers),
    vscode.debug.registerDebugConfigurationProvider("syncpoint", configurations),
    vscode.tasks.registerTaskProvider("syncpoint", tasks),
  );
  // A folder that is not trusted may name any program as syncpoint.
  if (vscode.workspace.isTrusted) {
    await start();
  } else {
    context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(start));
  }
}

module.exports = { activate, deactivate: stop };
