//! Definitions of the texts, changed and installed.

use cmci::answer::Feedback;
use cmci::body::Kind as Asked;
use cmci::codes::reason;
use cmci::resource::{Of, Resource};
use cmci::target::{Parameters, RequestTarget};
use cmci::{Change, Record};
use csd::{Definition, Duplicates, Given, Request, ResourceType, Verb, attributes_of};
use diagnostics::{Source, TextPlace};
use kernel::raise::RaiseCondition;
use kernel::registry::Manager;
use operation::definitions::{NotMade, Shelf, command_of, condition_of, install_one};
use repository::Changed as Edited;
use spec::cond;

use crate::change::{Changed, again, feedback, may, told, wrong};
use crate::definitions::{Found, content, definitions, shown, type_of};
use crate::look;
use crate::stop::Stop;

fn nowhere() -> TextPlace {
    TextPlace::new(&Source::new("CMCI", String::new()), 1, 1, 0)
}

/// Carries a request out for one record, and notes what became of it.
async fn carry_out(
    by: &Manager,
    asked: &Request,
    record: &[u8],
    errors: &mut Vec<Feedback>,
) -> Result<Option<Edited>, Stop> {
    let (raise, why) = match asked.command() {
        Some(Ok(change)) => match Shelf::change(by, asked, change, None).await? {
            Ok(changed) => return Ok(Some(changed)),
            Err(why) => {
                let text = why.to_string();
                (condition_of(why, Some(asked)), text)
            }
        },
        Some(Err(missing)) => (cond::INVREQ.raise(2), format!("{missing} is missing")),
        None => (cond::INVREQ.raise(0), String::from("it changes nothing")),
    };
    errors.push(feedback(raise, asked.verb.name(), record, command_of(asked.verb), why)?);
    Ok(None)
}

/// The request that gives a definition attributes, by their names in capitals.
fn with_attributes(
    verb: Verb,
    kind: ResourceType,
    (name, group): (&str, &str),
    attributes: &[(String, String)],
) -> Result<Request, Stop> {
    let is_name =
        |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "()',".contains(c));
    if !is_name(name) {
        return Err(wrong("NAME", String::from("it is no name")));
    }
    if !is_name(group) {
        return Err(wrong("CSDGROUP", String::from("it is no name of a group")));
    }
    let mut text = format!("{} {kind}({name}) GROUP({group})", verb.name());
    for (attribute, value) in attributes {
        match attribute.as_str() {
            "NAME" | "CSDGROUP" | "DEFVER" => {}
            known if attributes_of(kind).iter().any(|spec| spec.name == known) => {
                text.push_str(&format!(" {known}({})", csd::quoted_if_needed(value)));
            }
            _ => return Err(wrong(attribute, format!("it is no attribute of {kind}"))),
        }
    }
    csd::request(&text, Given::Anywhere).map_err(|messages| {
        let why = messages.into_iter().next();
        let why = why.map_or_else(String::new, |message| format!("{}: {}", message.message, message.help));
        wrong("ATTRIBUTES", why)
    })
}

/// POST: a new definition.
pub(crate) async fn create(by: &Manager, resource: &Resource, change: &Change) -> Result<Changed, Stop> {
    let kind = type_of(resource)?;
    if change.kind != Asked::Create {
        return Err(Stop::not_so("anything but CREATE by POST"));
    }
    let needed =
        |name: &str| change.attribute(name).ok_or_else(|| wrong(name, String::from("it must be given")));
    let names = (needed("NAME")?, needed("CSDGROUP")?);
    may(by, command_of(Verb::Define), "CREATE")?;
    let asked = with_attributes(Verb::Define, kind, names, &change.attributes)?;
    let mut errors = Vec::new();
    let Some(edited) = carry_out(by, &asked, names.0.as_bytes(), &mut errors).await? else {
        return Ok((told("CREATE", 0, errors), Vec::new()));
    };
    let group = edited.csd.group(asked.group.as_deref().unwrap_or_default());
    let made = group.iter().find(|one| one.resource == kind && one.name == asked.name);
    Ok((told("CREATE", 1, errors), made.map(|made| shown(made).record).into_iter().collect()))
}

