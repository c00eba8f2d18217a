//! Directives (`>>…`) that are no part of conditional compilation: what each means here.

use crate::messages::did_you_mean;

/// The meaning of a directive here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing that a program could notice.
    Harmless,
    /// It is left out, and a program might notice: why.
    WithoutEffect(&'static str),
    /// No compiler has it.
    Unknown,
}

use Standing::{Harmless, WithoutEffect};

pub(crate) const HELP: &str = "as in >>DEFINE, >>IF, >>ELSE, >>END-IF, >>EVALUATE, >>WHEN, >>END-EVALUATE";

const OF_THE_STANDARD: &str = "z/OS has no such directive: take it out";

/// Directives by their names. SOURCE FORMAT, D and those of conditional compilation are obeyed before this is looked at.
const DIRECTIVES: &[(&str, Standing)] = &[
    // How a CALL reaches its program: here always in the same way.
    ("CALLINTERFACE", Harmless),
    ("CALLINT", Harmless),
    ("COBOL-WORDS", WithoutEffect(OF_THE_STANDARD)),
    ("DATA", Harmless),
    ("FLAG-02", Harmless),
    ("FLAG-14", Harmless),
    ("FLAG-85", Harmless),
    // The code of a paragraph may be generated where it is performed.
    ("INLINE", Harmless),
    ("JAVA-CALLABLE", WithoutEffect("programs cannot be called from Java here")),
    ("JAVA-SHAREABLE", WithoutEffect("WORKING-STORAGE cannot be shared with Java here")),
    ("LEAP-SECOND", Harmless),
    ("LISTING", Harmless),
    ("PAGE", Harmless),
    ("POP", WithoutEffect(OF_THE_STANDARD)),
    ("PROPAGATE", WithoutEffect(OF_THE_STANDARD)),
    ("PUSH", WithoutEffect(OF_THE_STANDARD)),
    ("REF-MOD-ZERO-LENGTH", WithoutEffect(OF_THE_STANDARD)),
    ("SET", WithoutEffect("z/OS has no such directive: use CBL for options")),
    ("SOURCE", WithoutEffect("only >>SOURCE FORMAT IS FREE and >>SOURCE FORMAT IS FIXED are known")),
    ("TURN", WithoutEffect("use CBL SSRANGE for checks of subscripts")),
];

/// Directives of conditional compilation, as suggestions for misspelt ones.
const CONDITIONAL: [&str; 8] = ["DEFINE", "IF", "ELIF", "ELSE", "END-IF", "EVALUATE", "WHEN", "END-EVALUATE"];

/// Looks a directive up. `of_another_system`: it begins with `$`.
pub(crate) fn standing(name: &str, of_another_system: bool) -> Standing {
    if of_another_system {
        return match name {
            "DISPLAY" | "PAGE" | "TITLE" => Harmless,
            _ => WithoutEffect("directives that begin with $ are Micro Focus's; z/OS has >> and CBL"),
        };
    }
    match DIRECTIVES.iter().find(|(known, _)| *known == name) {
        Some((_, standing)) => *standing,
        None => Standing::Unknown,
    }
}

/// Advice about a directive that is unknown.
pub(crate) fn help(name: &str) -> String {
    let known = CONDITIONAL.iter().chain(DIRECTIVES.iter().map(|(known, _)| known));
    let joined = known.clone().find(|known| known.replace('-', "") == name);
    match joined {
        Some(known) => format!("did you mean >>{known}?"),
        None => did_you_mean(name, known.copied(), HELP),
    }
}
