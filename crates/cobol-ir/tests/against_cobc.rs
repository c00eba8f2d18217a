//! Generated statements compared with the hosted compiler's programs, byte by byte, but for the table of known differences.
//!
//! Where `cobc` is not installed there is nothing to compare with, and the test says so. `SEEDS=n` takes other numbers of
//! programs; `FIRST=n` begins elsewhere.

mod support;

use std::fmt;
use std::fs;
use std::process::Command;

use support::Kept;
use support::generator::{Generated, Item, Kind};

/// Statements of a program.
const STATEMENTS: usize = 100;
/// What the hosted programs are compiled with; here binary numbers are cut to their pictures, as TRUNC(STD) has it.
const OPTIONS: [&str; 6] =
    ["-x", "-free", "-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC", "-fbinary-truncate"];

/// A difference: the statement, the item, our bytes, theirs.
struct Difference<'d> {
    statement: &'d str,
    item: &'d Item,
    ours: &'d [u8],
    theirs: &'d [u8],
}

/// What differs on purpose: the published rule, and where it applies.
type Known = (&'static str, fn(&Difference<'_>) -> bool);

const KNOWN: [Known; 7] = [
    (
        "decimal instructions (Principles of Operation): a zero result is positive; INITIALIZE is a MOVE of ZERO, which \
         gives a signed item its sign",
        |difference| {
            let zero = |bytes: &[u8]| match difference.item.description.contains("COMP-3") {
                true => {
                    bytes.split_last().is_some_and(|(last, all)| *last < 0x10 && all.iter().all(|b| *b == 0))
                }
                false => bytes.iter().all(|byte| b"0{}+-".contains(byte)),
            };
            zero(difference.ours) && zero(difference.theirs)
        },
    ),
    (
        "numeric operands are compared by their algebraic values; the hosted compiler drops decimals of a literal",
        |difference| difference.statement.starts_with("IF ") && difference.statement.contains('.'),
    ),
    (
        "JUSTIFIED: a sender that is longer is cut at the left; the hosted compiler cuts the digits of a number at the right",
        |difference| {
            difference.item.description.contains("JUST") && difference.statement.starts_with("MOVE N")
        },
    ),
    ("editing: digits beyond those of the picture are cut off before zeros are suppressed", |difference| {
        difference.item.kind == Kind::Edited && difference.statement.starts_with("MOVE ")
    }),
    (
        "TRUNC(STD): a binary receiver of MOVE keeps the digits of its picture, however many the sender has",
        |difference| {
            difference.item.description.contains(" COMP ") && difference.statement.starts_with("MOVE N")
        },
    ),
    (
        "without SIZE ERROR, digits beyond those of the picture are cut off; the hosted compiler keeps one in the spare half \
         byte of a packed item with an even number of digits",
        |difference| {
            let spare = |bytes: &[u8]| bytes.split_first().map(|(first, rest)| (first & 0x0F, rest.to_vec()));
            difference.item.description.contains("COMP-3")
                && spare(difference.ours) == spare(difference.theirs)
        },
    ),
    (
        "intermediate results: 30 digits are kept (ARITH(COMPAT)); the hosted compiler keeps all",
        |difference| difference.statement.matches('*').count() > 1,
    ),
];

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { item, ours, theirs, .. } = self;
        let (name, description) = (&item.name, &item.description);
        write!(f, "{name} {description}: {} | {}", ours.escape_ascii(), theirs.escape_ascii())
    }
}

fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// What the hosted program shows; none without a compiler.
fn hosted(text: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    fs::write(folder.path().join("T.cob"), text).ok()?;
    let compiled =
        Command::new("cobc").args(OPTIONS).arg("T.cob").current_dir(folder.path()).output().ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(folder.path().join("T")).output().ok()?;
    Some(ran.stdout)
}

#[test]
fn statements() {
    let (first, count) = (environment("FIRST", 1), environment("SEEDS", 3));
    let (mut compared, mut different) = (0, Vec::new());
    for seed in first..first + count {
        let generated = Generated::new(seed, STATEMENTS);
        let text = generated.text();
        let Some(expected) = hosted(&text) else {
            eprintln!("cobc is not installed: nothing was compared");
            return;
        };
        let ran = support::run_with(&text, Kept::default());
        let found: Vec<u8> = ran.host.shown.chars().map(|c| c as u8).collect();
        if let Err(abend) = &ran.left {
            different.push(format!("seed {seed}: {abend}"));
        }
        let line = generated.length() + 1;
        for (at, statement) in generated.statements.iter().enumerate() {
            let range = at * line..(at + 1) * line;
            let (ours, theirs) = (found.get(range.clone()), expected.get(range));
            compared += 1;
            if ours == theirs {
                continue;
            }
            let (ours, theirs) = (ours.unwrap_or_default(), theirs.unwrap_or_default());
            let all = generated.differing(ours, theirs);
            let news: Vec<String> = all
                .into_iter()
                .map(|(item, ours, theirs)| Difference { statement, item, ours, theirs })
                .filter(|difference| !KNOWN.iter().any(|(_, applies)| applies(difference)))
                .map(|difference| difference.to_string())
                .collect();
            if !news.is_empty() {
                let operands = generated.operands(statement);
                different
                    .push(format!("seed {seed}: {statement}\n  {operands}\n    {}", news.join("\n    ")));
            }
        }
    }
    assert!(different.is_empty(), "{} of {compared}\n{}", different.len(), different.join("\n"));
}
