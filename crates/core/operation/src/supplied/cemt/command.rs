//! CEMT's command line: text in, a request out.
//!
//! Words may be cut short; the first resource type that fits is meant. An unknown word is reported and left out.

use std::sync::LazyLock;

use spec::{OptionId, opt};

use super::shown::{SHOWN, Shown};
use crate::definitions::{ABSENT, Absent};
use crate::system::Shutdown;
use domains::commands::statistics::{Wanted, type_of};
use kernel::registry::{Given, Table, Takes};

/// Letters that an attribute's word needs.
const ABBREVIATION: usize = 3;
/// Letters that a resource type's word needs.
const KIND_ABBREVIATION: usize = 2;

/// The request of a command.
pub(super) enum Request {
    /// Not enough to do anything: the words that may come next.
    Choose(&'static [&'static str]),
    /// INQUIRE.
    Inquire(Selection),
    /// SET, and the new values.
    Set(Selection, Vec<(OptionId, Given)>),
    /// DISCARD.
    Discard(Selection),
    /// PERFORM SHUTDOWN.
    ShutDown(Shutdown),
    /// PERFORM SECURITY REBUILD.
    Rebuild,
    /// PERFORM SSL REBUILD.
    RebuildCertificates,
    /// PERFORM STATISTICS RECORD.
    Record(Wanted),
    /// PERFORM RESET.
    ResetTime,
    /// Something about a type of resources that regions do not have; as it is shown.
    Absent(String),
}

/// The resources that are meant.
pub(super) struct Selection {
    /// Their type.
    pub kind: &'static Shown,
    /// Names, with `*` for any characters and `+` for any one; empty: all of them.
    pub names: Vec<String>,
    /// Further conditions: a word, and a value if one was given.
    pub conditions: Vec<Word>,
}

/// A word, with the text in its parentheses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The word in capitals.
    pub word: String,
    /// The text in parentheses, trimmed.
    pub argument: Option<String>,
}

/// A request, and the mistakes in the text.
pub(super) struct Command {
    /// The request.
    pub request: Request,
    /// One line for each mistake.
    pub mistakes: Vec<String>,
}

/// The four verbs.
const VERBS: &[&str] = &["INQUIRE", "SET", "PERFORM", "DISCARD"];
/// The commands that may be performed.
const PERFORMED: &[&str] = &[
    "PERFORM RESET",
    "PERFORM SHUTDOWN",
    "PERFORM SHUTDOWN IMMEDIATE",
    "PERFORM SECURITY REBUILD",
    "PERFORM SSL REBUILD",
    "PERFORM STATISTICS ALL RECORD",
];
/// The words of all types of resources, as they may follow a verb.
static ASKED: LazyLock<Vec<&'static str>> = LazyLock::new(|| SHOWN.iter().map(|kind| kind.word).collect());
/// Conditions whose published word is not the name of the attribute.
const OTHER_WORDS: &[(&str, OptionId)] = &[("TRANSID", opt::TRANSACTION), ("TRANID", opt::TRANSACTION)];

/// Reads a command; the word CEMT itself may precede it.
pub(super) fn parse(text: &str) -> Command {
    let mut words = words(text).into_iter().peekable();
    words.next_if(|first| first.word == "CEMT");
    let mut mistakes = Vec::new();
    let request = match words.next() {
        None => Request::Choose(VERBS),
        Some(verb) => match VERBS.iter().find(|name| name.starts_with(&verb.word)) {
            Some(&"PERFORM") => perform(words, &mut mistakes),
            Some(verb) => of_resources(verb, words.collect(), &mut mistakes),
            None => {
                mistakes.push(invalid(&verb.word));
                Request::Choose(VERBS)
            }
        },
    };
    Command { request, mistakes }
}

/// The message about a word that CEMT does not know.
pub(super) fn invalid(word: &str) -> String {
    format!("E '{word}' is not valid and is ignored.")
}

/// The same of a command that would change something: it does nothing, rather than something else.
fn refused(word: &str) -> String {
    format!("E '{word}' is not valid. Nothing is changed.")
}

