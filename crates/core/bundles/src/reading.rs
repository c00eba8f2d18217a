//! Parts as their texts have them, without a region: installed (`install`), or only looked at ([`crate::check`]).

use std::sync::Arc;

use bundle_source::{Manifest, Part, PartClass, definition_part};
use csd::{Definition, ResourceType};
use diagnostics::Source;
use kernel::catalog;
use kernel::registry::{Defined, Kind, PartFault, PartFile, PartKind};
use operation::definitions::{ABSENT, Absent};
use policies::Policy;

use crate::content::{Content, ContentFault};
use crate::resource::adapted;

/// A part that is in order, as far as its text shows it.
pub(crate) enum Reading {
    /// It comes from elsewhere.
    Import,
    /// The bundle only names it.
    Named,
    /// A resource: its type, and its definition, whose paths lead into the bundle.
    Resource(&'static Kind, &'static Defined, Definition),
    /// Regions have something else in its place, which the text names.
    Needless(&'static str),
    /// A policy.
    Policy(Policy),
    /// A part of event processing.
    Event(Arc<Source>),
    /// A part that a domain makes, and its text.
    Made(&'static PartKind, Arc<Source>),
}

/// Types of parts that belong to event processing.
const OF_EVENTS: [&str; 3] = ["EVENTBINDING", "EPADAPTER", "EPADAPTERSET"];

/// Reads a part; its resource is to be enabled, or is not.
///
/// # Errors
/// Its text is wrong, or it asks for what regions do not have.
pub(crate) fn read(
    content: &Content,
    manifest: &Manifest,
    part: &Part,
    is_enabled: bool,
) -> Result<Reading, ContentFault> {
    match part.class {
        PartClass::Import => return Ok(Reading::Import),
        PartClass::Export => return Ok(Reading::Named),
        PartClass::EntryPoint => return Err(ContentFault::absence("there are no applications")),
        PartClass::Definition => {}
    }
    match part.kind.as_str() {
        "POLICY" => policy(content, manifest, part).map(Reading::Policy),
        kind if OF_EVENTS.contains(&kind) => {
            let source = content.part(&part.path)?;
            capture::events::check_part(kind, &part.name, &source.text)
                .map_err(|wrong| ContentFault::in_text(source.name.clone(), wrong))?;
            Ok(Reading::Event(source))
        }
        kind => match (catalog::part_kind(kind), definition_part::resource_of(kind)) {
            (Some(made), _) => Ok(Reading::Made(made, content.part(&part.path)?)),
            (None, Some(resource)) => definition(content, part, resource, is_enabled),
            (None, None) => Err(ContentFault::absence(format!("parts of type {kind} are not built"))),
        },
    }
}

/// The file of a part that a domain makes.
pub(crate) fn file<'a>(content: &Content, part: &'a Part, source: &'a Source) -> PartFile<'a> {
    PartFile { name: &part.name, text: &source.text, folder: content.folder_of(&part.path) }
}

/// A fault that a domain finds in a part.
pub(crate) fn of_file(source: &Source, fault: PartFault) -> ContentFault {
    ContentFault {
        at: fault.line.map(|line| (source.name.to_string(), line)),
        why: fault.why,
        is_absence: false,
    }
}

fn definition(
    content: &Content,
    part: &Part,
    resource: ResourceType,
    is_enabled: bool,
) -> Result<Reading, ContentFault> {
    let source = content.part(&part.path)?;
    let definition = definition_part::read(&source, resource, &part.name)
        .map_err(|wrong| ContentFault::in_text(source.name.clone(), wrong))?;
    let Some(kind) = catalog::kind(resource.name()) else { return needless(resource).map(Reading::Needless) };
    let defined = kind.defined.ok_or_else(|| ContentFault::absence(format!("a region has no {resource}")))?;
    if part.name.starts_with("DFH") {
        return Err("names that begin with DFH are the product's".to_owned().into());
    }
    let definition = adapted(definition, content, is_enabled)?;
    defined.complete(&definition)?;
    (defined.refuses)(&definition).map_err(ContentFault::absence)?;
    Ok(Reading::Resource(kind, defined, definition))
}

/// Names the substitute for a type that regions do without.
///
/// # Errors
/// The reason why nothing can stand in its place.
fn needless(resource: ResourceType) -> Result<&'static str, ContentFault> {
    match ABSENT.iter().find(|(absent, _)| *absent == resource) {
        Some((_, Absent::Harmless(instead))) => Ok(instead),
        Some((_, Absent::Told(why))) => Err(ContentFault::absence(*why)),
        _ => Err(ContentFault::absence(format!("parts of type {resource} are not built"))),
    }
}

fn policy(content: &Content, manifest: &Manifest, part: &Part) -> Result<Policy, ContentFault> {
    if manifest.parts.iter().any(|part| part.kind == "POLICYSCOPE") {
        return Err(ContentFault::absence(
            "its bundle has a POLICYSCOPE: there are no applications whose operations it could name",
        ));
    }
    if !policies::policy::is_policy_name(&part.name) {
        return Err(format!("'{}' is no name of a policy", part.name).into());
    }
    let source = content.part(&part.path)?;
    Policy::read(&source.text).map_err(|wrong| ContentFault::in_text(source.name.clone(), wrong))
}
