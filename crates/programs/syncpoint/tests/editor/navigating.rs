//! From names to their descriptions and uses, hover, and giving them other names.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Application, COPYBOOK, Client, PROGRAM, mark, uri};

/// Asks about the first place of some text in the program, at a character of it.
fn at(
    client: &mut Client,
    method: &str,
    path: &Path,
    text: &str,
    found: &str,
    more: usize,
) -> Result<Value, Value> {
    let offset = text.find(found).expect("it is there") + more;
    let marked = format!("{}^{}", &text[..offset], &text[offset..]);
    client.at(method, path, &marked)
}

#[test]
fn a_name_leads_to_its_description() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    for (found, more, file, line) in [
        ("PERFORM COUNT-UP", 9, "programs/HELLO.cbl", 20),
        ("TO CUST-NAME", 4, "copybooks/CUST.cpy", 1),
        ("COPY CUST", 6, "copybooks/CUST.cpy", 0),
        ("COPY MENU", 6, "maps/MENU.bms", 0),
        ("MAP('MENU1')", 6, "maps/MENU.bms", 1),
        ("MAPSET('MENU')", 9, "maps/MENU.bms", 0),
        ("CHOICEI", 2, "maps/MENU.bms", 3),
        ("PROGRAM('OTHER')", 10, "programs/OTHER.cbl", 0),
        ("CALL 'OTHER'", 7, "programs/OTHER.cbl", 0),
        ("RESP(ANSWER)", 6, "programs/HELLO.cbl", 5),
        ("COMMAREA(CUSTOMER)", 10, "copybooks/CUST.cpy", 0),
    ] {
        let answer =
            at(&mut client, "textDocument/definition", &path, PROGRAM, found, more).expect("an answer");
        assert_eq!(answer[0]["uri"], uri(&application.path(file)), "{found}: {answer}");
        assert_eq!(answer[0]["range"]["start"]["line"], line, "{found}: {answer}");
    }
    let nothing =
        at(&mut client, "textDocument/definition", &path, PROGRAM, "PERFORM", 2).expect("an answer");
    assert_eq!(nothing, json!([]));
}

#[test]
fn sql_cursors_and_includes_lead_to_their_texts() {
    let application = Application::new();
    application.write("copybooks/ROWS.cpy", "       01 ROWS-ID PIC S9(9) COMP.\n");
    let path = application.path("programs/SQLS.cbl");
    let text = "       ID DIVISION.\n       PROGRAM-ID. SQLS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           EXEC SQL INCLUDE SQLCA END-EXEC.\n           EXEC SQL INCLUDE ROWS END-EXEC.\n           EXEC SQL DECLARE C1 CURSOR FOR\n             SELECT ID FROM T END-EXEC.\n       PROCEDURE DIVISION.\n           EXEC SQL OPEN C1 END-EXEC\n           EXEC SQL FETCH C1 INTO :ROWS-ID END-EXEC\n           GOBACK.\n";
    let mut client = Client::new(&application.root());
    client.open(&path, text);
    for (found, more, file, line) in [
        ("OPEN C1", 6, "programs/SQLS.cbl", 6),
        ("INCLUDE ROWS", 10, "copybooks/ROWS.cpy", 0),
        (":ROWS-ID", 3, "copybooks/ROWS.cpy", 0),
    ] {
        let answer = at(&mut client, "textDocument/definition", &path, text, found, more).expect("an answer");
        assert_eq!(answer[0]["uri"], uri(&application.path(file)), "{found}: {answer}");
        assert_eq!(answer[0]["range"]["start"]["line"], line, "{found}: {answer}");
    }
}

#[test]
fn uses_of_a_name_are_found_in_commands_too() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    let (line, unit, _) =
        mark(&PROGRAM.replacen("CALL 'OTHER' USING CUSTOMER", "CALL 'OTHER' USING ^CUSTOMER", 1));
    let parameters = json!({
        "textDocument": {"uri": uri(&path)}, "position": {"line": line, "character": unit},
        "context": {"includeDeclaration": true},
    });
    let found = client.request("textDocument/references", parameters);
    let mut places: Vec<(String, u64)> = found
        .as_array()
        .expect("places")
        .iter()
        .map(|place| {
            let file = place["uri"].as_str().and_then(|uri| uri.rsplit('/').next()).unwrap_or_default();
            (file.to_owned(), place["range"]["start"]["line"].as_u64().unwrap_or_default())
        })
        .collect();
    places.sort();
    let expected = [("CUST.cpy", 0), ("HELLO.cbl", 16), ("HELLO.cbl", 18)];
    assert_eq!(places, expected.map(|(file, line)| (file.to_owned(), line)));
}

