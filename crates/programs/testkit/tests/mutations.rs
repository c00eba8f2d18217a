//! Whatever a source says, `syncpoint check` answers: by the same entry of the tool chain, programs of the samples and of the pages
//! with words cut, doubled, swapped and taken from elsewhere, with data descriptions of every kind, and with commands of every kind. It
//! does not panic, and it takes no longer than a second of the processor. Seeded: a failing seed is printed, with its text in a file.
//!
//! `ROUNDS=n` takes other numbers of seeds, from `FIRST`.

#[path = "mutations/made.rs"]
mod made;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::RegionConfig;
use diagnostics::Source;
use fastrand::Rng;
use nix::time::{ClockId, clock_gettime};
use testkit::document::Document;
use testkit::program::TestProgram;
use toolchain::Toolchain;

/// Seeds of an ordinary run.
const ROUNDS: u64 = 200;
/// The limit of a check's processor time, also if its code is not optimized.
const LIMIT: Duration = Duration::from_secs(1);
/// Of the texts that are not changed, so many of a hundred are taken: else nothing here comes far.
const TAKEN_LEAST: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// All files below a folder with an ending.
fn files(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, ending, out);
        } else if path.extension().is_some_and(|own| own == ending) {
            out.push(path);
        }
    }
}

fn found(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    files(&root().join(folder), ending, &mut out);
    out
}

/// The programs of the samples, and those of the pages.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> =
        found("samples", "cbl").iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    for path in found("tests/literate", "md") {
        let page = fs::read_to_string(&path).expect("a page");
        let page = Document::parse("page", &page).expect("blocks that are closed");
        let programs = page.blocks.iter().filter(|block| block.kind == "cobol");
        let made = programs.enumerate().filter_map(|(at, block)| TestProgram::new(block, at).ok());
        texts.extend(made.filter(|program| !program.broken).map(|program| program.text));
    }
    assert!(texts.len() > 500, "{} texts", texts.len());
    texts
}

/// A folder with the copybooks and maps of the samples, and the tool chain over it.
struct Stage {
    folder: tempfile::TempDir,
    toolchain: Toolchain,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (own, endings) in [("programs", &[][..]), ("copybooks", &["cpy"]), ("maps", &["bms"])] {
            let into = folder.path().join(own);
            fs::create_dir(&into).expect("made");
            for path in endings.iter().flat_map(|ending| found("samples", ending)) {
                fs::copy(&path, into.join(path.file_name().expect("a name"))).expect("copied");
            }
        }
        let config: RegionConfig = config::region(&Source::new("region.toml", "")).0;
        let built = folder.path().join("built");
        let toolchain =
            Toolchain::new(folder.path(), &config.sources, &config.compile, &built).expect("a tool chain");
        Self { folder, toolchain }
    }

    /// Returns true if our own compiler takes a text, and the time that it needed. Its messages are shown, since a
    /// check does that; a text that is taken is compiled, too.
    fn takes(&self, number: u64, text: &str) -> (bool, Duration) {
        let name = format!("M{number:07}");
        let path = self.folder.path().join(format!("programs/{name}.cbl"));
        fs::write(&path, text).expect("written");
        let before = taken_so_far();
        let answer = self.toolchain.accepts(&name);
        let shown =
            |messages: &[diagnostics::Diagnostic]| messages.iter().for_each(|one| drop(one.render(false)));
        match &answer {
            Ok(messages) => shown(messages),
            Err(failure) => shown(failure.diagnostics()),
        }
        let took = taken_so_far() - before;
        if answer.is_ok()
            && let Err(failure) = self.toolchain.program(&name)
        {
            panic!("it is taken, and not compiled: {:?}", failure.diagnostics());
        }
        fs::remove_file(&path).expect("removed");
        (answer.is_ok(), took)
    }
}

/// Returns the processor time of this thread so far.
fn taken_so_far() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Words and the blanks between them.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| (c.is_alphanumeric() || c == '-', c.is_whitespace());
    let mut pieces = Vec::new();
    let (mut start, mut last) = (0, None);
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c) || kind(c) == (false, false)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    pieces.push(&text[start..]);
    pieces
}

/// Cuts, doubles and swaps some words, and takes others from another text.
fn mutated(text: &str, other: &str, random: &mut Rng) -> String {
    let (mut words, others) = (pieces(text), pieces(other));
    for _ in 0..random.usize(1..4) {
        let (at, to) = (random.usize(..words.len()), random.usize(..words.len()));
        match random.u8(..5) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words.insert(to, words[at]),
            2 => words.swap(at, to),
            3 => words[at] = words[to],
            _ => words.insert(at, others[random.usize(..others.len())]),
        }
    }
    words.concat()
}

/// The text of a seed.
fn made(texts: &[String], seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let any = |random: &mut Rng| &texts[random.usize(..texts.len())];
    match seed % 4 {
        0 => made::data(&mut random),
        1 => made::commands(&mut random),
        2 => {
            let text = if random.bool() { made::data(&mut random) } else { made::commands(&mut random) };
            let other = any(&mut random);
            mutated(&text, other, &mut random)
        }
        _ => {
            let (text, other) = (any(&mut random), any(&mut random));
            mutated(text, other, &mut random)
        }
    }
}

#[test]
fn whatever_a_source_says_is_answered() {
    let (texts, stage) = (texts(), Stage::new());
    let (first, rounds) = (environment("FIRST", 0), environment("ROUNDS", ROUNDS));
    let mut taken = 0;
    let mut slowest = (Duration::ZERO, 0);
    for seed in first..first + rounds {
        let text = made(&texts, seed);
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stage.takes(seed, &text)));
        match answer {
            Ok((is_taken, took)) if took <= LIMIT => {
                slowest = slowest.max((took, seed));
                taken += u64::from(is_taken);
            }
            answer => {
                let kept = std::env::temp_dir().join(format!("mutation-{seed}.cbl"));
                fs::write(&kept, &text).expect("written");
                let took = answer.map(|(_, took)| took);
                panic!("seed {seed} panics or takes too long ({took:?}): {}", kept.display());
            }
        }
    }
    eprintln!("{taken} of {rounds} texts are taken; the longest took {:?}, seed {}", slowest.0, slowest.1);
    // Some must come as far as the last step.
    assert!(taken * 10 > rounds, "{taken} of {rounds} texts are taken");
}

/// Without changes most of the texts are taken: what is above changes programs that are in order.
#[test]
fn the_texts_are_in_order() {
    let (texts, stage) = (texts(), Stage::new());
    let some: Vec<&String> = texts.iter().step_by(10).collect();
    let taken = some.iter().zip(0..).filter(|(text, number)| stage.takes(*number, text).0).count();
    assert!(taken * 100 >= some.len() * TAKEN_LEAST, "{taken} of {}", some.len());
}
