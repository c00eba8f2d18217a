//! Resources of every type of the catalogue: a new type appears by itself.

use ::console::{Answered, Refused};
use kernel::catalog;
use kernel::exec::value::Value as Told;
use kernel::raise::{Outcome, Raise};
use kernel::registry::{Kind, Manager, Takes, digits};
use kernel::security::Security;
use management::{datum, given, may_change, text};
use serde_json::{Map, Value, json};
use spec::{CommandId, OptionId};

use super::figures::Figures;

/// The type of tasks, and those that a page shows.
const TASK: &str = "TASK";
const TASKS_MAX: usize = 500;

/// Labels of figures that name resources, and their types.
const LABELS: [(&str, &str); 7] = [
    ("transaction", "TRANSACTION"),
    ("file", "FILE"),
    ("program", "PROGRAM"),
    ("queue", "TDQUEUE"),
    ("service", "TCPIPSERVICE"),
    ("entry", "DB2ENTRY"),
    ("class", "TRANCLASS"),
];

/// The types, with what SET takes. A setting of `how` says how another one is done.
pub(super) fn types() -> Value {
    let types: Vec<Value> = catalog::kinds().iter().map(|kind| shown(kind)).collect();
    json!({ "types": types })
}

fn shown(kind: &Kind) -> Value {
    let table = kind.table;
    let key = (!table.is_single()).then(|| table.name().name());
    let options: Vec<&str> = table.options().iter().map(|option| option.name()).collect();
    let mut settings: Vec<Value> = Vec::new();
    let mut seen: Vec<OptionId> = Vec::new();
    for (option, takes) in table.settings().into_iter().filter(|_| kind.set.is_some()) {
        if !seen.contains(&option) {
            seen.push(option);
            settings.push(setting(option, takes));
        }
    }
    json!({
        "name": kind.name,
        "key": key,
        "single": table.is_single(),
        "options": options,
        "settings": settings,
        "discards": kind.defined.is_some(),
    })
}

fn setting(option: OptionId, takes: &Takes) -> Value {
    match takes {
        Takes::OneOf(choices) => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            json!({ "option": option.name(), "choices": names, "how": option.name() == "BUSY" })
        }
        Takes::Number(range) => json!({ "option": option.name(), "number": [range.start(), range.end()] }),
        Takes::Text => json!({ "option": option.name() }),
    }
}

/// The type of a name, for a user who may look at it.
fn kind(by: &Manager, name: &str) -> Result<&'static Kind, Refused> {
    let kind = catalog::kind(name).ok_or(Refused::NotFound)?;
    if by.may_do(kind.inquire, None) { Ok(kind) } else { Err(Refused::NotPermitted) }
}

/// Values of a resource, by the names of their options.
fn values(told: &[(OptionId, Told)]) -> Map<String, Value> {
    let value = |option: &OptionId, value: &Told| match datum(*option, value) {
        cmci::Datum::Number(number) => json!(number),
        cmci::Datum::Text(text) | cmci::Datum::Word(text) => json!(text),
    };
    told.iter().map(|(option, told)| (option.name().to_owned(), value(option, told))).collect()
}

/// Some of the resources of a type, and how many there are.
pub(super) fn page(by: &Manager, of: &str, like: &str, (from, count): (usize, usize)) -> Answered {
    let kind = kind(by, of)?;
    let names = kind.table.names(by).into_iter();
    let mut names: Vec<Vec<u8>> =
        names.filter(|name| by.sees(kind.inquire, name) && is_like(like, &text(name))).collect();
    let total = names.len();
    names = names.into_iter().skip(from).take(count).collect();
    let one = |name: &Vec<u8>| {
        let told = kind.table.tell(by, name)?;
        Some(json!({ "name": text(name), "values": values(&told) }))
    };
    let resources: Vec<Value> = names.iter().filter_map(one).collect();
    Ok(json!({ "total": total, "resources": resources }))
}

/// Returns true if a name fits; a word without signs is the beginning of one.
fn is_like(like: &str, name: &str) -> bool {
    let like = like.to_uppercase();
    let pattern = if like.contains(['*', '+']) { like } else { format!("{like}*") };
    csd::generic(&pattern, &name.to_uppercase())
}

