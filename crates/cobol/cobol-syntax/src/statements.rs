//! Statements: one record for each, in `statements.tsv`. The reserved words, the parser, docs/compat/interface.md and `syncpoint explain` read
//! what they know of a statement here.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::tree::Event;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementRecord {
    /// Its name: the verb, and the word behind it where several statements share the verb.
    pub name: &'static str,
    /// The words with which it begins.
    pub begins: Begins,
    /// The word that ends it.
    pub ends: Option<&'static str>,
    /// The word that ends it may be a name: Enterprise COBOL does not know it.
    pub ends_by_name: bool,
    /// The words that begin a part of it, behind statements.
    pub parts: Vec<&'static str>,
    /// The phrases with statements of their own that may stand behind it.
    pub phrases: Vec<Event>,
    /// The places where it may stand.
    pub stands: &'static str,
    /// Its state.
    pub state: StatementState,
    /// The reason of its state; `None` for one that is built.
    pub lacks: Option<&'static str>,
    /// Its form in words.
    pub form: &'static str,
    /// A use of it; `None` for one that needs more than a program.
    pub example: Option<&'static str>,
    /// A line that the example shows.
    pub shown: Option<&'static str>,
    /// Its meaning in words.
    pub meaning: &'static str,
}

/// The words with which a statement begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// A verb, which is reserved.
    Verb,
    /// Two reserved words, each of which may stand elsewhere by itself.
    Pair,
    /// A verb of older compilers: a name wherever no statement is expected.
    Old,
    /// EXEC and the name of who is to do it.
    Block,
    /// A reserved word for the compiler's listing: it is dropped.
    Listing,
    /// The same, where a literal stands behind it.
    Title,
    /// A word that the reader of the text obeys: no statement is left of it.
    Text,
}

/// A statement's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementState {
    /// It is built.
    Built,
    /// It is built, but for what is missing.
    Partly,
    /// It is taken, and does nothing.
    NoEffect,
    /// It is refused by its name.
    Refused,
}

static RECORDS: LazyLock<Vec<StatementRecord>> =
    LazyLock::new(|| include_str!("statements.tsv").lines().skip(1).filter_map(record).collect());

/// The statements of each first word, those with longer names first.
static BY_WORD: LazyLock<HashMap<&str, Vec<&StatementRecord>>> = LazyLock::new(|| {
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for record in RECORDS.iter() {
        all.entry(record.word()).or_default().push(record);
    }
    all.values_mut().for_each(|list| list.sort_by_key(|record| std::cmp::Reverse(record.name.len())));
    all
});

/// Words that end statements, or parts of them.
static ENDS: LazyLock<HashMap<&str, &StatementRecord>> = LazyLock::new(|| {
    let ends = |record: &'static StatementRecord| {
        record.ends.into_iter().chain(record.parts.iter().copied()).map(move |word| (word, record))
    };
    // The first statement of a word stands for all that share it.
    RECORDS.iter().rev().flat_map(ends).collect()
});

/// Reserved words of the records: those with which statements begin and end.
static RESERVED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = |record: &'static StatementRecord| {
        let begins = matches!(record.begins, Begins::Verb | Begins::Pair | Begins::Listing);
        let ends = record.ends.filter(|_| !record.ends_by_name);
        begins.then(|| record.word()).into_iter().chain(ends).chain(record.parts.iter().copied())
    };
    RECORDS.iter().flat_map(words).collect()
});

/// All statements by their names.
pub fn statements() -> &'static [StatementRecord] {
    &RECORDS
}

/// The statement of a name in capitals.
pub fn statement(name: &str) -> Option<&'static StatementRecord> {
    RECORDS.iter().find(|record| record.name == name)
}

/// The statements that begin with a word, those with longer names first.
pub(crate) fn beginning_with(word: &str) -> &'static [&'static StatementRecord] {
    BY_WORD.get(word).map_or(&[], Vec::as_slice)
}

/// The first statement that a word ends, or of which it begins a part.
pub(crate) fn ended_by(word: &str) -> Option<&'static StatementRecord> {
    ENDS.get(word).copied()
}

/// Returns true if a word is reserved because a statement, or a part of one, begins or ends with it.
pub(crate) fn reserves(word: &str) -> bool {
    RESERVED.contains(word)
}

/// The number of words about the compiler's listing that begin with a word; `None` for one that is not of the listing.
pub(crate) fn words_of_listing(word: &str, literal_follows: bool) -> Option<usize> {
    match beginning_with(word).first()?.begins {
        Begins::Listing => Some(1),
        Begins::Title if literal_follows => Some(2),
        _ => None,
    }
}

impl StatementRecord {
    /// Its first word.
    pub fn word(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or(self.name)
    }

