//! From a statement's operands to keywords with values.

use super::letters::{Letter, Span, span, text};
use super::report::Report;

/// A keyword operand: `KEYWORD=value`.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The keyword in upper case.
    pub keyword: String,
    /// The place of the keyword.
    pub place: Span,
    /// The value after the equals sign.
    pub value: Value,
}

/// An operand's value.
#[derive(Clone, Debug)]
pub struct Value {
    /// The words: one, or those of a list in parentheses. An omitted one is an empty word.
    pub words: Vec<Word>,
    /// The place of the whole value.
    pub place: Span,
}

/// One word of a value.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its characters: within quotes as meant (pairs of quotes and ampersands made single), else in upper case.
    pub text: String,
    /// True if it was written in quotes.
    pub quoted: bool,
    /// The place of the word.
    pub place: Span,
}

/// The keyword operands of a statement, in order.
pub fn operands(letters: &[Letter], report: &mut Report) -> Vec<Operand> {
    split(letters)
        .into_iter()
        .filter(|part| !part.is_empty())
        .filter_map(|part| operand(part, report))
        .collect()
}

fn operand(letters: &[Letter], report: &mut Report) -> Option<Operand> {
    let Some(equals) = letters.iter().position(|letter| letter.char == '=') else {
        report.not_a_keyword(&text(letters), span(letters));
        return None;
    };
    let (keyword, value) = (&letters[..equals], &letters[equals + 1..]);
    if keyword.is_empty() {
        report.not_a_keyword(&text(letters), span(letters));
        return None;
    }
    // To the assembler an operand without a value is one that was left out.
    if value.is_empty() {
        return None;
    }
    Some(Operand { keyword: text(keyword).to_uppercase(), place: span(keyword), value: self::value(value) })
}

fn value(letters: &[Letter]) -> Value {
    let listed = matches!(letters, [first, .., last] if first.char == '(' && last.char == ')');
    let parts = if listed { split(&letters[1..letters.len() - 1]) } else { vec![letters] };
    let place = span(letters);
    let words = parts.into_iter().map(|part| word(part, place)).collect();
    Value { words, place }
}

/// One word; the place of an omitted one is that of its list.
fn word(letters: &[Letter], list: Span) -> Word {
    let quoted = letters.first().is_some_and(|letter| letter.char == '\'');
    let text = if quoted { unquote(letters) } else { text(letters).to_uppercase() };
    let place = if letters.is_empty() { list } else { span(letters) };
    Word { text, quoted, place }
}

/// The text between quotes; a pair of quotes or of ampersands means one.
fn unquote(letters: &[Letter]) -> String {
    let inner = match letters {
        [_, inner @ .., last] if last.char == '\'' => inner,
        [_, inner @ ..] => inner,
        [] => letters,
    };
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.iter().map(|letter| letter.char).peekable();
    while let Some(char) = rest.next() {
        if matches!(char, '\'' | '&') {
            rest.next_if_eq(&char);
        }
        text.push(char);
    }
    text
}

/// Splits at the commas outside quotes and parentheses.
fn split(letters: &[Letter]) -> Vec<&[Letter]> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0usize, false);
    for (index, letter) in letters.iter().enumerate() {
        match letter.char {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&letters[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&letters[start..]);
    parts
}
