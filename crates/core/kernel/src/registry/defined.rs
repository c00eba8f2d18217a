//! Definitions of a type's resources, and shared parts of their readers.

use std::sync::Arc;

use csd::{Definition, ResourceType};
use spec::CommandId;

use crate::name::Name;
use crate::raise::Outcome;
use crate::region::Region;

/// Definitions of a type's resources: a row of the registry.
pub struct Defined {
    /// The type, as a CSD has it.
    pub resource: ResourceType,
    /// Its CREATE command.
    pub create: CommandId,
    /// Its DISCARD command.
    pub discard: CommandId,
    /// The attributes that the region reads.
    pub reads: &'static [&'static str],
    /// Attributes that a user may count on and that have no effect, and what happens instead.
    pub without_effect: &'static [(&'static str, &'static str)],
    /// Outcome of using a resource with REMOTESYSTEM, if the type has it and no such system is there.
    pub elsewhere: Option<&'static str>,
    /// Attributes without which a definition is none: one of each of these.
    pub needs: &'static [&'static [&'static str]],
    /// Refuses a definition that no region could install, by itself: the reason, and what to do. A look at the texts without
    /// a region refuses by it, too.
    pub refuses: fn(&Definition) -> Result<(), String>,
    /// Makes the resource of a definition that is [`Defined::sound`], in the place of one of its name.
    pub install: fn(&Arc<Region>, &Definition) -> Result<(), String>,
    /// Checks that CREATE may replace a resource of this name.
    pub may_replace: fn(&Region, &[u8]) -> Outcome,
    /// Checks that it may be discarded: the published conditions of DISCARD.
    pub may_discard: fn(&Region, &[u8]) -> Outcome,
    /// Takes it away. Tasks that use it now keep it.
    pub remove: fn(&Arc<Region>, &[u8]),
    /// Its status that SET changes and a warm start keeps.
    pub status: Option<Status>,
}

/// A resource's name and its status.
pub type NamedStatus = (Vec<u8>, Vec<u8>);

/// Status that SET and CEMT change of the resources of a type, as bytes that only the type understands.
pub struct Status {
    /// The letter of the type in the warm keypoint.
    pub letter: u8,
    /// The names of all resources, and their statuses.
    pub all: fn(&Region) -> Vec<NamedStatus>,
    /// Sets one; `None`: it is not there, or the bytes are not its own.
    pub set: fn(&Region, &[u8], &[u8]) -> Option<()>,
}

impl Defined {
    /// Checks that a definition has all that its type needs.
    ///
    /// # Errors
    /// The part that is missing, and what to do.
    pub fn complete(&self, definition: &Definition) -> Result<(), String> {
        let missing = |group: &&&[&str]| group.iter().all(|attribute| definition.get(attribute).is_none());
        match self.needs.iter().find(missing) {
            None => Ok(()),
            Some(group) => {
                let Definition { resource, name, .. } = definition;
                Err(format!("{resource} {name} needs {}", group.join(" or ")))
            }
        }
    }

    /// Checks that a definition is complete, and that its attributes go together.
    ///
    /// # Errors
    /// A sentence that names the attribute which is missing or refused, and the remedy.
    pub fn sound(&self, definition: &Definition) -> Result<(), String> {
        self.complete(definition)?;
        (self.refuses)(definition)
    }
}

/// The system of a definition, if that is another one.
pub fn remote_system(region: &Region, definition: &Definition) -> Option<Name<4>> {
    let system = Name::from(definition.get("REMOTESYSTEM")?);
    (system != region.options.sysid).then_some(system)
}

/// The bytes that hexadecimal digits stand for.
pub fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks_exact(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}
