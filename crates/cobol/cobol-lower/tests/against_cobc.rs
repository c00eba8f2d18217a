//! Generated statements compared with programs by GnuCOBOL, byte by byte, but for the table of known differences.
//!
//! A machine without `cobc` has nothing to compare with: the test skips with a line. `SEEDS=n` takes other numbers of
//! programs; `FIRST=n` begins elsewhere.

mod support;

use std::fmt;
use std::fs;
use std::process::Command;

use support::KeptHost;
use support::flows::{self, Flow};
use support::generator::{Generated, Item, Kind};

/// Statements of a program.
const STATEMENTS: usize = 100;
/// The options with which programs by GnuCOBOL are compiled; here binary numbers are cut to their pictures, as TRUNC(STD) has it.
const OPTIONS: [&str; 6] =
    ["-x", "-free", "-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC", "-fbinary-truncate"];

/// A difference: the statement, the item, our bytes, theirs.
struct Difference<'d> {
    statement: &'d str,
    item: &'d Item,
    ours: &'d [u8],
    theirs: &'d [u8],
}

/// Deliberate difference: the published rule, and the cases that it applies to.
type Known = (&'static str, fn(&Difference<'_>) -> bool);

const KNOWN: [Known; 12] = [
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
        "numeric operands are compared by their algebraic values; GnuCOBOL drops decimals of a literal",
        |difference| difference.statement.starts_with("IF ") && difference.statement.contains('.'),
    ),
    (
        "numeric operands are compared by their algebraic values; GnuCOBOL takes a negative literal with more digits \
         than the item has as greater than that",
        |difference| difference.statement.starts_with("IF -"),
    ),
    (
        "INSPECT: at each character the phrases are tried in their order, and the first that matches takes its characters; \
         GnuCOBOL goes through all characters with each phrase",
        |difference| {
            let phrases = [" FOR ", " BY "].map(|word| difference.statement.matches(word).count());
            difference.statement.starts_with("INSPECT ") && phrases.iter().any(|count| *count > 1)
        },
    ),
    (
        "JUSTIFIED: a sender that is longer is cut at the left; GnuCOBOL cuts the digits of a number at the right",
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
        "without SIZE ERROR, digits beyond those of the picture are cut off; GnuCOBOL keeps one in the spare half \
         byte of a packed item with an even number of digits",
        |difference| {
            let spare = |bytes: &[u8]| bytes.split_first().map(|(first, rest)| (first & 0x0F, rest.to_vec()));
            difference.item.description.contains("COMP-3")
                && spare(difference.ours) == spare(difference.theirs)
        },
    ),
    ("TRIM: of spaces alone one is left; GnuCOBOL leaves none", |difference| {
        difference.statement.contains("LENGTH(FUNCTION TRIM(")
    }),
    ("NUMVAL: CR and DB behind a number make it negative; GnuCOBOL takes it as positive", |difference| {
        difference.statement.contains("CR')")
    }),
    (
        "NUMVAL is of floating point, which is rounded in the last place of a fixed-point receiver; GnuCOBOL cuts off",
        |difference| {
            difference.statement.contains("NUMVAL") && difference.statement.contains("TO N")
                || difference.statement.contains("= FUNCTION NUMVAL")
        },
    ),
    ("intermediate results: 30 digits are kept (ARITH(COMPAT)); GnuCOBOL keeps all", |difference| {
        difference.statement.matches(" * ").count() > 1
    }),
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

/// The lines that the program by GnuCOBOL shows; `None` without a compiler.
fn by_gnucobol(text: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    fs::write(folder.path().join("T.cob"), text).ok()?;
    let compiled =
        Command::new("cobc").args(OPTIONS).arg("T.cob").current_dir(folder.path()).output().ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new("timeout").arg("20").arg(folder.path().join("T")).output().ok()?;
    Some(ran.stdout)
}

#[test]
fn statements() {
    same_but_for_the_known(Generated::new);
}

#[test]
fn characters() {
    same_but_for_the_known(support::characters::generated);
}