fn perform(mut words: impl Iterator<Item = Word>, mistakes: &mut Vec<String>) -> Request {
    let is = |word: &Word, name: &str| {
        word.argument.is_none() && word.word.len() >= ABBREVIATION && name.starts_with(&word.word)
    };
    let Some(what) = words.next() else { return Request::Choose(PERFORMED) };
    let (request, wrong) = if is(&what, "SHUTDOWN") {
        let mut how = Shutdown::Normal;
        let wrong = words.find(|word| {
            let immediate = is(word, "IMMEDIATE");
            how = if immediate { Shutdown::Immediate } else { how };
            !immediate
        });
        (Request::ShutDown(how), wrong)
    } else if is(&what, "SECURITY") {
        (Request::Rebuild, words.find(|word| !is(word, "REBUILD")))
    } else if is(&what, "STATISTICS") {
        let (wanted, wrong) = wanted(words.collect(), is);
        (Request::Record(wanted), wrong)
    } else if is(&what, "RESET") {
        (Request::ResetTime, words.next())
    } else if is(&what, "SSL") {
        (Request::RebuildCertificates, words.find(|word| !is(word, "REBUILD")))
    } else {
        (Request::Rebuild, Some(what))
    };
    match wrong {
        None => request,
        Some(wrong) => {
            mistakes.push(refused(&wrong.word));
            Request::Choose(PERFORMED)
        }
    }
}

/// The statistics that words ask for, and the first word that does not. RECORD may be left out: there is nothing else to do with them.
fn wanted(words: Vec<Word>, is: impl Fn(&Word, &str) -> bool) -> (Wanted, Option<Word>) {
    let (mut wanted, mut wrong) = (Wanted::default(), None);
    for word in words {
        if is(&word, "ALL") {
            wanted.all = true;
        } else if is(&word, "RESETNOW") {
            wanted.reset = true;
        } else if is(&word, "RECORD") {
            // It says what is done anyway.
        } else if let (Some(kind), None) = (type_of(&word.word, ABBREVIATION), &word.argument) {
            wanted.types.push(kind);
        } else {
            wrong = wrong.or(Some(word));
        }
    }
    if !wanted.all && (wanted.types.is_empty() || wanted.reset) {
        wrong = wrong.or(Some(Word { word: "STATISTICS without ALL".to_owned(), argument: None }));
    }
    (wanted, wrong)
}

fn of_resources(verb: &str, words: Vec<Word>, mistakes: &mut Vec<String>) -> Request {
    let (mut kind, mut names, mut all, mut rest) = (None, Vec::new(), false, Vec::new());
    for word in words {
        if word.word == "ALL" && word.argument.is_none() {
            all = true;
        } else if let (None, Some(found)) = (kind, kind_of(&word.word)) {
            kind = Some(found);
            names =
                word.argument.iter().flat_map(|list| list.split(',')).map(|n| n.trim().to_owned()).collect();
        } else {
            rest.push(word);
        }
    }
    let Some(kind) = kind else {
        if let Some((shown, why)) = rest.iter().find_map(absent) {
            mistakes.push(format!("E {why}."));
            return Request::Absent(shown);
        }
        mistakes.extend(rest.first().map(|word| invalid(&word.word)));
        return Request::Choose(&ASKED);
    };
    match verb {
        "SET" if kind.kind.set.is_none() => {
            mistakes.push(invalid(kind.word));
            Request::Inquire(Selection { kind, names, conditions: Vec::new() })
        }
        "SET" => {
            let changes = rest.iter().filter_map(|word| {
                let change = change(kind.table(), word);
                mistakes.extend(change.is_none().then(|| refused(&word.word)));
                change
            });
            let changes = changes.collect();
            if !mistakes.is_empty() {
                return Request::Inquire(Selection { kind, names, conditions: Vec::new() });
            }
            if names.is_empty() && !all && !kind.table().is_single() {
                mistakes.push(String::from("E A name or ALL is needed."));
                return Request::Inquire(Selection { kind, names, conditions: Vec::new() });
            }
            Request::Set(Selection { kind, names, conditions: Vec::new() }, changes)
        }
        _ => {
            let discards = verb == "DISCARD";
            rest.iter_mut().for_each(|word| by_attribute(kind.table(), word));
            rest.retain(|word| {
                let known = is_condition(kind.table(), word);
                let told = if discards { refused } else { invalid };
                mistakes.extend((!known).then(|| told(&word.word)));
                known
            });
            let selection = Selection { kind, names, conditions: rest };
            let done = discards && mistakes.is_empty();
            if done { Request::Discard(selection) } else { Request::Inquire(selection) }
        }
    }
}

/// A type that a CSD can define and regions do not have: the resource as it is shown, and why there is none.
fn absent(word: &Word) -> Option<(String, &'static str)> {
    let (kind, how) = ABSENT
        .iter()
        .find(|(kind, _)| word.word.len() >= KIND_ABBREVIATION && kind.name().starts_with(&word.word))?;
    let (Absent::Told(why) | Absent::Harmless(why)) = how else { return None };
    let named = word.argument.as_ref().map_or(String::new(), |name| format!("({name})"));
    Some((format!("{}{named} NOT FOUND", kind.name()), why))
}

