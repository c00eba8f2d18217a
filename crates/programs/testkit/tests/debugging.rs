//! An editor debugs a program: breakpoints, steps, paragraphs, items, commands, and its going away.

mod common;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use common::{Run, Site, attach, displayed};
use serde_json::{Value, json};
use testkit::timeline::{Happening, Timeline};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Lines of the program as the test names them.
const APPLICATION: &str = "
```toml
[debug]
listen = \"0\"
```

```cobol DEBG
01 TOTAL PIC S9(5)V99 COMP-3 VALUE 1.
01 RESP-CODE PIC S9(8) COMP.
01 ORDER-REC.
   05 ITEM PIC X(4) VALUE 'BOLT'.
   05 PRICE PIC 9(3) OCCURS 3 VALUE 7.
PROCEDURE DIVISION.
FIRST-PART.
PERFORM ADD-UP
DISPLAY 'TOTAL ' TOTAL
EXEC CICS READQ TS QUEUE('NONE') INTO(ORDER-REC) RESP(RESP-CODE) END-EXEC
DISPLAY 'OVER'
EXEC CICS RETURN END-EXEC.
ADD-UP.
ADD PRICE(2) TO TOTAL
MOVE 'NUT' TO ITEM.
LAST-PART.
EXIT.
```
";

/// An editor, as far as a test needs one.
struct Editor {
    stream: BufReader<TcpStream>,
    sent: u64,
}

impl Editor {
    async fn connect(at: SocketAddr) -> Self {
        let stream = TcpStream::connect(at).await.expect("the debugger listens");
        Self { stream: BufReader::new(stream), sent: 0 }
    }

    async fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.stream.read_line(&mut line).await.expect("a header");
            assert!(read > 0, "the debugger has gone");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a length"),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text).await.expect("a message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// Asks, and has the answer; events before it are passed over.
    async fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.sent += 1;
        let request =
            json!({"seq": self.sent, "type": "request", "command": command, "arguments": arguments});
        let text = request.to_string();
        let message = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.stream.write_all(message.as_bytes()).await.expect("it is sent");
        loop {
            let message = self.next().await;
            if message["type"] == "response" && message["request_seq"] == self.sent {
                return message;
            }
        }
    }

    /// Waits for a task to rest: its number, and why.
    async fn stopped(&mut self) -> (u64, String) {
        loop {
            let message = self.next().await;
            if message["event"] == "stopped" {
                let body = &message["body"];
                let text = body["text"].as_str().or(body["reason"].as_str()).unwrap_or_default();
                return (body["threadId"].as_u64().expect("a task"), text.to_owned());
            }
        }
    }

    /// The frames of a task: name and line.
    async fn frames(&mut self, task: u64) -> (Vec<String>, u64) {
        let answer = self.ask("stackTrace", json!({"threadId": task})).await;
        let frames = answer["body"]["stackFrames"].as_array().expect("frames").clone();
        let name =
            |frame: &Value| format!("{}:{}", frame["name"].as_str().unwrap_or_default(), frame["line"]);
        (frames.iter().map(name).collect(), frames[0]["id"].as_u64().expect("a number"))
    }

    async fn evaluate(&mut self, frame: u64, name: &str) -> String {
        let answer = self.ask("evaluate", json!({"expression": name, "frameId": frame})).await;
        let text = answer["body"]["result"].as_str().or(answer["message"].as_str());
        text.unwrap_or_default().to_owned()
    }
}

fn address(run: &Run) -> SocketAddr {
    let listening = run.house.running.addresses("debug");
    *listening.first().expect("the debugger listens")
}

/// The line of the program's source that has a text: what the test kit writes around it counts.
fn line(source: &str, text: &str) -> u64 {
    let place = source.lines().position(|line| line.contains(text));
    place.map(|place| place as u64 + 1).unwrap_or_else(|| panic!("no {text} in:\n{source}"))
}

/// The source of a program of a site: its path and its text.
fn source(site: &str, program: &str) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(site).join("application/programs");
    let path = folder.join(program).with_extension("cbl");
    let text = std::fs::read_to_string(&path).expect("the program's source");
    (path, text)
}

