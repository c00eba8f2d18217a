//! Whatever the text is, the front end answers: it neither panics nor takes more steps than its limit, and every message
//! can be shown. Seeded: a failing seed is printed.

mod support;

use std::fs;

use cobol_check::{Options, check, listing};
use diagnostics::Source;
use support::{Members, files, root};

/// A small generator of numbers that follow a seed.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// Words and the blanks between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let kind = (c.is_alphanumeric() || c == '-', c.is_whitespace());
        if last.is_some_and(|last| last != kind || kind == (false, false)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(kind);
    }
    pieces.push(&text[start..]);
    pieces
}

/// Cuts, doubles and swaps pieces, and takes some from another source.
fn mutated(text: &str, other: &str, random: &mut Seeded) -> String {
    let mut pieces = pieces(text);
    let others = self::pieces(other);
    for _ in 0..1 + random.below(6) {
        let (at, to) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(5) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(to, pieces[at]),
            2 => pieces.swap(at, to),
            3 => pieces.truncate(at + 1),
            _ => pieces.insert(at, others[random.below(others.len())]),
        }
        if pieces.is_empty() {
            return String::new();
        }
    }
    pieces.concat()
}

#[test]
fn mutations_of_the_samples_are_answered() {
    let folder = root().join("samples");
    let mut members = Members::default();
    members.add_folder(&folder);
    let texts: Vec<String> = files(&folder)
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "cbl"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(400);
    for seed in 0..rounds {
        let mut random = Seeded(seed);
        let text = &texts[random.below(texts.len())];
        let text = mutated(text, &texts[random.below(texts.len())], &mut random);
        let answered = std::panic::catch_unwind(|| answer(&text, &members));
        assert!(answered.is_ok(), "seed {seed} panics");
    }
}

fn answer(text: &str, members: &Members) {
    let checked = check(&Source::new("M.cbl", text), members, &Options::default());
    let exhausted = checked.messages.iter().any(|message| message.code == "SPSY099");
    assert!(!exhausted, "too many steps");
    checked.messages.iter().for_each(|message| drop(message.to_string()));
    listing(&checked);
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("(", ")"), ("IF A = 1 ", ""), ("NOT ", ""), ("- ", ""), ("A(", ")")] {
        for depth in [10, 200, 5_000] {
            let statement = match open.starts_with("IF") {
                true => format!("{}CONTINUE.", "\n           IF A = 1 ".repeat(depth)),
                false => {
                    format!(
                        "IF A = {}\n           1{}\n           CONTINUE.",
                        fold(open, depth),
                        fold(close, depth)
                    )
                }
            };
            answer(&support::program("01 A PIC 9.", &statement), &Members::default());
        }
    }
}

/// A text many times over, ten to a line.
fn fold(text: &str, times: usize) -> String {
    let line = format!("{}\n           ", text.repeat(10));
    line.repeat(times.div_ceil(10))
}
