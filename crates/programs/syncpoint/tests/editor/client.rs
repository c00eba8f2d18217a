//! A client that speaks to `syncpoint lsp` as an editor does, message by message.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// The server and what has come from it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: i64,
    /// Messages that were published last, by URI.
    pub(crate) diagnostics: std::collections::BTreeMap<String, Vec<Value>>,
}

pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Client {
    /// A server that is initialized.
    pub(crate) fn new(root: &Path) -> Self {
        let mut client = Self::bare();
        let capabilities =
            json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
        let started =
            client.request("initialize", json!({"rootUri": uri(root), "capabilities": capabilities}));
        assert_eq!(started["serverInfo"]["name"], "syncpoint");
        client.notify("initialized", json!({}));
        client
    }

    /// A server to which nothing has been said.
    pub(crate) fn bare() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the binary starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("a pipe"));
        Self { child, input, output: BufReader::new(output), next: 0, diagnostics: Default::default() }
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// The next message of the server.
    pub(crate) fn receive(&mut self) -> Value {
        let mut header = Vec::new();
        while !header.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.output.read_exact(&mut byte).expect("the server goes on");
            header.push(byte[0]);
        }
        let header = String::from_utf8(header).expect("a header");
        let length =
            header.trim().rsplit(' ').next().and_then(|length| length.parse().ok()).expect("a length");
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("a whole message");
        let message: Value = serde_json::from_slice(&text).expect("JSON");
        if message["method"] == "textDocument/publishDiagnostics" {
            let list = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
            self.diagnostics.insert(message["params"]["uri"].as_str().unwrap_or_default().to_owned(), list);
        }
        message
    }

    /// Sends a request, and waits for what is answered: the result or the error.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.ask(method, parameters).expect("an answer")
    }

    pub(crate) fn open(&mut self, path: &Path, text: &str) {
        let document = json!({"uri": uri(path), "languageId": "cobol", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(crate) fn change(&mut self, path: &Path, version: i64, text: &str) {
        let document = json!({"uri": uri(path), "version": version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }

    /// Waits for the messages of a file, of a version of it if one is given.
    pub(crate) fn published(&mut self, path: &Path, version: i64) -> Vec<Value> {
        loop {
            let message = self.receive();
            let parameters = &message["params"];
            let is_it = message["method"] == "textDocument/publishDiagnostics"
                && parameters["uri"] == uri(path)
                && parameters["version"] == version;
            if is_it {
                return parameters["diagnostics"].as_array().cloned().unwrap_or_default();
            }
        }
    }

    /// Asks about the place of a text's first `^`, which is no part of it.
    pub(crate) fn at(&mut self, method: &str, path: &Path, marked: &str) -> Result<Value, Value> {
        let (line, unit, _) = mark(marked);
        self.ask(
            method,
            json!({"textDocument": {"uri": uri(path)}, "position": {"line": line, "character": unit}}),
        )
    }

    /// Ends the server in order.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("it ends")
    }

    /// Ends the server's input; how it ends.
    pub(crate) fn hang_up(mut self) -> ExitStatus {
        self.input = None;
        self.child.wait().expect("it ends")
    }
}

/// The place of the mark in a text, and the text without it.
pub(crate) fn mark(marked: &str) -> (usize, usize, String) {
    let at = marked.find('^').expect("a mark");
    let before = &marked[..at];
    let line = before.matches('\n').count();
    let unit = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
    (line, unit, marked.replacen('^', "", 1))
}

/// An application of three small files.
pub(crate) struct Application {
    folder: tempfile::TempDir,
}

pub(crate) const COPYBOOK: &str = "\
       01  CUSTOMER.
           05  CUST-NAME       PIC X(20).
           05  CUST-BALANCE    PIC S9(7)V99 COMP-3.
";

pub(crate) const MAP: &str = "\
MENU     DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,STORAGE=AUTO,TIOAPFX=YES
MENU1    DFHMDI SIZE=(24,80)
         DFHMDF POS=(1,30),LENGTH=9,INITIAL='CUSTOMERS'
CHOICE   DFHMDF POS=(3,10),LENGTH=4,ATTRB=(UNPROT,IC)
         DFHMSD TYPE=FINAL
";

pub(crate) const PROGRAM: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  COUNTER             PIC S9(4) COMP.
       01  ANSWER              PIC S9(8) COMP.
           COPY CUST.
           COPY MENU.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM COUNT-UP 3 TIMES
           MOVE 'Anna' TO CUST-NAME
           EXEC CICS SEND MAP('MENU1') MAPSET('MENU') ERASE
               RESP(ANSWER)
           END-EXEC
           MOVE CHOICEI TO CUST-NAME
           EXEC CICS LINK PROGRAM('OTHER') COMMAREA(CUSTOMER)
           END-EXEC
           CALL 'OTHER' USING CUSTOMER
           EXEC CICS RETURN END-EXEC.
       COUNT-UP.
           ADD 1 TO COUNTER.
";

const OTHER: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. OTHER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SUM              PIC S9(9)V99 COMP-3.
       LINKAGE SECTION.
           COPY CUST.
       PROCEDURE DIVISION USING CUSTOMER.
           ADD CUST-BALANCE TO WS-SUM
           GOBACK.
";

impl Application {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let application = Self { folder };
        application.write("region.toml", "");
        application.write("programs/HELLO.cbl", PROGRAM);
        application.write("programs/OTHER.cbl", OTHER);
        application.write("copybooks/CUST.cpy", COPYBOOK);
        application.write("maps/MENU.bms", MAP);
        application
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a file is written");
    }
}
