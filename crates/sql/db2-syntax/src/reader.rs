//! The tokens of a statement, read from the first to the last.

use db2::package::Spot;
use db2::{Kind, Token};

use crate::refusal::Refusal;

/// A place among a statement's tokens.
pub(crate) struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

/// A name as a statement writes it.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) spot: Spot,
}

impl Reader {
    pub(crate) fn new(tokens: Vec<Token>) -> Self {
        Self { tokens, at: 0 }
    }

    pub(crate) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(crate) fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// Place of the next token; at the end that of the last.
    pub(crate) fn spot(&self) -> Spot {
        self.peek(0).or(self.tokens.last()).map(|token| token.spot).unwrap_or_default()
    }

    /// The text of the tokens between two places.
    pub(crate) fn text(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for token in &self.tokens[from..to] {
            if !text.is_empty() && !token.glued {
                text.push(' ');
            }
            text += &token.text;
        }
        text
    }

    /// The tokens between two places.
    pub(crate) fn between(&self, from: usize, to: usize) -> &[Token] {
        &self.tokens[from..to]
    }

    /// The place to go back to.
    pub(crate) fn mark(&self) -> usize {
        self.at
    }

    pub(crate) fn go(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Passes over what stands in parentheses here.
    pub(crate) fn over_parentheses(&mut self) -> Result<(), Refusal> {
        self.want("(")?;
        let mut depth = 1_usize;
        while depth > 0 {
            depth = match () {
                () if self.is("(") => depth + 1,
                () if self.is(")") => depth - 1,
                () => depth,
            };
            if self.next().is_none() {
                return Err(self.unexpected(")"));
            }
        }
        Ok(())
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.is_ahead(0, word)
    }

    /// Returns true if the keyword (upper case) or the sign stands so many tokens ahead.
    pub(crate) fn is_ahead(&self, ahead: usize, word: &str) -> bool {
        self.peek(ahead).is_some_and(|token| match token.kind {
            Kind::Word => token.text.eq_ignore_ascii_case(word),
            Kind::Sign => token.text == word,
            _ => false,
        })
    }

    /// Returns true if the keyword (upper case) or the sign stands just before this place.
    pub(crate) fn is_behind(&self, sign: &str) -> bool {
        self.at
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| token.text.eq_ignore_ascii_case(sign))
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn take(&mut self, word: &str) -> bool {
        self.take_all(&[word])
    }

    /// Takes these words if they follow each other here.
    pub(crate) fn take_all(&mut self, words: &[&str]) -> bool {
        let are = words.iter().enumerate().all(|(ahead, word)| self.is_ahead(ahead, word));
        self.at += if are { words.len() } else { 0 };
        are
    }

    pub(crate) fn want(&mut self, word: &str) -> Result<(), Refusal> {
        if self.take(word) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    pub(crate) fn want_all(&mut self, words: &[&str]) -> Result<(), Refusal> {
        words.iter().try_for_each(|word| self.want(word))
    }

    pub(crate) fn name(&mut self, what: &str) -> Result<Name, Refusal> {
        let name = self.peek(0).and_then(|token| Some(Name { text: name_of(token)?, spot: token.spot }));
        match name {
            Some(name) => {
                self.at += 1;
                Ok(name)
            }
            None => Err(self.unexpected(what)),
        }
    }

    /// Names of columns in parentheses.
    pub(crate) fn names(&mut self) -> Result<Vec<Name>, Refusal> {
        let mut names = Vec::new();
        self.want("(")?;
        loop {
            names.push(self.name("a column")?);
            if !self.take(",") {
                break;
            }
        }
        self.want(")")?;
        Ok(names)
    }

    /// A name of a cursor, which may have hyphens and, behind them, digits.
    pub(crate) fn hyphened(&mut self, what: &str) -> Result<Name, Refusal> {
        let mut name = self.name(what)?;
        while self.is("-") && self.peek(0).is_some_and(|hyphen| hyphen.glued) {
            let part = self.peek(1).filter(|part| part.glued);
            let text = part.and_then(|part| {
                if part.kind == Kind::Number { Some(part.text.clone()) } else { name_of(part) }
            });
            let (Some(text), Some(part)) = (text, part) else { return Err(self.unexpected(what)) };
            name = Name { text: format!("{}-{text}", name.text), spot: name.spot.to(part.spot) };
            self.at += 2;
        }
        Ok(name)
    }

    /// A name that may have others before it, with full stops between them: the last, and the one before it.
    pub(crate) fn qualified(&mut self, what: &str) -> Result<(Option<String>, Name), Refusal> {
        let mut last = self.name(what)?;
        let mut before = None;
        while self.is(".") && self.peek(1).and_then(name_of).is_some() {
            self.at += 1;
            let next = self.name(what)?;
            let spot = last.spot.to(next.spot);
            before = Some(std::mem::replace(&mut last, Name { text: next.text, spot }).text);
        }
        Ok((before, last))
    }

    /// A whole number without a sign.
    pub(crate) fn unsigned(&mut self, what: &str) -> Result<u64, Refusal> {
        let number = self.peek(0).filter(|token| token.kind == Kind::Number);
        match number.and_then(|token| token.text.parse().ok()) {
            Some(number) => {
                self.at += 1;
                Ok(number)
            }
            None => Err(self.unexpected(what)),
        }
    }

    pub(crate) fn end(&self) -> Result<(), Refusal> {
        if self.peek(0).is_none() { Ok(()) } else { Err(self.unexpected("the end of the statement")) }
    }

    /// Refusal of what stands here, where something else belongs.
    pub(crate) fn unexpected(&self, wanted: &str) -> Refusal {
        let found = self.peek(0).map_or("the end of the statement", |token| token.text.as_str());
        Refusal::code(-104, self.spot(), format!("{found} stands where {wanted} belongs"))
    }

    pub(crate) fn not_built(&self, what: &str) -> Refusal {
        Refusal::not_built(self.spot(), what)
    }

    pub(crate) fn unknown_statement(&self) -> Refusal {
        const KNOWN: [&str; 28] = [
            "ALTER",
            "DROP",
            "RENAME",
            "TRUNCATE",
            "GRANT",
            "REVOKE",
            "LOCK",
            "CALL",
            "PREPARE",
            "EXECUTE",
            "DESCRIBE",
            "SAVEPOINT",
            "COMMENT",
            "OPEN",
            "FETCH",
            "CLOSE",
            "COMMIT",
            "ROLLBACK",
            "RELEASE",
            "CONNECT",
            "GET",
            "WHENEVER",
            "BEGIN",
            "END",
            "INCLUDE",
            "LABEL",
            "EXPLAIN",
            "REFRESH",
        ];
        match KNOWN.iter().find(|word| self.is(word)) {
            Some(word @ &("ALTER" | "DROP" | "RENAME")) => {
                let what = self.peek(1).map(|what| what.text.to_uppercase()).unwrap_or_default();
                self.not_built(format!("{word} {what}").trim_end())
            }
            Some(word) => self.not_built(word),
            None => self.unexpected("a statement's first word"),
        }
    }
}

/// A name as the catalogue has it.
fn name_of(token: &Token) -> Option<String> {
    match token.kind {
        Kind::Word => Some(token.text.to_uppercase()),
        Kind::Delimited => Some(token.text.trim_matches('"').replace("\"\"", "\"")),
        _ => None,
    }
}
