//! Text to tokens.

use crate::letters::Letters;
use crate::mistake::{Mistake, NAME_MAX};
use crate::token::{Kind, Token};

/// Reads a statement's tokens; comments are dropped.
///
/// # Errors
/// A quote or a comment that is not closed.
pub fn lex(letters: &Letters) -> Result<Vec<Token>, Mistake> {
    let mut lexer = Lexer { letters, at: 0, tokens: Vec::new(), glued: true };
    while let Some(c) = letters.at(lexer.at) {
        lexer.token(c)?;
    }
    Ok(with_indicators(lexer.tokens))
}

struct Lexer<'l> {
    letters: &'l Letters,
    at: usize,
    tokens: Vec<Token>,
    /// True if no blank stands before the next token.
    glued: bool,
}

/// Letters that may stand in front of the quote of a constant.
const PREFIXES: [&str; 6] = ["X", "BX", "GX", "UX", "N", "G"];
/// Operators of two characters.
const DOUBLE: [&str; 16] =
    ["<>", "<=", ">=", "!=", "¬=", "^=", "~=", "¬<", "¬>", "^<", "^>", "!<", "!>", "||", "!!", "->"];

/// Returns true if a character may stand in a name.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')
}

impl Lexer<'_> {
    fn token(&mut self, c: char) -> Result<(), Mistake> {
        let next = self.letters.at(self.at + 1);
        match c {
            _ if c.is_whitespace() => {
                self.at += 1;
                self.glued = false;
            }
            '-' if next == Some('-') => self.line_comment(),
            '/' if next == Some('*') => self.comment()?,
            '\'' => self.quoted(self.at, Kind::Text)?,
            '"' => self.quoted(self.at, Kind::Delimited)?,
            ':' if self.host_starts() => self.host(),
            '?' => self.push(self.at + 1, Kind::Marker),
            _ if c.is_ascii_digit() => self.number(),
            '.' if next.is_some_and(|c| c.is_ascii_digit()) && !self.behind_name() => self.number(),
            _ if is_word(c) => self.word()?,
            _ => {
                let two = self.letters.text(self.at, self.at + 2);
                let length = if DOUBLE.contains(&two.as_str()) { 2 } else { 1 };
                self.push(self.at + length, Kind::Sign);
            }
        }
        Ok(())
    }

    fn push(&mut self, to: usize, kind: Kind) {
        let (text, spot) = (self.letters.text(self.at, to), self.letters.spot(self.at, to));
        self.tokens.push(Token::new(kind, text, spot, self.glued));
        self.at = to;
        self.glued = true;
    }

    fn line_comment(&mut self) {
        while self.letters.at(self.at).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
        self.glued = false;
    }

    /// A comment in brackets, which may hold others.
    fn comment(&mut self) -> Result<(), Mistake> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let two = self.letters.text(self.at, self.at + 2);
            match two.as_str() {
                "/*" => depth += 1,
                "*/" => depth -= 1,
                _ if self.at >= self.letters.chars.len() => {
                    return Err(Mistake::new(
                        self.letters.spot(start, start + 2),
                        "this comment is not closed",
                    ));
                }
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                self.glued = false;
                return Ok(());
            }
        }
    }

    /// Reads a quoted text that begins at `from`, from the place where the lexer is.
    fn quoted(&mut self, from: usize, kind: Kind) -> Result<(), Mistake> {
        let quote = self.letters.at(from);
        let mut to = from + 1;
        loop {
            match self.letters.at(to) {
                None => {
                    let spot = self.letters.spot(from, from + 1);
                    return Err(Mistake::open_quote(spot));
                }
                c if c == quote && self.letters.at(to + 1) == quote => to += 2,
                c if c == quote => break,
                Some(_) => to += 1,
            }
        }
        let text = self.letters.text(self.at, to + 1);
        let spot = self.letters.spot(self.at, to + 1);
        match kind {
            Kind::Prefixed if !is_hexadecimal(&text) => return Err(Mistake::hexadecimal(spot)),
            Kind::Delimited if to - from > NAME_MAX + 1 => return Err(Mistake::long_name(spot)),
            _ => {}
        }
        self.push(to + 1, kind);
        Ok(())
    }

    fn number(&mut self) {
        let mut to = self.at;
        let digits = |mut to: usize| {
            while self.letters.at(to).is_some_and(|c| c.is_ascii_digit()) {
                to += 1;
            }
            to
        };
        to = digits(to);
        if self.letters.at(to) == Some('.') {
            to = digits(to + 1);
        }
        if self.letters.at(to).is_some_and(|c| c.eq_ignore_ascii_case(&'E')) {
            let sign = usize::from(self.letters.at(to + 1).is_some_and(|c| c == '+' || c == '-'));
            let end = digits(to + 1 + sign);
            if end > to + 1 + sign {
                to = end;
            }
        }
        self.push(to, Kind::Number);
    }

    fn word(&mut self) -> Result<(), Mistake> {
        let mut to = self.at;
        while self.letters.at(to).is_some_and(is_word) {
            to += 1;
        }
        let word = self.letters.text(self.at, to);
        if self.letters.at(to) == Some('\'') && PREFIXES.iter().any(|p| p.eq_ignore_ascii_case(&word)) {
            return self.quoted(to, Kind::Prefixed);
        }
        if to - self.at > NAME_MAX {
            return Err(Mistake::long_name(self.letters.spot(self.at, to)));
        }
        self.push(to, Kind::Word);
        Ok(())
    }

    /// Returns true if the colon here begins a host variable. One may stand away from its name.
    fn host_starts(&self) -> bool {
        let mut at = self.at + 1;
        while self.letters.at(at).is_some_and(char::is_whitespace) {
            at += 1;
        }
        self.letters.at(at).is_some_and(is_word)
    }

    /// `:A-B`, `:G.F`, `: A`: a hyphen belongs to the name; a minus has a blank before it.
    fn host(&mut self) {
        let start = self.at;
        let mut from = self.at + 1;
        while self.letters.at(from).is_some_and(char::is_whitespace) {
            from += 1;
        }
        let mut to = from;
        while let Some(c) = self.letters.at(to) {
            let inner = matches!(c, '-' | '.') && self.letters.at(to + 1).is_some_and(is_word);
            if !(is_word(c) || inner) {
                break;
            }
            to += 1;
        }
        let spot = self.letters.spot(start, to);
        let name = self.letters.text(from, to).to_uppercase();
        self.tokens.push(Token::new(Kind::Host, name, spot, self.glued));
        self.at = to;
        self.glued = true;
    }

    /// Returns true if a full stop here would be that of a qualified name.
    fn behind_name(&self) -> bool {
        self.glued && self.tokens.last().is_some_and(Token::is_name)
    }
}

