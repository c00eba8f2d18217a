//! Number of sources in some folders that parse and check, and the reasons that stop the others.
//!
//! `cargo run --example checked_survey -- [--show CODE] FOLDER …`: every file that holds a PROGRAM-ID is a program, every file
//! is a member under its stem. For the proof with strangers' sources, which stay outside of the project.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Options, check};
use cobol_source::Library;
use diagnostics::{Severity, Source};

struct Members(HashMap<String, Vec<PathBuf>>, PathBuf);

impl Library for Members {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        let found = self.0.get(&name.to_uppercase())?;
        let near =
            |path: &PathBuf| path.components().zip(self.1.components()).take_while(|(a, b)| a == b).count();
        // Only of the same repository: the folder under that of all strangers.
        found.iter().filter(|path| near(path) >= 4).max_by_key(|path| near(path)).map(|path| source(path))
    }
}

fn source(path: &Path) -> Arc<Source> {
    let bytes = fs::read(path).unwrap_or_default();
    Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes))
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut show = None;
    if arguments.first().is_some_and(|first| first == "--show") {
        show = arguments.drain(..2).nth(1);
    }
    let mut all = Vec::new();
    for folder in &arguments {
        files(Path::new(folder), &mut all);
    }
    all.sort();
    let mut members: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for path in &all {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if ["cpy", "cbl", "cob", "copy", "inc", "dcl", "", "cobol", "dclgen", "copybook"]
            .contains(&&*extension)
        {
            members.entry(stem).or_default().push(path.clone());
        }
    }
    let mut members = Members(members, PathBuf::new());
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut programs, mut parsed, mut whole, mut clean) = (0, 0, 0, 0);
    let mut causes: BTreeMap<(String, String), (usize, String)> = BTreeMap::new();
    for path in &all {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if !["cbl", "cob", "cobol", "pco", "cics", "sqb"].contains(&&*extension) {
            continue;
        }
        let text = source(path);
        if !text.text.to_uppercase().contains("PROGRAM-ID") {
            continue;
        }
        programs += 1;
        members.1 = path.clone();
        let checked = check(&text, &members, &Options::default());
        let errors: Vec<_> = checked.messages.iter().filter(|m| m.severity == Severity::Error).collect();
        let of = |prefix: &str| errors.iter().filter(|m| m.code.starts_with(prefix)).count();
        let (missing, syntax) = (of("SPTR010"), of("SPTR") + of("SPSY"));
        parsed += usize::from(syntax == missing);
        whole += usize::from(syntax == 0);
        clean += usize::from(errors.is_empty());
        if let Some(first) = errors.iter().find(|m| m.code != "SPTR010") {
            *firsts.entry(first.code).or_insert(0_usize) += 1;
        }
        for error in errors {
            if show.as_deref() == Some(error.code) {
                println!("{error}\n");
            }
            let key = (error.code.to_owned(), error.message.clone());
            causes.entry(key).or_insert((0, path.display().to_string())).0 += 1;
        }
    }
    println!(
        "{programs} programs, {parsed} parse, {whole} of them with all members, {clean} of these without an error"
    );
    println!("first errors of programs, but for missing members: {firsts:?}");
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for ((code, message), (count, example)) in causes.iter().take(100) {
        println!("{count:5} {code} {message}   [{example}]");
    }
}
