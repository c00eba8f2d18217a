//! Every kind of field through every door of a region and back, with programs of our compiler: what a program stores, what it finds
//! in a loaded file of EBCDIC, what JSON becomes and the answer, what an event captures, what TRANSFORM makes of JSON and XML and back,
//! what SQL takes and gives as host variables. The judge is z/OS's bytes. The doors of the command line are tried by `syncpoint`'s own
//! test of this name.

mod common;
#[path = "../../../cobol/copybook/tests/usages/table.rs"]
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

/// Writes the statements that fill a record.
fn filled(record: &Record, qualified: &str) -> String {
    let mut text = String::from("MOVE LOW-VALUES TO AREC\n");
    for piece in record.fields().filter(|piece| !piece.value.starts_with("X'0000")) {
        let field = reference(piece.path);
        let (name, subscripts) = field.split_once('(').map_or((&*field, ""), |(name, rest)| (name, rest));
        let subscripts = if subscripts.is_empty() { String::new() } else { format!("({subscripts}") };
        let _ = writeln!(text, "MOVE {} TO {name}{qualified}{subscripts}", opaque(piece));
    }
    text
}

/// Returns the length of a record with all occurrences that it may have: TRANSFORM takes no shorter one.
fn full_length(record: &Record) -> usize {
    const ABSENT: usize = 2;
    const OCCURRENCE: usize = 6;
    record.zos().len() + if may_stand_twice(record) { 0 } else { ABSENT * OCCURRENCE }
}

/// Writes a program that has TRANSFORM make JSON and XML of a record, and the record of them again.
fn transformer(record: &Record) -> String {
    let (name, length) = (record.name, full_length(record));
    format!(
        "```cobol T{name} threadsafe\nCOPY {name}.\n77 MSG PIC X(2000).\n{}\
         EXEC CICS PUT CONTAINER('DATA') CHANNEL('C') FROM(AREC) FLENGTH({length}) END-EXEC\n\
         EXEC CICS TRANSFORM DATATOJSON CHANNEL('C') INCONTAINER('DATA') TRANSFORMER('S{name}') OUTCONTAINER('JSON') END-EXEC\n\
         MOVE SPACES TO MSG\nEXEC CICS GET CONTAINER('JSON') CHANNEL('C') INTO(MSG) END-EXEC\nDISPLAY 'J{name} ' MSG\n\
         EXEC CICS TRANSFORM JSONTODATA CHANNEL('C') INCONTAINER('JSON') TRANSFORMER('S{name}') OUTCONTAINER('BACK') END-EXEC\n\
         EXEC CICS GET CONTAINER('BACK') CHANNEL('C') INTO(AREC) NOHANDLE END-EXEC\nDISPLAY 'K{name} ' FUNCTION HEX-OF(AREC)\n\
         EXEC CICS TRANSFORM DATATOXML CHANNEL('C') DATCONTAINER('DATA') XMLTRANSFORM('S{name}') XMLCONTAINER('XML') END-EXEC\n\
         EXEC CICS TRANSFORM XMLTODATA CHANNEL('C') XMLCONTAINER('XML') XMLTRANSFORM('S{name}') DATCONTAINER('BACK2') END-EXEC\n\
         EXEC CICS GET CONTAINER('BACK2') CHANNEL('C') INTO(AREC) NOHANDLE END-EXEC\nDISPLAY 'X{name} ' FUNCTION HEX-OF(AREC)\n```\n\n",
        filled(record, "")
    )
}

/// Fields that are no value in SQL: binary numbers of other sizes than Db2 has, P in a picture, and numbers without a sign that are too
/// large for SMALLINT and INTEGER. All are refused, the last ones by an SQLCODE.
const NO_VALUES: [(&str, &[&str]); 2] =
    [("BYTES", &["X1", "X3", "P2", "P7", "S5", "N3", "C1", "CU", "U4"]), ("PLAIN", &["ZPP", "N4", "N9"])];

