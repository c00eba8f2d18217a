//! Whatever bytes, borders and pointers: no routine panics, and INSPECT does what a slow reading of its rules does.

use cobol_runtime::inspect::{Borders, Replacement, Tally, Wanted, convert, replace, tally};
use cobol_runtime::strings::{Delimiter, Piece, Unstring, string};
use cobol_runtime::{Pace, Stopped};

/// Cases of each kind.
const CASES: usize = 20_000;

/// Up to `length` bytes of a small alphabet, so that comparands do match.
fn bytes(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
    (0..random.usize(..=length)).map(|_| *random.choice(b"AB\x00\xFF").unwrap_or(&0)).collect()
}

fn pointer(random: &mut fastrand::Rng) -> i64 {
    match random.u8(..8) {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => random.i64(-2..24),
    }
}

fn wanted<'a>(random: &mut fastrand::Rng, comparand: &'a [u8]) -> Wanted<'a> {
    match random.u8(..4) {
        0 => Wanted::Characters,
        1 => Wanted::All(comparand),
        2 => Wanted::Leading(comparand),
        _ => Wanted::First(comparand),
    }
}

fn borders<'a>(random: &mut fastrand::Rng, before: &'a [u8], after: &'a [u8]) -> Borders<'a> {
    Borders { before: random.bool().then_some(before), after: random.bool().then_some(after) }
}

/// One phrase of ALL, LEADING, FIRST or CHARACTERS, said again without a scan: where it matches.
fn by_the_rule(text: &[u8], wanted: Wanted<'_>, borders: Borders<'_>) -> Vec<usize> {
    let find =
        |border: &[u8]| (0..text.len()).find(|at| !border.is_empty() && text[*at..].starts_with(border));
    let start = borders.after.map_or(0, |border| find(border).map_or(text.len(), |at| at + border.len()));
    let end = borders.before.and_then(find).unwrap_or(text.len());
    let comparand = match wanted {
        Wanted::Characters => return (start..end).collect(),
        Wanted::All(comparand) | Wanted::Leading(comparand) | Wanted::First(comparand) => comparand,
    };
    let (mut places, mut at) = (Vec::new(), start);
    while !comparand.is_empty() && at + comparand.len() <= end {
        if &text[at..at + comparand.len()] == comparand {
            places.push(at);
            at += comparand.len();
        } else if matches!(wanted, Wanted::Leading(_)) {
            break;
        } else {
            at += 1;
        }
    }
    places.truncate(if matches!(wanted, Wanted::First(_)) { 1 } else { usize::MAX });
    places
}

#[test]
fn inspect_is_what_its_rule_says() -> Result<(), Stopped> {
    let random = &mut fastrand::Rng::with_seed(18);
    for _ in 0..CASES {
        let (text, comparand) = (bytes(random, 20), bytes(random, 2));
        let (before, after) = (bytes(random, 2), bytes(random, 2));
        let (wanted, borders) = (wanted(random, &comparand), borders(random, &before, &after));
        let expected = by_the_rule(&text, wanted, borders);
        let mut counters = [0];
        tally(&text, &[Tally { counter: 0, wanted, borders }], &mut counters, &mut Pace::new(&mut || true))?;
        assert_eq!(counters[0], expected.len() as u64, "{text:?} {wanted:?} {borders:?}");

        let length = if matches!(wanted, Wanted::Characters) { 1 } else { comparand.len() };
        let mut by_rule = text.clone();
        for at in expected {
            by_rule[at..at + length].fill(b'x');
        }
        let mut replaced = text.clone();
        let phrase = Replacement { wanted, by: b"x", borders };
        replace(&mut replaced, &[phrase], &mut Pace::new(&mut || true))?;
        assert_eq!(replaced, by_rule, "{text:?} {wanted:?} {borders:?}");
    }
    Ok(())
}

#[test]
fn several_phrases_and_maps_of_any_bytes() -> Result<(), Stopped> {
    let random = &mut fastrand::Rng::with_seed(19);
    for _ in 0..CASES {
        let (mut text, a, b, by) = (bytes(random, 30), bytes(random, 4), bytes(random, 2), bytes(random, 5));
        let phrases: Vec<_> = (0..random.usize(..5))
            .map(|_| (wanted(random, &a), borders(random, &b, &a), random.usize(..3)))
            .collect();
        let tallies: Vec<_> =
            phrases.iter().map(|&(wanted, borders, counter)| Tally { counter, wanted, borders }).collect();
        let mut counters = [u64::MAX, 0];
        tally(&text, &tallies, &mut counters, &mut Pace::new(&mut || true))?;
        assert!(counters[1] <= text.len() as u64);
        let replacements: Vec<_> =
            phrases.iter().map(|&(wanted, borders, _)| Replacement { wanted, by: &by, borders }).collect();
        replace(&mut text, &replacements, &mut Pace::new(&mut || true))?;
        convert(&mut text, &a, &by, borders(random, &b, &a), &mut Pace::new(&mut || true))?;
    }
    Ok(())
}

#[test]
fn what_unstring_takes_is_the_sender() -> Result<(), Stopped> {
    let random = &mut fastrand::Rng::with_seed(20);
    for _ in 0..CASES {
        let (text, one, other, mut into) =
            (bytes(random, 30), bytes(random, 2), bytes(random, 3), bytes(random, 20));
        let delimiters = [Delimiter { text: &one, all: false }, Delimiter { text: &other, all: false }];
        let delimiters = &delimiters[..random.usize(..=2)];
        let start = pointer(random);
        if let Some(mut unstring) = Unstring::new(&text, delimiters, start) {
            let mut together = text[..start as usize - 1].to_vec();
            while let Some(taken) = unstring.take(1, &mut Pace::new(&mut || true))? {
                together.extend([taken.text, taken.delimiter].concat());
            }
            assert_eq!(together, text);
            assert!(!unstring.is_left_over());
        }
        let length = into.len() as i64;
        let pieces = [Piece { text: &text, delimiter: Some(&one) }, Piece { text: &other, delimiter: None }];
        let start = pointer(random);
        let (end, overflow) = string(&pieces, &mut into, start, &mut Pace::new(&mut || true))?;
        assert!(if (1..=length).contains(&start) { end <= length + 1 } else { overflow && end == start });
    }
    Ok(())
}