/// Programs that show what they do.
const WHOLE: [(&str, &str); 4] = [
    (
        "01 G.\n 05 A PIC X(3).\n 05 N PIC 9(3).\n 05 E PIC ZZ9.\n 05 FILLER PIC X VALUE '!'.\n 05 T OCCURS 5.\n  10 P PIC S9(3) SIGN LEADING SEPARATE.\n  10 B PIC X(2).\n\
         01 Z PIC 9(5).\n01 F PIC X(4).",
        "MOVE ALL '7' TO G INITIALIZE G REPLACING NUMERIC DATA BY 12 ALPHANUMERIC DATA BY 'QW' DISPLAY G\n\
         MOVE ALL '7' TO G INITIALIZE G REPLACING NUMERIC BY -3 DISPLAY G\n\
         MOVE ALL '7' TO G INITIALIZE A T(2) REPLACING ALPHANUMERIC DATA BY ALL 'x' DISPLAY G\n\
         MOVE ALL '7' TO G INITIALIZE G DISPLAY G\n\
         MOVE 0 TO Z STRING 'AB12' DELIMITED BY SIZE INTO Z DISPLAY Z\nSTOP RUN.",
    ),
    (
        "01 T.\n 05 R OCCURS 9 ASCENDING KEY K INDEXED BY I.\n  10 K PIC 99.\n  10 L PIC X.\n01 V PIC 99 VALUE 0.\n01 W PIC 99.",
        "MOVE '01A03B05C07D09E11F13G15H17I' TO T\nPERFORM VARYING V FROM 0 BY 1 UNTIL V > 18 SET I TO 3\n\
         SEARCH R AT END DISPLAY V ' E' WHEN K(I) = V SET W TO I DISPLAY V ' F' W END-SEARCH\n\
         SEARCH ALL R AT END DISPLAY V ' E' WHEN K(I) = V SET W TO I DISPLAY V ' F' W L(I) END-SEARCH END-PERFORM.\n\
         SET I TO 1 MOVE 1 TO V\nSEARCH R VARYING V WHEN L(I) = 'E' OR L(I) = 'X' DISPLAY V WHEN K(I) = 90 DISPLAY 'N' END-SEARCH.\n\
         STOP RUN.",
    ),
    (
        "01 S PIC X(12) VALUE '2026-11-23'.\n01 Y PIC 9(4).\n01 M PIC 99.\n01 D PIC X(3).\n01 N PIC 9(8).\n01 B PIC X(3).",
        "UNSTRING S DELIMITED BY '-' OR SPACE INTO Y M D DISPLAY Y M D\n\
         COMPUTE N = FUNCTION INTEGER-OF-DATE(20261123) DISPLAY N\nCOMPUTE N = FUNCTION DATE-OF-INTEGER(N + 40) DISPLAY N\n\
         DISPLAY '<' FUNCTION TRIM(S) '>' FUNCTION LOWER-CASE('ABC') FUNCTION REVERSE(D)\n\
         MOVE FUNCTION UPPER-CASE('abc') TO B DISPLAY B\nSTOP RUN.",
    ),
    // Powers whose digits are all kept. Of 2 ** N ** 2 GnuCOBOL computes the second one first.
    (
        "01 A PIC S9(3)V99 VALUE -1.25.\n01 I PIC 9(3) VALUE 4.\n01 N PIC 9(2) VALUE 3.\n01 R PIC -(9)9.9(10).",
        "COMPUTE R = A ** 3 DISPLAY R COMPUTE R = A ** N DISPLAY R COMPUTE R = (1 + I) ** N DISPLAY R\n\
         COMPUTE R = (1 + I) ** 2 - 2 ** N DISPLAY R COMPUTE R = I ** (N + 1) * A DISPLAY R COMPUTE R = A ** -2 DISPLAY R\n\
         COMPUTE R = - I ** 2 DISPLAY R COMPUTE R = (I - 4) ** N + 10 ** 0 DISPLAY R\n\
         IF I ** N = 64 AND A ** 2 > 1.5 DISPLAY 'Y' END-IF STOP RUN.",
    ),
];

#[test]
fn whole_programs() {
    for (data, statements) in WHOLE {
        let text = support::program(data, statements);
        let Some(expected) = by_gnucobol(&text) else {
            eprintln!("cobc is not installed: nothing was compared");
            return;
        };
        let ran = support::run_with(&text, KeptHost::default());
        assert!(ran.left.is_ok(), "{:?}", ran.left);
        assert_eq!(ran.host.shown, String::from_utf8_lossy(&expected), "{statements}");
    }
}

/// Programs in one source: GnuCOBOL costs most at its start.
const FLOWS: u64 = 50;
/// Programs that are made smaller and shown, of those that differ.
const SHOWN: usize = 2;

/// Whole programs whose paragraphs go everywhere. `PROGRAMS=n` takes other numbers of them, from `FIRST`. One that differs is
/// made smaller as long as it does.
#[test]
fn programs() {
    let (first, count) = (environment("FIRST", 1), environment("PROGRAMS", FLOWS));
    let mut different = Vec::new();
    let mut at = first;
    while at < first + count {
        let flows: Vec<Flow> = (at..(at + FLOWS).min(first + count)).map(Flow::new).collect();
        at += FLOWS;
        let text = flows::around(&flows);
        let Some(expected) = by_gnucobol(&text) else {
            eprintln!("cobc is not installed: nothing was compared");
            return;
        };
        let found = support::shown_by_all(&text).unwrap_or_else(|message| panic!("{message}"));
        if found != String::from_utf8_lossy(&expected) {
            different.extend(flows.into_iter().filter(differs));
        }
    }
    let shown: Vec<String> = different.iter().take(SHOWN).map(|flow| told(&smallest(flow.clone()))).collect();
    assert!(different.is_empty(), "{} of {count}\n{}", different.len(), shown.join("\n"));
}

fn both(flow: &Flow) -> Option<(String, String)> {
    let text = flows::around(std::slice::from_ref(flow));
    let expected = String::from_utf8_lossy(&by_gnucobol(&text)?).into_owned();
    let found = support::shown_by_all(&text).unwrap_or_else(|message| message);
    Some((found, expected))
}

fn differs(flow: &Flow) -> bool {
    both(flow).is_some_and(|(found, expected)| found != expected)
}

/// The program without every statement that it differs without.
fn smallest(mut flow: Flow) -> Flow {
    while let Some(smaller) = flow.smaller().into_iter().find(differs) {
        flow = smaller;
    }
    flow
}

fn told(flow: &Flow) -> String {
    let (found, expected) = both(flow).unwrap_or_default();
    format!("{}\n-- here\n{found}\n-- GnuCOBOL\n{expected}", flow.text())
}

fn same_but_for_the_known(generate: fn(u64, usize) -> Generated) {
    let (first, count) = (environment("FIRST", 1), environment("SEEDS", 3));
    let (mut compared, mut different) = (0, Vec::new());
    for seed in first..first + count {
        let generated = generate(seed, STATEMENTS);
        let text = generated.text();
        let Some(expected) = by_gnucobol(&text) else {
            eprintln!("cobc is not installed: nothing was compared");
            return;
        };
        let ran = support::run_with(&text, KeptHost::default());
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
