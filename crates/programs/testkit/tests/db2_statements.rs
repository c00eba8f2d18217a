//! Db2's statements against a real PostgreSQL: tables made by their DDL, every rewritten statement prepared.
//!
//! The statements are those of crate `db2` (`tests/data`). Where no PostgreSQL is installed, the test says so and is
//! skipped.

mod postgres;

use db2::package::Action;
use db2::{Arithmetic, Embedded, Letters};
use postgres::Server;

const STATEMENTS: &str = include_str!("../../../sql/db2/tests/data/statements.sql");
const TABLES: &str = include_str!("../../../sql/db2/tests/data/tables.sql");

/// The schemas that crate `sql` makes in a database.
const SCHEMAS: [&str; 5] = [
    include_str!("../../../sql/sql/src/schema/db2.sql"),
    include_str!("../../../sql/sql/src/schema/functions.sql"),
    include_str!("../../../sql/sql/src/schema/durations.sql"),
    include_str!("../../../sql/sql/src/schema/decimal.sql"),
    include_str!("../../../sql/sql/src/schema/sysibm.sql"),
];

/// Statements that PostgreSQL does not take as they are: what they name is not there, and need not be.
const REFUSED: [(&str, &str); 3] = [
    ("CALL BANK.PROC", "procedure bank.proc"),
    ("INSERT INTO SESSION.T9", "relation \"pg_temp.t9\" does not exist"),
    ("SELECT COUNT(*) INTO :A FROM SESSION.T9", "relation \"pg_temp.t9\" does not exist"),
];

/// Parameters whose types PostgreSQL cannot know from the text: a program's variables have them.
const TYPED: [(&str, &str); 3] = [
    ("SET :A = :P7V2", "(numeric, numeric)"),
    ("SELECT NAME INTO :A FROM BANK.CONTACT WHERE ID=:K-:J", "(int, int)"),
    ("MERGE INTO BANK.CONTACT T USING (VALUES", "(int, text)"),
];

#[test]
fn every_statement_is_taken() {
    let Some(server) = Server::start() else { return };
    for schema in SCHEMAS {
        server.run(&format!("SET search_path TO pg_catalog;\n{schema}")).expect("schema db2");
    }
    for piece in db2::split(TABLES).expect("a script") {
        for definition in db2::definition(&piece.letters).expect("tokens").unwrap_or_default() {
            let answer = server.run(&definition.text.sql);
            answer.unwrap_or_else(|error| panic!("line {}: {}\n{error}", piece.at.line, definition.text.sql));
        }
    }
    let mut faults = Vec::new();
    for line in STATEMENTS.lines().filter(|line| !line.starts_with('#')) {
        let script = script(line);
        if script.is_empty() {
            continue;
        }
        let refusal = REFUSED.iter().find(|(statement, _)| line.starts_with(statement));
        match (server.run(&script), refusal) {
            (Ok(()), None) => {}
            (Err(error), Some((_, words))) if error.contains(words) => {}
            (answer, _) => faults.push(format!("{line}\n  {script}\n  {answer:?}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the script that makes PostgreSQL read a statement; empty for statements without a text.
fn script(line: &str) -> String {
    let mut number = 0;
    let read = db2::read(&Letters::plain(line), Arithmetic::default(), &mut |_, _| {
        number += 1;
        vec![number.into()]
    });
    let texts = match read.expect(line) {
        Embedded::Cursor(cursor) => vec![cursor.text],
        Embedded::Table(table) => table.table.create,
        Embedded::Executable(statement) => match statement.action {
            Action::Define(texts) => texts,
            Action::Grant => Vec::new(),
            _ => vec![statement.text],
        },
        _ => Vec::new(),
    };
    let texts: Vec<String> = texts.into_iter().map(|text| text.sql).filter(|sql| !sql.is_empty()).collect();
    let prepares = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE"];
    match texts.as_slice() {
        [] => String::new(),
        // PREPARE takes these; others are executed, and undone.
        [one] if prepares.iter().any(|verb| one.starts_with(verb)) => {
            let types = TYPED
                .iter()
                .find(|(statement, _)| line.starts_with(statement))
                .map_or("", |(_, types)| types);
            format!("PREPARE x{types} AS {one};\nDEALLOCATE x;\n")
        }
        all => {
            format!("BEGIN;\n{};\nROLLBACK;\n", all.join(";\n").replace("$1", "NULL").replace("$2", "NULL"))
        }
    }
}
