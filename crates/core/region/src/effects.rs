//! Parts of a CSD definition that have no effect in a region: types of resources that it does not have, attributes
//! without effect.
//!
//! Each gets one message, at the first place where the texts have it. An attribute whose effect no program can notice (where a module is
//! loaded, how many buffers a pool has) is not said.

use csd::{Definition, ResourceType};
use diagnostics::{Diagnostic, Severity};
use operation::definitions::{ABSENT, Absent};

use crate::codes;

/// Returns true if anything depends on the value of an attribute: a mistake in another one does no harm.
pub(crate) fn matters(resource: ResourceType, attribute: &str) -> bool {
    operation::definitions::reads(resource, attribute)
}

/// Parts of the installed definitions that have no effect.
pub(crate) fn without_effect(definitions: &[Definition], sysid: &str) -> Vec<Diagnostic> {
    types(definitions).chain(elsewhere(definitions, sysid)).chain(attributes(definitions)).collect()
}

/// Resources of other systems.
fn elsewhere(definitions: &[Definition], sysid: &str) -> impl Iterator<Item = Diagnostic> {
    operation::definitions::all().filter_map(move |defined| {
        let meaning = defined.elsewhere?;
        let of_type = definitions.iter().filter(|d| d.resource == defined.resource);
        let is_remote = |d: &&Definition| {
            d.get("REMOTESYSTEM").is_some_and(|system| system != sysid && !leads_there(definitions, system))
        };
        let remote: Vec<&Definition> = of_type.filter(is_remote).collect();
        let names: Vec<&str> = remote.iter().map(|d| d.name.as_str()).collect();
        let text = format!("{} {} of another system", defined.resource, named(&names));
        let place = remote.first()?.given("REMOTESYSTEM")?.place.clone();
        let help = format!("{meaning}: no CONNECTION and no IPCONN of that name is defined");
        Some(Diagnostic::warning(codes::NO_EFFECT, text).at(place).help(help))
    })
}

/// Returns true if a link to a system is defined.
fn leads_there(definitions: &[Definition], system: &str) -> bool {
    let is_link = |d: &Definition| matches!(d.resource, ResourceType::Connection | ResourceType::Ipconn);
    definitions.iter().any(|d| is_link(d) && d.name == system)
}

fn types(definitions: &[Definition]) -> impl Iterator<Item = Diagnostic> {
    ABSENT.iter().filter_map(|(resource, absent)| {
        let of_type: Vec<&Definition> = definitions.iter().filter(|d| d.resource == *resource).collect();
        let names: Vec<&str> = of_type.iter().map(|d| d.name.as_str()).collect();
        let (severity, label, meaning) = match absent {
            Absent::Told(meaning) => (Severity::Warning, "this region has no such resources", meaning),
            Absent::Harmless(meaning) => (Severity::Note, "nothing depends on it here", meaning),
            Absent::Needless | Absent::Part(_) => return None,
        };
        let text = format!("{resource} {} not installed", named(&names));
        let message = Diagnostic::new(severity, codes::NO_EFFECT, text).at(of_type.first()?.place.clone());
        Some(message.label(label).help(*meaning))
    })
}

fn attributes(definitions: &[Definition]) -> impl Iterator<Item = Diagnostic> {
    let rows = operation::definitions::all().flat_map(|defined| {
        defined.without_effect.iter().map(|(attribute, instead)| (&defined.resource, attribute, instead))
    });
    rows.filter_map(|(resource, attribute, instead)| {
        let of_type = definitions.iter().filter(|d| d.resource == *resource);
        let given: Vec<_> = of_type.filter_map(|d| Some((d, d.given(attribute)?))).collect();
        let asks = |value: &str| !value.is_empty() && !["NO", "NONE"].contains(&value);
        let asked: Vec<_> = given.into_iter().filter(|(_, given)| asks(&given.value)).collect();
        let names: Vec<&str> = asked.iter().map(|(definition, _)| definition.name.as_str()).collect();
        let (_, first) = asked.first()?;
        let text = format!("{attribute} of {resource} {} no effect", named_with(&names, "has", "have"));
        let message = Diagnostic::new(Severity::Warning, codes::NO_EFFECT, text).at(first.place.clone());
        Some(message.help(*instead))
    })
}

/// Names that one message gives.
const NAMES_MAX: usize = 5;

/// `A is`, `A and B are`, `A, B, C, D, E and 7 more are`.
fn named(names: &[&str]) -> String {
    named_with(names, "is", "are")
}

pub(crate) fn named_with(names: &[&str], one: &str, several: &str) -> String {
    match names {
        [] => String::new(),
        [name] => format!("{name} {one}"),
        [first @ .., last] if names.len() <= NAMES_MAX => {
            format!("{} and {last} {several}", first.join(", "))
        }
        _ => format!("{} and {} more {several}", names[..NAMES_MAX].join(", "), names.len() - NAMES_MAX),
    }
}
