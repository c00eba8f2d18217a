//! Pages about SQL on the region's own tables: those that pass there, and why others do not. The list of those that pass may only grow.
//!
//! `tests/own-tables.tsv` has a line for each page below `tests/literate/sql`: its name, `passes`, or the first thing that is not as on
//! PostgreSQL. Pages that passed, and those without a line, are played each time; `PAGES=a,b` plays those whose names have these words,
//! and `PAGES=` all, which takes ten minutes: pages that wait for a server wait for a minute. `UPDATE=1` writes the lines that have changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use pages::document::Document;
use testkit::suite;
use tokio::task::LocalSet;

/// The word of a page that passes.
const PASSES: &str = "passes";
/// Bytes of the stack of a thread that plays a page.
const STACK: usize = 32 << 20;
/// Characters of a reason that are kept.
const REASON_MAX: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A page as it stands, but for the engine.
fn on_region(page: &str) -> String {
    const ENGINE: &str = "engine = \"region\"";
    match page.contains("\n[sql]\n") {
        true => page.replacen("\n[sql]\n", &format!("\n[sql]\n{ENGINE}\n"), 1),
        false if page.contains("\n```toml\n") => {
            page.replacen("\n```toml\n", &format!("\n```toml\n[sql]\n{ENGINE}\n"), 1)
        }
        false => {
            let (title, rest) = page.split_once('\n').unwrap_or((page, ""));
            format!("{title}\n\n```toml\n[sql]\n{ENGINE}\n```\n{rest}")
        }
    }
}

/// The word for a page: that it passes, or the first thing that is not so.
fn outcome(name: &str, page: &str) -> String {
    let document = match Document::parse(name, &on_region(page)) {
        Ok(document) => document,
        Err(error) => return error.to_string(),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-tables").join(name);
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        LocalSet::new().block_on(&runtime.expect("an event loop"), suite::run(&document, &folder, false))
    };
    // A region wants more room than a test's thread has.
    let thread = thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    let report = thread.join().expect("a page that is played");
    match report.failures.first() {
        None => PASSES.to_owned(),
        Some(failure) => {
            if env::var_os("SHOW").is_some() {
                println!("{}", failure.what);
            }
            reason(&failure.what)
        }
    }
}

/// A reason on one line: what is not built, or the first line that is not as it should be.
fn reason(what: &str) -> String {
    let not_built = what.lines().find_map(|line| line.split_once(" is not built"));
    let told =
        not_built.map(|(front, _)| format!("not built: {}", front.rsplit(": ").next().unwrap_or(front)));
    let refused = what.lines().find_map(|line| line.split_once(": SQLCODE -199 if it runs"));
    let refused =
        refused.map(|(front, _)| format!("not built: {}", front.rsplit(": ").next().unwrap_or(front)));
    let differs = what.lines().find(|line| line.trim_start().starts_with('≠')).map(str::to_owned);
    let line =
        told.or(refused).or(differs).or_else(|| what.lines().next().map(str::to_owned)).unwrap_or_default();
    let words: Vec<_> = line.split_whitespace().collect();
    words.join(" ").chars().take(REASON_MAX).collect()
}

#[test]
fn pages_that_pass_on_the_regions_tables() {
    let (list, folder) = (root().join("tests/own-tables.tsv"), root().join("tests/literate/sql"));
    let text = fs::read_to_string(&list).unwrap_or_default();
    let known: BTreeMap<&str, &str> =
        text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect();
    let words: Option<Vec<String>> =
        env::var("PAGES").ok().map(|words| words.split(',').map(str::to_owned).collect());
    let mut pages: Vec<_> =
        fs::read_dir(&folder).expect("the pages").map(|entry| entry.expect("a page").path()).collect();
    pages.sort();
    let (mut found, mut worse) = (BTreeMap::new(), String::new());
    for path in pages {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let before = known.get(name.as_str()).copied().unwrap_or_default();
        let is_wanted = match &words {
            Some(words) => words.iter().any(|word| name.contains(word.as_str())),
            None => before == PASSES || before.is_empty(),
        };
        if !is_wanted {
            continue;
        }
        let outcome = outcome(&name, &fs::read_to_string(&path).expect("a page"));
        println!("{name}\t{outcome}");
        if before == PASSES && outcome != PASSES {
            let _ = writeln!(worse, "{name}: {outcome}");
        }
        if outcome == PASSES && before != PASSES && env::var_os("UPDATE").is_none() {
            let _ = writeln!(worse, "{name} passes now: UPDATE=1 says so in tests/own-tables.tsv");
        }
        found.insert(name, outcome);
    }
    if env::var_os("UPDATE").is_some() {
        let mut all: BTreeMap<String, String> =
            known.iter().map(|(name, outcome)| ((*name).to_owned(), (*outcome).to_owned())).collect();
        all.extend(found);
        let mut text: String =
            text.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        text.extend(all.iter().map(|(name, outcome)| format!("{name}\t{outcome}\n")));
        fs::write(&list, text).expect("the list is written");
    }
    assert!(worse.is_empty(), "{worse}");
}
