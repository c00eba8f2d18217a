//! COPY … REPLACING and REPLACE: text words found and written otherwise.

use std::rc::Rc;

use diagnostics::Diagnostic;

use crate::messages::Messages;
use crate::origin::At;
use crate::token::{Kind, Token, phrase};

/// The place of the text to be replaced in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It is one or more whole words.
    Whole,
    /// It starts a word.
    Leading,
    /// It ends a word.
    Trailing,
}

/// One `x BY y`.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) part: Part,
    pub(crate) from: Vec<Token>,
    pub(crate) to: Vec<Token>,
}

/// Obeys the REPLACE statements of a source whose members are all in it, and drops them.
pub(crate) fn statements(tokens: Vec<Token>, messages: &mut Messages) -> Vec<Token> {
    if !(0..tokens.len()).any(|at| is_statement(&tokens, at)) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len());
    let mut rules = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < tokens.len() {
        if !is_statement(&tokens, at) {
            at += 1;
            continue;
        }
        out.extend(apply(&rules, tokens[from..at].to_vec()));
        rules = match read_rules(&tokens, at + 1) {
            Ok((read, next)) => {
                at = next + 1;
                read
            }
            Err(mistake) => {
                let message = Diagnostic::error("SPTR014", "this REPLACE statement cannot be read")
                    .label(format!("expected {}", mistake.expected))
                    .help("REPLACE ==x== BY ==y== … and a full stop, or REPLACE OFF and a full stop");
                messages.add(mistake.at, message);
                let rest = tokens[at..].iter().position(Token::is_period);
                at = rest.map_or(tokens.len(), |stop| at + stop + 1);
                Vec::new()
            }
        };
        from = at;
    }
    out.extend(apply(&rules, tokens[from.min(tokens.len())..].to_vec()));
    out
}

/// Returns true if a REPLACE statement begins here: the word alone is none, since it may be the option of a command.
fn is_statement(tokens: &[Token], at: usize) -> bool {
    let rule = |next: usize| {
        tokens.get(next).is_some_and(|t| t.kind == Kind::Pseudo)
            || (tokens.get(next).is_some_and(|t| t.is_any(&["LEADING", "TRAILING"]))
                && tokens.get(next + 1).is_some_and(|t| t.kind == Kind::Pseudo))
    };
    tokens[at].is("REPLACE")
        && (rule(at + 1)
            || (phrase(tokens, at + 1, &["OFF"]) && tokens.get(at + 2).is_some_and(Token::is_period)))
}

/// The tokens with the first rule that fits applied at each place.
pub(crate) fn apply(rules: &[Rule], tokens: Vec<Token>) -> Vec<Token> {
    if rules.is_empty() {
        return tokens;
    }
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    let mut after_replacement = false;
    while at < tokens.len() {
        let found = rules.iter().find_map(|rule| Some((rule, rule.fit(&tokens[at..])?)));
        let Some((rule, length)) = found else {
            after_replacement = append(&mut out, tokens[at].clone(), after_replacement);
            at += 1;
            continue;
        };
        for token in rule.write(&tokens[at]) {
            append(&mut out, token, true);
        }
        after_replacement = true;
        at += length;
    }
    out
}

/// Adds a token; pieces of a word that a replacement brought together become one word, which the answer says.
fn append(out: &mut Vec<Token>, token: Token, may_join: bool) -> bool {
    if let Some(last) = out.last_mut().filter(|_| may_join) {
        let same_line = (last.at.frame, last.at.line) == (token.at.frame, token.at.line);
        let hyphen = |t: &Token| t.is_symbol("-");
        // A hyphen that begins is a sign.
        let goes_on = token.kind == Kind::Word || hyphen(&token);
        if same_line && token.is_glued() && last.kind == Kind::Word && goes_on {
            last.text = format!("{}{}", last.text, token.text).into();
            last.kind = Kind::Word;
            return true;
        }
    }
    out.push(token);
    false
}

impl Rule {
    /// Returns the number of tokens that the rule replaces, if it fits here.
    fn fit(&self, tokens: &[Token]) -> Option<usize> {
        let first = self.from.first()?;
        match self.part {
            Part::Whole => self.fit_words(tokens),
            _ if tokens[0].kind != Kind::Word => None,
            Part::Leading => head(&tokens[0].text, first.text.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(&first.text))
                .then_some(1),
            Part::Trailing => tail(&tokens[0].text, first.text.len())
                .is_some_and(|tail| tail.eq_ignore_ascii_case(&first.text))
                .then_some(1),
        }
    }

    /// Returns the number of tokens that whole words of text match. A comma or semicolon before a blank is as good as
    /// that blank, on either side.
    fn fit_words(&self, tokens: &[Token]) -> Option<usize> {
        let mut wanted = (0..self.from.len()).filter(|at| !is_separator(&self.from, *at)).peekable();
        if wanted.peek().is_none() {
            let fits = self.from.iter().zip(tokens).all(|(from, token)| same(from, token));
            return (fits && tokens.len() >= self.from.len()).then_some(self.from.len());
        }
        let mut length = 0;
        for at in wanted {
            while length > 0 && is_separator(tokens, length) {
                length += 1;
            }
            if !tokens.get(length).is_some_and(|token| same(&self.from[at], token)) {
                return None;
            }
            length += 1;
        }
        Some(length)
    }