/// Figures and tasks now, as far as the user may know of them.
pub(super) fn now(by: &Manager, figures: &Figures) -> Answered {
    let tasks = kind(by, TASK)?;
    let own = digits(by.task_number());
    let names = tasks.table.names(by).into_iter();
    let names = names.filter(|name| *name != own && by.sees(tasks.inquire, name)).take(TASKS_MAX);
    let shown: Vec<Value> = names
        .filter_map(|name| {
            let mut told = values(&tasks.table.tell(by, &name)?);
            told.insert(TASK.to_owned(), json!(text(&name)));
            Some(Value::Object(told))
        })
        .collect();
    let secured = Security::of(&by.region).is_some();
    let known = |label: &str, name: &str| {
        let of = LABELS.iter().find(|(own, _)| *own == label).and_then(|(_, of)| catalog::kind(of));
        of.is_none_or(|kind| by.sees(kind.inquire, name.as_bytes()))
    };
    let seen = figures
        .all()
        .iter()
        .filter(|figure| !secured || figure.labels.iter().all(|(label, name)| known(label, name)));
    let seen: Vec<Value> = seen
        .map(|figure| {
            let labels: Vec<&String> = figure.labels.iter().map(|(_, name)| name).collect();
            json!([figure.name, labels, figure.value])
        })
        .collect();
    Ok(json!({ "figures": seen, "tasks": shown }))
}

/// The resource of a name, for a user who may give a command for it.
fn named(by: &Manager, kind: &Kind, command: CommandId, name: &str) -> Result<Vec<u8>, Refused> {
    if !may_change(by) || !by.may_do(command, None) {
        return Err(Refused::NotPermitted);
    }
    if kind.table.is_single() {
        return Ok(Vec::new());
    }
    let mut names = kind.table.names(by).into_iter();
    let found = names.find(|own| text(own) == name && by.sees(kind.inquire, own)).ok_or(Refused::NotFound)?;
    if by.may_do(command, Some(&found)) { Ok(found) } else { Err(Refused::NotPermitted) }
}

/// SET.
///
/// # Errors
/// The abend of a task that is purged while it waits.
pub(super) async fn set(
    by: &Manager,
    of: &str,
    name: &str,
    values: &[(String, String)],
) -> Outcome<Answered> {
    let (kind, command, name) = match settable(by, of, name) {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let settings = kind.table.settings();
    let value = |(option, value): &(String, String)| {
        let (own, takes) = settings.iter().find(|(own, _)| own.name() == option)?;
        Some((*own, given(takes, value)?))
    };
    let given: Option<Vec<_>> = values.iter().map(value).collect();
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        return Ok(Err(Refused::Bad(format!("{of} does not take this value."))));
    };
    tracing::info!(target: "SI", "console: {} SET {of}({}) {values:?}", by.user().id, text(&name));
    outcome(command, kind.table.change(by, &name, &given).await)
}

fn settable(by: &Manager, of: &str, name: &str) -> Result<(&'static Kind, CommandId, Vec<u8>), Refused> {
    let kind = kind(by, of)?;
    let command = kind.set.ok_or_else(|| Refused::Bad(format!("{of} has no SET.")))?;
    Ok((kind, command, named(by, kind, command, name)?))
}

/// DISCARD.
///
/// # Errors
/// The abend of a task that is purged while it waits.
pub(super) async fn discard(by: &Manager, of: &str, name: &str) -> Outcome<Answered> {
    let found = kind(by, of).and_then(|kind| {
        let defined = kind.defined.ok_or_else(|| Refused::Bad(format!("{of} has no DISCARD.")))?;
        Ok((kind, defined.discard, named(by, kind, defined.discard, name)?))
    });
    let (kind, command, name) = match found {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    tracing::info!(target: "SI", "console: {} DISCARD {of}({})", by.user().id, text(&name));
    outcome(command, operation::definitions::discard(by, kind, &name).await)
}

/// The outcome of a command: a condition becomes words, an abend goes on.
fn outcome(command: CommandId, done: Outcome) -> Outcome<Answered> {
    match done {
        Ok(()) => Ok(Ok(json!({}))),
        Err(Raise::Condition(condition, resp2)) => {
            let (name, resp) = (condition.name(), condition.resp());
            let command = spec::command(command).name;
            Ok(Err(Refused::Condition(format!("{command}: {name} (RESP {resp}, RESP2 {resp2})."))))
        }
        Err(abend) => Err(abend),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_beginning_of_a_name() {
        assert!(is_like("", "BKCUST") && is_like("bk", "BKCUST") && is_like("*cust", "BKCUST"));
        assert!(is_like("BK+UST", "BKCUST") && !is_like("CUST", "BKCUST"));
    }
}