    /// The words of its name behind the first.
    pub(crate) fn further_words(&self) -> impl Iterator<Item = &'static str> {
        self.name.split(' ').skip(1)
    }

    /// Returns true if a word ends it, or begins a part of it.
    pub(crate) fn is_ended_by(&self, word: &str) -> bool {
        self.ends == Some(word) || self.parts.contains(&word)
    }
}

impl Begins {
    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "verb" => Self::Verb,
            "pair" => Self::Pair,
            "old" => Self::Old,
            "block" => Self::Block,
            "listing" => Self::Listing,
            "title" => Self::Title,
            "text" => Self::Text,
            _ => return None,
        })
    }
}

impl StatementState {
    /// The state in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Built => "built",
            Self::Partly => "built, but for",
            Self::NoEffect => "no effect",
            Self::Refused => "refused by name and line",
        }
    }

    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "built" => Self::Built,
            "partly" => Self::Partly,
            "no effect" => Self::NoEffect,
            "refused" => Self::Refused,
            _ => return None,
        })
    }
}

/// A line of the table; `None` for one that is no record, which a test finds.
fn record(line: &'static str) -> Option<StatementRecord> {
    let mut cells = line.split('\t');
    let mut cell = || cells.next().filter(|cell| !cell.is_empty());
    let (name, begins) = (cell()?, Begins::read(cell()?)?);
    let ends = some(cell()?);
    let ends_by_name = ends.is_some_and(|ends| ends.starts_with('('));
    let ends = ends.map(|ends| ends.trim_matches(['(', ')']));
    let parts = some(cell()?).map_or_else(Vec::new, |parts| parts.split(", ").collect());
    let phrases = some(cell()?).map_or("", |phrases| phrases).split_terminator(", ").map(Event::read);
    let phrases = phrases.collect::<Option<_>>()?;
    let (stands, state, lacks) = (cell()?, StatementState::read(cell()?)?, some(cell()?));
    let (form, example, shown) = (cell()?, some(cell()?), some(cell()?));
    Some(StatementRecord {
        name,
        begins,
        ends,
        ends_by_name,
        parts,
        phrases,
        stands,
        state,
        lacks,
        form,
        example,
        shown,
        meaning: cell()?,
    })
}

/// A cell that holds more than a dash.
fn some(cell: &'static str) -> Option<&'static str> {
    Some(cell).filter(|cell| *cell != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_record_and_the_names_are_in_order() {
        for line in include_str!("statements.tsv").lines().skip(1) {
            assert!(record(line).is_some(), "{line}");
        }
        assert!(RECORDS.is_sorted_by(|one, other| one.name < other.name));
    }

    #[test]
    fn a_record_says_why_a_statement_is_not_built_and_shows_one_that_is() {
        for record in statements() {
            let name = record.name;
            assert_eq!(record.state == StatementState::Built, record.lacks.is_none(), "{name}");
            let uses = |text: &str| text.contains(record.word());
            assert!(record.example.is_none_or(uses) && uses(record.form), "{name}");
            assert!(record.shown.is_none() || record.example.is_some(), "{name}");
            // What needs a region has tests there; what the listing drops leaves nothing.
            let needs_more = matches!(record.begins, Begins::Block | Begins::Listing | Begins::Title)
                || matches!(name, "CBL" | "COPY" | "ENTER");
            let shown = record.state != StatementState::Refused && !needs_more;
            assert_eq!(record.shown.is_some(), shown, "{name} has an example with what it shows");
        }
    }

    #[test]
    fn the_page_names_what_is_not_built() {
        let page = include_str!("../../../../docs/compiler.md");
        let row = |beginning: &str| page.lines().find(|line| line.starts_with(beginning)).expect("a row");
        let (refused, idle) = (row("| refused by name |"), row("| no effect | ENTER"));
        for record in statements() {
            let named = |row: &str| row.contains(record.name);
            match record.state {
                StatementState::Refused => assert!(named(refused), "{}", record.name),
                StatementState::NoEffect => assert!(named(idle), "{}", record.name),
                // A name may be the beginning of another one.
                StatementState::Built | StatementState::Partly => {}
            }
        }
    }

    #[test]
    fn a_word_leads_to_its_statements() {
        let names = |word| beginning_with(word).iter().map(|record| record.name).collect::<Vec<_>>();
        assert_eq!(names("ADD"), ["ADD"]);
        assert_eq!(names("JSON"), ["JSON GENERATE", "JSON PARSE"]);
        assert_eq!(names("EXIT").last(), Some(&"EXIT"));
        assert!(names("CUSTOMER").is_empty());
        assert_eq!(ended_by("END-XML").map(StatementRecord::word), Some("XML"));
        assert_eq!(ended_by("WHEN").map(StatementRecord::word), Some("EVALUATE"));
        assert!(ended_by("END-OF-FILE").is_none());
    }
}