#[test]
fn an_editor_has_a_task_rest_looks_at_it_changes_it_and_lets_it_go_on() {
    Site::new("debugging", APPLICATION).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let (path, text) = source("debugging", "DEBG");
        let mut editor = Editor::connect(address(run)).await;
        let answer = editor.ask("initialize", json!({"adapterID": "syncpoint"})).await;
        assert_eq!(answer["body"]["supportsSetVariable"], true);
        let add = line(&text, "ADD PRICE(2)");
        let breakpoints = json!({"source": {"path": path}, "breakpoints": [{"line": add}]});
        let answer = editor.ask("setBreakpoints", breakpoints).await;
        assert_eq!(answer["body"]["breakpoints"][0]["verified"], true);
        editor.ask("configurationDone", Value::Null).await;

        attach(&region, "DEBG");
        let (task, why) = editor.stopped().await;
        assert_eq!(why, "breakpoint");
        let (frames, frame) = editor.frames(task).await;
        let perform = line(&text, "PERFORM ADD-UP");
        assert_eq!(frames, [format!("ADD-UP in DEBG:{add}"), format!("FIRST-PART in DEBG:{perform}")]);
        assert_eq!(editor.evaluate(frame, "total").await, "1.00");
        assert_eq!(editor.evaluate(frame, "PRICE(2)").await, "7");
        assert!(editor.evaluate(frame, "NOSUCH").await.starts_with("no item NOSUCH"));

        // Scopes unfold to items, and a changed one is in the task when it goes on.
        let scopes = editor.ask("scopes", json!({"frameId": frame})).await;
        let working = &scopes["body"]["scopes"][0];
        assert_eq!(working["name"], "WORKING-STORAGE");
        let reference = &working["variablesReference"];
        let records = editor.ask("variables", json!({"variablesReference": reference})).await;
        let records = records["body"]["variables"].as_array().expect("records");
        let total = records.iter().find(|record| record["name"] == "TOTAL").expect("TOTAL");
        assert_eq!(total["value"], "1.00");
        let change = json!({"variablesReference": reference, "name": "TOTAL", "value": "100.5"});
        assert_eq!(editor.ask("setVariable", change).await["body"]["value"], "100.50");
        let change = json!({"variablesReference": reference, "name": "TOTAL", "value": "BOLT"});
        assert_eq!(editor.ask("setVariable", change).await["success"], false);

        // A step, the end of the paragraph, and the rest of the program.
        editor.ask("next", json!({"threadId": task})).await;
        assert_eq!(editor.stopped().await, (task, String::from("step")));
        let (frames, frame) = editor.frames(task).await;
        assert_eq!(frames[0], format!("ADD-UP in DEBG:{}", add + 1));
        assert_eq!(editor.evaluate(frame, "TOTAL").await, "107.50");
        editor.ask("stepOut", json!({"threadId": task})).await;
        editor.stopped().await;
        assert_eq!(editor.frames(task).await.0[0], format!("FIRST-PART in DEBG:{}", perform + 1));
        editor.ask("continue", json!({"threadId": task})).await;
        run.until("the program's last line", || displayed("OVER").is_some()).await;
        assert!(displayed("TOTAL ").is_some_and(|total| total.contains("10750") || total.contains("1075")));
        true
    });
}

