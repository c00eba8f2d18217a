//! docs/first-hour.md leads somebody through an hour: every whole program and map in it must build, in its order, in
//! the folder that `syncpoint new` makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn syncpoint(arguments: &[&str], folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).arg(folder).output().expect("syncpoint starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.is_empty(), "syncpoint {}:\n{text}", arguments.join(" "));
}

/// The document's blocks in a language, in its order.
fn blocks(language: &str) -> Vec<String> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/first-hour.md");
    let text = fs::read_to_string(document).expect("the document");
    let begin = format!("```{language}\n");
    text.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("first");
    syncpoint(&["new"], &first);
    (folder, first)
}

#[test]
fn the_first_application_builds_without_a_word() {
    let (_folder, first) = folder();
    syncpoint(&["check"], &first);
}

#[test]
fn every_program_of_the_hour_builds_when_it_is_written() {
    let (_folder, first) = folder();
    let map = blocks("bms").remove(0);
    fs::write(first.join("maps/PHONES.bms"), map).expect("written");
    let blocks = blocks("cobol");
    let [text_only, with_map, record, reading, keeping] = blocks.as_slice() else {
        panic!("two programs, then a record, a statement and a paragraph: {} blocks", blocks.len());
    };
    for program in [text_only, with_map, &finished(with_map, record, reading, keeping)] {
        fs::write(first.join("programs/PHONE.cbl"), program).expect("written");
        syncpoint(&["check"], &first);
    }
}

/// The program after the last step: a record behind COPY, a statement in the place of STRING, a paragraph at the end.
fn finished(program: &str, record: &str, reading: &str, keeping: &str) -> String {
    let mut text = String::new();
    for line in program.lines() {
        match line.trim_start() {
            "COPY PHONES." => text += &format!("{line}\n{record}"),
            statement if statement.starts_with("STRING ") => text += reading,
            _ => text += &format!("{line}\n"),
        }
    }
    text + keeping
}
