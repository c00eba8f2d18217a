//! An editor while its user types: messages, candidates, forms, and columns put in order.

use serde_json::{Value, json};

use crate::client::{Application, COPYBOOK, Client, MAP, PROGRAM, mark, uri};

#[test]
fn messages_come_and_go_with_the_text() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    assert_eq!(client.published(&path, 1), [] as [Value; 0]);
    client.change(&path, 2, &PROGRAM.replace("ADD 1 TO COUNTER", "ADD 1 TO COUNTRE"));
    let wrong = client.published(&path, 2);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(
        wrong[0]["range"],
        json!({"start": {"line": 21, "character": 20}, "end": {"line": 21, "character": 27}})
    );
    assert_eq!(wrong[0]["severity"], 1);
    client.change(&path, 3, PROGRAM);
    assert_eq!(client.published(&path, 3), [] as [Value; 0]);
    assert!(client.end().success());
}

#[test]
fn the_last_of_many_texts_counts() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    for version in 2..=60 {
        client.change(&path, version, &PROGRAM.replace("COUNTER.", &format!("COUNTER{version}.")));
    }
    assert_eq!(client.published(&path, 60).len(), 1);
    assert!(client.end().success());
}

#[test]
fn a_change_is_where_utf_16_units_say() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let text = PROGRAM.replace("'Anna'", "'\u{c4}\u{1f600}nna'").replace('\n', "\r\n");
    let mut client = Client::new(&application.root());
    client.open(&path, &text);
    client.published(&path, 1);
    // `CUST-NAME` behind a literal with a character of two units becomes a name that is not there.
    let line = text.lines().position(|line| line.contains("nna'")).expect("a line");
    let unit = "           MOVE '\u{c4}\u{1f600}nna' TO ".encode_utf16().count();
    let range =
        json!({"start": {"line": line, "character": unit}, "end": {"line": line, "character": unit + 9}});
    let changes = json!([{"range": range, "text": "NO-NAME"}]);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri(&path), "version": 2}, "contentChanges": changes}),
    );
    let wrong = client.published(&path, 2);
    let at =
        json!({"start": {"line": line, "character": unit}, "end": {"line": line, "character": unit + 7}});
    assert!(wrong.iter().any(|one| one["range"] == at), "{wrong:?}");
}

#[test]
fn tabs_and_free_format_have_their_columns() {
    let application = Application::new();
    let path = application.path("programs/FREE.cbl");
    let free = "identification division.\nprogram-id. free.\nprocedure division.\n  display \u{1f600}\n  move 1 to nowhere\n  goback.\n";
    let free = free.replace("display \u{1f600}", "display '\u{e9}'");
    let mut client = Client::new(&application.root());
    client.open(&path, &free);
    let wrong = client.published(&path, 1);
    assert!(
        wrong.iter().any(|one| one["range"]["start"] == json!({"line": 4, "character": 12})),
        "{wrong:?}"
    );
    let tabs = application.path("programs/TABS.cbl");
    let text = "\t\tIDENTIFICATION DIVISION.\n\t\tPROGRAM-ID. TABS.\n\t\tPROCEDURE DIVISION.\n\t\t\tMOVE 1 TO NOWHERE\n\t\t\tGOBACK.\n";
    client.open(&tabs, text);
    let wrong = client.published(&tabs, 1);
    assert!(
        wrong.iter().any(|one| one["range"]["start"] == json!({"line": 3, "character": 13})),
        "{wrong:?}"
    );
}

#[test]
fn a_copybook_that_is_not_saved_counts_for_its_programs() {
    let application = Application::new();
    let (program, copybook) =
        (application.path("programs/HELLO.cbl"), application.path("copybooks/CUST.cpy"));
    let mut client = Client::new(&application.root());
    client.open(&program, PROGRAM);
    assert!(client.published(&program, 1).is_empty());
    client.open(&copybook, &COPYBOOK.replace("CUST-NAME ", "CUST-NOM "));
    let mut wrong = client.published(&program, 1);
    while wrong.is_empty() {
        wrong = client.published(&program, 1);
    }
    assert!(wrong[0]["message"].as_str().is_some_and(|text| text.contains("CUST-NAME")), "{wrong:?}");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(&copybook)}}));
    while !wrong.is_empty() {
        wrong = client.published(&program, 1);
    }
}

