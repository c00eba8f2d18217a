//! A client that sends garbage: the server says so, and goes on.

use serde_json::{Value, json};

use crate::client::{Application, Client, PROGRAM, uri};

/// Asks for the messages of a good text: the server is as it was.
fn is_well(client: &mut Client, application: &Application, version: i64) {
    let path = application.path("programs/HELLO.cbl");
    client.open(&path, PROGRAM);
    client.change(&path, version, PROGRAM);
    assert_eq!(client.published(&path, version), [] as [Value; 0]);
}

#[test]
fn garbage_between_messages_is_passed_over() {
    let application = Application::new();
    let mut client = Client::new(&application.root());
    for (version, garbage) in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x00\xff\xfe\x80\r\n\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 18446744073709551616\r\n\r\n",
        b"Content-Length: 5\r\n\r\n{\"a\":",
        b"Content-Length: 6\r\n\r\n\"\xff\xff\xff\xff\"",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 0\r\n\r\n",
    ]
    .iter()
    .enumerate()
    {
        client.raw(garbage);
        is_well(&mut client, &application, version as i64 + 2);
    }
    let deep = "[".repeat(100_000);
    client.raw(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    let huge = vec![b'x'; (64 << 20) + 1];
    client.raw(format!("Content-Length: {}\r\n\r\n", huge.len()).as_bytes());
    client.raw(&huge);
    is_well(&mut client, &application, 99);
    assert!(client.end().success());
}

#[test]
fn absurd_requests_are_refused_and_absurd_places_are_the_nearest() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    let document = json!({"uri": uri(&path)});
    assert_eq!(client.ask("no/such", json!({})).expect_err("unknown")["code"], -32601);
    for parameters in [
        Value::Null,
        json!([]),
        json!({"textDocument": 1}),
        json!({"textDocument": document}),
        json!({"textDocument": document, "position": {"line": -1, "character": 0}}),
        json!({"textDocument": document, "position": {"line": 1.5, "character": "x"}}),
    ] {
        assert_eq!(client.ask("textDocument/hover", parameters).expect_err("wrong")["code"], -32602);
    }
    for (line, character) in
        [(0_u64, u64::MAX >> 1), (u64::MAX >> 1, 0), (u64::MAX >> 1, u64::MAX >> 1), (22, 5)]
    {
        let at = json!({"textDocument": document, "position": {"line": line, "character": character}, "newName": "X"});
        for method in [
            "definition",
            "references",
            "documentHighlight",
            "hover",
            "completion",
            "signatureHelp",
            "prepareRename",
            "rename",
        ] {
            // A refusal is an answer, too.
            let _ = client.ask(&format!("textDocument/{method}"), at.clone());
        }
        let range =
            json!({"start": {"line": line, "character": character}, "end": {"line": 0, "character": 3}});
        let _ = client.ask("textDocument/rangeFormatting", json!({"textDocument": document, "range": range}));
    }
    assert_eq!(
        client.ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///nowhere.cbl"}, "position": {"line": 0, "character": 0}})
        ),
        Ok(Value::Null)
    );
    is_well(&mut client, &application, 7);
}

#[test]
fn absurd_changes_do_not_end_it() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    let far = json!({"line": 99_999, "character": 99_999});
    for changes in [
        json!([{"range": {"start": far, "end": far}, "text": "X"}]),
        json!([{"range": {"start": far, "end": {"line": 0, "character": 0}}, "text": ""}]),
        json!([{"range": {"start": {"line": "a"}}, "text": "\u{feff}\u{0}\r\r\n\t\u{1f600}"}]),
        json!([{"text": null}, 7, {}]),
        json!("text"),
    ] {
        for version in [json!(-5), json!(2), Value::Null, json!("two")] {
            let document = json!({"uri": uri(&path), "version": version});
            client.notify(
                "textDocument/didChange",
                json!({"textDocument": document, "contentChanges": changes}),
            );
        }
    }
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "file:///other.cbl"}, "contentChanges": [{"text": ""}]}),
    );
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": "file:///other.cbl"}}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": "untitled:1", "text": "PROGRAM-ID. X."}}),
    );
    client.notify("$/cancelRequest", json!({"id": 12345}));
    is_well(&mut client, &application, 50);
}

#[test]
fn texts_that_are_no_programs_do_not_end_it() {
    let application = Application::new();
    let path = application.path("programs/ODD.cbl");
    let mut client = Client::new(&application.root());
    let nested = format!(
        "       PROGRAM-ID. ODD.\n       PROCEDURE DIVISION.\n           COMPUTE A = {}1\n",
        "(".repeat(20_000)
    );
    let ifs = format!(
        "       PROGRAM-ID. ODD.\n       PROCEDURE DIVISION.\n{}",
        "           IF A = 1\n".repeat(5_000)
    );
    let cut = PROGRAM.char_indices().step_by(41).map(|(at, _)| PROGRAM[..at].to_owned());
    for (at, text) in [nested, ifs, "\u{0}".repeat(1000), "PROGRAM-ID".to_owned(), String::new()]
        .into_iter()
        .chain(cut)
        .enumerate()
    {
        let version = at as i64 + 1;
        match at {
            0 => client.open(&path, &text),
            _ => client.change(&path, version, &text),
        }
        client.published(&path, version);
    }
    is_well(&mut client, &application, 9);
}

#[test]
fn requests_come_in_their_order() {
    let application = Application::new();
    let mut client = Client::bare();
    assert_eq!(client.ask("textDocument/hover", json!({})).expect_err("too early")["code"], -32002);
    client.notify("textDocument/didOpen", json!({"textDocument": {"uri": "file:///x.cbl", "text": "x"}}));
    client.request("initialize", json!({"rootUri": uri(&application.root()), "capabilities": null}));
    assert_eq!(client.ask("initialize", json!({})).expect_err("twice")["code"], -32600);
    client.request("shutdown", Value::Null);
    assert_eq!(client.ask("textDocument/hover", json!({})).expect_err("too late")["code"], -32600);
    client.notify("exit", Value::Null);
    assert!(client.hang_up().success());
    let client = Client::new(&application.root());
    assert!(!client.hang_up().success(), "it went without a word");
}
