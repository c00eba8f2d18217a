//! Text words to the words of the grammar: upper case, reserved or not, pictures and numbers whole, separators gone.

use std::ops::Range;
use std::rc::Rc;

use cobol_source::exec::{self, Executor, Item};
use cobol_source::token::{Kind, phrase};
use cobol_source::{At, Messages, Token};

use crate::reserved::is_reserved;
use crate::statements;

/// Kinds of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A word that the language keeps for itself.
    Reserved,
    /// A word that may be a name.
    Name,
    /// Digits, perhaps with a decimal point; a sign is a word of its own.
    Number,
    /// A literal with its quotes and its prefix.
    Literal,
    /// The character string behind PICTURE.
    Picture,
    /// An operator, a parenthesis, a colon.
    Symbol,
    /// The full stop that ends a sentence.
    Period,
    /// EXEC … END-EXEC; the index of its block stands in [`Word::block`].
    Exec,
    /// The end of the source.
    End,
}

/// One word of the grammar.
#[derive(Clone, Debug)]
pub struct Word {
    /// Kind of the word.
    pub kind: WordKind,
    /// Words in upper case, literals as written.
    pub text: Rc<str>,
    /// Place in the source.
    pub at: At,
    /// The block of an [`WordKind::Exec`].
    pub block: u32,
    /// True if it is the first of its line.
    pub first: bool,
    /// True if it begins in area A (columns 8 to 11 of fixed format).
    pub area_a: bool,
    /// True if a comma or semicolon stands in front of it.
    pub separated: bool,
    /// True if nothing stands between it and the word before.
    pub glued: bool,
}

/// One EXEC … END-EXEC.
#[derive(Clone, Debug)]
pub struct Block {
    /// The kind of the word behind EXEC.
    pub executor: Executor,
    /// The word behind EXEC in capitals.
    pub name: Rc<str>,
    /// Its words behind EXEC CICS; none for others.
    pub items: Vec<Item>,
    /// All text words between the executor and END-EXEC.
    pub tokens: Vec<Token>,
    /// Place where it starts.
    pub at: At,
    /// Its text words among the source's, EXEC and END-EXEC with them.
    pub range: Range<usize>,
}

/// All words of a source, with the blocks among them. The last is [`WordKind::End`].
pub(crate) fn words(tokens: &[Token], free: bool, messages: &mut Messages) -> (Vec<Word>, Vec<Block>) {
    let mut reader = Reader {
        tokens,
        free,
        words: Vec::with_capacity(tokens.len() + 1),
        blocks: Vec::new(),
        decimal_comma: false,
        separated: false,
    };
    let mut at = 0;
    while at < tokens.len() {
        at = reader.read(at, messages);
    }
    reader.end();
    (reader.words, reader.blocks)
}

struct Reader<'t> {
    tokens: &'t [Token],
    free: bool,
    words: Vec<Word>,
    blocks: Vec<Block>,
    /// `DECIMAL-POINT IS COMMA` has been read.
    decimal_comma: bool,
    separated: bool,
}