#[test]
fn a_mistake_in_a_copybook_is_shown_in_the_copybook() {
    let application = Application::new();
    let (program, copybook) =
        (application.path("programs/HELLO.cbl"), application.path("copybooks/CUST.cpy"));
    application.write("copybooks/CUST.cpy", &COPYBOOK.replace("PIC X(20)", "PIC X(20"));
    let mut client = Client::new(&application.root());
    client.open(&program, PROGRAM);
    client.published(&program, 1);
    client.request("textDocument/foldingRange", json!({"textDocument": {"uri": uri(&program)}}));
    let told = client.diagnostics.get(&uri(&copybook)).cloned().unwrap_or_default();
    assert!(!told.is_empty(), "{:?}", client.diagnostics);
    assert_eq!(told[0]["relatedInformation"][0]["location"]["uri"], uri(&program));
}

#[test]
fn maps_have_messages_an_outline_and_a_picture() {
    let application = Application::new();
    let path = application.path("maps/MENU.bms");
    let mut client = Client::new(&application.root());
    client.open(&path, &MAP.replace("LENGTH=4", "LENGHT=4"));
    assert!(!client.published(&path, 1).is_empty());
    client.change(&path, 2, MAP);
    assert_eq!(client.published(&path, 2), [] as [Value; 0]);
    let outline = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": uri(&path)}}));
    assert_eq!(outline[0]["name"], "MENU");
    assert_eq!(outline[0]["children"][0]["children"][0]["name"], "CHOICE");
    let at = json!({"line": 3, "character": 0});
    let preview =
        client.request("syncpoint/preview", json!({"textDocument": {"uri": uri(&path)}, "position": at}));
    assert_eq!(preview["map"], "MENU1");
    assert!(preview["svg"].as_str().is_some_and(|svg| svg.contains("CUSTOMERS")), "{preview}");
}

fn labels(completion: &Value) -> Vec<String> {
    let items = completion["items"].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|item| item["label"].as_str().map(str::to_owned)).collect()
}

#[track_caller]
fn completed(line: &str, wanted: &[&str], unwanted: &[&str]) {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let marked = PROGRAM.replace("           ADD 1 TO COUNTER.", line);
    let (_, _, text) = mark(&marked);
    let mut client = Client::new(&application.root());
    client.open(&path, &text);
    let found = labels(&client.at("textDocument/completion", &path, &marked).expect("candidates"));
    for label in wanted {
        assert!(found.iter().any(|own| own == label), "{label} is not among {found:?}");
    }
    for label in unwanted {
        assert!(!found.iter().any(|own| own == label), "{label} is among {found:?}");
    }
}

#[test]
fn candidates_are_what_may_stand_there() {
    completed("           MOVE CU^", &["CUST-NAME", "CUST-BALANCE", "CUSTOMER"], &["COUNTER"]);
    completed("           PERFORM ^", &["COUNT-UP", "MAIN-LINE"], &[]);
    completed("           PERF^", &["PERFORM"], &["MOVE"]);
    completed("           COPY ^", &["CUST", "MENU", "DFHAID"], &["HELLO"]);
    completed("           EXEC CICS REA^", &["READ", "READNEXT", "READQ TS"], &["WRITE"]);
    completed(
        "           EXEC CICS READ FILE('A') ^ END-EXEC",
        &["INTO", "RIDFLD", "RESP"],
        &["FILE", "ERASE"],
    );
    completed("           EXEC CICS READ FILE('A') INTO(CUST^) END-EXEC", &["CUSTOMER"], &["RIDFLD"]);
    completed("           CALL 'O^'", &["OTHER"], &[]);
    completed("           MOVE FUNCTION UPPER^", &["UPPER-CASE"], &[]);
}