/// PUT: new values or an action for the definitions that a request means.
pub(crate) async fn put(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    change: &Change,
) -> Result<Changed, Stop> {
    match &change.kind {
        Asked::Create => Err(Stop::not_so("CREATE by PUT")),
        Asked::Update => update(by, resource, target, change).await,
        Asked::Action(name) if name == "CSDINSTALL" || name == "INSTALL" => {
            install(by, resource, target).await
        }
        Asked::Action(name) if name == "CSDCOPY" => copy(by, resource, target, &change.parameters).await,
        Asked::Action(_) => Err(Stop::invalid(reason::ACTION, "PERFORM")),
    }
}

async fn update(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    change: &Change,
) -> Result<Changed, Stop> {
    may(by, command_of(Verb::Alter), "UPDATE")?;
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for Found { record, definition } in definitions(by, resource, target).await? {
        let names = (definition.name.as_str(), definition.group.as_str());
        let asked = with_attributes(Verb::Alter, definition.resource, names, &change.attributes)?;
        if carry_out(by, &asked, &record.name, &mut errors).await?.is_some() {
            done.push(record.name);
        }
    }
    let shown = again(by, resource, &done).await?;
    Ok((told("UPDATE", done.len(), errors), shown))
}

async fn install(by: &Manager, resource: &Resource, target: &RequestTarget) -> Result<Changed, Stop> {
    may(by, command_of(Verb::Install), "PERFORM")?;
    let found = definitions(by, resource, target).await?;
    let (mut done, mut errors, mut shown) = (0, Vec::new(), Vec::new());
    for Found { record, definition } in found {
        if installed(by, &definition, &record.name, &mut errors).await? {
            done += 1;
            shown.push(record);
        }
    }
    Ok((told("PERFORM", done, errors), shown))
}

async fn installed(
    by: &Manager,
    definition: &Definition,
    name: &[u8],
    errors: &mut Vec<Feedback>,
) -> Result<bool, Stop> {
    match install_one(by, definition).await {
        Ok(()) => Ok(true),
        Err(NotMade { raise, why }) => {
            errors.push(feedback(raise, "CSDINSTALL", name, command_of(Verb::Install), why)?);
            Ok(false)
        }
    }
}

/// The treatment of definitions that are in both groups.
fn duplicates(parameters: &Parameters) -> Result<Duplicates, Stop> {
    match parameters.get("DUPACTION") {
        None | Some("ERROR") => Ok(Duplicates::Refuse),
        Some("REPLACE" | "DUPREPLACE") => Ok(Duplicates::Replace),
        Some("NOREPLACE" | "DUPNOREPLACE") => Ok(Duplicates::Merge),
        Some(_) => Err(Stop::invalid(reason::PARM, "PERFORM")),
    }
}

async fn copy(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    parameters: &Parameters,
) -> Result<Changed, Stop> {
    may(by, command_of(Verb::Copy), "PERFORM")?;
    let duplicates = duplicates(parameters)?;
    let (mut done, mut errors) = (0, Vec::new());
    for Found { record, definition } in definitions(by, resource, target).await? {
        let mut asked = Request::new(Verb::Copy, nowhere());
        (asked.resource, asked.name) = (Some(definition.resource), definition.name);
        asked.group = Some(definition.group);
        asked.to = parameters.get("TO_CSDGROUP").map(str::to_ascii_uppercase);
        asked.named = parameters.get("AS_RESOURCE").map(str::to_owned);
        asked.duplicates = duplicates;
        done += usize::from(carry_out(by, &asked, &record.name, &mut errors).await?.is_some());
    }
    Ok((told("PERFORM", done, errors), Vec::new()))
}

