//! Types of resources that a CSD can define and regions do not have.

use csd::{Definition, ResourceType};

use crate::system::{SESSIONS_READS, TYPETERM_READS, install_sessions, install_typeterm};
use kernel::region::Region;

/// The meaning of a type's absence.
pub enum Absent {
    /// A user may count on it; the text says what happens instead.
    Told(&'static str),
    /// Its absence goes unnoticed; the text says what is here instead.
    Harmless(&'static str),
    /// The resource is there without its definition.
    Needless,
    /// It is not a resource of its own: definitions of another type name it.
    Part(&'static Part),
}

/// A type whose definitions are a part of those of another type.
pub struct Part {
    /// The attributes that the region reads.
    pub reads: &'static [&'static str],
    /// Installs a definition in the place of one of its name.
    pub install: fn(&Region, &Definition) -> Result<(), String>,
}

/// The part that a type's definitions are, if they are one.
pub(super) fn part(resource: ResourceType) -> Option<&'static Part> {
    ABSENT.iter().find_map(|(absent, how)| match how {
        Absent::Part(part) if *absent == resource => Some(*part),
        _ => None,
    })
}

use Absent::{Harmless, Needless, Told};

/// Every type without a row of its own.
pub static ABSENT: &[(ResourceType, Absent)] = &[
    (ResourceType::Atomservice, Told("there are no Atom feeds")),
    (ResourceType::Dumpcode, Told("a dump is written where the transaction's definition says so")),
    (ResourceType::Library, Harmless("programs are found in the folders of `programs` in region.toml")),
    (ResourceType::Lsrpool, Harmless("buffers are the region's own")),
    // It is found by its name in the folders of `maps` in region.toml; a missing one is reported.
    (ResourceType::Mapset, Needless),
    (ResourceType::Mqconn, Told("there is no queue manager")),
    (ResourceType::Mqmonitor, Told("there is no queue manager")),
    (ResourceType::Partitionset, Told("screens have no partitions")),
    (ResourceType::Partner, Told("there are no other systems")),
    (ResourceType::Processtype, Told("there are no business transaction services")),
    (ResourceType::Sessions, Absent::Part(&Part { reads: SESSIONS_READS, install: install_sessions })),
    (ResourceType::Typeterm, Absent::Part(&Part { reads: TYPETERM_READS, install: install_typeterm })),
];