/// Returns true if a field may be a host variable: it is in no table and in one group only.
fn is_host_variable(record: &Record, piece: &Piece) -> bool {
    let is_it = |(name, fields): &(&str, &[&str])| *name == record.name && fields.contains(&piece.path);
    !NO_VALUES.iter().any(is_it) && !piece.path.contains(['(', '.']) && !piece.value.starts_with("X'0000")
}

/// Returns true if two copies of a record may stand in one program: the item behind DEPENDING ON is found by its name alone.
fn may_stand_twice(record: &Record) -> bool {
    !record.text.contains("DEPENDING")
}

/// Writes a program that has SQL copy each field of a record into the same field of another, and shows the bytes of both.
fn asker(record: &Record) -> String {
    let name = record.name;
    let mut text = format!(
        "```cobol Q{name}\nCOPY {name}.\nCOPY {name} REPLACING ==AREC== BY ==BREC==.\n{}MOVE AREC TO BREC\n",
        filled(record, " OF AREC")
    );
    for piece in record.fields().filter(|piece| is_host_variable(record, piece)) {
        let field = piece.path;
        let other = if piece.value.parse::<f64>().is_ok() { "1" } else { "SPACES" };
        let _ = write!(
            text,
            "MOVE {other} TO {field} OF BREC\nEXEC SQL SET :BREC.{field} = :AREC.{field} END-EXEC\n\
             IF SQLCODE NOT = 0 DISPLAY 'WRONG {field} ' SQLCODE END-IF\n"
        );
    }
    text + &format!("DISPLAY 'Q{name} ' FUNCTION HEX-OF(BREC)\n```\n\n")
}

/// Writes the statements of a program that fills a record, shows its bytes, and looks at all values of a loaded one.
fn program(record: &Record) -> String {
    let name = record.name;
    let mut text = format!("```cobol W{name} threadsafe\nCOPY {name}.\n{}", filled(record, ""));
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
        if may_stand_twice(record) {
            text += &asker(record);
        }
        let _ = write!(
            others,
            "[[load]]\ndataset = \"T.{name}\"\nfile = \"{name}.bin\"\nformat = \"fixed\"\nlength = {length}\n\
             code-page = \"037\"\ncopybook = \"{name}.cpy\"\n\
             [[event]]\nname = \"{name}\"\nfile = \"{name}.jsonl\"\ncopybook = \"{name}.cpy\"\n"
        );
        if !record.json.is_empty() {
            text += &service(record);
            text += &transformer(record);
            let _ = writeln!(services, "S{name} = \"{name}.cpy\"");
        }
    }
    format!("```toml\n[sql]\n[services]\n{services}{others}```\n\n{text}")
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
            if may_stand_twice(record) {
                asked_of_sql(run, record).await;
            }
            if !record.json.is_empty() {
                served(run, record).await;
                transformed(run, record).await;
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

/// Checks the message that TRANSFORM has made of a record, and the records of both kinds of messages.
async fn transformed(run: &Run, record: &Record) {
    let name = record.name;
    common::attach(&run.house.running.region, &format!("T{name}")[..4]);
    let found = format!("X{name} ");
    run.until(&found, || common::displayed(&found).is_some()).await;
    let here = hex(&record.here());
    assert_eq!(common::displayed(&format!("J{name} ")).as_deref(), Some(record.json), "{name} as JSON");
    assert_eq!(common::displayed(&format!("K{name} ")).as_deref(), Some(&*here), "{name} of JSON");
    assert_eq!(common::displayed(&found).as_deref(), Some(&*here), "{name} of XML");
}

/// Checks the bytes of a record whose fields have passed SQL.
async fn asked_of_sql(run: &Run, record: &Record) {
    let name = record.name;
    common::attach(&run.house.running.region, &format!("Q{name}")[..4]);
    let found = format!("Q{name} ");
    run.until(&found, || common::displayed(&found).is_some()).await;
    assert_eq!(common::displayed("WRONG"), None, "{name}");
    assert_eq!(common::displayed(&found).as_deref(), Some(&*hex(&record.here())), "{name} of SQL");
}
