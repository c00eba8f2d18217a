//! The ledger: the counters that a region said it had accepted, and those that it may have. Terminals and lines
//! identify cards: a ledger holds no card number.
//!
//! ```text
//! accepted t00000 3 17        terminal, card (from 0), counter
//! unsure   t00000 3 18        sent, and no answer came
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use diagnostics::{Diagnostic, Source, TextPlace};

use crate::tracks::unwritable;

const ACCEPTED: &str = "accepted";
const UNSURE: &str = "unsure";

/// A card: its terminal's name and its line.
pub type CardId = (String, usize);

/// The entry of one card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardEntry {
    /// Counters that were accepted.
    pub accepted: BTreeSet<u32>,
    /// The highest counter that was sent.
    pub sent: u32,
}

/// All cards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    cards: BTreeMap<CardId, CardEntry>,
}

/// Reads a ledger, if it is there, and opens it for more lines. A last line without an end is cut off.
pub fn open(path: &Path) -> Result<(Ledger, File), Vec<Diagnostic>> {
    let fail = |error: io::Error| vec![unwritable(path, &error)];
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(fail)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(fail)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64).map_err(fail)?;
    text.truncate(whole);
    Ok((Ledger::read(&Source::new(path.display().to_string(), text))?, file))
}

/// A line of a ledger: an accepted counter, or one of unknown fate.
pub fn line(terminal: &str, card: usize, counter: u32, accepted: bool) -> String {
    let word = if accepted { ACCEPTED } else { UNSURE };
    let mut line = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(line, "{word} {terminal} {card} {counter}");
    line
}

impl Ledger {
    /// Reads a ledger. A counter that was accepted twice is an error: that is what ledgers are for. A last line
    /// without an end is passed over: its writer was stopped in the middle of it.
    pub fn read(source: &std::sync::Arc<Source>) -> Result<Self, Vec<Diagnostic>> {
        let (mut ledger, mut messages) = (Self::default(), Vec::new());
        let whole = source.text.rfind('\n').map_or("", |end| &source.text[..end]);
        for (number, line) in whole.lines().enumerate() {
            let place = TextPlace::new(source, number + 1, 1, 0);
            match parse(line) {
                None => messages.push(
                    Diagnostic::error("SPLD010", "this line is none of a ledger")
                        .at(place)
                        .help("a line is accepted or unsure, a terminal, the number of a card, a counter"),
                ),
                Some((card, counter, accepted)) => {
                    let entry = ledger.cards.entry(card).or_default();
                    entry.sent = entry.sent.max(counter);
                    if accepted && !entry.accepted.insert(counter) {
                        messages.push(
                            Diagnostic::error("SPLD011", "a counter was accepted twice")
                                .at(place)
                                .label("accepted here again")
                                .help("the region lost an update of this card's account"),
                        );
                    }
                }
            }
        }
        if messages.is_empty() { Ok(ledger) } else { Err(messages) }
    }

    /// The entry of a card.
    pub fn card(&self, terminal: &str, card: usize) -> Option<&CardEntry> {
        self.cards.get(&(terminal.to_owned(), card))
    }

    /// Counters accepted, all cards together.
    pub fn accepted(&self) -> usize {
        self.cards.values().map(|entry| entry.accepted.len()).sum()
    }
}

fn parse(line: &str) -> Option<(CardId, u32, bool)> {
    let mut words = line.split_ascii_whitespace();
    let accepted = match words.next()? {
        ACCEPTED => true,
        UNSURE => false,
        _ => return None,
    };
    let card = (words.next()?.to_owned(), words.next()?.parse().ok()?);
    let counter = words.next()?.parse().ok()?;
    words.next().is_none().then_some((card, counter, accepted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Ledger, Vec<&'static str>> {
        Ledger::read(&Source::new("ledger", text))
            .map_err(|messages| messages.iter().map(|message| message.code).collect())
    }

    #[test]
    fn a_ledger_knows_what_was_accepted_and_sent() {
        let text = [line("t1", 0, 1, true), line("t1", 0, 2, false), line("t2", 0, 1, true)].concat();
        let ledger = read(&format!("{text}accepted t1 0")).expect("a cut last line is passed over");
        let entry = ledger.card("t1", 0).expect("known");
        assert_eq!((entry.sent, entry.accepted.last()), (2, Some(&1)));
        assert_eq!((ledger.accepted(), ledger.card("t1", 1)), (2, None));
    }

    #[test]
    fn a_ledger_goes_on_behind_its_last_whole_line() {
        use std::io::Write;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger");
        let (empty, mut file) = open(&path).expect("a new one");
        assert_eq!(empty, Ledger::default());
        file.write_all(b"accepted t1 0 1\naccepted t1").expect("written");
        let (_, mut file) = open(&path).expect("a cut one");
        file.write_all(line("t1", 0, 2, true).as_bytes()).expect("written");
        assert_eq!(open(&path).expect("a whole one").0.accepted(), 2);
    }

    #[test]
    fn what_is_wrong_with_a_ledger() {
        for (text, code) in [
            ("accepted t1 0 1\naccepted t1 0 1\n", "SPLD011"),
            ("taken t1 0 1\n", "SPLD010"),
            ("accepted t1 0 1 1\n", "SPLD010"),
            ("accepted t1 0 x\n", "SPLD010"),
        ] {
            assert_eq!(read(text), Err(vec![code]), "{text}");
        }
    }
}
