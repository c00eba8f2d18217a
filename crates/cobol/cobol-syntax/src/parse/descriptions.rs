//! Data descriptions that stand alone: the text of a copybook.

use crate::parser::Parser;
use crate::tree::DataEntry;
use crate::words::{Word, WordKind};

/// Words that have a meaning in a data description. All others may be names there: a copybook need not be one that this compiler
/// takes.
const OF_DESCRIPTIONS: [&str; 83] = [
    "ALL",
    "ANY",
    "ARE",
    "ASCENDING",
    "BINARY",
    "BLANK",
    "BY",
    "BYTE-LENGTH",
    "CHARACTER",
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-4",
    "COMP-5",
    "COMPUTATIONAL",
    "COMPUTATIONAL-1",
    "COMPUTATIONAL-2",
    "COMPUTATIONAL-3",
    "COMPUTATIONAL-4",
    "COMPUTATIONAL-5",
    "COPY",
    "DEPENDING",
    "DESCENDING",
    "DISPLAY",
    "DISPLAY-1",
    "EXTERNAL",
    "FALSE",
    "FILLER",
    "FUNCTION-POINTER",
    "GLOBAL",
    "GROUP-USAGE",
    "HIGH-VALUE",
    "HIGH-VALUES",
    "IN",
    "INDEX",
    "INDEXED",
    "IS",
    "JUST",
    "JUSTIFIED",
    "KEY",
    "LEADING",
    "LEFT",
    "LENGTH",
    "LOW-VALUE",
    "LOW-VALUES",
    "NATIONAL",
    "NATIVE",
    "NULL",
    "NULLS",
    "OBJECT",
    "OCCURS",
    "OF",
    "ON",
    "PACKED-DECIMAL",
    "PIC",
    "PICTURE",
    "POINTER",
    "POINTER-32",
    "PROCEDURE-POINTER",
    "QUOTE",
    "QUOTES",
    "REDEFINES",
    "REFERENCE",
    "RENAMES",
    "RIGHT",
    "SEPARATE",
    "SIGN",
    "SPACE",
    "SPACES",
    "SYNC",
    "SYNCHRONIZED",
    "THROUGH",
    "THRU",
    "TIMES",
    "TO",
    "TRAILING",
    "TRUE",
    "USAGE",
    "UTF-8",
    "VALUE",
    "VALUES",
    "WHEN",
];

/// Makes names of reserved words that mean nothing in a data description.
pub(crate) fn free_names(words: &mut [Word]) {
    let zeros = ["ZERO", "ZEROS", "ZEROES", "VOLATILE"];
    let keeps = |word: &Word| OF_DESCRIPTIONS.contains(&&*word.text) || zeros.contains(&&*word.text);
    for word in words.iter_mut().filter(|word| word.kind == WordKind::Reserved) {
        if !keeps(word) {
            word.kind = WordKind::Name;
        }
    }
}

const HELP: &str =
    "a data description starts with a level number: 01 to 49, 66, 77 or 88; the sentence is passed over";

impl Parser<'_> {
    /// All descriptions of the text. A sentence that is none is passed over with a warning.
    pub(crate) fn descriptions(&mut self) -> Vec<DataEntry> {
        let mut entries = Vec::new();
        while !self.at_end() {
            if self.eat_period() {
                continue;
            }
            if !self.is_kind(WordKind::Number) {
                self.pass_sentence();
                continue;
            }
            match self.data_entry() {
                Ok(entry) => entries.push(entry),
                Err(_) => self.recover_entry(),
            }
        }
        entries
    }

    fn pass_sentence(&mut self) {
        let word = self.word();
        let message = format!("{} does not start a data description", word.text);
        let help = match &*word.text {
            "COPY" | "EXEC" => "give the text with its COPY members already in it",
            _ => HELP,
        };
        self.warning(word.at, "SPSY016", message, help);
        // A full stop within a word ends no sentence.
        let ends = |parser: &Self| parser.is_kind(WordKind::Period) && !parser.ahead(1).glued;
        self.skip_until(1, |parser| ends(parser) || parser.starts_entry_line());
        self.eat_period();
    }
}