fn kind_of(word: &str) -> Option<&'static Shown> {
    SHOWN.iter().find(|kind| word.len() >= KIND_ABBREVIATION && kind.word.starts_with(word))
}

/// The change that a word asks for: a choice of some setting, or a setting with its value.
pub(super) fn change(table: &dyn Table, word: &Word) -> Option<(OptionId, Given)> {
    let is_long = word.word.len() >= ABBREVIATION;
    table.settings().into_iter().find_map(|(option, takes)| {
        let given = match &word.argument {
            None => choice(takes, &word.word),
            Some(value) if is_long && option.name().starts_with(&word.word) => given(takes, value),
            Some(_) => None,
        };
        given.map(|given| (option, given))
    })
}

/// A setting's value as it was typed.
pub(super) fn given(takes: &Takes, value: &str) -> Option<Given> {
    match takes {
        Takes::OneOf(_) => choice(takes, &value.to_ascii_uppercase()),
        Takes::Number(range) => value.parse().ok().filter(|n| range.contains(n)).map(Given::Number),
        Takes::Text => Some(Given::Text(value.as_bytes().to_vec())),
    }
}

fn choice(takes: &Takes, word: &str) -> Option<Given> {
    let Takes::OneOf(choices) = takes else { return None };
    let fits = |name: &str| word.len() >= ABBREVIATION.min(name.len()) && name.starts_with(word);
    choices.iter().find(|(name, _)| fits(name)).map(|(name, _)| Given::Cvda(name))
}

/// Gives a condition the name of its attribute where another word is published.
fn by_attribute(table: &dyn Table, word: &mut Word) {
    let meant = OTHER_WORDS.iter().find(|(other, option)| {
        *other == word.word && table.options().contains(option) && !is_condition(table, word)
    });
    if let Some((_, option)) = meant {
        word.word = option.name().to_owned();
    }
}

/// Returns true if a word can be a condition: the name of an attribute, or a value that SET knows.
fn is_condition(table: &dyn Table, word: &Word) -> bool {
    match &word.argument {
        Some(_) => {
            let fits = |option: &OptionId| option.name().starts_with(&word.word);
            word.word.len() >= ABBREVIATION && table.options().iter().any(fits)
        }
        None => table.settings().iter().any(|(_, takes)| choice(takes, &word.word).is_some()),
    }
}

