//! Definitions changed and installed: what CEDA does at a terminal, in the parts of a form.

use ::console::{Answered, Edit, Refused};
use csd::{Mistake, Parts, Request, Verb, request_of};
use kernel::raise::Outcome;
use kernel::registry::Manager;
use management::may_change;
use operation::definitions::requests::{Answer, Message, Rights, View, carry_out, sentence};
use operation::definitions::{Shelf, command_of};
use serde_json::{Value, json};

use super::definitions::shown;

/// The verbs of the pages: those that change or install.
const VERBS: [Verb; 12] = [
    Verb::Add,
    Verb::Alter,
    Verb::Append,
    Verb::Copy,
    Verb::Define,
    Verb::Delete,
    Verb::Install,
    Verb::Lock,
    Verb::Move,
    Verb::Remove,
    Verb::Rename,
    Verb::Unlock,
];
const RIGHTS: Rights = Rights { name: "the console", changes: true, installs: true };

/// Carries a command out.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
pub(super) async fn edit(by: &Manager, edit: Edit) -> Outcome<Answered> {
    let Some(verb) = VERBS.into_iter().find(|verb| verb.name() == edit.verb) else {
        return Ok(Err(Refused::Bad(String::from("There is no such command for definitions."))));
    };
    if !may_change(by) || !by.may_do(command_of(verb), None) {
        return Ok(Err(Refused::NotPermitted));
    }
    let seen = edit.version.clone();
    let asked = match request_of(verb, &parts(edit)) {
        Ok(asked) => asked,
        Err(mistakes) => return Ok(Err(refused(verb, mistakes))),
    };
    let answer = carry_out(by, RIGHTS, &asked, seen).await?;
    if answer.is_other {
        return Ok(Err(Refused::Changed(now(by, &asked).await?)));
    }
    Ok(told(answer))
}

fn parts(edit: Edit) -> Parts {
    let Edit { of, name, group, list, to, named, attributes, .. } = edit;
    Parts { resource: of, name, group, list, to, named, attributes }
}

/// A refusal that names the parts with mistakes.
fn refused(verb: Verb, mistakes: Vec<Mistake>) -> Refused {
    let part = |Mistake { part, message }: Mistake| (part, format!("{}.", sentence(&message)));
    Refused::Mistakes(format!("{} UNSUCCESSFUL", verb.name()), mistakes.into_iter().map(part).collect())
}

/// An answer of CEDA's as the pages have it.
fn told(answer: Answer) -> Answered {
    let Answer { view, messages, result, succeeded, .. } = answer;
    if !succeeded {
        let all = messages.into_iter().map(|Message(_, text)| text).collect::<Vec<String>>().join("\n");
        return Err(Refused::Condition(if all.is_empty() { result } else { all }));
    }
    let name = match &view {
        View::Panel { definition, .. } => Some(json!([definition.resource.name(), definition.name])),
        _ => None,
    };
    let messages: Vec<String> = messages.into_iter().map(|Message(_, text)| text).collect();
    Ok(json!({ "result": result, "messages": messages, "definition": name }))
}

/// The definition of a request as it is now; null if there is none, or the request is about more.
async fn now(by: &Manager, asked: &Request) -> Outcome<Value> {
    let Ok(csd) = Shelf::read(by).await? else { return Ok(Value::Null) };
    let group = csd.group(asked.group.as_deref().unwrap_or_default());
    let found = group.iter().find(|one| Some(one.resource) == asked.resource && one.name == asked.name);
    Ok(found.map_or(Value::Null, |definition| shown(&csd, definition)))
}
