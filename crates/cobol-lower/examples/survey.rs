//! How many sources of some folders are compiled natively, and which constructs refuse the others, by frequency.
//!
//! `cargo run --example survey -- FOLDER …`: every file that holds a PROGRAM-ID is a program, every file is a member under its
//! stem. Programs with mistakes or missing members are not counted among those that could be accepted.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Options, check};
use cobol_ir::verify;
use cobol_lower::{lower_with_sql, refused_construct};
use cobol_run::Moment;
use cobol_source::Library;
use diagnostics::{Source, any_error};

/// Members by stem; of several, the one that lies nearest to the program.
struct Members(HashMap<String, Vec<PathBuf>>, PathBuf);

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        let near =
            |path: &PathBuf| path.components().zip(self.1.components()).take_while(|(a, b)| a == b).count();
        self.0.get(&name.to_uppercase())?.iter().max_by_key(|path| near(path)).map(|path| source(path))
    }
}

fn source(path: &Path) -> Arc<Source> {
    // What is no UTF-8 is of one byte a character.
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

fn main() {
    let mut all = Vec::new();
    for folder in std::env::args().skip(1) {
        files(Path::new(&folder), &mut all);
    }
    all.sort();
    let mut members: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for path in all
        .iter()
        .filter(|path| ["cpy", "cbl", "cob", "copy", "inc", "dcl", "", "cobol"].contains(&&*extension(path)))
    {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        members.entry(stem).or_default().push(path.clone());
    }
    let mut members = Members(members, PathBuf::new());
    let (mut programs, mut clean, mut accepted, mut unsound) = (0, 0, 0, 0);
    // In how many programs a construct stands, and in how many it is the only one that is not built.
    let mut causes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in all.iter().filter(|path| ["cbl", "cob", "cobol", "pco"].contains(&&*extension(path))) {
        let text = source(path);
        if !text.text.to_uppercase().contains("PROGRAM-ID") {
            continue;
        }
        programs += 1;
        members.1.clone_from(path);
        let checked = check(&text, &members, &Options::default());
        if any_error(&checked.messages) {
            continue;
        }
        clean += 1;
        let own = translator::Options { own: true, ..translator::Options::default() };
        let translated = translator::translate(&text, &members, &own);
        let sql: Vec<_> = translated.programs.into_iter().map(|program| program.sql_blocks).collect();
        match lower_with_sql(&checked, Moment { unix_ms: 0, offset_s: 0 }, &sql) {
            Ok(lowered) => {
                accepted += 1;
                for program in lowered {
                    if let Err(what) = verify(&program) {
                        unsound += 1;
                        println!("{}: {what}", path.display());
                    }
                }
            }
            Err(messages) => {
                let constructs: HashSet<&str> =
                    messages.iter().filter_map(|message| refused_construct(&message.message)).collect();
                for construct in &constructs {
                    let cause = causes.entry((*construct).to_owned()).or_default();
                    cause.0 += 1;
                    cause.1 += usize::from(constructs.len() == 1);
                }
            }
        }
    }
    println!(
        "{programs} programs, {clean} of them in order, {accepted} of these accepted, {unsound} unsound"
    );
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, counts)| std::cmp::Reverse(*counts));
    for (construct, (count, alone)) in causes {
        println!("{count:5} {alone:5} {construct}");
    }
}
