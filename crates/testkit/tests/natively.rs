//! The literate tests once more, with every program by our own compiler that it takes: both compilers mean the same.
//!
//! `cargo test -p testkit --test natively -- files/read` runs those whose name contains the word. If none is named, two folders are
//! left out: most of `direct/` asks for what only the hosted compiler has by now, and `sql/` waits for the database most of the time.

use std::env;
use std::process::ExitCode;

use config::CobolCompiler;

#[path = "literate.rs"]
mod literate;

/// What is left out of a run of all.
const LEFT_OUT: [&str; 2] = ["sql/", "direct/"];

fn main() -> ExitCode {
    testkit::natively::choose(CobolCompiler::Auto);
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_meant = |name: &str| match words.is_empty() {
        true => !LEFT_OUT.iter().any(|folder| name.starts_with(folder)),
        false => words.iter().any(|word| name.contains(word.as_str())),
    };
    literate::run("natively", is_meant, false)
}
