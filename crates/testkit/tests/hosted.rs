//! The literate tests once more, with programs by GnuCOBOL: as long as it may be chosen, both compilers mean the same.
//!
//! `cargo test -p testkit --test hosted -- files/read` runs those whose name contains the word. If none is named, `sql/` and `direct/`
//! are left out: they wait for the database most of the time.

use std::env;
use std::process::ExitCode;

use config::CobolCompiler;

#[path = "literate.rs"]
mod literate;

/// Folders that a run of all leaves out.
const LEFT_OUT: [&str; 2] = ["sql/", "direct/"];

fn main() -> ExitCode {
    testkit::natively::choose(CobolCompiler::Hosted);
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_meant = |name: &str| match words.is_empty() {
        true => !LEFT_OUT.iter().any(|folder| name.starts_with(folder)),
        false => words.iter().any(|word| name.contains(word.as_str())),
    };
    literate::run("hosted", is_meant, false)
}
