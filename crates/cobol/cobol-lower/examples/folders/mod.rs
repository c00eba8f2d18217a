//! Programs of some folders, read for an example: every file that holds a PROGRAM-ID is a program, every file is a member under its
//! stem.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cobol_check::{Checked, Options, check};
use cobol_ir::Program;
use cobol_lower::lower_asked;
use cobol_run::Moment;
use cobol_source::Library;
use diagnostics::{Diagnostic, Severity, Source, any_error};

const MEMBERS: [&str; 8] = ["cpy", "cbl", "cob", "copy", "inc", "dcl", "", "cobol"];
const PROGRAMS: [&str; 4] = ["cbl", "cob", "cobol", "pco"];

/// The files of some folders.
pub struct Folders {
    files: Vec<PathBuf>,
    by_stem: HashMap<String, Vec<PathBuf>>,
}

/// Members for a program by stem; of several, the one that lies nearest to the program.
struct Members<'f> {
    by_stem: &'f HashMap<String, Vec<PathBuf>>,
    program: &'f Path,
}

impl Library for Members<'_> {
    fn member(&self, name: &str, _: Option<&str>) -> Option<Arc<Source>> {
        let near = |path: &PathBuf| {
            path.components().zip(self.program.components()).take_while(|(one, other)| one == other).count()
        };
        self.by_stem.get(&name.to_uppercase())?.iter().max_by_key(|path| near(path)).map(|path| source(path))
    }
}

impl Folders {
    /// Lists the files below some folders.
    pub fn of(folders: impl Iterator<Item = String>) -> Self {
        let mut files = Vec::new();
        folders.for_each(|folder| list(Path::new(&folder), &mut files));
        files.sort();
        let mut by_stem: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for path in files.iter().filter(|path| MEMBERS.contains(&&*extension(path))) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
            by_stem.entry(stem).or_default().push(path.clone());
        }
        Self { files, by_stem }
    }

    /// Calls something with each program: its file, and its programs or the constructs that refuse it; `None` if it has mistakes or
    /// misses members.
    pub fn each(&self, mut read: impl FnMut(&Path, Option<Result<Vec<Program>, Vec<Diagnostic>>>)) {
        for path in self.files.iter().filter(|path| PROGRAMS.contains(&&*extension(path))) {
            let text = source(path);
            if text.text.to_uppercase().contains("PROGRAM-ID") {
                read(path, self.lowered(&text, path));
            }
        }
    }

    fn lowered(&self, text: &Arc<Source>, program: &Path) -> Option<Result<Vec<Program>, Vec<Diagnostic>>> {
        let members = Members { by_stem: &self.by_stem, program };
        let checked: Checked = check(text, &members, &Options::default());
        if any_error(&checked.messages) {
            return None;
        }
        let exec = cobol_exec::read(&checked, Severity::Error);
        Some(lower_asked(&checked, Moment { unix_ms: 0, offset_s: 0 }, &exec.asked))
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

fn list(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { list(&path, out) } else { out.push(path) }
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}