/// DELETE: the definitions that a request means are taken out of their group, which must be named.
pub(crate) async fn remove(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
) -> Result<Changed, Stop> {
    may(by, command_of(Verb::Delete), "REMOVE")?;
    if target.parameters.get("CSDGROUP").is_none() {
        return Err(Stop::invalid(reason::PARM, "REMOVE"));
    }
    let (mut done, mut errors) = (0, Vec::new());
    for Found { record, definition } in definitions(by, resource, target).await? {
        let mut asked = Request::new(Verb::Delete, nowhere());
        (asked.resource, asked.name) = (Some(definition.resource), definition.name);
        asked.group = Some(definition.group);
        done += usize::from(carry_out(by, &asked, &record.name, &mut errors).await?.is_some());
    }
    Ok((told("REMOVE", done, errors), Vec::new()))
}

/// The value of an attribute of a record.
fn value(record: &Record, attribute: &str) -> Option<String> {
    record.get(attribute).map(|value| value.text().into_owned())
}

/// PUT for groups and lists: CSDADD, CSDCOPY, CSDINSTALL.
pub(crate) async fn put_group(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
    change: &Change,
) -> Result<Changed, Stop> {
    let Asked::Action(action) = &change.kind else { return Err(Stop::not_so("new values")) };
    let is_group = resource.of == Of::Other("CSDGROUP".to_owned());
    let verb = match action.as_str() {
        "CSDADD" if is_group => Verb::Add,
        "CSDCOPY" if is_group => Verb::Copy,
        "CSDINSTALL" | "INSTALL" => Verb::Install,
        _ => return Err(Stop::invalid(reason::ACTION, "PERFORM")),
    };
    may(by, command_of(verb), "PERFORM")?;
    let parameters = &change.parameters;
    let (mut done, mut errors, mut shown) = (0, Vec::new(), Vec::new());
    for record in look::records(by, resource, target).await? {
        let name = value(&record, "name").unwrap_or_default();
        let is_done = if verb == Verb::Install {
            let failed = errors.len();
            let csd = content(by).await?;
            for definition in csd.installed(&[name.as_str()]).0 {
                installed(by, definition, &record.name, &mut errors).await?;
            }
            errors.len() == failed
        } else {
            let mut asked = Request::new(verb, nowhere());
            asked.group = Some(name);
            asked.list = parameters.get("TO_CSDLIST").map(str::to_ascii_uppercase);
            asked.to = parameters.get("TO_CSDGROUP").map(str::to_ascii_uppercase);
            asked.duplicates = duplicates(parameters)?;
            carry_out(by, &asked, &record.name, &mut errors).await?.is_some()
        };
        if is_done {
            done += 1;
            shown.push(record);
        }
    }
    Ok((told("PERFORM", done, errors), shown))
}

/// DELETE for groups, lists, and the groups of a list.
pub(crate) async fn remove_group(
    by: &Manager,
    resource: &Resource,
    target: &RequestTarget,
) -> Result<Changed, Stop> {
    let Of::Other(of) = &resource.of else { return Err(Stop::not_so("DELETE")) };
    let verb = match of.as_str() {
        "CSDGROUP" | "CSDLIST" => Verb::Delete,
        "CSDINLIST" => Verb::Remove,
        _ => return Err(Stop::not_so("DELETE")),
    };
    may(by, command_of(verb), "REMOVE")?;
    let (mut done, mut errors) = (0, Vec::new());
    for record in look::records(by, resource, target).await? {
        let mut asked = Request::new(verb, nowhere());
        match of.as_str() {
            "CSDGROUP" => asked.group = value(&record, "name"),
            "CSDLIST" => asked.list = value(&record, "name"),
            _ => (asked.group, asked.list) = (value(&record, "csdgroup"), value(&record, "csdlist")),
        }
        done += usize::from(carry_out(by, &asked, &record.name, &mut errors).await?.is_some());
    }
    Ok((told("REMOVE", done, errors), Vec::new()))
}

/// Returns true if a resource is one of groups and lists.
pub(crate) fn is_of_groups(resource: &Resource) -> bool {
    matches!(&resource.of, Of::Other(name) if name.starts_with("CSD"))
}
