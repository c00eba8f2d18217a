//! Offsets and lengths compared with those of GnuCOBOL, on descriptions of ours: equal, but for what is named.
//!
//! A machine without `cobc` has nothing to compare with: the test skips with a line.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use cobol_data::{Built, DataOptions, Type};
use support::built;

/// The options of GnuCOBOL's layouts: pointers of eight bytes, each item aligned to its own length.
fn gnucobol() -> DataOptions {
    DataOptions { pointer_length: 8, align_to_length: true, digits_max: 31, ..DataOptions::default() }
}

/// Name, offset and length of each item that can be named, by the compiler.
fn by_cobc(data: &str, built: &Built) -> Option<BTreeMap<String, (usize, usize)>> {
    let folder = tempfile::tempdir().ok()?;
    let mut text = format!(
        "ID DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{data}\n\
         01 BASE-P POINTER.\n01 BASE-N REDEFINES BASE-P PIC S9(18) COMP-5.\n\
         01 ITEM-P POINTER.\n01 ITEM-N REDEFINES ITEM-P PIC S9(18) COMP-5.\n01 O PIC 9(9).\n01 L PIC 9(9).\n\
         PROCEDURE DIVISION.\n"
    );
    for (_, item) in built.items.all() {
        let Some(name) = item.name.as_ref().filter(|_| is_compared(item)) else { continue };
        let record = built.items.get(item.record).display_name();
        let subscripts = vec!["1"; item.dimensions.len()].join(" ");
        let subscripted = if subscripts.is_empty() { String::new() } else { format!("({subscripts})") };
        let shared =
            built.items.all().filter(|(_, other)| other.name.as_ref().is_some_and(|n| n.text == name.text));
        if shared.count() > 1 {
            continue;
        }
        text.push_str(&format!(
            "SET BASE-P TO ADDRESS OF {record}\nSET ITEM-P TO ADDRESS OF {0}{subscripted}\n\
             COMPUTE O = ITEM-N - BASE-N\nCOMPUTE L = FUNCTION LENGTH({0}{subscripted})\nDISPLAY '{0} ' O ' ' L\n",
            name.text
        ));
    }
    text.push_str("GOBACK.\n");
    fs::write(folder.path().join("T.cob"), text).ok()?;
    let compiled = Command::new("cobc")
        .args(["-x", "-free", "-std=ibm", "T.cob"])
        .current_dir(folder.path())
        .output()
        .ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(folder.path().join("T")).output().ok()?;
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), (words.next()?.parse().ok()?, words.next()?.parse().ok()?)))
    };
    Some(out.lines().filter_map(row).collect())
}

fn is_compared(item: &cobol_data::Item) -> bool {
    !matches!(item.kind, Type::Condition | Type::IndexName | Type::Constant) && item.level != 66
}

#[track_caller]
fn same(data: &str) {
    let built = built(data, &gnucobol());
    assert!(built.complaints.is_empty(), "{:?}", built.complaints);
    let Some(expected) = by_cobc(data, &built) else {
        eprintln!("cobc is not installed: nothing was compared");
        return;
    };
    let found: BTreeMap<String, (usize, usize)> = built
        .items
        .all()
        .filter(|(_, item)| is_compared(item))
        .filter(|(_, item)| item.name.as_ref().is_some_and(|name| expected.contains_key(&*name.text)))
        .filter_map(|(_, item)| {
            let national = matches!(item.kind, Type::National | Type::NationalEdited(_));
            let length = if national { item.length / 2 } else { item.length };
            Some((item.name.as_ref()?.text.to_string(), (item.offset, length)))
        })
        .collect();
    assert_eq!(found, expected, "{data}");
}

#[test]
fn plain_records() {
    same(
        "01 R.\n 05 A PIC X(3).\n 05 B PIC S9(4) COMP.\n 05 C PIC S9(9) BINARY.\n 05 D PIC S9(18) COMP-5.\n 05 E PIC S9(7)V99 COMP-3.\n 05 F PIC S9(8) COMP-3.\n 05 G PIC S9(3) SIGN LEADING SEPARATE.\n 05 H COMP-1.\n 05 I COMP-2.\n 05 J POINTER.\n 05 K PIC ZZ9.99CR.\n 05 M PIC 9(5)PPP.\n 05 N PIC $$,$$9.99-.\n 05 Q PIC A(4)B(2).",
    );
    same(
        "01 R.\n 05 G1.\n  10 A PIC X(3).\n  10 B.\n   15 C PIC 9.\n   15 D PIC 99.\n 05 E PIC X.\n01 S.\n 03 F PIC X(7).",
    );
}

#[test]
fn tables_and_redefinitions() {
    same(
        "01 R.\n 05 T OCCURS 3.\n  10 A PIC X(2).\n  10 B PIC S9(4) COMP OCCURS 4.\n 05 D REDEFINES T.\n  10 D1 PIC X(5).\n  10 D2 PIC X(5).\n 05 C PIC X.\n 05 E PIC X.",
    );
    same(
        "01 R.\n 05 A PIC X(4).\n 05 B REDEFINES A PIC 9(4).\n 05 C REDEFINES A.\n  10 C1 PIC X.\n  10 C2 PIC X(3).\n 05 D PIC X.",
    );
    same("01 N PIC 9 VALUE 5.\n01 R.\n 05 A PIC X.\n 05 T PIC X(2) OCCURS 1 TO 5 DEPENDING ON N.");
}

#[test]
fn synchronized_items() {
    same(
        "01 R.\n 05 A PIC X.\n 05 B PIC S9(4) COMP SYNC.\n 05 C PIC X.\n 05 D PIC S9(9) COMP SYNC.\n 05 E PIC X.\n 05 F COMP-2 SYNC.",
    );
    same("01 R.\n 05 A PIC X.\n 05 B PIC S9(18) COMP SYNC.\n 05 C PIC X.\n 05 P POINTER SYNC.");
}

/// The records of the sample applications: one description of each copybook that begins with level 01.
#[test]
fn the_copybooks_of_the_samples() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples");
    let mut compared = 0;
    for application in ["bank", "authenticator"] {
        for entry in fs::read_dir(samples.join(application).join("copy")).unwrap().flatten() {
            let text = fs::read_to_string(entry.path()).unwrap();
            let lines = text.lines().filter(|line| line.chars().nth(6) != Some('*'));
            let lines: Vec<&str> = lines.filter_map(|line| line.get(7..)).collect();
            let starts = lines.iter().find(|line| !line.trim().is_empty());
            let statements = lines.iter().any(|line| line.contains("EXEC ") || line.contains(" COPY "));
            if starts.is_some_and(|line| line.trim_start().starts_with("01 ")) && !statements {
                same(&lines.join("\n"));
                compared += 1;
            }
        }
    }
    assert!(compared >= 10, "{compared} copybooks");
}

/// The differences that are there on purpose.
#[test]
fn where_gnucobol_differs_from_the_language_reference() {
    let data = "01 R.\n 05 A PIC X.\n 05 B PIC S9(18) COMP SYNC.";
    let reference = built(data, &DataOptions::default());
    let offsets: Vec<usize> = reference.items.all().map(|(_, item)| item.offset).collect();
    assert_eq!(offsets, [0, 0, 4], "a doubleword of binary is aligned to a fullword");
    if let Some(cobc) = by_cobc(data, &built(data, &gnucobol())) {
        assert_eq!(cobc["B"].0, 8, "GnuCOBOL aligns it to a doubleword");
    }
}
