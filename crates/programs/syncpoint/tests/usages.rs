//! Every kind of field through the doors of the command line: `data import`, `show` and `export`, and files of batch programs, with a
//! code page and without. The judge is z/OS's bytes.

#[path = "../../../cobol/copybook/tests/usages/table.rs"]
mod table;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use table::{Piece, RECORDS, Record};

/// Runs the tool in an application, and returns what it writes.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_syncpoint"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the tool starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {told}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Returns a field as COBOL writes it: `T(2).TX` is `TX(2)`.
fn reference(path: &str) -> String {
    let last = path.rsplit('.').next().unwrap_or(path);
    let name = last.split('(').next().unwrap_or(last);
    let subscripts: Vec<&str> = path.split(['(', ')']).skip(1).step_by(2).collect();
    if subscripts.is_empty() { name.to_owned() } else { format!("{name}({})", subscripts.join(" ")) }
}

/// Returns the value of a field as a literal; `None` of one that only bytes describe and that is NULL.
fn literal(piece: &Piece) -> Option<String> {
    match piece.value {
        value if value.starts_with("X'0000") => None,
        value if value.starts_with("X'") => Some("N'AB'".to_owned()),
        value if value.parse::<f64>().is_ok() => Some(value.to_owned()),
        value => Some(format!("'{value}'")),
    }
}

/// Writes a program that writes the record to a file, and looks at all values of one that it reads from another.
fn program(record: &Record) -> String {
    let (name, length) = (record.name, record.zos().len());
    let mut text = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. B{name}.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO OUT.
           SELECT G ASSIGN TO INP.
       DATA DIVISION.
       FILE SECTION.
       FD  F.
       01  FREC PIC X({length}).
       FD  G.
       01  GREC PIC X({length}).
       WORKING-STORAGE SECTION.
           COPY {name}.
       PROCEDURE DIVISION.
           MOVE LOW-VALUES TO AREC.
"
    );
    for (piece, value) in record.fields().filter_map(|piece| Some((piece, literal(piece)?))) {
        let _ = writeln!(text, "           MOVE {value}\n             TO {}.", reference(piece.path));
    }
    text += "           OPEN OUTPUT F.
           WRITE FREC FROM AREC.
           CLOSE F.
           OPEN INPUT G.
           READ G INTO AREC.
           CLOSE G.
";
    for (piece, value) in record.fields().filter_map(|piece| Some((piece, literal(piece)?))) {
        let field = reference(piece.path);
        let _ = writeln!(
            text,
            "           IF {field} NOT =\n             {value}\n             DISPLAY 'WRONG {field}'."
        );
    }
    text + "           DISPLAY 'READ'.\n           GOBACK.\n"
}

/// Makes an application with a copybook, a program and a data set for each record.
fn application() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let mut clusters = String::new();
    for record in &RECORDS {
        let (name, length) = (record.name, record.zos().len());
        fs::write(path.join(format!("{name}.cpy")), record.copybook()).expect("a copybook");
        fs::write(path.join(format!("B{name}.cbl")), program(record)).expect("a program");
        let header: Vec<&str> = record.fields().map(|piece| piece.path).collect();
        let values: Vec<&str> = record.fields().map(|piece| piece.value).collect();
        let table = format!("{}\n{}\n", header.join(","), values.join(","));
        fs::write(path.join(format!("{name}.csv")), table).expect("a table");
        for kind in ["A", "E"] {
            let _ = writeln!(
                clusters,
                "  DEFINE CLUSTER (NAME({kind}.{name}) INDEXED KEYS(4 0) RECORDSIZE({length} {length}))"
            );
        }
    }
    fs::write(path.join("region.toml"), "programs = [\".\"]\ncopybooks = [\".\"]\n")
        .expect("a configuration");
    fs::write(path.join("all.idcams"), clusters).expect("commands");
    folder
}

#[test]
fn data_takes_and_gives_every_kind_of_field() {
    let folder = application();
    let path = folder.path();
    for record in &RECORDS {
        let name = record.name;
        let (copybook, table) = (format!("{name}.cpy"), format!("{name}.csv"));
        for (kind, bytes, page) in [("A", record.here(), None), ("E", record.zos(), Some("037"))] {
            let data_set = format!("{kind}.{name}");
            let mut with = vec!["--copybook", &copybook];
            with.extend(page.iter().flat_map(|page| ["--code-page", page]));
            run(path, &[&["data", "import", &data_set, "--from", &table], &with[..]].concat());
            let shown = run(path, &["data", "show", &data_set]);
            assert!(shown.contains(&hex(&bytes)), "{data_set}: {} in {shown}", hex(&bytes));
            let back = format!("{kind}-{name}.csv");
            run(path, &[&["data", "export", &data_set, "--to", &back], &with[..]].concat());
            let (given, taken) =
                (fs::read_to_string(path.join(&table)), fs::read_to_string(path.join(&back)));
            assert_eq!(taken.expect("a table"), given.expect("a table"), "{data_set}");
        }
    }
}

#[test]
fn files_of_batch_programs_have_every_kind_of_field() {
    let folder = application();
    let path = folder.path();
    for record in &RECORDS {
        let (name, program) = (record.name, format!("B{}", record.name));
        for (bytes, page) in
            [(record.here(), String::new()), (record.zos(), format!(",code-page=037,copybook={name}.cpy"))]
        {
            fs::write(path.join("in.bin"), &bytes).expect("a file");
            let (out, inp) = (format!("OUT=./out.bin,fixed{page}"), format!("INP=./in.bin,fixed{page}"));
            let said = run(path, &["batch", &program, "--dd", &out, "--dd", &inp]);
            assert!(said.contains("READ") && !said.contains("WRONG"), "{program}{page}: {said}");
            assert_eq!(hex(&fs::read(path.join("out.bin")).expect("a file")), hex(&bytes), "{program}{page}");
        }
    }
}
