//! From the tokens of one sentence to a data description entry.

use diagnostics::{Diagnostic, Place};
use ebcdic::decimal::ZonedSign;

use crate::layout::Occurs;
use crate::picture::{Category, MAX_SIZE, Picture, picture};
use crate::tokens::{Token, TokenKind};

/// USAGE, as far as it decides how bytes are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UsageClause {
    Display,
    /// COMP, COMP-4, BINARY.
    Binary,
    /// COMP-5.
    Native,
    /// BINARY-CHAR to BINARY-DOUBLE: bytes, without a picture.
    NativeBytes(usize),
    Packed,
    Float(usize),
    /// POINTER and PROCEDURE-POINTER.
    Pointer,
    Index,
    /// NATIONAL, DISPLAY-1.
    DoubleByte,
}

/// One data description entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub level: u8,
    pub name: Option<String>,
    pub place: Place,
    pub picture: Option<Picture>,
    pub usage: Option<UsageClause>,
    pub sign: Option<ZonedSign>,
    pub occurs: Option<Occurs>,
    pub redefines: Option<(String, Place)>,
    pub synchronized: bool,
}

/// Words with which a clause starts, so that they are no name.
const CLAUSES: [&str; 14] = [
    "PIC",
    "PICTURE",
    "USAGE",
    "GROUP-USAGE",
    "OCCURS",
    "REDEFINES",
    "VALUE",
    "VALUES",
    "SIGN",
    "SYNC",
    "SYNCHRONIZED",
    "EXTERNAL",
    "BLANK",
    "JUSTIFIED",
];

/// Words that carry no meaning between others, or a meaning that does not matter to bytes.
const NOISE: [&str; 20] = [
    "IS",
    "ARE",
    "JUST",
    "JUSTIFIED",
    "RIGHT",
    "LEFT",
    "EXTERNAL",
    "GLOBAL",
    "BLANK",
    "WHEN",
    "ZERO",
    "ZEROS",
    "ZEROES",
    "CHARACTER",
    "SEPARATE",
    "TIMES",
    "UNSIGNED",
    "UTF-8",
    "SIGNED",
    "VOLATILE",
];

/// Reads an entry; none, after saying why, if the sentence is no entry that takes storage.
pub(crate) fn entry(sentence: &[Token], messages: &mut Vec<Diagnostic>) -> Option<Entry> {
    let first = sentence.first()?;
    let Ok(level @ (1..=49 | 66 | 77 | 78 | 88)) = first.text.parse::<u8>() else {
        messages.push(not_a_description(first));
        return None;
    };
    if matches!(level, 66 | 78 | 88) {
        return None;
    }
    let named = sentence.get(1).filter(|token| !CLAUSES.contains(&token.text.as_str()));
    let mut reader = Reader { tokens: sentence, at: 1 + usize::from(named.is_some()), messages };
    let mut entry = Entry {
        level,
        name: named.filter(|token| token.text != "FILLER").map(|token| token.text.clone()),
        place: named.unwrap_or(first).place.clone(),
        picture: None,
        usage: None,
        sign: None,
        occurs: None,
        redefines: None,
        synchronized: false,
    };
    while let Some(token) = reader.next() {
        reader.clause(token, &mut entry);
    }
    Some(entry)
}

