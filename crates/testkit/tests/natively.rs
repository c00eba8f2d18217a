//! The literate tests once more, with every program by our own compiler that it takes: both compilers mean the same.
//!
//! `cargo test -p testkit --test natively -- files/read` runs those whose name contains the word. Left out are the folders whose
//! programs nearly all ask for what only the hosted compiler has by now: they would be run twice alike.

use std::env;
use std::process::ExitCode;

use config::CobolCompiler;

#[path = "literate.rs"]
mod literate;

/// EXEC SQL, VSVPSYNC.
const HOSTED: [&str; 2] = ["sql/", "direct/"];

fn main() -> ExitCode {
    testkit::natively::choose(CobolCompiler::Auto);
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_meant = |name: &str| match words.is_empty() {
        true => !HOSTED.iter().any(|folder| name.starts_with(folder)),
        false => words.iter().any(|word| name.contains(word.as_str())),
    };
    literate::run("natively", is_meant, false)
}
