//! Steps of programs that generated code leaves to the interpreter, by kind.
//!
//! `cargo run -p native --example left -- FOLDER …`: every file that holds a PROGRAM-ID is a program, every file is a member under
//! its stem. `lines` in front of the folders lists each step with its line instead.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Options, check};
use cobol_codegen::Compiler;
use cobol_ir::Program;
use cobol_lower::lower_with_sql;
use cobol_run::Moment;
use cobol_source::Library;
use diagnostics::{Source, any_error};

/// Members by stem; of several, the one that lies nearest to the program.
struct Members {
    by_stem: HashMap<String, Vec<PathBuf>>,
    program: PathBuf,
}

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        let near = |path: &PathBuf| {
            path.components().zip(self.program.components()).take_while(|(one, other)| one == other).count()
        };
        self.by_stem.get(&name.to_uppercase())?.iter().max_by_key(|path| near(path)).map(|path| source(path))
    }
}

fn source(path: &Path) -> Arc<Source> {
    // A file that is not UTF-8 has one byte for each character.
    let text = match String::from_utf8(fs::read(path).unwrap_or_default()) {
        Ok(text) => text,
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    };
    Source::new(path.display().to_string(), text)
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// The programs of a source, if all of them are accepted.
fn lowered(text: &Arc<Source>, members: &Members) -> Option<Vec<Program>> {
    let checked = check(text, members, &Options::default());
    if any_error(&checked.messages) {
        return None;
    }
    let own = translator::Options { own: true, ..translator::Options::default() };
    let translated = translator::translate(text, members, &own);
    let sql: Vec<_> = translated.programs.into_iter().map(|program| program.sql_blocks).collect();
    lower_with_sql(&checked, Moment { unix_ms: 0, offset_s: 0 }, &sql).ok()
}

/// Counts of all programs.
#[derive(Default)]
struct Found {
    programs: usize,
    refused: usize,
    inline: usize,
    /// Steps of each kind, counted, and the programs that have them.
    kinds: BTreeMap<String, (usize, BTreeSet<String>)>,
}

impl Found {
    fn add(&mut self, program: &Program, compiler: &Compiler, lines: bool) {
        let code = match compiler.compile(program) {
            Ok(code) => code,
            Err(error) => return println!("{error}"),
        };
        self.programs += 1;
        self.inline += code.inline;
        for left in code.left {
            let kind = left.kind(program);
            if lines && let Some(line) = program.lines.get(left.line(program) as usize) {
                let member = line.member.as_deref().unwrap_or_default();
                println!("{} {member} {}: {kind}", program.name, line.line);
            }
            let (count, programs) = self.kinds.entry(kind).or_default();
            *count += 1;
            programs.insert(program.name.clone());
        }
    }

    fn show(self) {
        let left: usize = self.kinds.values().map(|(count, _)| count).sum();
        println!(
            "{} programs, {} sources refused, {} steps in code, {left} left to the interpreter",
            self.programs, self.refused, self.inline
        );
        let mut kinds: Vec<_> = self.kinds.into_iter().collect();
        kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (kind, (count, programs)) in kinds {
            println!("{count:6} steps in {:4} programs  {kind}", programs.len());
        }
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines = arguments.first().is_some_and(|first| first == "lines");
    let mut all = Vec::new();
    for folder in arguments.drain(usize::from(lines)..) {
        files(Path::new(&folder), &mut all);
    }
    all.sort();
    let mut members = Members { by_stem: HashMap::new(), program: PathBuf::new() };
    let is_member = |path: &&PathBuf| {
        ["cpy", "cbl", "cob", "copy", "inc", "dcl", "", "cobol"].contains(&&*extension(path))
    };
    for path in all.iter().filter(is_member) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        members.by_stem.entry(stem).or_default().push(path.clone());
    }
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut found = Found::default();
    for path in all.iter().filter(|path| ["cbl", "cob", "cobol", "pco"].contains(&&*extension(path))) {
        let text = source(path);
        if !text.text.to_uppercase().contains("PROGRAM-ID") {
            continue;
        }
        members.program.clone_from(path);
        match lowered(&text, &members) {
            Some(programs) => programs.iter().for_each(|program| found.add(program, &compiler, lines)),
            None => found.refused += 1,
        }
    }
    found.show();
}
