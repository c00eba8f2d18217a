// VS Code's own client of debuggers: a breakpoint, what stands there, a step, and the end.
// node debug.js PORT SOURCE LINE, with NODE_PATH where the client is. It says "ready" when the breakpoint is set.
const { DebugClient } = require("@vscode/debugadapter-testsupport");

async function main(port, source, line) {
  const client = new DebugClient("node", "", "syncpoint");
  await client.start(port);
  await client.initializeRequest();
  const set = await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line }] });
  await client.attachRequest({});
  await client.configurationDoneRequest();
  const stopped = client.waitForEvent("stopped");
  console.log("ready", set.body.breakpoints[0].verified);
  const threadId = (await stopped).body.threadId;
  const threads = await client.threadsRequest();
  console.log(threads.body.threads.map((thread) => thread.name).join());
  const frames = (await client.stackTraceRequest({ threadId })).body.stackFrames;
  console.log(frames.map((frame) => frame.name).join());
  const scopes = (await client.scopesRequest({ frameId: frames[0].id })).body.scopes;
  console.log(scopes.map((scope) => scope.name).join());
  const { variablesReference } = scopes[0];
  const variables = (await client.variablesRequest({ variablesReference })).body.variables;
  console.log(variables.filter((item) => item.name === "TOTAL").map((item) => item.value).join());
  await Promise.all([client.nextRequest({ threadId }), client.waitForEvent("stopped")]);
  const hover = await client.evaluateRequest({ expression: "TOTAL", frameId: (await client.stackTraceRequest({ threadId })).body.stackFrames[0].id });
  console.log(hover.body.result);
  await client.continueRequest({ threadId });
  await client.disconnectRequest();
}

const [port, source, line] = process.argv.slice(2);
main(Number(port), source, Number(line)).then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
