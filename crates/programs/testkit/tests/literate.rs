//! Runs every `tests/literate/**/*.md`.
//!
//! `cargo test -p testkit --test literate -- files/read` runs those whose name contains the word; with `UPDATE=1`
//! expectations are rewritten in place.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs, io};

use testkit::coverage::Coverage;
use testkit::document::Document;
use testkit::suite;
use tokio::task::LocalSet;

/// The word for all pages about links: what has to come from other regions is in them alone.
const LINKS: &str = "links/";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_meant = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    run(is_meant, &words)
}

/// Runs the tests that are meant; of all of them, the coverage of commands is looked at, too.
fn run(is_meant: impl Fn(&str) -> bool, words: &[String]) -> ExitCode {
    let all = words.is_empty();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/literate");
    let mut paths = Vec::new();
    if let Err(error) = find(&folder, &mut paths) {
        eprintln!("{} cannot be read: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    paths.sort();
    let (mut coverage, mut failed) = (Coverage::default(), 0);
    for path in paths {
        let name = path.strip_prefix(&folder).unwrap_or(&path).with_extension("").display().to_string();
        if is_meant(&name) && !is_passed(&name, &path, &mut coverage) {
            println!("again: cargo test -p testkit --test literate -- {name}\n");
            failed += 1;
        }
    }
    let complaints = match () {
        () if all => coverage.complaints(),
        () if words.iter().any(|word| word == LINKS) => {
            [coverage.undeclared(), coverage.unshipped()].concat()
        }
        () => coverage.undeclared(),
    };
    complaints.iter().for_each(|complaint| println!("{complaint}"));
    match failed {
        0 if complaints.is_empty() => ExitCode::SUCCESS,
        0 => ExitCode::FAILURE,
        _ => {
            println!("\n{failed} failed");
            ExitCode::FAILURE
        }
    }
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Runs one test and tells what became of it.
fn is_passed(name: &str, path: &Path, coverage: &mut Coverage) -> bool {
    let begin = Instant::now();
    let parsed = fs::read_to_string(path).map_err(|error| error.to_string());
    let parsed = parsed.and_then(|text| Document::parse(name, &text).map_err(|error| error.to_string()));
    let document = match parsed {
        Ok(document) => document,
        Err(error) => {
            println!("test {name} ... FAILED\n{}: {error}", path.display());
            return false;
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            println!("test {name} ... FAILED: no event loop: {error}");
            return false;
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("literate").join(name);
    let update = env::var_os("UPDATE").is_some();
    let report = LocalSet::new().block_on(&runtime, suite::run(&document, &folder, update));
    coverage.add(&document, &report);
    if !report.changes.is_empty() {
        match fs::write(path, document.with(&report.changes)) {
            Ok(()) => report
                .differences
                .iter()
                .for_each(|at| println!("tests/literate/{name}.md:{}: rewritten\n{}", at.line, at.what)),
            Err(error) => println!("{}: {error}", path.display()),
        }
    }
    let outcome = if report.failures.is_empty() { "ok" } else { "FAILED" };
    println!("test {name} ... {outcome} ({:.1} s)", begin.elapsed().as_secs_f32());
    for failure in &report.failures {
        println!("\ntests/literate/{name}.md:{}: {}", failure.line, failure.what);
    }
    report.failures.is_empty()
}
