//! INSPECT: one scan from left to right; at each place the comparands in their order, and the first that matches counts.

use crate::character::Character;
use crate::{Pace, Stopped};

/// BEFORE INITIAL and AFTER INITIAL of a phrase.
#[derive(Clone, Copy, Debug)]
pub struct Borders<'a, T = u8> {
    /// The phrase ends in front of the first of these; if there is none, with the item.
    pub before: Option<&'a [T]>,
    /// The phrase begins after the first of these; if there is none, nowhere.
    pub after: Option<&'a [T]>,
}

impl<T> Default for Borders<'_, T> {
    fn default() -> Self {
        Self { before: None, after: None }
    }
}

/// The comparand of a phrase. Nothing matches an empty comparand.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a, T = u8> {
    /// CHARACTERS: each one that no phrase before it took.
    Characters,
    /// ALL.
    All(&'a [T]),
    /// LEADING: as long as they follow each other from the border.
    Leading(&'a [T]),
    /// FIRST, of REPLACING.
    First(&'a [T]),
}

/// A phrase of TALLYING.
#[derive(Clone, Copy, Debug)]
pub struct Tally<'a, T = u8> {
    /// The counter it adds to, as a place in the counters of the statement.
    pub counter: usize,
    /// The characters that it counts.
    pub wanted: Wanted<'a, T>,
    /// The borders of the phrase.
    pub borders: Borders<'a, T>,
}

/// A phrase of REPLACING.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'a, T = u8> {
    /// The characters that it replaces.
    pub wanted: Wanted<'a, T>,
    /// By what: as long as what is replaced. A shorter one, as of a figurative constant, is repeated.
    pub by: &'a [T],
    /// The borders of the phrase.
    pub borders: Borders<'a, T>,
}

/// A phrase during a scan.
struct Phrase<'a, T> {
    wanted: Wanted<'a, T>,
    start: usize,
    end: usize,
    /// The place at which the next LEADING one has to begin.
    next: usize,
    /// FIRST was found.
    done: bool,
}

impl<'a, T: Character> Phrase<'a, T> {
    fn new(text: &[T], wanted: Wanted<'a, T>, borders: Borders<'_, T>) -> Self {
        let (start, end) = extent(text, borders);
        Self { wanted, start, end, next: start, done: false }
    }

    /// Returns the number of characters that match at a place, all of them within the borders.
    fn matches(&mut self, text: &[T], at: usize) -> Option<usize> {
        if at < self.start || at >= self.end || self.done {
            return None;
        }
        let here = &text[at..self.end];
        let found = |comparand: &[T]| !comparand.is_empty() && here.starts_with(comparand);
        match self.wanted {
            Wanted::Characters => Some(1),
            Wanted::All(comparand) => found(comparand).then_some(comparand.len()),
            Wanted::Leading(comparand) => (at == self.next && found(comparand)).then(|| {
                self.next = at + comparand.len();
                comparand.len()
            }),
            Wanted::First(comparand) => found(comparand).then(|| {
                self.done = true;
                comparand.len()
            }),
        }
    }

    /// Returns the cost of a comparison.
    fn steps(&self) -> usize {
        match self.wanted {
            Wanted::Characters => 1,
            Wanted::All(c) | Wanted::Leading(c) | Wanted::First(c) => 1 + c.len() / 16,
        }
    }
}

/// INSPECT TALLYING: adds to the counters, which go on from what they hold. A phrase whose counter is not there counts
/// nowhere.
pub fn tally<T: Character>(
    text: &[T],
    tallies: &[Tally<'_, T>],
    counters: &mut [u64],
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    if let [Tally { counter, wanted: Wanted::All(comparand), borders }] = tallies {
        let Some(counter) = counters.get_mut(*counter) else { return Ok(()) };
        pace.steps(text.len() / 16)?;
        let (mut at, end) = extent(text, *borders);
        let find = T::finder(comparand);
        while let Some(found) = find(&text[at..end]) {
            pace.steps(1)?;
            *counter = counter.saturating_add(1);
            at += found + comparand.len();
        }
        return Ok(());
    }
    let mut phrases = Vec::with_capacity(tallies.len());
    for tally in tallies {
        pace.steps(text.len() / 32)?;
        phrases.push(Phrase::new(text, tally.wanted, tally.borders));
    }
    let steps = 1 + phrases.iter().map(Phrase::steps).sum::<usize>();
    let mut at = 0;
    while at < text.len() {
        pace.steps(steps)?;
        let found = phrases.iter_mut().zip(tallies).find_map(|(p, t)| Some((p.matches(text, at)?, t)));
        if let Some(counter) = found.and_then(|(_, tally)| counters.get_mut(tally.counter)) {
            *counter = counter.saturating_add(1);
        }
        at += found.map_or(1, |(length, _)| length);
    }
    Ok(())
}

/// INSPECT REPLACING.
pub fn replace<T: Character>(
    text: &mut [T],
    replacements: &[Replacement<'_, T>],
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    if let [Replacement { wanted: Wanted::All(comparand), by, borders }] = replacements {
        pace.steps(text.len() / 16)?;
        let (mut at, end) = extent(text, *borders);
        let find = T::finder(comparand);
        while let Some(found) = find(&text[at..end]) {
            pace.steps(1 + comparand.len() / 16)?;
            at += found + comparand.len();
            put(&mut text[at - comparand.len()..at], by);
        }
        return Ok(());
    }
    let mut phrases = Vec::with_capacity(replacements.len());
    for replacement in replacements {
        pace.steps(text.len() / 32)?;
        phrases.push(Phrase::new(text, replacement.wanted, replacement.borders));
    }
    let steps = 1 + phrases.iter().map(Phrase::steps).sum::<usize>();
    let mut at = 0;
    while at < text.len() {
        pace.steps(steps)?;
        let found =
            phrases.iter_mut().zip(replacements).find_map(|(p, r)| Some((p.matches(text, at)?, r.by)));
        let Some((length, by)) = found else {
            at += 1;
            continue;
        };
        put(&mut text[at..at + length], by);
        at += length;
    }
    Ok(())
}

/// INSPECT CONVERTING: each character of `from` becomes the one of `to` at its place; the first of several equal ones
/// counts. A `to` of one character, as of a figurative constant, replaces them all.
pub fn convert<T: Character>(
    text: &mut [T],
    from: &[T],
    to: &[T],
    borders: Borders<'_, T>,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    pace.steps((from.len() + text.len()) / 32)?;
    let (start, end) = extent(text, borders);
    let turned = T::converter(from, to);
    for stretch in text[start..end].chunks_mut(4096) {
        pace.steps(stretch.len())?;
        for character in stretch {
            *character = turned(*character);
        }
    }
    Ok(())
}

/// Puts a replacement in its place, repeated where it is shorter.
fn put<T: Copy>(into: &mut [T], by: &[T]) {
    for (to, from) in into.iter_mut().zip(by.iter().cycle()) {
        *to = *from;
    }
}

/// Returns the start and end of a phrase; both borders are searched in the whole item, before anything is changed.
fn extent<T: Character>(text: &[T], borders: Borders<'_, T>) -> (usize, usize) {
    let find = |border: &[T]| T::find(text, border);
    let start = match borders.after {
        Some(border) => find(border).map_or(text.len(), |at| at + border.len()),
        None => 0,
    };
    let end = borders.before.and_then(find).unwrap_or(text.len());
    (start, end.max(start))
}
