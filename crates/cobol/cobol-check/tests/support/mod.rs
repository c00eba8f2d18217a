//! Shared parts of the tests: members in memory, and a program around some data and statements.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Checked, Options, check};
use cobol_source::{Format, Library};
use diagnostics::{Diagnostic, Source};

/// Members by upper-case name.
#[derive(Default)]
pub struct Members(pub BTreeMap<String, Arc<Source>>);

impl Members {
    /// Adds a member.
    pub fn add(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_uppercase(), Source::new(name, text));
    }

    /// Adds the files of a folder as copybooks, and the symbolic maps of its maps.
    pub fn add_folder(&mut self, folder: &Path) {
        for path in files(folder) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
            let text = fs::read_to_string(&path).unwrap_or_default();
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("bms") => self.add_map(&stem, &text),
                Some("cpy") => self.add(&stem, &text),
                _ => {}
            }
        }
    }

    /// Adds the symbolic maps of a map's source.
    pub fn add_map(&mut self, name: &str, text: &str) {
        let assembly = bms::assemble(&Source::new(name, text));
        let maps: String = assembly.mapsets.iter().map(bms::copybook).collect();
        self.add(name, &maps);
    }
}

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        self.0.get(&name.to_uppercase()).cloned()
    }
}

/// All files below a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { all.push(path) }
        }
    }
    all.sort();
    all
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A program around data descriptions and statements, each line in area A or B by its own blanks.
pub fn program(data: &str, statements: &str) -> String {
    let indent =
        |text: &str, area: &str| -> String { text.lines().map(|line| format!("{area}{line}\n")).collect() };
    format!(
        "       ID DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{}       PROCEDURE DIVISION.\n{}",
        indent(data, "       "),
        indent(statements, "           ")
    )
}

/// Checks a text without members.
pub fn checked(text: &str) -> Checked {
    check(&Source::new("T.cbl", text), &Members::default(), &Options::default())
}

/// Checks a text whose lines may be as long as they like.
pub fn checked_free(text: &str) -> Checked {
    let options = Options { format: Format::Free, ..Options::default() };
    check(&Source::new("T.cbl", text), &Members::default(), &options)
}

/// A message in one line.
pub fn short(message: &Diagnostic) -> String {
    let place =
        message.place.as_ref().map_or(String::new(), |place| format!("{}:{} ", place.line, place.column));
    format!("{place}{} {}", message.code, message.message)
}

/// Messages about a text in free format, one a line.
pub fn said(text: &str) -> String {
    checked_free(text).messages.iter().map(|message| short(message) + "\n").collect()
}