/// Returns true if a constant such as `X'0A'` has as many digits as its prefix wants. Constants that are not
/// hexadecimal have any characters.
fn is_hexadecimal(text: &str) -> bool {
    let Some((prefix, digits)) = text.split_once('\'') else { return true };
    let digits = digits.strip_suffix('\'').unwrap_or(digits);
    let of_each = match &*prefix.to_uppercase() {
        "X" | "BX" => 2,
        "GX" | "UX" => 4,
        _ => return true,
    };
    digits.len().is_multiple_of(of_each) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Joins `:H:I` and `:H INDICATOR :I`.
fn with_indicators(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token.kind == Kind::Host {
            let said = out.last().is_some_and(|last| last.is("INDICATOR"));
            let host = out.len().checked_sub(1 + usize::from(said));
            // GET DIAGNOSTICS CONDITION :N :A = …: a number has no indicator.
            let counts = |at: usize| at > 0 && out[at - 1].is_any(&["CONDITION", "EXCEPTION"]);
            let free = |at: usize| out[at].kind == Kind::Host && out[at].indicator.is_none() && !counts(at);
            if let Some(at) = host.filter(|at| free(*at)) {
                out.truncate(at + 1);
                out[at].indicator = Some(token.text);
                out[at].spot = out[at].spot.to(token.spot);
                continue;
            }
        }
        out.push(token);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let tokens = lex(&Letters::plain(text)).expect("tokens");
        tokens
            .into_iter()
            .map(|token| token.text + &token.indicator.map_or(String::new(), |i| format!(":{i}")))
            .collect()
    }

    #[test]
    fn hyphens_belong_to_host_variables_and_to_nothing_else() {
        assert_eq!(texts("A-:B-C - D"), ["A", "-", "B-C", "-", "D"]);
        assert_eq!(texts(":G.F-1:I-1,:H INDICATOR :J"), ["G.F-1:I-1", ",", "H:J"]);
        assert_eq!(texts(":A :B, :C"), ["A:B", ",", "C"]);
    }

    #[test]
    fn constants_and_operators() {
        assert_eq!(
            texts("'it''s' X'C1' \"a b\" 1.5E-3 .5 T.C"),
            ["'it''s'", "X'C1'", "\"a b\"", "1.5E-3", ".5", "T", ".", "C"]
        );
        assert_eq!(texts("A¬=B||C!!D<>E"), ["A", "¬=", "B", "||", "C", "!!", "D", "<>", "E"]);
    }

    #[test]
    fn comments_are_dropped() {
        assert_eq!(texts("A -- it's\nB /* x /* y */ z */ C"), ["A", "B", "C"]);
        assert!(lex(&Letters::plain("A /* B")).is_err());
        assert!(lex(&Letters::plain("A 'B")).is_err());
    }

    #[test]
    fn tokens_know_their_places() {
        let tokens = lex(&Letters::plain("SELECT A\n  FROM :B:C")).expect("tokens");
        let spot = tokens[3].spot;
        assert_eq!((spot.line, spot.column, spot.width), (2, 8, 4));
    }
}