/// The words of a text. Blanks may precede parentheses.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('(') {
            let (argument, behind) = inside.split_once(')').unwrap_or((inside, ""));
            if let Some(word) = words.last_mut() {
                word.argument = Some(argument.trim().to_owned());
            }
            rest = behind;
        } else {
            let end = rest.find(|c: char| c == '(' || c == ',' || c.is_whitespace()).unwrap_or(rest.len());
            words.push(Word { word: rest[..end].to_ascii_uppercase(), argument: None });
            rest = &rest[end..];
        }
        rest = rest.trim_start_matches(|c: char| c == ',' || c == ')' || c.is_whitespace());
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::start::bring_domains;

    use super::*;

    /// A command as one line: verb, type, names, conditions; then the mistakes.
    fn shown(text: &str) -> String {
        bring_domains();
        let Command { request, mistakes } = parse(text);
        let selection = |verb: &str, s: &Selection| {
            let conditions: Vec<_> = s.conditions.iter().map(|c| c.word.as_str()).collect();
            format!("{verb} {}{:?}{}", s.kind.word, s.names, conditions.join(" "))
        };
        let request = match &request {
            Request::Choose(_) => String::from("?"),
            Request::Inquire(s) => selection("inquire", s),
            Request::Discard(s) => selection("discard", s),
            Request::ShutDown(how) => format!("shutdown {how:?}"),
            Request::Rebuild => String::from("rebuild"),
            Request::RebuildCertificates => String::from("rebuild certificates"),
            Request::ResetTime => String::from("reset"),
            Request::Absent(shown) => shown.clone(),
            Request::Record(wanted) => {
                let types: Vec<_> = wanted.types.iter().map(|kind| kind.name()).collect();
                format!("record {types:?} {} {}", wanted.all, wanted.reset)
            }
            Request::Set(s, changes) => {
                let changes: Vec<_> = changes.iter().map(|(o, g)| format!("{}={g:?}", o.name())).collect();
                format!("{} {}", selection("set", s), changes.join(" "))
            }
        };
        [vec![request], mistakes].concat().join(" | ")
    }

    #[test]
    fn commands_as_they_are_typed() {
        let table = [
            ("CEMT", "?"),
            ("CEMT I TASK", "inquire TASK[]"),
            ("CEMT INQUIRE PROGRAM(ACCT*)", r#"inquire PROGRAM["ACCT*"]"#),
            ("CEMT I PROG (A, B)", r#"inquire PROGRAM["A", "B"]"#),
            ("I TRAN(CEMT)", r#"inquire TRANSACTION["CEMT"]"#),
            ("CEMT I FI(X) OPEN", r#"inquire FILE["X"]OPEN"#),
            ("CEMT I FILE DSN(A*)", "inquire FILE[]DSN"),
            ("CEMT S PROG(X) NEW", r#"set PROGRAM["X"] COPY=Cvda("NEWCOPY")"#),
            ("CEMT SET ALL FILE CLOSED", r#"set FILE[] OPENSTATUS=Cvda("CLOSED")"#),
            ("CEMT S TASK(25) PURGE", r#"set TASK["25"] PURGETYPE=Cvda("PURGE")"#),
            ("CEMT S SYS MAXTASKS(50)", "set SYSTEM[] MAXTASKS=Number(50)"),
            ("CEMT S MON ON PERF", r#"set MONITOR[] STATUS=Cvda("ON") PERFCLASS=Cvda("PERF")"#),
            (
                "CEMT S FILE(X) OPE ENA",
                r#"set FILE["X"] OPENSTATUS=Cvda("OPEN") ENABLESTATUS=Cvda("ENABLED")"#,
            ),
            ("CEMT I TASK TRANSID(X)", "inquire TASK[]TRANSACTION"),
            ("CEMT D TRAN(X)", r#"discard TRANSACTION["X"]"#),
            ("CEMT P SHUT", "shutdown Normal"),
            ("CEMT PERFORM SHUT IMM", "shutdown Immediate"),
            ("CEMT P SEC REB", "rebuild"),
            ("CEMT PERFORM STATISTICS ALL RECORD", "record [] true false"),
            ("CEMT P STA ALL", "record [] true false"),
            ("CEMT PERFORM RESET", "reset"),
            ("CEMT P STA REC ALL RESETNOW", "record [] true true"),
            ("CEMT P STAT FILE TRANSACTION RECORD", r#"record ["FILE", "TRANSACTION"] false false"#),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_told() {
        let table = [
            ("CEMT X", "? | E 'X' is not valid and is ignored."),
            ("CEMT I NOSUCH(X)", "? | E 'NOSUCH' is not valid and is ignored."),
            ("CEMT I PROG(X) BLUE", r#"inquire PROGRAM["X"] | E 'BLUE' is not valid and is ignored."#),
            ("CEMT S FILE(X) RED", r#"inquire FILE["X"] | E 'RED' is not valid. Nothing is changed."#),
            ("CEMT S FILE(X) CLO RED", r#"inquire FILE["X"] | E 'RED' is not valid. Nothing is changed."#),
            ("CEMT S TDQ(X) RED", r#"inquire TDQUEUE["X"] | E 'RED' is not valid. Nothing is changed."#),
            ("CEMT D TRAN(X) RED", r#"inquire TRANSACTION["X"] | E 'RED' is not valid. Nothing is changed."#),
            ("CEMT P SHUT XXX", "? | E 'XXX' is not valid. Nothing is changed."),
            ("CEMT P SHUT IMM XXX", "? | E 'XXX' is not valid. Nothing is changed."),
            ("CEMT S FILE CLO", "inquire FILE[] | E A name or ALL is needed."),
            ("CEMT P SEC TEA", "? | E 'TEA' is not valid. Nothing is changed."),
            ("CEMT P STA RECORD", "? | E 'STATISTICS without ALL' is not valid. Nothing is changed."),
            ("CEMT P RESET NOW", "? | E 'NOW' is not valid. Nothing is changed."),
            ("CEMT I PARTITIONSET(X)", "PARTITIONSET(X) NOT FOUND | E screens have no partitions."),
            ("CEMT S MQCONN(X) DIS", "MQCONN(X) NOT FOUND | E there is no queue manager."),
            (
                "CEMT P STA RESETNOW RECORD",
                "? | E 'STATISTICS without ALL' is not valid. Nothing is changed.",
            ),
            ("CEMT P STA ALL TEA RECORD", "? | E 'TEA' is not valid. Nothing is changed."),
            ("CEMT P TEA", "? | E 'TEA' is not valid. Nothing is changed."),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
