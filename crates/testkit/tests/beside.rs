//! Literate tests with the programs of both compilers beside each other: commands, their arguments, and all storage at each.
//!
//! `cargo test -p testkit --test beside -- files/read` runs those whose name contains the word.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use config::CobolCompiler;
use testkit::beside::{self, Compared, Known};
use testkit::document::Document;
use tokio::task::LocalSet;

/// What is compared if nothing is said.
const USUAL: [&str; 8] =
    ["counters/", "documents/", "exec/", "files/", "interval/", "programs/", "queues/", "services/"];
/// Left out of that: the first counts until storage is used up, and that is not the same for both; the second has loops that
/// run until their time is over, and notes each command of them.
const UNUSUAL: [&str; 2] = ["files/limits", "exec/faults"];

fn main() -> ExitCode {
    // What programs show may differ in its form.
    testkit::natively::choose(CobolCompiler::Native);
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/literate");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let path = file.path().with_extension("");
            names.push(path.strip_prefix(&folder).unwrap_or(&path).display().to_string());
        }
    }
    names.sort();
    let is_meant = |name: &String| match words.is_empty() {
        true => USUAL.iter().any(|usual| name.starts_with(usual)) && !UNUSUAL.contains(&name.as_str()),
        false => words.iter().any(|word| name.contains(word.as_str())),
    };
    let mut failed = 0;
    for name in names.iter().filter(|name| is_meant(name)) {
        match compared(&folder, name) {
            Ok(compared) if compared.differences.is_empty() => {
                println!("test {name} ... ok ({} commands)", compared.commands);
            }
            Ok(compared) => {
                println!("test {name} ... FAILED ({} commands)", compared.commands);
                compared.differences.iter().for_each(|what| println!("  {what}"));
                failed += 1;
            }
            Err(why) => {
                println!("test {name} ... left out: {}", why.lines().take(3).collect::<Vec<_>>().join(" "))
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compared(folder: &Path, name: &str) -> Result<Compared, String> {
    let text =
        fs::read_to_string(folder.join(name).with_extension("md")).map_err(|error| error.to_string())?;
    let document = Document::parse(name, &text).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside").join(name);
    let known = Known::of(name)?;
    LocalSet::new().block_on(&runtime, beside::compare(&document, &folder, &known))
}
