//! INSPECT by the language reference's rules.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use cobol_runtime::Pace;
use cobol_runtime::inspect::{Borders, Replacement, Tally, Wanted, convert, replace, tally};

const EVERYWHERE: Borders<'static> = Borders { before: None, after: None };

fn before(border: &str) -> Borders<'_> {
    Borders { before: Some(border.as_bytes()), after: None }
}

fn after(border: &str) -> Borders<'_> {
    Borders { before: None, after: Some(border.as_bytes()) }
}

#[track_caller]
fn counts(text: &str, phrases: &[(usize, Wanted<'_>, Borders<'_>)], expected: &[u64]) {
    let tallies: Vec<_> =
        phrases.iter().map(|&(counter, wanted, borders)| Tally { counter, wanted, borders }).collect();
    let mut counters = vec![0; expected.len()];
    tally(text.as_bytes(), &tallies, &mut counters, &mut Pace::new(&mut || true)).unwrap();
    assert_eq!(counters, expected, "{text} {phrases:?}");
}

#[track_caller]
fn becomes(text: &str, phrases: &[(Wanted<'_>, &str, Borders<'_>)], expected: &str) {
    let replacements: Vec<_> = phrases
        .iter()
        .map(|&(wanted, by, borders)| Replacement { wanted, by: by.as_bytes(), borders })
        .collect();
    let mut bytes = text.as_bytes().to_vec();
    replace(&mut bytes, &replacements, &mut Pace::new(&mut || true)).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{text} {phrases:?}");
}

#[track_caller]
fn converts(text: &str, from: &str, to: &str, borders: Borders<'_>, expected: &str) {
    let mut bytes = text.as_bytes().to_vec();
    convert(&mut bytes, from.as_bytes(), to.as_bytes(), borders, &mut Pace::new(&mut || true)).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{text} {from} {to}");
}

#[test]
fn tallying() {
    counts("BANANA", &[(0, Wanted::All(b"A"), EVERYWHERE)], &[3]);
    counts("BANANA", &[(0, Wanted::All(b"ANA"), EVERYWHERE)], &[1]);
    counts("BANANA", &[(0, Wanted::Characters, EVERYWHERE)], &[6]);
    counts("000120", &[(0, Wanted::Leading(b"0"), EVERYWHERE)], &[3]);
    counts("AXABAB", &[(0, Wanted::Leading(b"AB"), after("X"))], &[2]);
    counts("A,B,C", &[(0, Wanted::Characters, before(","))], &[1]);
    counts("A,B,C", &[(0, Wanted::Characters, after(","))], &[3]);
    counts("A", &[(0, Wanted::All(b""), EVERYWHERE)], &[0]);
    counts("", &[(0, Wanted::Characters, EVERYWHERE)], &[0]);
}

#[test]
fn a_border_that_is_not_there() {
    counts("ABC", &[(0, Wanted::Characters, before("X"))], &[3]);
    counts("ABC", &[(0, Wanted::Characters, after("X"))], &[0]);
    let crossed = Borders { before: Some(b"A"), after: Some(b"C") };
    counts("ABCD", &[(0, Wanted::Characters, crossed)], &[0]);
}

#[test]
fn a_match_lies_wholly_within_the_borders() {
    counts("AABAB", &[(0, Wanted::All(b"AB"), before("BA"))], &[0]);
    counts("XABAB", &[(0, Wanted::All(b"AB"), after("XA"))], &[1]);
}

#[test]
fn the_first_phrase_that_matches_takes_the_characters() {
    let phrases = [(0, Wanted::All(b"AB".as_slice()), EVERYWHERE), (1, Wanted::All(b"B"), EVERYWHERE)];
    counts("ABBAB", &phrases, &[2, 1]);
    let phrases = [(0, Wanted::All(b"A".as_slice()), EVERYWHERE), (1, Wanted::Characters, EVERYWHERE)];
    counts("ABBAB", &phrases, &[2, 3]);
    // The leading zero was taken, so the second phrase matches nothing at its border any more.
    let phrases = [(0, Wanted::All(b"00".as_slice()), EVERYWHERE), (1, Wanted::Leading(b"0"), EVERYWHERE)];
    counts("0001", &phrases, &[1, 0]);
}

#[test]
fn counters_go_on_from_what_they_hold() {
    let phrase = Tally { counter: 0, wanted: Wanted::All(b"A"), borders: EVERYWHERE };
    let mut counters = [40];
    tally(b"AA", &[phrase], &mut counters, &mut Pace::new(&mut || true)).unwrap();
    assert_eq!(counters, [42]);
}

#[test]
fn replacing() {
    becomes("BANANA", &[(Wanted::All(b"A"), "O", EVERYWHERE)], "BONONO");
    becomes("BANANA", &[(Wanted::First(b"A"), "O", EVERYWHERE)], "BONANA");
    becomes("000120", &[(Wanted::Leading(b"0"), " ", EVERYWHERE)], "   120");
    becomes("A,B,C", &[(Wanted::Characters, "*", after(","))], "A,***");
    becomes("AABB", &[(Wanted::All(b"AA"), "0", EVERYWHERE)], "00BB");
    let phrases = [(Wanted::All(b"A".as_slice()), "B", EVERYWHERE), (Wanted::All(b"B"), "A", EVERYWHERE)];
    becomes("ABAB", &phrases, "BABA");
    becomes("AB", &[(Wanted::All(b"A"), "", EVERYWHERE)], "AB");
    // What was replaced is no border: borders were found before.
    becomes("A.A", &[(Wanted::All(b"."), "A", EVERYWHERE), (Wanted::All(b"A"), ".", before("."))], ".AA");
}

#[test]
fn converting() {
    converts("abcabc", "abc", "ABC", EVERYWHERE, "ABCABC");
    converts("abcabc", "abc", "ABC", before("c"), "ABcabc");
    converts("abcabc", "abc", "ABC", after("c"), "abcABC");
    converts("aab", "aab", "XYZ", EVERYWHERE, "XXZ");
    converts("a1b2", "0123456789", " ", EVERYWHERE, "a b ");
}

#[test]
fn a_long_scan_is_stopped() {
    let text = vec![b'A'; 8 << 20];
    let phrase = Tally { counter: 0, wanted: Wanted::All(b"A"), borders: EVERYWHERE };
    let mut looks = 0;
    let mut may_go_on = || {
        looks += 1;
        looks < 4
    };
    let mut counters = [0];
    assert!(tally(&text, &[phrase], &mut counters, &mut Pace::new(&mut may_go_on)).is_err());
    assert!(counters[0] < 100_000, "{counters:?}");
}