impl Reader<'_> {
    /// Reads what begins at a text word; answers where the next begins.
    fn read(&mut self, at: usize, messages: &mut Messages) -> usize {
        let token = &self.tokens[at];
        match token.kind {
            Kind::Word if token.is_any(&["EXEC", "EXECUTE"]) => self.exec(at, messages),
            Kind::Word => match statements::words_of_listing(&upper(&token.text), self.literal(at + 1)) {
                Some(words) => at + words + usize::from(self.period(at + words)),
                None => self.word(at),
            },
            Kind::Literal | Kind::Broken => self.push(at, WordKind::Literal, Rc::clone(&token.text)),
            Kind::Period => {
                self.push(at, WordKind::Period, Rc::clone(&token.text));
                at + 1
            }
            Kind::Symbol => return self.symbol(at),
            // Pseudo-text outside of COPY and REPLACE, and text that the parser cannot take, get their messages there.
            Kind::Pseudo => self.push(at, WordKind::Symbol, Rc::clone(&token.text)),
        }
        .max(at + 1)
    }

    fn period(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_period)
    }

    fn literal(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Literal)
    }

    fn exec(&mut self, at: usize, messages: &mut Messages) -> usize {
        let Some(block) = exec::read(self.tokens, at, messages) else { return self.word(at) };
        let end = block.range.end;
        let inner = &self.tokens[(at + 2).min(end)..end];
        let closed = inner.last().is_some_and(|token| token.is("END-EXEC"));
        let tokens = inner[..inner.len() - usize::from(closed)].to_vec();
        self.push(at, WordKind::Exec, "EXEC".into());
        if let Some(word) = self.words.last_mut() {
            word.block = self.blocks.len() as u32;
            word.at = block.at;
        }
        let name = self.tokens.get(at + 1).map_or_else(|| "".into(), |token| upper(&token.text));
        self.blocks.push(Block {
            executor: block.executor,
            name,
            items: block.items,
            tokens,
            at: block.at,
            range: block.range,
        });
        end.max(at + 1)
    }

    fn word(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        let text = upper(&token.text);
        if is_number(&text) {
            return self.number(at);
        }
        let kind = if is_reserved(&text) { WordKind::Reserved } else { WordKind::Name };
        if &*text == "COMMA" && self.is_before(&["DECIMAL-POINT"]) {
            self.decimal_comma = true;
        }
        // PICTURE SYMBOL is a phrase of CURRENCY SIGN.
        let picture = matches!(&*text, "PIC" | "PICTURE") && !phrase(self.tokens, at + 1, &["SYMBOL"]);
        self.push(at, kind, text);
        if !picture {
            return at + 1;
        }
        let next = at + 1 + usize::from(phrase(self.tokens, at + 1, &["IS"]));
        self.picture(next)
    }

    /// Returns true if the last word, apart from IS, is one of these.
    fn is_before(&self, words: &[&str]) -> bool {
        let last = self.words.iter().rev().find(|word| &*word.text != "IS");
        last.is_some_and(|word| words.contains(&&*word.text))
    }

    /// A number, and behind a decimal comma or an exponent what belongs to it.
    fn number(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        let mut text = token.text.to_string();
        let mut next = at + 1;
        let digits = |at: usize| {
            self.tokens.get(at).filter(|t| t.is_glued() && t.text.bytes().all(|b| b.is_ascii_digit()))
        };
        let fraction =
            if self.decimal_comma && self.glued_symbol(next, ",") { digits(next + 1) } else { None };
        if let Some(fraction) = fraction {
            text = format!("{text}.{}", fraction.text);
            next += 2;
        }
        let signed = self.glued_symbol(next, "+") || self.glued_symbol(next, "-");
        let exponent = if signed && text.ends_with(['E', 'e']) { digits(next + 1) } else { None };
        if let Some(exponent) = exponent {
            text = format!("{text}{}{}", self.tokens[next].text, exponent.text);
            next += 2;
        }
        self.push(at, WordKind::Number, text.into());
        next
    }

    fn glued_symbol(&self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|t| t.is_symbol(symbol) && t.is_glued())
    }

    /// The picture that begins at a text word: all that stands there without a blank.
    fn picture(&mut self, start: usize) -> usize {
        let Some(first) = self.tokens.get(start) else { return start };
        // `.ZZ9` begins with its decimal point; a full stop has nothing behind it.
        let behind = |token: &Token| token.is_glued() && token.at.line == first.at.line;
        let point = first.kind == Kind::Period && self.tokens.get(start + 1).is_some_and(behind);
        if first.kind == Kind::Literal || (first.kind == Kind::Period && !point) {
            return start;
        }
        let mut text = upper(&first.text).to_string();
        let mut end = start + 1;
        while let Some(token) = self.tokens.get(end) {
            if !token.is_glued() || token.at.line != first.at.line || token.kind == Kind::Literal {
                break;
            }
            let ends = matches!(&*token.text, "." | "," | ";");
            let goes_on = self.tokens.get(end + 1).is_some_and(|next| {
                next.is_glued() && next.at.line == token.at.line && next.at.frame == token.at.frame
            });
            if ends && !goes_on {
                break;
            }
            text.push_str(&upper(&token.text));
            end += 1;
        }
        self.push(start, WordKind::Picture, text.into());
        if let Some(word) = self.words.last_mut() {
            word.at = word.at.to(self.tokens[end - 1].at);
        }
        end
    }

    fn symbol(&mut self, at: usize) -> usize {
        let token = &self.tokens[at];
        if matches!(&*token.text, "," | ";") {
            // `,5` begins a number where the comma is the decimal point.
            let number = self
                .tokens
                .get(at + 1)
                .filter(|t| self.decimal_comma && t.is_glued() && !token.is_glued() && is_number(&t.text));
            if let Some(number) = number {
                let text = format!(".{}", number.text);
                self.push(at, WordKind::Number, text.into());
                return at + 2;
            }
            self.separated = true;
            return at + 1;
        }
        let double = self.tokens.get(at + 1).filter(|next| next.is_glued()).and_then(|next| {
            Some(match (&*token.text, &*next.text) {
                ("*", "*") => "**",
                ("<", "=") => "<=",
                (">", "=") => ">=",
                ("<", ">") => "<>",
                _ => return None,
            })
        });
        match double {
            Some(double) => {
                self.push(at, WordKind::Symbol, double.into());
                at + 2
            }
            None => self.push(at, WordKind::Symbol, Rc::clone(&token.text)),
        }
    }

    fn push(&mut self, at: usize, kind: WordKind, text: Rc<str>) -> usize {
        let token = &self.tokens[at];
        let first = at.checked_sub(1).is_none_or(|before| {
            let before = &self.tokens[before];
            (before.at.frame, before.at.line) != (token.at.frame, token.at.line)
        });
        self.words.push(Word {
            kind,
            text,
            at: token.at,
            block: 0,
            first,
            area_a: first && !self.free && (8..12).contains(&token.at.column),
            separated: std::mem::take(&mut self.separated),
            glued: token.is_glued() && !first,
        });
        at + 1
    }

    fn end(&mut self) {
        let last = self.words.last();
        let Some(at) = last.map(|word| word.at).or(self.tokens.last().map(|token| token.at)) else { return };
        self.words.push(Word {
            kind: WordKind::End,
            text: "".into(),
            at,
            block: 0,
            first: true,
            area_a: false,
            separated: false,
            glued: false,
        });
    }
}

fn upper(text: &Rc<str>) -> Rc<str> {
    if text.bytes().any(|b| b.is_ascii_lowercase()) {
        text.to_ascii_uppercase().into()
    } else {
        Rc::clone(text)
    }
}

/// Digits with at most one decimal point, or a floating-point number's first part.
fn is_number(text: &str) -> bool {
    let mantissa = match text.find(['E', 'e']) {
        Some(at) if at > 0 && text[..at].contains('.') => {
            let exponent = text[at + 1..].trim_start_matches('-');
            if !exponent.bytes().all(|b| b.is_ascii_digit()) {
                return false;
            }
            &text[..at]
        }
        _ => text,
    };
    mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && mantissa.bytes().any(|b| b.is_ascii_digit())
        && mantissa.bytes().filter(|b| *b == b'.').count() <= 1
}
