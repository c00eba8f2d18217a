//! The cursor over the words, and what every rule of the grammar is written with.

use std::cell::Cell;
use std::rc::Rc;

use cobol_source::{At, Messages};
use diagnostics::Diagnostic;

use crate::dimensions::Dimensions;
use crate::statements::StatementRecord;
use crate::tree::{Name, UseId};
use crate::words::{Block, Word, WordKind};

/// A mistake that has been reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type Parsed<T> = Result<T, Failed>;

/// Greatest depth of statements, expressions and programs in each other.
pub(crate) const NESTING_MAX: usize = 100;
/// Looks at words, at most, for each word of the source: a rule that does not get on is ended by it.
const LOOKS_PER_WORD: u64 = 2_000;

/// Messages of one source, at most; what is more is not told.
const MESSAGES_MAX: usize = 500;

pub(crate) struct Parser<'a> {
    words: &'a [Word],
    pub(crate) blocks: &'a [Block],
    pub(crate) messages: &'a mut Messages,
    at: usize,
    looks: Cell<u64>,
    nesting: usize,
    uses: u32,
    told: usize,
    /// Mistakes are not told: another reads the same text and tells them.
    quiet: bool,
    /// The statements that are open, innermost last.
    pub(crate) open: Vec<&'static StatementRecord>,
    /// Something in this sentence was reported: what is out of place because of it is not told.
    pub(crate) recovering: bool,
    /// A statement in area A was told.
    pub(crate) told_area: bool,
    /// The beginning of the clauses of the present description.
    pub(crate) entry_clauses: usize,
    /// The data division of the present program, or its procedure division, has begun.
    pub(crate) seen_data: bool,
    /// The beginning of the procedure division whose header is missing.
    pub(crate) headless: Option<usize>,
    /// The division that is read next begins with its header.
    pub(crate) headed: bool,
    /// REPOSITORY FUNCTION ALL INTRINSIC has been read.
    pub(crate) all_functions: bool,
    /// True if the expression at the cursor is an argument of a function, where a number with its sign begins the
    /// next one.
    pub(crate) in_argument: bool,
    /// Functions that REPOSITORY has named.
    pub(crate) functions: Vec<Rc<str>>,
    /// In how many tables the items of a name stand: their numbers of subscripts.
    pub(crate) dimensions: Dimensions,
    /// The classes of SPECIAL-NAMES: they need no IS.
    pub(crate) classes: Vec<Rc<str>>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(words: &'a [Word], blocks: &'a [Block], messages: &'a mut Messages) -> Self {
        Self {
            words,
            blocks,
            messages,
            at: 0,
            looks: Cell::new(0),
            nesting: 0,
            uses: 0,
            told: 0,
            quiet: false,
            open: Vec::new(),
            recovering: false,
            told_area: false,
            entry_clauses: 0,
            seen_data: false,
            headless: None,
            headed: true,
            all_functions: false,
            in_argument: false,
            functions: Vec::new(),
            dimensions: Dimensions::default(),
            classes: Vec::new(),
        }
    }

    /// Reads other words with the same numbers of uses and without messages; `None` if they cannot be read to their
    /// end.
    pub(crate) fn aside<T>(
        &mut self,
        words: &[Word],
        rule: impl FnOnce(&mut Parser<'_>) -> Parsed<T>,
    ) -> Option<T> {
        let mut parser = Parser::new(words, &[], self.messages);
        (parser.uses, parser.quiet) = (self.uses, true);
        (parser.all_functions, parser.functions) = (self.all_functions, self.functions.clone());
        let result = rule(&mut parser).ok().filter(|_| parser.at_end());
        self.uses = parser.uses;
        result
    }

    /// Number of reported mistakes.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    /// Number of numbered uses of names.
    pub(crate) fn uses(&self) -> usize {
        self.uses as usize
    }

    pub(crate) fn next_use(&mut self) -> UseId {
        self.uses += 1;
        UseId(self.uses - 1)
    }

    fn get(&self, index: usize) -> &'a Word {
        self.looks.set(self.looks.get() + 1);
        let end = self.words.len() - 1;
        if self.looks.get() > LOOKS_PER_WORD * (self.words.len() as u64 + 50) {
            return &self.words[end];
        }
        &self.words[index.min(end)]
    }

    /// Returns true if the limit of looks has been reached: a mistake of ours, and a message.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.looks.get() > LOOKS_PER_WORD * (self.words.len() as u64 + 50)
    }

    /// The word at the cursor.
    pub(crate) fn word(&self) -> &'a Word {
        self.get(self.at)
    }

    /// The word some places behind the cursor.
    pub(crate) fn ahead(&self, by: usize) -> &'a Word {
        self.get(self.at + by)
    }

    /// The word at a position.
    pub(crate) fn word_at(&self, position: usize) -> &'a Word {
        self.get(position)
    }

    /// The word before the cursor.
    pub(crate) fn before(&self) -> &'a Word {
        self.get(self.at.saturating_sub(1))
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn at_end(&self) -> bool {
        self.word().kind == WordKind::End
    }

    pub(crate) fn bump(&mut self) -> &'a Word {
        let word = self.word();
        if word.kind != WordKind::End {
            self.at += 1;
        }
        word
    }

    /// Returns true if the word at the cursor is this one.
    pub(crate) fn is(&self, text: &str) -> bool {
        is_word(self.word(), text)
    }

    pub(crate) fn is_ahead(&self, by: usize, text: &str) -> bool {
        is_word(self.ahead(by), text)
    }

    pub(crate) fn is_any(&self, texts: &[&str]) -> bool {
        let word = self.word();
        matches!(word.kind, WordKind::Reserved | WordKind::Name) && texts.contains(&&*word.text)
    }

    pub(crate) fn is_any_ahead(&self, by: usize, texts: &[&str]) -> bool {
        let word = self.ahead(by);
        matches!(word.kind, WordKind::Reserved | WordKind::Name) && texts.contains(&&*word.text)
    }

    pub(crate) fn is_kind(&self, kind: WordKind) -> bool {
        self.word().kind == kind
    }

    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        let word = self.word();
        word.kind == WordKind::Symbol && &*word.text == symbol
    }

    pub(crate) fn is_symbol_ahead(&self, by: usize, symbol: &str) -> bool {
        let word = self.ahead(by);
        word.kind == WordKind::Symbol && &*word.text == symbol
    }

    /// Returns true if these words follow each other at the cursor.
    pub(crate) fn is_phrase(&self, texts: &[&str]) -> bool {
        texts.iter().enumerate().all(|(by, text)| self.is_ahead(by, text))
    }

    /// Takes the word if it is this one.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    /// Takes the word if it is one of these, and answers which.
    pub(crate) fn eat_any(&mut self, texts: &[&'static str]) -> Option<&'static str> {
        let found = texts.iter().find(|text| self.is(text)).copied();
        self.at += usize::from(found.is_some());
        found
    }

    /// Takes all words that are one of these.
    pub(crate) fn skip_words(&mut self, texts: &[&str]) {
        while self.is_any(texts) {
            self.at += 1;
        }
    }

    /// Takes the words if they follow each other here.
    pub(crate) fn eat_phrase(&mut self, texts: &[&str]) -> bool {
        let found = self.is_phrase(texts);
        if found {
            self.at += texts.len();
        }
        found
    }

    pub(crate) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn eat_period(&mut self) -> bool {
        let found = self.is_kind(WordKind::Period);
        self.at += usize::from(found);
        found
    }

    /// Takes the word or reports that it is missing.
    pub(crate) fn expect(&mut self, text: &str, help: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.expected(text, help) }
    }

    pub(crate) fn expect_symbol(&mut self, symbol: &str, help: &str) -> Parsed<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { self.expected(symbol, help) }
    }

    /// Reports that something else should stand at the cursor.
    pub(crate) fn expected<T>(&mut self, what: &str, help: &str) -> Parsed<T> {
        let word = self.word();
        let message = match word.kind {
            WordKind::End => format!("the source ends where {what} is expected"),
            WordKind::Period => format!("the sentence ends where {what} is expected"),
            WordKind::Reserved if self.stands_as_name(what) => {
                format!("{} is a reserved word, and no name", word.text)
            }
            _ => format!("{} stands where {what} is expected", word.text),
        };
        self.error(word.at, "SPSY001", message, &format!("expected {what}"), help);
        Err(Failed)
    }

    fn stands_as_name(&self, what: &str) -> bool {
        what.ends_with("name") || what == "an item"
    }

    pub(crate) fn fail<T>(&mut self, at: At, code: &'static str, message: &str, help: &str) -> Parsed<T> {
        self.error(at, code, message.to_owned(), "", help);
        Err(Failed)
    }

    pub(crate) fn error(&mut self, at: At, code: &'static str, message: String, label: &str, help: &str) {
        let cut = self.messages.frames.cut_off(at);
        let message = Diagnostic::error(code, message).label(label);
        let message = match cut {
            Some((line, behind)) => message.help(format!(
                "columns 73 to 80 are not read, and line {line} has \"{behind}\" there; otherwise: {help}"
            )),
            None => message.help(help),
        };
        self.tell(at, message);
    }

    pub(crate) fn warning(&mut self, at: At, code: &'static str, message: String, help: &str) {
        self.tell(at, Diagnostic::warning(code, message).help(help));
    }

    fn tell(&mut self, at: At, message: Diagnostic) {
        self.told += usize::from(!self.quiet);
        if self.told <= MESSAGES_MAX && !self.quiet {
            self.messages.add(at, message);
        }
    }

    /// The word as a name, if it may be one.
    pub(crate) fn name(&mut self, what: &str, help: &str) -> Parsed<Name> {
        let word = self.word();
        if word.kind != WordKind::Name {
            return self.expected(what, help);
        }
        self.at += 1;
        Ok(Name { text: Rc::clone(&word.text), at: word.at })
    }

    /// Any word, reserved or not, as a name: for places where the language gives words a meaning of their own.
    pub(crate) fn any_word(&mut self, what: &str, help: &str) -> Parsed<Name> {
        let word = self.word();
        let fits =
            matches!(word.kind, WordKind::Name | WordKind::Reserved | WordKind::Number | WordKind::Literal);
        if !fits {
            return self.expected(what, help);
        }
        self.at += 1;
        Ok(Name { text: Rc::clone(&word.text), at: word.at })
    }

    pub(crate) fn number(&mut self, what: &str, help: &str) -> Parsed<usize> {
        let word = self.word();
        match word.text.parse() {
            Ok(number) if word.kind == WordKind::Number => {
                self.at += 1;
                Ok(number)
            }
            _ => self.expected(what, help),
        }
    }

    /// Runs a rule one level deeper; reports where that is too deep.
    pub(crate) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= NESTING_MAX {
            let at = self.word().at;
            let help = "take what stands inside into a paragraph of its own";
            return self.fail(at, "SPSY002", "this stands inside too many others", help);
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    /// Back to a place of [`Self::position`].
    pub(crate) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Goes on to the next word for which the answer is yes; over at least `least` words.
    pub(crate) fn skip_until(&mut self, least: usize, stop: impl Fn(&Self) -> bool) {
        for _ in 0..least {
            self.bump();
        }
        while !self.at_end() && !stop(self) {
            self.bump();
        }
    }
}

fn is_word(word: &Word, text: &str) -> bool {
    matches!(word.kind, WordKind::Reserved | WordKind::Name) && &*word.text == text
}
