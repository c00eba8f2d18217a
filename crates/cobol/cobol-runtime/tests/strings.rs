//! STRING and UNSTRING by the language reference's rules.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use cobol_runtime::Pace;
use cobol_runtime::strings::{Delimiter, Piece, Unstring, string};

#[track_caller]
fn puts(pieces: &[(&str, Option<&str>)], into: &str, pointer: i64, expected: &str) {
    let pieces: Vec<_> = pieces
        .iter()
        .map(|(text, delimiter)| Piece { text: text.as_bytes(), delimiter: delimiter.map(str::as_bytes) })
        .collect();
    let mut bytes = into.as_bytes().to_vec();
    let (pointer, overflow) = string(&pieces, &mut bytes, pointer, &mut Pace::new(&mut || true)).unwrap();
    let overflow = if overflow { " overflow" } else { "" };
    assert_eq!(format!("{} {pointer}{overflow}", String::from_utf8(bytes).unwrap()), expected);
}

/// Checks the texts that receivers of three characters take, each `text/delimiter`, then the pointer, and if text is
/// left over.
#[track_caller]
fn takes(text: &str, delimiters: &[(&str, bool)], pointer: i64, receivers: usize, expected: &str) {
    let delimiters: Vec<_> =
        delimiters.iter().map(|(text, all)| Delimiter { text: text.as_bytes(), all: *all }).collect();
    let mut found = Vec::new();
    let Some(mut unstring) = Unstring::new(text.as_bytes(), &delimiters, pointer) else {
        return assert_eq!("overflow", expected, "{text}");
    };
    let shown = |bytes| String::from_utf8_lossy(bytes).into_owned();
    for _ in 0..receivers {
        if let Some(taken) = unstring.take(3, &mut Pace::new(&mut || true)).unwrap() {
            found.push(format!("{}/{}", shown(taken.text), shown(taken.delimiter)));
        }
    }
    found.push(unstring.pointer().to_string());
    if unstring.is_left_over() {
        found.push("overflow".to_owned());
    }
    assert_eq!(found.join(" "), expected, "{text}");
}

#[test]
fn pieces_one_behind_the_other() {
    puts(&[("AB", None), ("CD", None)], "......", 1, "ABCD.. 5");
    puts(&[("AB CD", Some(" ")), ("EF", Some("X"))], "......", 2, ".ABEF. 6");
    puts(&[("AB,;CD", Some(",;"))], "......", 1, "AB.... 3");
    puts(&[(" AB", Some(" "))], "...", 1, "... 1");
    puts(&[("ABCDEF", None)], "......", 1, "ABCDEF 7");
}

#[test]
fn a_receiver_that_is_full_overflows() {
    puts(&[("ABCD", None)], "...", 1, "ABC 4 overflow");
    puts(&[("ABC", None), ("D", None)], "...", 1, "ABC 4 overflow");
    for pointer in [0, -1, 4, i64::MIN, i64::MAX] {
        puts(&[("A", None)], "...", pointer, &format!("... {pointer} overflow"));
    }
}

#[test]
fn fields_between_delimiters() {
    takes("A,BC,D", &[(",", false)], 1, 3, "A/, BC/, D/ 7");
    takes("A,,B", &[(",", false)], 1, 3, "A/, /, B/ 5");
    takes("A,,B", &[(",", true)], 1, 3, "A/, B/ 5");
    takes("A;B,C", &[(",", false), (";", false)], 1, 3, "A/; B/, C/ 6");
    takes("AB--C", &[("-", false), ("--", false)], 1, 3, "AB/- /- C/ 6");
    takes("AB--C", &[("--", false), ("-", false)], 1, 3, "AB/-- C/ 6");
    takes("A,", &[(",", false)], 1, 3, "A/, 3");
    takes("ABC", &[("", true)], 1, 2, "ABC/ 4");
}

#[test]
fn receivers_sizes_where_there_are_no_delimiters() {
    takes("ABCDEFG", &[], 1, 3, "ABC/ DEF/ G/ 8");
    takes("ABCDEFG", &[], 3, 1, "CDE/ 6 overflow");
}

#[test]
fn text_left_over_and_pointers_outside_overflow() {
    takes("A,B,C", &[(",", false)], 1, 2, "A/, B/, 5 overflow");
    takes("A,B,C", &[(",", false)], 3, 1, "B/, 5 overflow");
    for pointer in [0, 4, i64::MIN, i64::MAX] {
        takes("ABC", &[], pointer, 1, "overflow");
    }
}