#[test]
fn a_task_rests_at_commands_and_goes_on_when_the_editor_has_gone() {
    Site::new("debugging-commands", &APPLICATION.replace("DEBG", "CMDS")).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let mut editor = Editor::connect(address(run)).await;
        editor.ask("initialize", Value::Null).await;
        editor.ask("setExceptionBreakpoints", json!({"filters": ["before", "conditions"]})).await;

        // A second editor hears why it is refused.
        let mut second = Editor::connect(address(run)).await;
        let refused = second.ask("initialize", Value::Null).await;
        assert!(refused["message"].as_str().is_some_and(|why| why.contains("another debugger")));

        attach(&region, "CMDS");
        let (task, why) = editor.stopped().await;
        assert_eq!(why, "before EXEC CICS READQ TS");
        editor.ask("continue", json!({"threadId": task})).await;
        let (_, why) = editor.stopped().await;
        assert_eq!(why, "behind EXEC CICS READQ TS: QIDERR");
        let (_, frame) = editor.frames(task).await;
        assert_eq!(editor.evaluate(frame, "EIBRESP").await, "44");
        editor.ask("disconnect", Value::Null).await;
        run.until("the program's last line", || displayed("OVER").is_some()).await;
        true
    });
}

/// A program that asks for one command for ever.
const LOOP: &str = "
```toml
[debug]
listen = \"0\"
[sit]
ICVR = 500
```

```cobol LOOP
PERFORM UNTIL N < 0
    EXEC CICS ASSIGN USERID(REC) END-EXEC
    MOVE 1 TO N
END-PERFORM
```
";

#[test]
fn a_loop_of_commands_is_a_runaway_while_an_editor_looks_on() {
    Site::new("debugging-runaway", LOOP).run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let mut editor = Editor::connect(address(run)).await;
        editor.ask("initialize", Value::Null).await;
        editor.ask("setExceptionBreakpoints", json!({"filters": ["conditions"]})).await;
        attach(&region, "LOOP");
        run.until("the end of the task", || abended("LOOP").is_some()).await;
        assert_eq!(abended("LOOP").as_deref(), Some("LOOP abended AICA in LOOP"));
        true
    });
}

/// Returns the abend of a transaction's task.
fn abended(transaction: &str) -> Option<String> {
    let told = Timeline::of_process().since(0).into_iter();
    let abends = told.filter(|happening| matches!(happening, Happening::Abend(..)));
    abends.map(|abend| abend.to_string()).find(|text| text.starts_with(transaction))
}

/// A folder with VS Code's own client of debuggers, installed on first use.
fn vscodes_client() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node/debug-client");
    let modules = folder.join("node_modules");
    if !modules.join("@vscode/debugadapter-testsupport").exists() {
        let mut install = std::process::Command::new("npm");
        install.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix"]);
        install.arg(&folder).arg("@vscode/debugadapter-testsupport@1.68.0");
        if !install.status().is_ok_and(|status| status.success()) {
            eprintln!("VS Code's client of debuggers cannot be installed: nothing is shown");
            return None;
        }
    }
    Some(modules)
}

#[test]
fn vs_codes_own_client_debugs_a_task() {
    let site = Site::new("debugging-vscode", &APPLICATION.replace("DEBG", "VSCO"));
    let Some(modules) = vscodes_client() else { return };
    site.run(async |run| {
        let region = Arc::clone(&run.house.running.region);
        let (source, text) = source("debugging-vscode", "VSCO");
        let add = line(&text, "ADD PRICE(2)");
        let mut client = tokio::process::Command::new("node");
        client.env("NODE_PATH", modules);
        client.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/debug.js"));
        client.arg(address(run).port().to_string()).arg(source).arg(add.to_string());
        let mut client = client.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("node runs");
        let mut said = BufReader::new(client.stdout.take().expect("its output"));
        let mut first = String::new();
        said.read_line(&mut first).await.expect("it says that it is ready");
        assert_eq!(first, "ready true\n");
        attach(&region, "VSCO");
        let mut rest = String::new();
        said.read_to_string(&mut rest).await.expect("what it says");
        let task = rest.lines().next().unwrap_or_default();
        assert!(task.starts_with("task ") && task.ends_with(" VSCO"), "{rest}");
        let lines: Vec<&str> = rest.lines().skip(1).collect();
        let scopes = "WORKING-STORAGE,LINKAGE,EXEC interface block";
        assert_eq!(lines, ["ADD-UP in VSCO,FIRST-PART in VSCO", scopes, "1.00", "8.00"]);
        assert!(client.wait().await.is_ok_and(|status| status.success()));
        true
    });
}
