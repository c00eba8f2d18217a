//! Changes of resources: actions, new values, DISCARD.

use std::collections::BTreeSet;

use cmci::answer::{Answer, Feedback};
use cmci::body::Kind as Asked;
use cmci::codes::{reason, response};
use cmci::target::{Parameters, RequestTarget};
use cmci::{Change, Record, Resource};
use ebcdic::Characters;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::registry::{Given, Kind, Manager, Table, Takes};
use kernel::security::Security;
use operation::definitions::discard;
use spec::{CommandId, OptionId, cond, opt};

use crate::look;
use crate::stop::Stop;

/// The outcome of a change: the answer, and the records that it names.
pub(crate) type Changed = (Answer, Vec<Record>);

/// New values, as SET takes them.
type Values = Vec<(OptionId, Given)>;

/// Returns true if the user may change anything.
pub fn may_change(by: &Manager) -> bool {
    !by.user().is_default && (Security::of(&by.region).is_some() || by.user().operate)
}

/// Checks that the user may give a command that changes.
pub(crate) fn may(by: &Manager, command: CommandId, function: &'static str) -> Result<(), Stop> {
    if may_change(by) && by.may_do(command, None) { Ok(()) } else { Err(Stop::not_permitted(function)) }
}

/// Tells of a change that was done to some of the records, and not to others.
pub(crate) fn told(function: &'static str, done: usize, errors: Vec<Feedback>) -> Answer {
    let records = Some(done + errors.len());
    let (response, reason) = match (done, errors.len()) {
        (0, 0) => (response::NODATA, reason::NONE),
        (_, 0) => (response::OK, reason::NONE),
        _ => (response::TABLEERROR, reason::DATAERROR),
    };
    Answer { records, successes: Some(done), errors, ..Answer::of(response, reason, function) }
}

/// Feedback about a refusal; an abend goes on.
pub(crate) fn feedback(
    raise: Raise,
    action: &str,
    name: &[u8],
    command: CommandId,
    why: String,
) -> Result<Feedback, Raise> {
    let Raise::Condition(condition, resp2) = raise else { return Err(raise) };
    let record = spec::command(command);
    Ok(Feedback {
        action: action.to_owned(),
        name: name.to_vec(),
        command: record.eibfn.map(|number| (number, record.name.to_owned())),
        resp: (condition.resp(), condition.name().to_owned()),
        resp2,
        attribute: None,
        why,
    })
}

/// PUT: new values or an action for the resources that a request means.
pub(crate) async fn put(
    by: &Manager,
    resource: &Resource,
    kind: &Kind,
    target: &RequestTarget,
    change: &Change,
) -> Result<Changed, Stop> {
    let (action, values) = match &change.kind {
        Asked::Create => return Err(Stop::not_so("CREATE")),
        Asked::Action(name) if name == "DISCARD" => return delete(by, resource, kind, target).await,
        Asked::Action(name) => (name.as_str(), of_action(resource, kind.table, name, &change.parameters)?),
        Asked::Update => ("SET", of_attributes(resource, kind.table, &change.attributes)?),
    };
    let function = if change.kind == Asked::Update { "SET" } else { "PERFORM" };
    let Some(set) = kind.set else { return Err(Stop::not_so(action)) };
    may(by, set, function)?;
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for record in look::records(by, resource, target).await? {
        let changed = match by.may_do(set, Some(&record.name)) {
            true => kind.table.change(by, &record.name, &values).await,
            false => Err(cond::NOTAUTH.raise(0)),
        };
        match changed {
            Ok(()) => done.push(record.name),
            Err(raise) => errors.push(feedback(raise, action, &record.name, set, String::new())?),
        }
    }
    let shown = again(by, resource, &done).await?;
    Ok((told(function, done.len(), errors), shown))
}

/// The records of these names as they are now: the criteria may choose others by now.
pub(crate) async fn again(by: &Manager, resource: &Resource, names: &[Vec<u8>]) -> Result<Vec<Record>, Stop> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let names: BTreeSet<&Vec<u8>> = names.iter().collect();
    let mut records = look::records(by, resource, &RequestTarget::default()).await?;
    records.retain(|record| names.contains(&record.name));
    Ok(records)
}

/// DELETE: DISCARD of the resources that a request means.
pub(crate) async fn delete(
    by: &Manager,
    resource: &Resource,
    kind: &Kind,
    target: &RequestTarget,
) -> Result<Changed, Stop> {
    let Some(defined) = kind.defined else { return Err(Stop::not_so("DISCARD")) };
    may(by, defined.discard, "PERFORM")?;
    let (mut done, mut errors) = (0, Vec::new());
    for record in look::records(by, resource, target).await? {
        let discarded: Outcome = match by.may_do(defined.discard, Some(&record.name)) {
            true => discard(by, kind, &record.name).await,
            false => Err(cond::NOTAUTH.raise(0)),
        };
        match discarded {
            Ok(()) => done += 1,
            Err(raise) => {
                errors.push(feedback(raise, "DISCARD", &record.name, defined.discard, String::new())?);
            }
        }
    }
    Ok((told("PERFORM", done, errors), Vec::new()))
}

