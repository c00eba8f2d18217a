//! docs/first-hour.md leads a reader through an hour: everything that it says is done here, with its own programs, maps
//! and definitions, in its order, in the folder that `syncpoint new` makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region};

/// The folder of the document's reader.
struct First {
    path: PathBuf,
    _folder: TempDir,
}

impl First {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("first");
        syncpoint("new", &path);
        let first = Self { path, _folder: folder };
        first.add("region.toml", &format!("\n{FREE_PORT}"));
        first
    }

    fn save(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).expect("written");
    }

    fn add(&self, name: &str, text: &str) {
        let before = fs::read_to_string(self.path.join(name)).expect("a file");
        self.save(name, &format!("{before}\n{text}"));
    }
}

fn syncpoint(command: &str, folder: &Path) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncpoint")).arg(command).arg(folder).output();
    let output = output.expect("syncpoint starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.is_empty(), "syncpoint {command}:\n{text}");
}

/// The document's blocks in a language, in its order.
fn blocks(language: &str) -> Vec<String> {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/first-hour.md");
    let text = fs::read_to_string(document).expect("the document");
    let begin = format!("```{language}\n");
    text.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
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

#[test]
fn the_hour_goes_as_it_is_written() {
    let first = First::new();
    syncpoint("check", &first.path);
    let cobol = blocks("cobol");
    let [text_only, with_map, record, reading, keeping] = cobol.as_slice() else {
        panic!("two programs, then a record, a statement and a paragraph: {} blocks", cobol.len());
    };
    let texts = blocks("text");
    let defined = |beginning: &str| {
        texts
            .iter()
            .find(|text| text.trim_start().starts_with(beginning))
            .unwrap_or_else(|| panic!("{beginning}"))
    };

    // 1. A folder becomes a region.
    let region = Region::watch(&first.path);
    let mut terminal = region.terminal();
    terminal.start("HELO");
    terminal.sees("What is your name?");
    terminal.type_text("ADA");
    terminal.press(Aid::Enter);
    terminal.sees("Hello ADA, this is visit 1");
    terminal.press(Aid::Pf(3));
    region.end(terminal);

    // 2. A program: defined, shown, changed, spoilt, mended.
    first.save("programs/PHONE.cbl", text_only);
    first.add("first.csd", defined("DEFINE TRANSACTION(BOOK)"));
    let region = Region::watch(&first.path);
    let mut terminal = region.terminal();
    terminal.start("BOOK");
    terminal.sees("This will be a phone book.");
    first.save("programs/PHONE.cbl", &text_only.replace("will be", "is now"));
    region.logs("PHONE has changed");
    terminal.start("BOOK");
    terminal.sees("This is now a phone book.");
    first.save("programs/PHONE.cbl", &text_only.replace("FROM(", "FORM("));
    region.logs("did you mean FROM?");
    terminal.start("BOOK");
    terminal.sees("APCT");
    first.save("programs/PHONE.cbl", text_only);
    terminal.until("BOOK", "This will be a phone book.");

    // 3. A screen.
    first.save("maps/PHONES.bms", &blocks("bms")[0]);
    first.save("programs/PHONE.cbl", with_map);
    first.add("first.csd", defined("DEFINE MAPSET(PHONES)"));
    region.logs("first.csd has changed: what is new in it is installed");
    region.end(terminal);
    let region = Region::watch(&first.path);
    let mut terminal = region.terminal();
    terminal.start("BOOK");
    terminal.sees("The telephone book");
    terminal.press(Aid::Enter);
    terminal.sees("Please type a name.");
    terminal.type_text("GRACE");
    terminal.press(Aid::Enter);
    terminal.sees("You typed GRACE");
    terminal.press(Aid::Clear);
    terminal.sees("The telephone book");
    terminal.press(Aid::Pf(3));
    region.end(terminal);

    // 4. A file.
    first.add("first.idcams", defined("DEFINE CLUSTER (NAME(FIRST.PHONES)"));
    first.add("first.csd", defined("DEFINE FILE(PHONES)"));
    first.save("programs/PHONE.cbl", &finished(with_map, record, reading, keeping));
    let region = Region::watch(&first.path);
    let mut terminal = region.terminal();
    terminal.start("BOOK");
    terminal.type_text("GRACE");
    terminal.press_tab();
    terminal.type_text("5550123");
    terminal.press(Aid::Enter);
    terminal.sees("Added.");
    region.end(terminal);
    let region = Region::watch(&first.path);
    let mut terminal = region.terminal();
    terminal.start("BOOK");
    terminal.type_text("GRACE");
    terminal.press(Aid::Enter);
    terminal.sees("Found.");
    terminal.sees("5550123");
}
