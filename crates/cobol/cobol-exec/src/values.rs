//! DFHRESP(condition) and DFHVALUE(cvda): names that stand for numbers.

use diagnostics::Diagnostic;

use crate::messages::{Messages, did_you_mean};
use crate::token::Token;

/// Looks at a name in the text that stands for a number. The place behind it, if there is one here.
pub(crate) fn check(tokens: &[Token], at: usize, messages: &mut Messages) -> Option<usize> {
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
    let is_known =
        if condition { spec::condition_named(&upper).is_some() } else { spec::cvda(&upper).is_some() };
    if !is_known {
        messages.add(name.at, unknown(&upper, condition));
    }
    Some(at + 4)
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
