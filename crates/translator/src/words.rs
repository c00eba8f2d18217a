//! Words that the hosted compiler keeps for itself and Enterprise COBOL leaves to programs.
//!
//! A word stays what the compiler takes it for until a source gives its name to something; from then on it is a name in
//! the whole source, as it is on z/OS. Most are taken from the compiler's list of reserved words. A few are read by
//! patterns that no list governs: these get another name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::reference_format::{AREA_A, AREA_B};
use crate::token::{Kind, Token, is_level, phrase};

/// The words, in upper case.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| include_str!("words.txt").lines().collect());

/// Words that get another name, and the words behind which they keep their meaning.
const RENAMED: [(&str, &[&str]); 7] = [
    ("COB-CRT-STATUS", &[]),
    ("CRT", &[]),
    ("CYCLE", &["EXIT", "PERFORM"]),
    ("ESCAPE", &[]),
    ("PARAGRAPH", &["EXIT"]),
    ("YYYYDDD", &["DAY"]),
    ("YYYYMMDD", &["DATE"]),
];
/// What stands in front of the other name.
pub(crate) const PREFIX: &str = "DFHW-";

/// Sentences of one word that are statements to the hosted compiler, in free format indistinguishable from paragraphs.
const STATEMENTS: [&str; 2] = ["COMMIT", "ROLLBACK"];

/// Finds the words that a source uses as names. Answers those that the compiler must not reserve, and gives others their
/// new name.
pub(crate) fn free(tokens: &mut [Token], free_format: bool) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut reader = Reader { tokens, free_format, place: Place::Other };
    for at in 0..reader.tokens.len() {
        reader.advance(at);
        if reader.tokens[at].kind == Kind::Word && reader.declares(at) {
            names.extend(WORDS.get(&*reader.tokens[at].upper()).copied());
        }
    }
    rename(tokens, &names);
    names.into_iter().filter(|name| !is_renamed(name)).map(str::to_string).collect()
}

fn is_renamed(word: &str) -> bool {
    RENAMED.iter().any(|(renamed, _)| *renamed == word)
}

fn rename(tokens: &mut [Token], names: &BTreeSet<&str>) {
    if !names.iter().any(|name| is_renamed(name)) {
        return;
    }
    // Outside of parentheses, the words of a command are its own.
    let (mut in_command, mut depth) = (false, 0_i32);
    for at in 0..tokens.len() {
        in_command = (in_command || phrase(tokens, at, &["EXEC", "CICS"])) && !tokens[at].is("END-EXEC");
        depth += i32::from(tokens[at].is_symbol("(")) - i32::from(tokens[at].is_symbol(")"));
        let behind = |keywords: &[&str]| {
            !keywords.is_empty() && at >= keywords.len() && phrase(tokens, at - keywords.len(), keywords)
        };
        let found = RENAMED
            .iter()
            .find(|(word, keywords)| names.contains(word) && tokens[at].is(word) && !behind(keywords));
        if let Some((word, _)) = found.filter(|_| !in_command || depth > 0) {
            tokens[at].text = format!("{PREFIX}{word}").into();
        }
    }
}

/// Where in a program names are given in a way of its own.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    SpecialNames,
    /// Its entries have clauses of words that are names elsewhere.
    Screen,
    Procedure,
    Other,
}

struct Reader<'t> {
    tokens: &'t [Token],
    free_format: bool,
    place: Place,
}

impl Reader<'_> {
    fn advance(&mut self, at: usize) {
        let token = &self.tokens[at];
        if phrase(self.tokens, at + 1, &["DIVISION"]) {
            self.place = if token.is("PROCEDURE") { Place::Procedure } else { Place::Other };
        } else if token.is("SPECIAL-NAMES") {
            self.place = Place::SpecialNames;
        } else if self.place != Place::Procedure && phrase(self.tokens, at + 1, &["SECTION"]) {
            self.place = if token.is("SCREEN") { Place::Screen } else { Place::Other };
        }
    }

    /// Whether the word at `at` is the name of what is described there.
    fn declares(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map(|at| &self.tokens[at]);
        let is_before = |words: &[&str]| before(1).is_some_and(|token| token.is_any(words));
        let starts = |back: usize| before(back).is_none_or(Token::is_period);
        match self.place {
            Place::Procedure => starts(1) && self.is_paragraph(at),
            // What an alphabet is has no name of the program's: ALPHABET name IS EBCDIC.
            Place::SpecialNames if before(3).is_some_and(|token| token.is("ALPHABET")) => false,
            Place::SpecialNames if is_before(&["IS", "CLASS", "ALPHABET", "CHARACTERS"]) => true,
            Place::Screen => false,
            _ => {
                let program = before(2).is_some_and(|token| token.is("PROGRAM-ID")) && starts(1);
                let file = is_before(&["FD", "SD", "SELECT", "OPTIONAL", "PROGRAM-ID"]);
                let item = before(1).is_some_and(is_level) && starts(2);
                program || file || item || self.is_index(at)
            }
        }
    }

    /// Whether a sentence of the procedure division that begins here is a header.
    fn is_paragraph(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let in_area_a = (AREA_A..AREA_B).contains(&usize::from(token.at.column));
        let section = phrase(self.tokens, at + 1, &["SECTION"]);
        let alone = self.tokens.get(at + 1).is_some_and(Token::is_period);
        let paragraph = if self.free_format { !token.is_any(&STATEMENTS) } else { in_area_a };
        section || (alone && paragraph)
    }

    /// Whether the word is one of those behind INDEXED BY.
    fn is_index(&self, at: usize) -> bool {
        let stop =
            |token: &Token| token.kind != Kind::Word || token.is_any(&["PIC", "PICTURE", "VALUE", "USAGE"]);
        let back = self.tokens[..at].iter().rev().take_while(|token| !stop(token));
        back.into_iter().any(|token| token.is("INDEXED"))
    }
}