/// The setting of an option's name.
fn setting(table: &dyn Table, option: &str) -> Option<(OptionId, &'static Takes)> {
    table.settings().into_iter().find(|(own, _)| own.name() == option)
}

/// A value as it was given; `None`: the setting does not take it.
pub fn given(takes: &Takes, value: &str) -> Option<Given> {
    match takes {
        Takes::OneOf(choices) => {
            let is_it = |(name, _): &&(&'static str, OptionId)| name.eq_ignore_ascii_case(value.trim());
            choices.iter().find(is_it).map(|(name, _)| Given::Cvda(name))
        }
        Takes::Number(range) => value.trim().parse().ok().filter(|n| range.contains(n)).map(Given::Number),
        Takes::Text => Some(Given::Text(Characters::default().bytes(value))),
    }
}

/// The values of an update.
fn of_attributes(
    resource: &Resource,
    table: &dyn Table,
    attributes: &[(String, String)],
) -> Result<Values, Stop> {
    if attributes.is_empty() {
        return Err(Stop::invalid(reason::ATTRIBUTE, "SET"));
    }
    let one = |(name, value): &(String, String)| {
        let found = setting(table, &resource.option(name));
        let value = found.and_then(|(option, takes)| Some((option, given(takes, value)?)));
        value.ok_or_else(|| wrong(name, value_help(table, found)))
    };
    attributes.iter().map(one).collect()
}

fn value_help(table: &dyn Table, found: Option<(OptionId, &'static Takes)>) -> String {
    match found {
        None => {
            let mut names: Vec<&str> = table.settings().iter().map(|(option, _)| option.name()).collect();
            names.dedup();
            format!("it cannot be set; {} can", names.join(", "))
        }
        Some((_, Takes::OneOf(choices))) => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            format!("it takes {}", names.join(", "))
        }
        Some((_, Takes::Number(range))) => format!("it takes {} to {}", range.start(), range.end()),
        Some((_, Takes::Text)) => String::from("it takes characters"),
    }
}

/// An attribute that is not taken.
pub(crate) fn wrong(attribute: &str, why: String) -> Stop {
    let feedback = Feedback {
        action: String::from("SET"),
        attribute: Some(attribute.to_owned()),
        resp: (cond::INVREQ.resp(), cond::INVREQ.name().to_owned()),
        why,
        ..Feedback::default()
    };
    let answer = Answer::of(response::INVALIDDATA, reason::ATTRIBUTE, "SET");
    Stop::Said(Box::new(Answer { errors: vec![feedback], ..answer }))
}

/// The values of an action: the CVDA of its name, and its parameters.
fn of_action(
    resource: &Resource,
    table: &dyn Table,
    action: &str,
    parameters: &Parameters,
) -> Result<Values, Stop> {
    let mut values = Values::new();
    for (name, value) in &parameters.0 {
        // TYPE of PURGE is PURGETYPE of SET.
        let found = setting(table, &resource.option(name));
        let found = found.or_else(|| setting(table, "PURGETYPE").filter(|_| name == "TYPE"));
        let value = found
            .and_then(|(option, takes)| Some((option, given(takes, value.as_deref().unwrap_or_default())?)));
        values.push(value.ok_or_else(|| Stop::invalid(reason::PARM, "PERFORM"))?);
    }
    let named = table.settings().into_iter().find_map(|(option, takes)| chosen(option, takes, action));
    let (option, choice) = named.ok_or_else(|| Stop::invalid(reason::ACTION, "PERFORM"))?;
    if !values.iter().any(|(given, _)| *given == option) {
        values.push((option, choice));
    }
    Ok(values)
}

/// The choice of a setting that an action names: ENABLE is ENABLED, CLOSE is CLOSED.
fn chosen(option: OptionId, takes: &Takes, action: &str) -> Option<(OptionId, Given)> {
    let Takes::OneOf(choices) = takes else { return None };
    // It only says how a file is closed.
    if option == opt::BUSY {
        return None;
    }
    let is_it = |(name, _): &&(&'static str, OptionId)| {
        name.strip_prefix(action).is_some_and(|end| ["", "D", "ED"].contains(&end))
    };
    choices.iter().find(is_it).map(|(name, _)| (option, Given::Cvda(name)))
}
