//! Operands of JOB and EXEC statements.

use diagnostics::{Diagnostic, TextPlace};

use super::codes;
use super::condition::{Cond, StepName, cond};
use super::model::Step;
use super::operands::{Operand, Value};
use crate::table;

/// The longest text of PARM=.
pub(super) const PARM_MAX: usize = 100;
/// Minutes that mean no limit.
const NO_LIMIT: u64 = 1440;
const SECONDS: u64 = 60;

/// Reads PARM=: parts of a list are joined by commas; the parentheses and apostrophes around them are not passed.
fn parm(operand: &Operand, messages: &mut Vec<Diagnostic>) -> String {
    let parts: Vec<String> =
        operand.value.list().iter().map(|part| without_apostrophes(&part.written())).collect();
    let text = parts.join(",").replace("&&", "&");
    let length = text.chars().count();
    if length > PARM_MAX {
        let message = format!("PARM has {length} characters, {PARM_MAX} are passed at most");
        messages.push(Diagnostic::error(codes::VALUE, message).at(operand.value.place()));
    }
    text
}

/// Returns a text without its apostrophes; two of them within others are one.
fn without_apostrophes(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\'' if quoted && characters.next_if_eq(&'\'').is_some() => out.push('\''),
            '\'' => quoted = !quoted,
            c => out.push(c),
        }
    }
    out
}

/// Reads COND= of an EXEC or a JOB statement.
pub(super) fn condition(value: &Value, messages: &mut Vec<Diagnostic>) -> Cond {
    cond(value).unwrap_or_else(|| {
        let text = format!("COND={} is not understood", value.written());
        let help = "as in COND=(4,LT), COND=((0,NE,STEP1),EVEN), COND=ONLY";
        messages.push(Diagnostic::error(codes::CONDITION, text).at(value.place()).help(help));
        Cond::default()
    })
}

/// Reads TIME= as seconds; `None` for no limit.
pub(super) fn time(value: &Value, messages: &mut Vec<Diagnostic>) -> Option<u64> {
    if matches!(value.upper().as_str(), "NOLIMIT" | "MAXIMUM") {
        return None;
    }
    let parts: Vec<String> = value.list().iter().map(Value::upper).collect();
    let number = |at: usize| match parts.get(at).map(String::as_str) {
        None | Some("") => Some(0),
        Some(text) => text.parse::<u64>().ok().filter(|number| *number <= 357_912),
    };
    match (number(0), number(1), parts.len() <= 2) {
        (Some(minutes), Some(seconds), true) => {
            let all = minutes * SECONDS + seconds;
            (minutes != NO_LIMIT && all > 0).then_some(all)
        }
        _ => {
            let text = format!("TIME={} is not understood", value.written());
            let help = "TIME=(minutes,seconds), TIME=minutes, TIME=NOLIMIT";
            messages.push(Diagnostic::error(codes::VALUE, text).at(value.place()).help(help));
            None
        }
    }
}

/// Reads RESTART=: the step, if it is not the first one.
pub(super) fn restart(value: &Value, messages: &mut Vec<Diagnostic>) -> Option<StepName> {
    let parts: Vec<String> = value.list().iter().map(Value::upper).collect();
    match &parts[..] {
        [first] if first == "*" => None,
        [step] => Some(StepName::read(step)),
        _ => {
            let text = "RESTART at a checkpoint is not built";
            let help = "name a step: RESTART=STEP or RESTART=STEP.PROCSTEP";
            messages.push(Diagnostic::error(codes::VALUE, text).at(value.place()).help(help));
            None
        }
    }
}

/// Checks that a name has 1 to 8 letters, digits and national characters; adds a message if it has not.
pub(super) fn checked_name(name: &str, what: &str, place: TextPlace, messages: &mut Vec<Diagnostic>) {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || "@#$".contains(c));
    if !starts || name.len() > 8 || !name.chars().all(super::symbols::is_of_name) {
        let text = format!("{name} is no name of {what}");
        let help = "up to 8 letters, digits, @, # and $, and no digit first";
        messages.push(Diagnostic::error(codes::NAME, text).at(place).help(help));
    }
}

/// Applies a keyword of EXEC to a step.
pub(super) fn apply(step: &mut Step, operand: &Operand, messages: &mut Vec<Diagnostic>) {
    match operand.keyword.as_str() {
        "PARM" => step.parm = Some(parm(operand, messages)),
        "COND" => step.cond = condition(&operand.value, messages),
        "TIME" => step.time = time(&operand.value, messages),
        _ => {}
    }
}

/// Returns true if an operand of EXEC is no symbol of a procedure.
pub(super) fn is_of_exec(operand: &Operand) -> bool {
    let keyword = operand.keyword.split('.').next().unwrap_or_default();
    keyword.is_empty() || table::find("EXEC", keyword).is_some()
}
