//! DFHRESP(condition) and DFHVALUE(cvda): names that stand for numbers.

use std::ops::Range;

use diagnostics::Diagnostic;

use crate::messages::{Messages, did_you_mean};
use crate::token::Token;

/// A name in the text that stands for a number: the words it takes, and the number in their place.
pub(crate) fn read(tokens: &[Token], at: usize, messages: &mut Messages) -> Option<(Range<usize>, Token)> {
    let word = &tokens[at];
    let condition = word.is("DFHRESP");
    if !(condition || word.is("DFHVALUE")) {
        return None;
    }
    let [open, name, close] = tokens.get(at + 1..at + 4)? else { return None };
    if !(open.is_symbol("(") && close.is_symbol(")")) {
        return None;
    }
    let upper = name.upper();
    let number = if condition {
        spec::condition_named(&upper).map(|condition| i64::from(condition.resp()))
    } else {
        spec::cvda(&upper).map(i64::from)
    };
    let number = number.unwrap_or_else(|| {
        messages.add(name.at, unknown(&upper, condition));
        0
    });
    let token = Token { text: number.to_string().into(), ..word.clone() };
    Some((at..at + 4, token))
}

fn unknown(name: &str, condition: bool) -> Diagnostic {
    let (kind, help) = if condition {
        let names = spec::conditions().iter().map(|record| record.name);
        ("condition", did_you_mean(name, names, "a condition is a name such as NORMAL or NOTFND"))
    } else {
        let names = spec::CVDAS.iter().map(|(name, _)| *name);
        ("CICS value", did_you_mean(name, names, "a CICS value is a name such as OPEN or ENABLED"))
    };
    Diagnostic::error("SPTR050", format!("no {kind} has the name {name}")).label("not known").help(help)
}

/// The tokens with every such name replaced.
pub(crate) fn replace(tokens: &[Token], messages: &mut Messages) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        match read(tokens, at, messages) {
            Some((range, number)) => {
                out.push(number);
                at = range.end;
            }
            None => {
                out.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    out
}
