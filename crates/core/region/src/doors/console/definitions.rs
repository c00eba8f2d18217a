//! Definitions of the texts, looked at.

use ::console::{Answered, Refused};
use csd::{AttributeSpec, Csd, Definition, Legal, Request, ResourceType, Verb, attributes_of};
use diagnostics::{Source, TextPlace};
use kernel::raise::Outcome;
use kernel::registry::Manager;
use operation::definitions::{Shelf, command_of};
use repository::version;
use serde_json::{Value, json};

/// The content of the texts, for a user who may look at them.
async fn content(by: &Manager) -> Outcome<Result<Csd, Refused>> {
    if !may_look(by) {
        return Ok(Err(Refused::NotPermitted));
    }
    let read = Shelf::read(by).await?;
    Ok(read.map_err(|why| Refused::Bad(format!("The texts of definitions cannot be read: {why}."))))
}

fn may_look(by: &Manager) -> bool {
    by.may_do(command_of(Verb::View), None)
}

/// Groups with the number of their definitions, lists with their groups, and who has locked them; the types that can be defined.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
pub(super) async fn groups(by: &Manager) -> Outcome<Answered> {
    Ok(content(by).await?.map(|csd| {
        let group = |name: &str| json!([name, csd.group(name).len(), csd.lock(name)]);
        let list = |name: &str| json!([name, csd.list(name), csd.lock(name)]);
        let types: Vec<&str> = ResourceType::ALL.iter().map(|of| of.name()).collect();
        json!({
            "groups": csd.groups().map(group).collect::<Vec<Value>>(),
            "lists": csd.lists().map(list).collect::<Vec<Value>>(),
            "types": types,
        })
    }))
}

/// The definitions of a group.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
pub(super) async fn group(by: &Manager, name: &str) -> Outcome<Answered> {
    Ok(content(by).await?.and_then(|csd| {
        if csd.group(name).is_empty() {
            return Err(Refused::NotFound);
        }
        let definitions: Vec<Value> = csd.group(name).iter().map(|one| shown(&csd, one)).collect();
        let lists: Vec<&str> =
            csd.lists().filter(|list| csd.list(list).iter().any(|own| own == name)).collect();
        let asked = Request { group: Some(name.to_owned()), ..Request::new(Verb::Delete, nowhere()) };
        Ok(json!({
            "version": version(&csd, &asked),
            "lock": csd.lock(name),
            "lists": lists,
            "definitions": definitions,
        }))
    }))
}

pub(super) fn nowhere() -> TextPlace {
    TextPlace::new(&Source::new("console", String::new()), 1, 1, 0)
}

/// A definition: the attributes that have a value, with that and whether the definition gives it; the version of all this.
pub(super) fn shown(csd: &Csd, definition: &Definition) -> Value {
    let attribute = |spec: &AttributeSpec| {
        let given = definition.given(spec.name).map(|given| given.value.as_str());
        let value = given.or(definition.get(spec.name))?;
        Some(json!([spec.name, value, given.is_some()]))
    };
    let attributes: Vec<Value> = attributes_of(definition.resource).iter().filter_map(attribute).collect();
    let asked = Request {
        resource: Some(definition.resource),
        name: definition.name.clone(),
        group: Some(definition.group.clone()),
        ..Request::new(Verb::Alter, nowhere())
    };
    json!({
        "type": definition.resource.name(),
        "name": definition.name,
        "group": definition.group,
        "attributes": attributes,
        "version": version(csd, &asked),
    })
}

/// The attributes of a type: default, legal values, the greatest length of a text.
pub(super) fn attributes(by: &Manager, of: &str) -> Answered {
    if !may_look(by) {
        return Err(Refused::NotPermitted);
    }
    let of = ResourceType::named(of).ok_or(Refused::NotFound)?;
    let attributes: Vec<Value> = attributes_of(of).iter().map(legal).collect();
    Ok(json!({ "attributes": attributes, "name": of.name_length() }))
}

fn legal(spec: &AttributeSpec) -> Value {
    let (words, length, only) = match &spec.legal {
        Legal::Any | Legal::List(_) => (&[][..], None, false),
        Legal::Choice { words, ranges, text } => {
            let longest = words.iter().map(|word| word.len()).max();
            let length = text.filter(|_| ranges.is_empty()).map(|text| text.max(longest.unwrap_or(0)));
            (words.as_slice(), length, ranges.is_empty() && text.is_none())
        }
    };
    let told = if spec.legal == Legal::Any { String::new() } else { spec.legal.to_string() };
    json!({
        "name": spec.name,
        "default": spec.default,
        "words": words,
        "only": only,
        "length": length,
        "legal": told,
        "obsolete": spec.obsolete,
    })
}
