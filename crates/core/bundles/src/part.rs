//! The parts of a bundle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bundle_source::{Part, PartClass};
use capture::events;
use kernel::region::Region;
use kernel::registry::{MadePart, PartStatus};

use crate::imports;
use crate::installed::InstalledPolicy;
use crate::resource::ResourcePart;

/// The beginning of the types of parts.
const TYPES: &str = "http://www.ibm.com/xmlns/prod/cics/bundle";

/// A part as INQUIRE BUNDLEPART shows it.
pub struct ShownPart {
    /// Its name.
    pub name: String,
    /// PARTTYPE.
    pub kind: String,
    /// PARTCLASS.
    pub class: &'static str,
    /// METADATAFILE.
    pub file: String,
    /// ENABLESTATUS.
    pub status: &'static str,
}

/// A part of a bundle.
pub(crate) struct BundlePart {
    pub part: Part,
    pub state: PartState,
}

/// The state of a part.
pub(crate) enum PartState {
    Policy(Arc<InstalledPolicy>),
    /// Of event processing.
    Event(events::Part),
    /// A resource.
    Resource(ResourcePart),
    /// A part that a domain has made.
    Made(Box<dyn MadePart>),
    /// Regions have something else in its place; true: it is enabled.
    Needless(AtomicBool),
    /// It comes from elsewhere.
    Import,
    /// The bundle only names it.
    Named,
    /// It is wrong, or not built: why.
    Refused(String),
}

impl BundlePart {
    pub fn policy(&self) -> Option<&Arc<InstalledPolicy>> {
        if let PartState::Policy(policy) = &self.state { Some(policy) } else { None }
    }

    /// Returns true if there is something that can be enabled.
    pub fn is_made(&self) -> bool {
        matches!(
            self.state,
            PartState::Policy(_)
                | PartState::Event(_)
                | PartState::Resource(_)
                | PartState::Made(_)
                | PartState::Needless(_)
        )
    }

    pub fn is_enabled(&self, region: &Arc<Region>) -> bool {
        match &self.state {
            PartState::Policy(policy) => policy.is_enabled(),
            PartState::Event(part) => part.is_enabled(),
            PartState::Resource(resource) => resource.is_enabled(),
            PartState::Made(made) => made.status(region) == PartStatus::Enabled,
            PartState::Needless(enabled) => enabled.load(Ordering::Relaxed),
            PartState::Import => imports::is_there(region, &self.part),
            PartState::Named => true,
            PartState::Refused(_) => false,
        }
    }

    /// Returns true if it is wanted, and not there yet.
    pub fn is_enabling(&self, region: &Region) -> bool {
        matches!(&self.state, PartState::Made(made) if made.status(region) == PartStatus::Enabling)
    }

    /// Returns true if it is disabled, and work that began before goes on with it.
    pub fn is_at_work(&self, region: &Region) -> bool {
        match &self.state {
            PartState::Resource(resource) => resource.is_at_work(region),
            PartState::Made(made) => made.status(region) == PartStatus::Disabling,
            _ => false,
        }
    }

    /// Returns true if it is in use, so that it cannot be discarded.
    pub fn is_kept(&self, region: &Region) -> bool {
        match &self.state {
            PartState::Resource(resource) => resource.is_kept(region),
            _ => self.is_at_work(region),
        }
    }

    /// Enables or disables it, or begins to; a resource is enabled by SET.
    pub fn set_enabled(&self, region: &Arc<Region>, enabled: bool) {
        match &self.state {
            PartState::Policy(policy) => policy.enabled.store(enabled, Ordering::Relaxed),
            PartState::Event(part) => part.set_enabled(enabled),
            PartState::Needless(is_enabled) => is_enabled.store(enabled, Ordering::Relaxed),
            PartState::Made(made) => made.set_enabled(region, enabled),
            PartState::Resource(_) | PartState::Import | PartState::Named | PartState::Refused(_) => {}
        }
    }

    /// The part as others see it.
    pub fn shown(&self, region: &Arc<Region>) -> ShownPart {
        ShownPart {
            name: self.part.name.clone(),
            kind: format!("{TYPES}/{}", self.part.kind),
            class: match self.part.class {
                PartClass::Definition => "DEFINITION",
                PartClass::Import => "IMPORT",
                PartClass::Export => "EXPORT",
                PartClass::EntryPoint => "ENTRYPOINT",
            },
            file: self.part.path.clone(),
            status: self.status(region),
        }
    }

    /// ENABLESTATUS.
    fn status(&self, region: &Arc<Region>) -> &'static str {
        match &self.state {
            PartState::Made(made) => made.status(region).cvda(),
            _ if self.is_at_work(region) => "DISABLING",
            _ if self.is_enabled(region) => "ENABLED",
            _ => "DISABLED",
        }
    }
}
