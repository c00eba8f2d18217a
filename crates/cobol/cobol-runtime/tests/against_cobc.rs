//! INSPECT and dates compared with GnuCOBOL, in one program of many statements.
//!
//! A machine without `cobc` has nothing to compare with: the test skips with a line.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::fs;
use std::process::Command;

use cobol_runtime::Pace;
use cobol_runtime::dates::{Epoch, date_of_integer, day_of_integer};
use cobol_runtime::inspect::{Borders, Replacement, Tally, Wanted, replace, tally};

/// INSPECT statements in the program.
const CASES: usize = 300;

/// Returns the lines that the statements show when GnuCOBOL has made a program of them.
fn shown(statements: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().ok()?;
    let text = format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 T PIC X(12).\n01 N PIC 9(4).\n\
         01 D PIC 9(8).\nPROCEDURE DIVISION.\n{statements}GOBACK.\n"
    );
    fs::write(folder.path().join("T.cob"), text).ok()?;
    let compiled = Command::new("cobc")
        .args(["-x", "-free", "-std=ibm", "T.cob"])
        .current_dir(folder.path())
        .output()
        .ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(folder.path().join("T")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8_lossy(&ran.stdout).lines().map(str::to_owned).collect())
}

#[track_caller]
fn same(statements: &str, expected: &[String]) {
    match shown(statements) {
        Some(shown) => assert_eq!(shown, expected, "{statements}"),
        None => eprintln!("cobc is not installed: nothing was compared"),
    }
}

fn word(random: &mut fastrand::Rng, length: usize) -> String {
    (0..length).map(|_| *random.choice(&['A', 'B', 'C']).unwrap()).collect()
}

/// Borders, and how a statement says them.
fn said(before: Option<&str>, after: Option<&str>) -> String {
    let phrase =
        |name, border: Option<&str>| border.map_or(String::new(), |b| format!(" {name} INITIAL '{b}'"));
    phrase("BEFORE", before) + &phrase("AFTER", after)
}

#[test]
fn inspect() {
    let random = &mut fastrand::Rng::with_seed(1985);
    let (mut statements, mut expected) = (String::new(), Vec::new());
    for _ in 0..CASES {
        let text = word(random, 12);
        let (length, borders_length) = (random.usize(1..=2), random.usize(1..=2));
        let (one, two) = (word(random, length), word(random, 1));
        let (before, after) = (word(random, borders_length), word(random, borders_length));
        let (before, after) =
            (random.bool().then_some(before.as_str()), random.bool().then_some(after.as_str()));
        let borders = Borders { before: before.map(str::as_bytes), after: after.map(str::as_bytes) };
        let leading = random.bool();
        let wanted = if leading { Wanted::Leading(one.as_bytes()) } else { Wanted::All(one.as_bytes()) };
        let phrase = format!("{} '{one}'", if leading { "LEADING" } else { "ALL" });
        let (place, by) = (said(before, after), "x".repeat(length));
        statements.push_str(&format!(
            "MOVE '{text}' TO T MOVE 0 TO N\nINSPECT T TALLYING N FOR {phrase}{place} ALL '{two}'\nDISPLAY N\n\
             INSPECT T REPLACING {phrase} BY '{by}'{place} FIRST '{two}' BY '-'\nDISPLAY T\n"
        ));

        let second = Borders::default();
        let tallies = [
            Tally { counter: 0, wanted, borders },
            Tally { counter: 0, wanted: Wanted::All(two.as_bytes()), borders: second },
        ];
        let mut counters = [0];
        tally(text.as_bytes(), &tallies, &mut counters, &mut Pace::new(&mut || true)).unwrap();
        expected.push(format!("{:04}", counters[0]));
        let replacements = [
            Replacement { wanted, by: b"x", borders },
            Replacement { wanted: Wanted::First(two.as_bytes()), by: b"-", borders: second },
        ];
        let mut bytes = text.into_bytes();
        replace(&mut bytes, &replacements, &mut Pace::new(&mut || true)).unwrap();
        expected.push(String::from_utf8(bytes).unwrap());
    }
    same(&statements, &expected);
}

#[test]
fn dates() {
    let random = &mut fastrand::Rng::with_seed(1601);
    let (mut statements, mut expected) = (String::new(), Vec::new());
    for _ in 0..CASES {
        let day = random.i64(1..=3_067_671);
        statements.push_str(&format!(
            "COMPUTE D = FUNCTION DATE-OF-INTEGER({day}) DISPLAY D\nCOMPUTE D = FUNCTION DAY-OF-INTEGER({day}) DISPLAY D\n"
        ));
        expected.push(format!("{:08}", date_of_integer(day, Epoch::Ansi).unwrap()));
        expected.push(format!("{:08}", day_of_integer(day, Epoch::Ansi).unwrap()));
    }
    same(&statements, &expected);
}
