//! Every kind of field through every door of a region and back, with programs of our compiler: what a program stores, what it finds
//! in a loaded file of EBCDIC, what JSON becomes and the answer, what an event captures. The judge is z/OS's bytes.

mod common;
#[path = "../../copybook/tests/usages/table.rs"]
mod table;

use std::fmt::Write as _;
use std::path::Path;

use common::{Run, Site};
use kernel::security::User;
use pipelines::gateway;
use table::{Piece, RECORDS, Record};

/// The name of the test's folder.
const SITE: &str = "usages";

/// Returns a name as COBOL writes it: `T(2).TX` is `TX(2)`.
fn reference(path: &str) -> String {
    let subscripts: Vec<&str> =
        path.split('(').skip(1).filter_map(|rest| rest.split_once(')').map(|(number, _)| number)).collect();
    let last = path.rsplit('.').next().unwrap_or(path);
    let name = last.split('(').next().unwrap_or(last);
    if subscripts.is_empty() { name.to_owned() } else { format!("{name}({})", subscripts.join(" ")) }
}

/// Returns a value as a literal of COBOL.
fn literal(piece: &Piece) -> String {
    match piece.value {
        value if value.starts_with("X'") => format!("N{value}"),
        value if value.parse::<f64>().is_ok() => value.to_owned(),
        value => format!("'{value}'"),
    }
}

/// Writes the statements of a program that fills a record, shows its bytes, and looks at all values of a loaded one.
fn program(record: &Record) -> String {
    let name = record.name;
    let mut text = format!("```cobol W{name} threadsafe\nCOPY {name}.\nMOVE LOW-VALUES TO AREC\n");
    for piece in record.fields().filter(|piece| !piece.value.starts_with("X'0000")) {
        let _ = writeln!(text, "MOVE {} TO {}", opaque(piece), reference(piece.path));
    }
    let _ = write!(
        text,
        "DISPLAY 'W{name} ' FUNCTION HEX-OF(AREC)\n\
         EXEC CICS SIGNAL EVENT('{name}') FROM(AREC) END-EXEC\n\
         EXEC CICS READ FILE('{name}') INTO(AREC) RIDFLD(K) END-EXEC\n\
         DISPLAY 'R{name} ' FUNCTION HEX-OF(AREC)\n"
    );
    for piece in record.fields().filter(|piece| !piece.value.starts_with("X'")) {
        let (field, value) = (reference(piece.path), literal(piece));
        let _ = writeln!(text, "IF {field} NOT = {value} DISPLAY 'WRONG {}' END-IF", piece.path);
    }
    text + "```\n\n"
}

/// Returns the literal of a field that only bytes describe.
fn opaque(piece: &Piece) -> String {
    if piece.value.starts_with("X'") { String::from("N'AB'") } else { literal(piece) }
}

/// Writes a program that shows the record that a message became, and answers with it.
fn service(record: &Record) -> String {
    let name = record.name;
    format!(
        "```cobol S{name} threadsafe\nLINKAGE SECTION.\n01 DFHCOMMAREA.\n{}PROCEDURE DIVISION.\n\
         DISPLAY 'S{name} ' FUNCTION HEX-OF(DFHCOMMAREA).\nEXEC CICS RETURN END-EXEC.\n```\n\n",
        record.text.trim_start_matches('\n')
    )
}

/// Writes the application of all records.
fn application() -> String {
    let (mut text, mut services, mut others) = (String::new(), String::new(), String::new());
    for record in &RECORDS {
        let (name, length) = (record.name, record.zos().len());
        let _ = write!(text, "```copybook {name}\n{}```\n\n", record.copybook());
        let _ = write!(text, "```file {name}.cpy\n{}```\n\n", record.copybook());
        let _ = write!(
            text,
            "```idcams\nDEFINE CLUSTER(NAME(T.{name}) INDEXED KEYS(4 0) RECORDSIZE({length} {length}))\n```\n\n\
             ```csd\nDEFINE FILE({name}) GROUP(T) DSNAME(T.{name}) READ(YES)\n```\n\n"
        );
        text += &program(record);
        let _ = write!(
            others,
            "[[load]]\ndataset = \"T.{name}\"\nfile = \"{name}.bin\"\nformat = \"fixed\"\nlength = {length}\n\
             code-page = \"037\"\ncopybook = \"{name}.cpy\"\n\
             [[event]]\nname = \"{name}\"\nfile = \"{name}.jsonl\"\ncopybook = \"{name}.cpy\"\n"
        );
        if !record.json.is_empty() {
            text += &service(record);
            let _ = writeln!(services, "S{name} = \"{name}.cpy\"");
        }
    }
    format!("```toml\n[services]\n{services}{others}```\n\n{text}")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn every_kind_of_field_is_the_same_behind_every_door() {
    let site = Site::new(SITE, &application());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(SITE).join("application");
    for record in &RECORDS {
        std::fs::write(folder.join(format!("{}.bin", record.name)), record.zos()).expect("a file to load");
    }
    site.run(async |run| {
        for record in &RECORDS {
            stored_and_loaded(run, record).await;
            captured(run, record).await;
            if !record.json.is_empty() {
                served(run, record).await;
            }
        }
        assert_eq!(common::displayed("WRONG"), None);
        true
    });
}

/// Checks the bytes that the program has stored, and those that it has found in the loaded file.
async fn stored_and_loaded(run: &Run, record: &Record) {
    let name = record.name;
    let region = &run.house.running.region;
    common::attach(region, &format!("W{name}")[..4]);
    let found = format!("R{name} ");
    run.until(&found, || common::displayed(&found).is_some()).await;
    let here = hex(&record.here());
    assert_eq!(common::displayed(&format!("W{name} ")).as_deref(), Some(&*here), "{name} is stored");
    assert_eq!(common::displayed(&found).as_deref(), Some(&*here), "{name} is loaded");
}

/// Checks the fields that the event has captured, once it is written: the task does not wait for that.
async fn captured(run: &Run, record: &Record) {
    let file = run.house.state.join("events").join(format!("{}.jsonl", record.name));
    let written = || std::fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n'));
    run.until("an event", || written().is_some()).await;
    let line = written().expect("an event");
    for piece in record.fields() {
        let pair = format!("\"{}\":\"{}\"", piece.path, piece.value);
        assert!(line.contains(&pair), "{}: {pair} in {line}", record.name);
    }
}

/// Checks the record that a message becomes, and the answer.
async fn served(run: &Run, record: &Record) {
    let region = &run.house.running.region;
    let program = format!("S{}", record.name);
    let reply = gateway::call(region, User::region(), &program, None, record.json.as_bytes()).await;
    let reply = reply.expect("a reply");
    let body = String::from_utf8_lossy(&reply.body).into_owned();
    assert_eq!((reply.status, body.as_str()), (200, record.json), "{program}");
    let shown = common::displayed(&format!("{program} "));
    assert_eq!(shown.as_deref(), Some(&*hex(&record.here())), "{program} is given");
}