#[test]
fn a_hover_says_what_a_word_is() {
    let application = Application::new();
    let path = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&path, PROGRAM);
    for (found, more, wanted) in [
        ("ADD 1 TO COUNTER", 10, &["PIC S9(4) USAGE COMP", "offset 0, length 2", "WORKING-STORAGE"][..]),
        ("TO CUST-NAME", 4, &["05 CUST-NAME PIC X(20)", "length 20", "in CUSTOMER", "CUST.cpy, line 2"]),
        ("CICS SEND", 5, &["EXEC CICS SEND MAP", "Conditions:", "MAPFAIL"][..2]),
        ("MAPSET(", 2, &["MAPSET(name)"]),
        ("RESP(", 1, &["RESP(area)"]),
        ("PERFORM COUNT-UP", 9, &["COUNT-UP", "paragraph"]),
        ("MOVE 'Anna'", 1, &["MOVE"]),
    ] {
        let answer = at(&mut client, "textDocument/hover", &path, PROGRAM, found, more).expect("an answer");
        let text = answer["contents"]["value"].as_str().unwrap_or_default();
        for part in wanted {
            assert!(text.contains(part), "{found}: {part} is not in {text}");
        }
    }
}

fn renamed(
    client: &mut Client,
    path: &Path,
    text: &str,
    found: &str,
    more: usize,
    to: &str,
) -> Result<Value, String> {
    let offset = text.find(found).expect("it is there") + more;
    let (line, unit, _) = mark(&format!("{}^{}", &text[..offset], &text[offset..]));
    let parameters = json!({
        "textDocument": {"uri": uri(path)}, "position": {"line": line, "character": unit}, "newName": to,
    });
    let answer = client.ask("textDocument/rename", parameters);
    answer.map_err(|error| error["message"].as_str().unwrap_or_default().to_owned())
}

fn counted(edit: &Value, path: &Path) -> usize {
    edit["changes"][uri(path)].as_array().map_or(0, Vec::len)
}

#[test]
fn a_rename_changes_every_place() {
    let application = Application::new();
    let hello = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&hello, PROGRAM);
    let edit = renamed(&mut client, &hello, PROGRAM, "COUNT-UP", 2, "STEP").expect("it is safe");
    assert_eq!(counted(&edit, &hello), 2);
    let edit = renamed(&mut client, &hello, PROGRAM, "RESP(ANSWER)", 6, "WS-ANSWER").expect("it is safe");
    assert_eq!(counted(&edit, &hello), 2);
    // What a copybook describes changes in all programs that copy it.
    let edit = renamed(&mut client, &hello, PROGRAM, "COMMAREA(CUSTOMER)", 10, "CLIENT").expect("it is safe");
    let (copybook, other) = (application.path("copybooks/CUST.cpy"), application.path("programs/OTHER.cbl"));
    assert_eq!([counted(&edit, &hello), counted(&edit, &copybook), counted(&edit, &other)], [2, 1, 1]);
}

#[test]
fn a_rename_that_is_not_safe_is_refused() {
    let application = Application::new();
    let hello = application.path("programs/HELLO.cbl");
    let mut client = Client::new(&application.root());
    client.open(&hello, PROGRAM);
    for (found, more, to, reason) in [
        ("COUNT-UP", 2, "MOVE", "reserved"),
        ("COUNT-UP", 2, "A B", "no COBOL word"),
        ("COUNT-UP", 2, "MAIN-LINE", "already"),
        ("CHOICEI", 2, "OTHER-I", "no file of the application"),
        ("PROCEDURE", 2, "X", "no name"),
    ] {
        let refused = renamed(&mut client, &hello, PROGRAM, found, more, to).expect_err("it is refused");
        assert!(refused.contains(reason), "{found}: {refused}");
    }
    let replacing = PROGRAM
        .replace("COPY CUST.", "COPY CUST REPLACING CUST-NAME BY CUST-NOM.")
        .replace("TO CUST-NAME", "TO CUST-NOM");
    client.change(&hello, 2, &replacing);
    let refused =
        renamed(&mut client, &hello, &replacing, "TO CUST-NOM", 4, "NAME-1").expect_err("it is refused");
    assert!(refused.contains("REPLACING"), "{refused}");
    let broken = PROGRAM.replace("TO COUNTER.", "TO COUNTRE.");
    client.change(&hello, 3, &broken);
    let refused = renamed(&mut client, &hello, &broken, "COUNT-UP", 2, "STEP").expect_err("it is refused");
    assert!(refused.contains("errors"), "{refused}");
}

#[test]
fn a_copybook_outside_the_application_is_not_changed() {
    let application = Application::new();
    let outside = Application::new();
    let hello = application.path("programs/HELLO.cbl");
    std::fs::remove_file(application.path("copybooks/CUST.cpy")).expect("it was there");
    application.write("region.toml", &format!("copybooks = [\"{}\"]\n", outside.path("copybooks").display()));
    let mut client = Client::new(&application.root());
    client.open(&hello, PROGRAM);
    assert!(client.published(&hello, 1).is_empty());
    let refused =
        renamed(&mut client, &hello, PROGRAM, "TO CUST-NAME", 4, "NAME-1").expect_err("it is refused");
    assert!(refused.contains("outside"), "{refused}");
}

#[test]
fn a_copybook_is_read_as_a_program_copies_it() {
    let application = Application::new();
    let copybook = application.path("copybooks/CUST.cpy");
    let mut client = Client::new(&application.root());
    client.open(&copybook, COPYBOOK);
    let answer =
        at(&mut client, "textDocument/hover", &copybook, COPYBOOK, "CUST-BALANCE", 3).expect("an answer");
    let text = answer["contents"]["value"].as_str().unwrap_or_default();
    assert!(text.contains("PIC S9(7)V99 USAGE COMP-3") && text.contains("offset 20"), "{text}");
}
