//! Definitions of the texts.

use ::console::{Answered, Refused};
use csd::{Csd, Definition, Verb, attributes_of};
use kernel::raise::Outcome;
use kernel::registry::Manager;
use operation::definitions::{Shelf, command_of};
use serde_json::{Value, json};

/// The content of the texts, for a user who may look at them.
async fn content(by: &Manager) -> Outcome<Result<Csd, Refused>> {
    if !by.may_do(command_of(Verb::View), None) {
        return Ok(Err(Refused::NotPermitted));
    }
    let read = Shelf::read(by).await?;
    Ok(read.map_err(|why| Refused::Bad(format!("The texts of definitions cannot be read: {why}."))))
}

/// Groups with the number of their definitions, and lists with their groups.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
pub(super) async fn groups(by: &Manager) -> Outcome<Answered> {
    Ok(content(by).await?.map(|csd| {
        let groups: Vec<Value> = csd.groups().map(|name| json!([name, csd.group(name).len()])).collect();
        let lists: Vec<Value> = csd.lists().map(|name| json!([name, csd.list(name)])).collect();
        json!({ "groups": groups, "lists": lists })
    }))
}

/// The definitions of a group.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
pub(super) async fn group(by: &Manager, name: &str) -> Outcome<Answered> {
    Ok(content(by).await?.and_then(|csd| {
        if !csd.groups().any(|known| known == name) {
            return Err(Refused::NotFound);
        }
        let definitions: Vec<Value> = csd.group(name).iter().map(shown).collect();
        Ok(json!({ "definitions": definitions }))
    }))
}

/// A definition, with the attributes that have a value.
fn shown(definition: &Definition) -> Value {
    let attributes = attributes_of(definition.resource).iter();
    let attributes: Vec<Value> = attributes
        .filter_map(|spec| {
            Some(json!([spec.name, definition.get(spec.name).filter(|value| !value.is_empty())?]))
        })
        .collect();
    json!({ "type": definition.resource.to_string(), "name": definition.name, "attributes": attributes })
}
