//! Types of resources that a CSD can define and regions do not have.

use csd::ResourceType;

/// What it means that a type is not here.
pub enum Absent {
    /// Somebody may count on it: what happens instead.
    Told(&'static str),
    /// Nobody notices: what is here instead.
    Harmless(&'static str),
    /// The resource is there without its definition.
    Needless,
}

use Absent::{Harmless, Needless, Told};

/// Every type without a row of its own.
pub static ABSENT: &[(ResourceType, Absent)] = &[
    (ResourceType::Atomservice, Told("there are no Atom feeds")),
    (ResourceType::Bundle, Told("there are no bundles")),
    (ResourceType::Connection, Told("there are no other systems: what is remote raises SYSIDERR")),
    (ResourceType::Dumpcode, Told("a dump is written where the transaction's definition says so")),
    (ResourceType::Ipconn, Told("there are no other systems: what is remote raises SYSIDERR")),
    (ResourceType::Jvmserver, Told("there are no Java programs")),
    (ResourceType::Library, Harmless("programs are found in the folders of `programs` in region.toml")),
    (ResourceType::Lsrpool, Harmless("buffers are the region's own")),
    // It is found by its name in the folders of `maps` in region.toml; one that is not there is told.
    (ResourceType::Mapset, Needless),
    (ResourceType::Mqconn, Told("there is no queue manager")),
    (ResourceType::Mqmonitor, Told("there is no queue manager")),
    (ResourceType::Partitionset, Told("screens have no partitions")),
    (ResourceType::Partner, Told("there are no other systems")),
    (ResourceType::Processtype, Told("there are no business transaction services")),
    (ResourceType::Sessions, Told("there are no other systems")),
    (ResourceType::Terminal, Harmless("terminals define themselves when they connect")),
    (ResourceType::Typeterm, Harmless("terminals say themselves what they can do")),
];