#[test]
fn columns_of_declared_tables_are_candidates() {
    let application = Application::new();
    let path = application.path("programs/ROWS.cbl");
    let marked = "       ID DIVISION.\n       PROGRAM-ID. ROWS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 WS-ID PIC S9(9) COMP.\n           EXEC SQL DECLARE BANK.PAYEE TABLE\n             ( PAYEE_ID INTEGER NOT NULL,\n               PAYEE_NAME CHAR(20) NOT NULL ) END-EXEC.\n       PROCEDURE DIVISION.\n           EXEC SQL SELECT PAYEE_N^ FROM PAYEE\n             WHERE PAYEE_ID = :WS-ID END-EXEC\n           GOBACK.\n";
    let (_, _, text) = mark(marked);
    let mut client = Client::new(&application.root());
    client.open(&path, &text);
    let found = labels(&client.at("textDocument/completion", &path, marked).expect("candidates"));
    assert_eq!(found, ["PAYEE_NAME"]);
    let host = marked.replace('^', "").replace(":WS-ID", ":^WS-ID");
    let found = labels(&client.at("textDocument/completion", &path, &host).expect("candidates"));
    assert!(found.contains(&"WS-ID".to_owned()) && !found.contains(&"PAYEE_ID".to_owned()), "{found:?}");
}

#[test]
fn the_form_of_a_command_shows_the_option_at_the_cursor() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let marked = PROGRAM.replace("COMMAREA(CUSTOMER)", "COMMAREA(^CUSTOMER)");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    let form = client.at("textDocument/signatureHelp", &path, &marked).expect("a form");
    let active = form["activeParameter"].as_u64().expect("an option") as usize;
    let option = &form["signatures"][0]["parameters"][active]["label"];
    assert_eq!(option, "[COMMAREA(area)]");
    assert!(form["signatures"][0]["documentation"].as_str().is_some_and(|text| text.contains("PGMIDERR")));
}

#[test]
fn formatting_puts_pictures_below_each_other() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let text = PROGRAM.replace("01  COUNTER             PIC S9(4) COMP.", "01  COUNTER PIC S9(4) COMP.   ");
    let mut client = Client::new(&application.root());
    client.open(&path, &text);
    let edits = client
        .request("textDocument/formatting", json!({"textDocument": {"uri": uri(&path)}, "options": {}}));
    let line =
        edits.as_array().and_then(|edits| edits.iter().find(|edit| edit["range"]["start"]["line"] == 4));
    let expected = format!("{:39}PIC S9(4) COMP.", "       01  COUNTER");
    assert_eq!(line.map(|edit| &edit["newText"]), Some(&Value::from(expected)));
}

#[test]
fn each_word_has_its_colour_and_blocks_fold() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    let document = json!({"textDocument": {"uri": uri(&path)}});
    let tokens = client.request("textDocument/semanticTokens/full", document.clone());
    let data: Vec<u64> = tokens["data"].as_array().expect("words").iter().filter_map(Value::as_u64).collect();
    // MOVE 'Anna' TO CUST-NAME: a word of the language, a literal, a word, an item.
    let mut line = 0;
    let mut kinds = Vec::new();
    for word in data.chunks(5) {
        line += word[0];
        if line == 11 {
            kinds.push(word[3]);
        }
    }
    assert_eq!(kinds, [0, 1, 0, 4]);
    let folds = client.request("textDocument/foldingRange", document.clone());
    let folds = folds.as_array().expect("what folds");
    assert!(folds.iter().any(|fold| fold["startLine"] == 12 && fold["endLine"] == 14), "{folds:?}");
    let outline = client.request("textDocument/documentSymbol", document);
    let names: Vec<&str> = outline[0]["children"]
        .as_array()
        .expect("parts")
        .iter()
        .filter_map(|part| part["name"].as_str())
        .collect();
    assert_eq!(names, ["COUNTER", "ANSWER", "MAIN-LINE", "COUNT-UP"]);
    assert_eq!(client.diagnostics.get(&uri(&path)).map_or(0, Vec::len), 0);
}
