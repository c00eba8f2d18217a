//! Definitions of the texts, looked at.

use cmci::codes::{reason, response};
use cmci::resource::{Of, Resource};
use cmci::target::RequestTarget;
use cmci::{Datum, Record};
use csd::{Csd, Definition, Legal, ResourceType, Verb, attributes_of, generic};
use kernel::registry::Manager;
use operation::definitions::{Shelf, command_of};

use crate::criteria::{choose, may};
use crate::stop::Stop;

/// A definition, and its record.
pub(crate) struct Found {
    /// The record.
    pub record: Record,
    /// The definition.
    pub definition: Definition,
}

/// The content of the texts, for a user who may look at them.
pub(crate) async fn content(by: &Manager) -> Result<Csd, Stop> {
    may(by, command_of(Verb::View))?;
    let unreadable = |_| Stop::said(response::NOTAVAILABLE, reason::NONE, "GET");
    Shelf::read(by).await?.map_err(unreadable)
}

/// The type of definitions that a resource has.
pub(crate) fn type_of(resource: &Resource) -> Result<ResourceType, Stop> {
    let named = match &resource.of {
        Of::Definitions(name) => ResourceType::named(name),
        _ => None,
    };
    named.ok_or_else(|| Stop::not_so("this request"))
}

/// The definitions of a type, of one group where CSDGROUP names it, that the criteria of a request choose.
pub(crate) async fn definitions(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
) -> Result<Vec<Found>, Stop> {
    let kind = type_of(resource)?;
    let csd = content(by).await?;
    let group = target.parameters.get("CSDGROUP").unwrap_or("*").to_ascii_uppercase();
    let groups = csd.groups().filter(|name| generic(&group, name));
    let all = groups.flat_map(|group| csd.group(group)).filter(|definition| definition.resource == kind);
    let mut found: Vec<Found> = all.map(shown).collect();
    choose(target, &mut found, |found| &found.record)?;
    Ok(found)
}

/// The record of a definition.
pub(crate) fn shown(definition: &Definition) -> Found {
    let text = |text: &str| Datum::Text(text.to_owned());
    let mut attributes = vec![
        ("name".to_owned(), text(&definition.name)),
        ("csdgroup".to_owned(), text(&definition.group)),
        ("defver".to_owned(), Datum::Number(0)),
    ];
    attributes.extend(attributes_of(definition.resource).iter().map(|spec| {
        let value = definition.get(spec.name).unwrap_or_default();
        let is_word = matches!(&spec.legal, Legal::Choice { words, .. } if words.contains(&value));
        let value = if is_word { Datum::Word(value.to_owned()) } else { text(value) };
        (spec.name.to_ascii_lowercase(), value)
    }));
    // A definition is one of its group.
    let name = format!("{:<8}{}", definition.group, definition.name).into_bytes();
    Found { record: Record { name, attributes }, definition: definition.clone() }
}

/// Groups, lists, and the groups of lists.
pub(crate) async fn groups_and_lists(by: &Manager, name: &str) -> Result<Vec<Record>, Stop> {
    let csd = content(by).await?;
    let record = |name: String, attributes: Vec<(&str, Datum)>| Record {
        name: name.into_bytes(),
        attributes: attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    };
    let text = |text: &str| Datum::Text(text.to_owned());
    let named = |name: &str| record(name.to_owned(), vec![("name", text(name))]);
    Ok(match name {
        "CSDGROUP" => csd.groups().map(named).collect(),
        "CSDLIST" => csd.lists().map(named).collect(),
        _ => {
            let places =
                csd.lists().flat_map(|list| csd.list(list).iter().zip(1..).map(move |it| (list, it)));
            let one = |(list, (group, place)): (&str, (&String, i64))| {
                let attributes = vec![
                    ("csdlist", text(list)),
                    ("csdgroup", text(group)),
                    ("csdlistseq", Datum::Number(place)),
                ];
                record(format!("{list:<8}{group}"), attributes)
            };
            places.map(one).collect()
        }
    })
}
