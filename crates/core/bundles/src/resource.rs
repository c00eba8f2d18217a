//! Parts of a bundle that are resources of a region: made by their definitions, and changed with the bundle alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use csd::{Definition, ResourceType, read_attributes};
use domains::statistics::Statistics;
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::registry::signature::{Agent, Signature, Signatures};
use kernel::registry::{Defined, Given, Kind, Manager};
use spec::{OptionId, cond, opt};

use crate::content::Content;

/// A resource that a bundle has made.
pub(crate) struct ResourcePart {
    kind: &'static Kind,
    defined: &'static Defined,
    name: String,
    is_enabled: AtomicBool,
}

/// Attributes that name files of the bundle where their values are relative.
const FILES: [(ResourceType, &[&str]); 3] = [
    (ResourceType::Pipeline, &["CONFIGFILE", "WSDIR"]),
    (ResourceType::Webservice, &["WSBIND", "WSDLFILE", "ARCHIVEFILE"]),
    (ResourceType::Urimap, &["HFSFILE"]),
];

/// Makes the resource of a part; the bundle is enabled or is not.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn make(
    region: &Arc<Region>,
    bundle: Name8,
    (kind, defined): (&'static Kind, &'static Defined),
    definition: &Definition,
    is_enabled: bool,
) -> Result<ResourcePart, String> {
    let Definition { resource, name, .. } = definition;
    is_free(region, defined, name)?;
    if let Err(why) = (defined.install)(region, definition) {
        // Half of it may be there.
        (defined.remove)(region, name.as_bytes());
        return Err(why);
    }
    let signature = Signature::now(Agent::Bundle, bundle.to_string().trim_end(), Name8::BLANK);
    Signatures::of(region).note(*resource, name.as_bytes(), signature);
    Ok(ResourcePart { kind, defined, name: name.clone(), is_enabled: is_enabled.into() })
}

/// Checks that the name of a resource is free.
fn is_free(region: &Region, defined: &Defined, name: &str) -> Result<(), String> {
    let (resource, bytes) = (defined.resource, name.as_bytes());
    let signatures = Signatures::of(region);
    if let Some(bundle) = signatures.bundle_of(resource, bytes) {
        return Err(format!("BUNDLE {bundle} has a {resource} {name} already"));
    }
    if signatures.get(resource, bytes).is_some() {
        return Err(format!("there is a {resource} {name} already"));
    }
    (defined.may_replace)(region, bytes)
        .map_err(|raise| format!("the {resource} {name} is in use, or not the application's: {raise}"))
}

/// The words for the status of a type's resources that are enabled, and that are not.
fn status_words(resource: ResourceType) -> Option<(&'static str, &'static str)> {
    match resource {
        ResourceType::Tcpipservice => Some(("OPEN", "CLOSED")),
        ResourceType::Webservice => None,
        _ => Some(("ENABLED", "DISABLED")),
    }
}

/// A definition with the status of its bundle, and with paths that lead into it.
///
/// # Errors
/// A path leads out of the bundle, or into a zip.
pub(crate) fn adapted(
    definition: Definition,
    content: &Content,
    is_enabled: bool,
) -> Result<Definition, String> {
    let resource = definition.resource;
    let mut changed: Vec<(&str, String)> = Vec::new();
    if let Some((on, off)) = status_words(resource) {
        changed.push(("STATUS", if is_enabled { on } else { off }.to_owned()));
    }
    let of_files = FILES.iter().filter(|(of, _)| *of == resource).flat_map(|(_, attributes)| *attributes);
    for attribute in of_files {
        if let Some(path) = definition.get(attribute).filter(|path| !path.starts_with('/')) {
            changed.push((attribute, content.path(path)?));
        }
    }
    let mut kept = definition.clone();
    kept.attributes.retain(|it| !changed.iter().any(|(attribute, _)| it.spec.name == *attribute));
    let mut text = kept.attributes_text();
    for (attribute, value) in changed {
        text.push_str(&format!(" {attribute}({})", csd::quoted_if_needed(&value)));
    }
    let mut read = read_attributes(resource, &definition.name, &text).map_err(|wrong| wrong.message)?;
    read.attributes.iter_mut().for_each(|attribute| attribute.place = definition.place.clone());
    read.place = definition.place;
    Ok(read)
}

/// The conditions of those that are not there.
const MISSING: [spec::Condition; 4] = [cond::NOTFND, cond::PGMIDERR, cond::TRANSIDERR, cond::FILENOTFOUND];

impl ResourcePart {
    /// Returns true if it is enabled.
    pub fn is_enabled(&self) -> bool {
        self.is_enabled.load(Ordering::Relaxed)
    }

    /// Returns true if a task uses it, so that it cannot be discarded.
    pub fn is_kept(&self, region: &Region) -> bool {
        match (self.defined.may_discard)(region, self.name.as_bytes()) {
            Ok(()) => false,
            Err(Raise::Condition(condition, _)) => !MISSING.contains(&condition),
            Err(Raise::Abend(_)) => true,
        }
    }

    /// Returns true if it is disabled, and work that began before goes on with it.
    pub fn is_at_work(&self, region: &Region) -> bool {
        // A START that waits is no work yet.
        self.defined.resource != ResourceType::Transaction && !self.is_enabled() && self.is_kept(region)
    }

    /// Enables or disables it, for work to come.
    pub async fn set_enabled(&self, by: &Manager, enabled: bool) -> Outcome {
        let changes = changes(self.defined.resource, enabled);
        if !changes.is_empty() {
            self.kind.table.change_part(by, self.name.as_bytes(), &changes).await?;
        }
        self.is_enabled.store(enabled, Ordering::Relaxed);
        Ok(())
    }

    /// Gives a program a new copy; tasks go on with the one that they have.
    pub async fn phase_in(&self, by: &Manager) -> Outcome {
        if self.defined.resource != ResourceType::Program {
            return Ok(());
        }
        let changes = [(opt::COPY, Given::Cvda("PHASEIN"))];
        self.kind.table.change_part(by, self.name.as_bytes(), &changes).await
    }

    /// Takes it away.
    pub fn remove(&self, region: &Arc<Region>) {
        let resource = self.defined.resource;
        Statistics::of(region).discards(region, resource.name(), &self.name);
        (self.defined.remove)(region, self.name.as_bytes());
        Signatures::of(region).forget(resource, self.name.as_bytes());
    }
}

/// The options of SET that enable or disable a resource.
fn changes(resource: ResourceType, enabled: bool) -> Vec<(OptionId, Given)> {
    let Some((on, off)) = status_words(resource) else { return Vec::new() };
    let word = Given::Cvda(if enabled { on } else { off });
    match resource {
        ResourceType::Program | ResourceType::Transaction => vec![(opt::STATUS, word)],
        ResourceType::Tcpipservice => vec![(opt::OPENSTATUS, word)],
        ResourceType::File if !enabled => vec![
            (opt::OPENSTATUS, Given::Cvda("CLOSED")),
            (opt::ENABLESTATUS, word),
            (opt::BUSY, Given::Cvda("NOWAIT")),
        ],
        _ => vec![(opt::ENABLESTATUS, word)],
    }
}
