//! What the tests share: members in memory and in folders, and the COBOL compiler.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use diagnostics::Source;
use translator::{COBC_FLAGS, Library, Translation};

/// Members by upper-case name.
#[derive(Default)]
pub struct Members(BTreeMap<String, Arc<Source>>);

impl Members {
    /// Members with their texts.
    pub fn new<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(members.into_iter().map(|(name, text)| (name.to_uppercase(), Source::new(name, text))).collect())
    }

    /// Adds a member.
    pub fn add(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_uppercase(), Source::new(name, text));
    }

    /// All files of some folders, by their stem.
    pub fn in_folders(folders: &[PathBuf]) -> Self {
        let files = folders.iter().flat_map(|folder| files(folder));
        Self(files.map(|path| (stem(&path), source(&path))).collect())
    }
}

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        self.0.get(&name.to_uppercase()).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// The files of a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable folder").path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// A file as a source; bytes that are not UTF-8 are replaced.
pub fn source(path: &Path) -> Arc<Source> {
    let text = String::from_utf8_lossy(&fs::read(path).expect("readable file")).into_owned();
    Source::new(path.file_name().expect("a file").to_string_lossy(), text)
}

/// A file's name without extension, in upper case.
pub fn stem(path: &Path) -> String {
    path.file_stem().expect("a file").to_string_lossy().to_uppercase()
}

/// What the COBOL compiler says of a translation, with the options that it asks for; nothing is compiled.
pub fn compile_as(translation: &Translation) -> String {
    let mut flags: Vec<String> = translation.name_flags().collect();
    flags.push("-fsyntax-only".into());
    run_compiler(&translation.text, &flags)
}

/// What the COBOL compiler says of a text: empty if it is content.
pub fn compile(text: &str) -> String {
    run_compiler(text, &[])
}

fn run_compiler(text: &str, flags: &[String]) -> String {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    fs::write(folder.path().join("text.cbl"), text).expect("the folder is writable");
    let run = Command::new("cobc")
        .arg("-m")
        .args(COBC_FLAGS)
        .args(flags)
        .arg("text.cbl")
        .env("LC_ALL", "C")
        .current_dir(folder.path())
        .output();
    let run = run.expect("cobc is installed");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() || !said.is_empty(), "cobc failed without a word");
    said
}

/// The translated text without its first line, each descriptor in words: `<READ 1: FILE INTO | UPDATE>` stands for the
/// literal of statement 1. The numbers in it belong to one build of the records.
pub fn readable(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().skip(1) {
        match line.split_once("USING X'").and_then(|(head, rest)| Some((head, rest.split_once('\'')?))) {
            Some((head, (hex, rest))) => out.push_str(&format!("{head}USING {}{rest}", descriptor(hex))),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

fn descriptor(hex: &str) -> String {
    let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digits).collect();
    if bytes.len() == db2::call::LENGTH
        && let Some(read) = db2::call::Descriptor::new(&bytes)
    {
        return format!("<{}>", read.statement);
    }
    let read = spec::call::Descriptor::new(&bytes).expect("a descriptor");
    let names = |options: Vec<spec::OptionId>| options.iter().map(|o| o.name()).collect::<Vec<_>>().join(" ");
    let (arguments, keywords) = (names(read.arguments().collect()), names(read.keywords().collect()));
    let command = spec::command(read.command()).name;
    format!("<{command} {}: {arguments} | {keywords}>", read.statement())
}