    /// Writes the replacement of the text that begins with `place`.
    fn write(&self, place: &Token) -> Vec<Token> {
        if self.part != Part::Whole {
            return vec![Token { text: self.part_of_word(place), ..place.clone() }];
        }
        let mut written = Vec::with_capacity(self.to.len());
        let mut line = None;
        for token in &self.to {
            let source_line = (token.at.frame, token.at.line);
            let gap = match line {
                None => place.gap,
                Some(line) if line == source_line => token.gap,
                Some(_) => 1,
            };
            line = Some(source_line);
            written.push(Token { at: place.at, gap, ..token.clone() });
        }
        written
    }

    fn part_of_word(&self, place: &Token) -> Rc<str> {
        let cut = self.from.first().map_or(0, |t| t.text.len());
        let to = self.to.first().map_or("", |t| &t.text);
        let rest = place.text.len() - cut;
        match self.part {
            Part::Leading => format!("{to}{}", &place.text[cut..]).into(),
            _ => format!("{}{to}", &place.text[..rest]).into(),
        }
    }
}

fn head(word: &str, length: usize) -> Option<&str> {
    word.get(..length)
}

fn tail(word: &str, length: usize) -> Option<&str> {
    word.get(word.len().checked_sub(length)?..)
}

/// Returns true if a comma or semicolon is no more than the blank after it.
fn is_separator(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at).filter(|token| token.is_symbol(",") || token.is_symbol(";")) else {
        return false;
    };
    tokens.get(at + 1).is_none_or(|next| !next.is_glued() || next.at.line != token.at.line)
}

/// Words are compared without regard to case, literals exactly.
fn same(a: &Token, b: &Token) -> bool {
    match (a.kind, b.kind) {
        (Kind::Literal, Kind::Literal) => a.text == b.text,
        (Kind::Literal, _) | (_, Kind::Literal) => false,
        _ => a.text.eq_ignore_ascii_case(&b.text),
    }
}

/// The reason for which a COPY or REPLACE statement cannot be read.
pub(crate) struct Mistake {
    pub(crate) at: At,
    pub(crate) expected: &'static str,
}

/// The mistake at a place; at the end of the text it is at its last word.
pub(crate) fn mistake(tokens: &[Token], at: usize, expected: &'static str) -> Mistake {
    let place = tokens.get(at).or(tokens.last()).map(|t| t.at);
    // A statement has at least the word COPY.
    Mistake { at: place.unwrap_or(tokens[0].at), expected }
}

/// Returns the rules from `at` on (empty after OFF), and the place of their full stop.
pub(crate) fn read_rules(tokens: &[Token], mut at: usize) -> Result<(Vec<Rule>, usize), Mistake> {
    let mut rules = Vec::new();
    if tokens.get(at).is_some_and(|t| t.is("OFF")) {
        return Ok((rules, at + 1));
    }
    while tokens.get(at).is_some_and(|t| !t.is_period()) {
        let (rule, next) = read_rule(tokens, at)?;
        rules.push(rule);
        at = next;
    }
    Ok((rules, at))
}

fn read_rule(tokens: &[Token], start: usize) -> Result<(Rule, usize), Mistake> {
    let mut at = start;
    let part = match &tokens[at] {
        t if t.is("LEADING") => Part::Leading,
        t if t.is("TRAILING") => Part::Trailing,
        _ => Part::Whole,
    };
    at += usize::from(part != Part::Whole);
    let (from, next) = read_operand(tokens, at)?;
    if !tokens.get(next).is_some_and(|t| t.is("BY")) {
        return Err(mistake(tokens, next, "BY"));
    }
    let (to, next) = read_operand(tokens, next + 1)?;
    Ok((Rule { part, from, to }, next))
}

/// Pseudo-text, a literal, a word, a number with its sign, or an identifier with qualifiers and subscripts.
fn read_operand(tokens: &[Token], start: usize) -> Result<(Vec<Token>, usize), Mistake> {
    let first = tokens.get(start).ok_or_else(|| mistake(tokens, start, "text to replace"))?;
    if first.kind == Kind::Pseudo {
        let length = tokens[start + 1..].iter().position(|t| t.kind == Kind::Pseudo);
        let length = length.ok_or_else(|| mistake(tokens, start, "a closing =="))?;
        let end = start + 1 + length;
        return Ok((tokens[start + 1..end].to_vec(), end + 1));
    }
    if first.is_period() {
        return Err(mistake(tokens, start, "text to replace"));
    }
    let signed = first.is_symbol("+") || first.is_symbol("-");
    let number = signed && tokens.get(start + 1).is_some_and(|t| t.is_glued() && t.is_number());
    let mut end = start + 1 + usize::from(number);
    while let Some(token) = tokens.get(end) {
        if token.is_any(&["OF", "IN"]) {
            end += 2;
        } else if token.is_symbol("(") {
            let close = tokens[end..].iter().position(|t| t.is_symbol(")"));
            end += close.ok_or_else(|| mistake(tokens, end, "a closing parenthesis"))? + 1;
        } else {
            break;
        }
    }
    let mut operand = tokens[start..end.min(tokens.len())].to_vec();
    operand[0].gap = 1;
    Ok((operand, end))
}
