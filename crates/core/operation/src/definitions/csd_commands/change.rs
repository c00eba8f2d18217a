//! CSD DEFINE, ALTER, COPY and the others that change the texts. A syncpoint comes with each.

use csd::{Attribute, Definition, Duplicates, Given, Position, Request, Verb};
use spec::{CommandId, cmd, cond, opt};

use super::conditions::{raised_for, resp2};
use super::{name, request};
use crate::definitions::{Shelf, command, name_text};
use kernel::exec::{Call, Waiting};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::registry::Manager;
use kernel::task::Task;

/// The commands, and what they ask for.
pub(super) const VERBS: &[(CommandId, Verb)] = &[
    (cmd::CSD_ADD, Verb::Add),
    (cmd::CSD_ALTER, Verb::Alter),
    (cmd::CSD_APPEND, Verb::Append),
    (cmd::CSD_COPY, Verb::Copy),
    (cmd::CSD_DEFINE, Verb::Define),
    (cmd::CSD_DELETE, Verb::Delete),
    (cmd::CSD_LOCK, Verb::Lock),
    (cmd::CSD_REMOVE, Verb::Remove),
    (cmd::CSD_RENAME, Verb::Rename),
    (cmd::CSD_UNLOCK, Verb::Unlock),
    (cmd::CSD_USERDEFINE, Verb::Userdefine),
];

pub(super) fn change<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let asked = asked(call)?;
        // What is missing is found when a program is compiled, but for what depends on another option.
        let command = asked.command().and_then(Result::ok).ok_or_else(|| cond::INVREQ.raise(resp2::GROUP))?;
        match Shelf::change(&Manager::of(task), &asked, command, None).await? {
            Ok(_) => task.syncpoint().await,
            Err(refused) => {
                task.rollback().await;
                Err(raised_for(refused, Some(&asked)))
            }
        }
    })
}

/// The whole request of a command.
fn asked(call: &Call<'_>) -> Outcome<Request> {
    let verb = VERBS.iter().find(|(command, _)| *command == call.command()).map(|(_, verb)| *verb);
    let verb = verb.ok_or_else(|| cond::INVREQ.raise(0))?;
    let mut request = request(verb, call)?;
    if call.has(opt::ATTRIBUTES) {
        attributes(&mut request, call)?;
    }
    request.position = match (name(call, opt::BEFORE, resp2::GROUP)?, name(call, opt::AFTER, resp2::GROUP)?) {
        (Some(group), _) => Position::Before(group),
        (None, Some(group)) => Position::After(group),
        (None, None) => Position::Last,
    };
    request.duplicates = match word(call, opt::DUPACTION)? {
        Some("DUPREPLACE") => Duplicates::Replace,
        Some("DUPNOREPLACE") => Duplicates::Merge,
        _ if call.keyword(opt::DUPREPLACE) => Duplicates::Replace,
        _ if call.keyword(opt::DUPNOREPLACE) => Duplicates::Merge,
        _ => Duplicates::Refuse,
    };
    request.remove = call.keyword(opt::REMOVE) || word(call, opt::LISTACTION)? == Some("REMOVE");
    Ok(request)
}

/// The name of a CVDA.
fn word(call: &Call<'_>, option: spec::OptionId) -> Outcome<Option<&'static str>> {
    let value = if call.given(option) { call.number(option)? } else { None };
    let name = |value| spec::cvda_name_in(option, value).or_else(|| spec::cvda_name(value));
    Ok(value.and_then(|value| i32::try_from(value).ok()).and_then(name))
}

/// The attributes as a text has them: names in capitals.
fn folded(definition: &Definition) -> Vec<Attribute> {
    let Definition { resource, name, attributes, .. } = definition;
    let text = format!("DEFINE {resource}({name}) GROUP(G) {}", definition.attributes_text());
    csd::request(&text, Given::Anywhere).map_or_else(|_| attributes.clone(), |request| request.attributes)
}

fn attributes(request: &mut Request, call: &Call<'_>) -> Outcome {
    let resource = request.resource.ok_or_else(|| cond::INVREQ.raise(resp2::RESTYPE))?;
    let length = match call.number(opt::ATTRLEN)? {
        None => call.size(opt::ATTRIBUTES),
        Some(length) => usize::try_from(length).map_err(|_| cond::LENGERR.raise(resp2::LENGTH))?,
    };
    let text = name_text(&call.bytes_of(opt::ATTRIBUTES, length)?.unwrap_or_default());
    let definition = csd::read_attributes(resource, &request.name, &text).map_err(|wrong| {
        tracing::warn!(target: "RD", "CSD: {resource} {}: {}", request.name, wrong.message);
        command::refused(wrong.fault, wrong.offset)
    })?;
    request.attributes = folded(&definition);
    Ok(())
}
