//! Literate tests beside what GnuCOBOL's programs did in them: commands, their arguments, and all storage at each.
//!
//! `cargo test -p testkit --test beside -- files/read` compares those whose name contains the word. With `FREEZE=1` the table of what was
//! recorded is written: only for recordings that were made of these very programs.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use testkit::beside::{self, Compared, Frozen, Known};
use testkit::document::Document;
use tokio::task::LocalSet;

/// Tests that are compared at least: else the others have changed, and nothing is proved any more.
const LEAST: usize = 20;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/literate");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        for file in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let path = file.path().with_extension("");
            names.push(path.strip_prefix(&folder).unwrap_or(&path).display().to_string());
        }
    }
    names.sort();
    let is_meant = |name: &&String| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let (mut failed, mut done, mut digests) = (0, 0, String::new());
    for name in names.iter().filter(is_meant) {
        let document = fs::read_to_string(folder.join(name).with_extension("md")).ok();
        let document = document.and_then(|text| Document::parse(name, &text).ok());
        let Some(document) = document else { continue };
        let Some(frozen) = Frozen::of(name, &document) else { continue };
        digests += &format!("{name}\t{}\n", beside::digest(&document));
        if env::var_os("FREEZE").is_some() {
            continue;
        }
        if !frozen.is_current {
            println!("test {name} ... left out: its programs have changed since they were recorded");
            continue;
        }
        match compared(name, &document, &frozen) {
            Ok(compared) if compared.differences.is_empty() => {
                println!("test {name} ... ok ({} commands)", compared.commands);
                done += 1;
            }
            Ok(compared) => {
                println!("test {name} ... FAILED ({} commands)", compared.commands);
                compared.differences.iter().for_each(|what| println!("  {what}"));
                failed += 1;
            }
            Err(why) => {
                println!("test {name} ... FAILED\n  {}", why.lines().take(3).collect::<Vec<_>>().join(" "));
                failed += 1;
            }
        }
    }
    if env::var_os("FREEZE").is_some() {
        return match fs::write(beside::table(), digests) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", beside::table().display());
                ExitCode::FAILURE
            }
        };
    }
    if words.is_empty() && done < LEAST {
        println!("only {done} tests are compared");
        return ExitCode::FAILURE;
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compared(name: &str, document: &Document, frozen: &Frozen) -> Result<Compared, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("beside").join(name);
    let (recording, known) = (frozen.recording(&folder)?, Known::of(name)?);
    LocalSet::new().block_on(&runtime, beside::compare(document, &folder, &recording, &known))
}