fn not_a_description(first: &Token) -> Diagnostic {
    let message = format!("{} does not start a data description", first.text);
    let help = match first.text.as_str() {
        "COPY" | "EXEC" => "give the text with its COPY members already in it",
        _ => {
            "a data description starts with a level number: 01 to 49, 66, 77 or 88; the sentence is passed over"
        }
    };
    Diagnostic::warning("SPCB001", message).at(first.place.clone()).help(help)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    messages: &'a mut Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    /// Passes over a word if it comes next; says whether it did.
    fn skip(&mut self, words: &[&str]) -> bool {
        let there = self.tokens.get(self.at).is_some_and(|token| words.iter().any(|word| token.is(word)));
        self.at += usize::from(there);
        there
    }

    fn number(&mut self) -> Option<usize> {
        let number = self.tokens.get(self.at)?.text.parse().ok()?;
        self.at += 1;
        Some(number)
    }

    fn clause(&mut self, token: &Token, entry: &mut Entry) {
        match token.text.as_str() {
            "PIC" | "PICTURE" => self.picture(token, entry),
            "USAGE" | "GROUP-USAGE" => {
                self.skip(&["IS"]);
            }
            "REDEFINES" => entry.redefines = self.next().map(|name| (name.text.clone(), name.place.clone())),
            "OCCURS" => self.occurs(token, entry),
            "SIGN" | "LEADING" | "TRAILING" => self.sign(token, entry),
            "SYNC" | "SYNCHRONIZED" => entry.synchronized = true,
            "VALUE" | "VALUES" => self.skip_values(),
            word => match usage(word) {
                Some(usage) => entry.usage = Some(usage),
                None if NOISE.contains(&word) => {}
                None => {
                    self.messages.push(
                        Diagnostic::error("SPCB004", format!("{word} is not a clause of a data description"))
                            .at(token.place.clone())
                            .help("the rest of this description is passed over; check the spelling and the full stops"),
                    );
                    self.at = self.tokens.len();
                }
            },
        }
    }

    fn picture(&mut self, clause: &Token, entry: &mut Entry) {
        self.skip(&["IS"]);
        let token = self.next().unwrap_or(clause);
        entry.picture = picture(&token.text);
        if entry.picture.is_none() {
            self.messages.push(
                Diagnostic::error("SPCB002", format!("{} is not a picture", token.text))
                    .at(token.place.clone())
                    .help("a picture is made of symbols and repetitions: X(10), S9(7)V99, ZZ9.99"),
            );
        }
        if self.skip(&["BYTE-LENGTH"]) {
            self.skip(&["IS"]);
            let bytes = self.number();
            if let (Some(picture), Some(bytes)) = (&mut entry.picture, bytes)
                && picture.category == Category::Utf8
                && bytes <= MAX_SIZE
            {
                picture.size = bytes;
            }
        }
    }

    fn occurs(&mut self, clause: &Token, entry: &mut Entry) {
        let Some(first) = self.number() else {
            self.messages.push(
                Diagnostic::error("SPCB012", "OCCURS needs a number")
                    .at(clause.place.clone())
                    .help("OCCURS 5 TIMES"),
            );
            return;
        };
        let last = if self.skip(&["TO"]) { self.number() } else { None };
        let mut occurs = Occurs {
            min: if last.is_some() { first } else { 0 },
            max: last.unwrap_or(first),
            depending: None,
        };
        self.skip(&["TIMES"]);
        loop {
            if self.skip(&["DEPENDING"]) {
                self.skip(&["ON"]);
                occurs.depending = self.names().into_iter().next();
            } else if self.skip(&["ASCENDING", "DESCENDING"]) {
                self.skip(&["KEY"]);
                self.skip(&["IS", "ARE"]);
                self.names();
            } else if self.skip(&["INDEXED"]) {
                self.skip(&["BY"]);
                self.names();
            } else {
                break;
            }
        }
        if occurs.depending.is_none() {
            occurs.min = occurs.max;
        }
        entry.occurs = Some(occurs);
    }

    /// The names that follow, up to a word that has another meaning; qualifiers are passed over.
    fn names(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        while let Some(token) = self.tokens.get(self.at) {
            let word = token.text.as_str();
            let other =
                ["DEPENDING", "ASCENDING", "DESCENDING", "INDEXED", "LEADING", "TRAILING"].contains(&word);
            if token.kind != TokenKind::Word || CLAUSES.contains(&word) || usage(word).is_some() || other {
                break;
            }
            self.at += 1;
            if matches!(word, "OF" | "IN") {
                self.at += 1;
            } else {
                names.push(word.to_owned());
            }
        }
        names
    }

    fn sign(&mut self, token: &Token, entry: &mut Entry) {
        let leading = if token.is("SIGN") {
            self.skip(&["IS"]);
            let leading = self.skip(&["LEADING"]);
            self.skip(&["TRAILING"]);
            leading
        } else {
            token.is("LEADING")
        };
        entry.sign = Some(match (leading, self.skip(&["SEPARATE"])) {
            (true, true) => ZonedSign::LeadingSeparate,
            (true, false) => ZonedSign::Leading,
            (false, true) => ZonedSign::TrailingSeparate,
            (false, false) => ZonedSign::Trailing,
        });
    }

    /// Passes over the values of a VALUE clause: literals, numbers and figurative constants.
    fn skip_values(&mut self) {
        self.skip(&["IS", "ARE"]);
        while let Some(token) = self.tokens.get(self.at) {
            let word = token.text.as_str();
            let clause =
                CLAUSES.contains(&word) || usage(word).is_some() || ["LEADING", "TRAILING"].contains(&word);
            if token.kind == TokenKind::Word && clause {
                break;
            }
            self.at += 1;
        }
    }
}

fn usage(word: &str) -> Option<UsageClause> {
    Some(match word {
        "DISPLAY" => UsageClause::Display,
        "COMP" | "COMPUTATIONAL" | "COMP-4" | "COMPUTATIONAL-4" | "BINARY" => UsageClause::Binary,
        "COMP-5" | "COMPUTATIONAL-5" => UsageClause::Native,
        "COMP-3" | "COMPUTATIONAL-3" | "PACKED-DECIMAL" => UsageClause::Packed,
        "COMP-1" | "COMPUTATIONAL-1" | "FLOAT-SHORT" => UsageClause::Float(4),
        "COMP-2" | "COMPUTATIONAL-2" | "FLOAT-LONG" => UsageClause::Float(8),
        "BINARY-CHAR" => UsageClause::NativeBytes(1),
        "BINARY-SHORT" => UsageClause::NativeBytes(2),
        "BINARY-LONG" => UsageClause::NativeBytes(4),
        "BINARY-DOUBLE" => UsageClause::NativeBytes(8),
        "POINTER" | "PROCEDURE-POINTER" | "FUNCTION-POINTER" => UsageClause::Pointer,
        "INDEX" => UsageClause::Index,
        "NATIONAL" | "DISPLAY-1" => UsageClause::DoubleByte,
        _ => return None,
    })
}
