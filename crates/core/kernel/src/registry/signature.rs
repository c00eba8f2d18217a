//! Signatures of resources: the definer, the installer and the times that INQUIRE shows of every resource with a
//! definition.

use std::collections::BTreeMap;
use std::sync::Arc;

use csd::ResourceType;
use parking_lot::RwLock;
use spec::{OptionId, cond, opt};

use super::Manager;
use crate::clock::Stamp;
use crate::exec::Call;
use crate::exec::value::Value;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::region::Region;

/// Origins of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// A CSD text says so.
    Text,
    /// A program or an operator has created it.
    Create,
    /// A program or an operator has installed it from the texts.
    Csd,
    /// A BUNDLE has brought it, whose name stands in the place of the group.
    Bundle,
}

/// Maker and time of a resource. Definition, change and installation are one here: a region keeps no definitions that
/// are not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Origin of the resource.
    pub agent: Agent,
    /// The group of its definition, or the BUNDLE of a part; empty where it has neither.
    pub group: String,
    /// When.
    pub abstime: i64,
    /// The user; blank for a text.
    pub user: Name8,
}

impl Signature {
    /// One of now.
    pub fn now(agent: Agent, group: &str, user: Name8) -> Self {
        Self { agent, group: group.to_owned(), abstime: Stamp::now().abstime(), user }
    }
}

/// A type by its name, and a resource's own.
type Key = (&'static str, Vec<u8>);

/// The signatures of the resources of a region.
#[derive(Default)]
pub struct Signatures(RwLock<BTreeMap<Key, Arc<Signature>>>);

fn key(resource: ResourceType, name: &[u8]) -> Key {
    (resource.name(), name.trim_ascii_end().to_vec())
}

impl Signatures {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// A resource was made.
    pub fn note(&self, resource: ResourceType, name: &[u8], signature: Signature) {
        self.0.write().insert(key(resource, name), Arc::new(signature));
    }

    /// A resource was taken away.
    pub fn forget(&self, resource: ResourceType, name: &[u8]) {
        self.0.write().remove(&key(resource, name));
    }

    /// Returns that of a resource, if a definition has made it. Where a type has one resource alone, a definition does not name it.
    pub fn get(&self, resource: ResourceType, name: &[u8]) -> Option<Arc<Signature>> {
        let signatures = self.0.read();
        if name.is_empty() {
            return signatures
                .iter()
                .find(|((kind, _), _)| *kind == resource.name())
                .map(|(_, it)| Arc::clone(it));
        }
        signatures.get(&key(resource, name)).cloned()
    }

    /// The BUNDLE of which a resource is a part.
    pub fn bundle_of(&self, resource: ResourceType, name: &[u8]) -> Option<Name8> {
        let signature = self.get(resource, name).filter(|it| it.agent == Agent::Bundle)?;
        Some(Name8::from(signature.group.as_str()))
    }
}

/// RESP2 of INVREQ of SET and DISCARD: a BUNDLE has made the resource, and only a change of that one changes it.
pub const OF_A_BUNDLE: i32 = 300;

/// Checks that SET may change these options of a resource: the status of a part of a BUNDLE is the bundle's, and so is
/// everything of a program and of a transaction.
pub(super) fn may_set(
    by: &Manager,
    of: OptionId,
    name: &[u8],
    mut options: impl Iterator<Item = OptionId>,
) -> Outcome {
    let Some(resource) = ResourceType::named(of.name()) else { return Ok(()) };
    let is_the_bundles = |option: OptionId| match resource {
        ResourceType::Program | ResourceType::Transaction => true,
        ResourceType::Tcpipservice => option == opt::OPENSTATUS,
        _ => option == opt::ENABLESTATUS,
    };
    if !options.any(is_the_bundles) {
        return Ok(());
    }
    match Signatures::of(&by.region).bundle_of(resource, name) {
        Some(_) => Err(cond::INVREQ.raise(OF_A_BUNDLE)),
        None => Ok(()),
    }
}

/// The options of INQUIRE that tell of it.
pub const OPTIONS: [OptionId; 9] = [
    opt::CHANGEAGENT,
    opt::CHANGEAGREL,
    opt::CHANGETIME,
    opt::CHANGEUSRID,
    opt::DEFINESOURCE,
    opt::DEFINETIME,
    opt::INSTALLAGENT,
    opt::INSTALLTIME,
    opt::INSTALLUSRID,
];

/// The release of the agent: that of the region, as INQUIRE SYSTEM tells it.
pub const RELEASE: &[u8; 4] = b"0740";

/// Gives a program what it asks of the signature of a resource, which the option of its type names.
pub(super) fn tell(by: &Manager, of: OptionId, name: &[u8], call: &Call<'_>) -> Outcome {
    if !OPTIONS.iter().any(|option| call.has(*option)) {
        return Ok(());
    }
    let Some(resource) = ResourceType::named(of.name()) else { return Ok(()) };
    let signature = Signatures::of(&by.region).get(resource, name);
    let told = |option| match signature.as_deref() {
        Some(of) if of.agent == Agent::Bundle => of_part(by, Name8::from(of.group.as_str()), option),
        of => value(option, of),
    };
    let mut asked = OPTIONS.into_iter().filter(|option| call.has(*option));
    asked.try_for_each(|option| call.put_value(option, &told(option)))
}

/// Value of an option of a resource that a bundle has made: its source and its installer are the BUNDLE, the rest is that one's.
pub fn of_part(by: &Manager, bundle: Name8, option: OptionId) -> Value {
    match option {
        opt::DEFINESOURCE => Value::text(bundle),
        opt::INSTALLAGENT => Value::Cvda("BUNDLE"),
        _ => {
            let signature = Signatures::of(&by.region).get(ResourceType::Bundle, bundle.as_bytes());
            value(option, signature.as_deref())
        }
    }
}

/// Value of an option. A resource without a definition is the system's own, and has no time.
fn value(option: OptionId, signature: Option<&Signature>) -> Value {
    let agent = |of_text: &'static str| match signature.map(|it| it.agent) {
        Some(Agent::Text) => Value::Cvda(of_text),
        Some(Agent::Create) => Value::Cvda("CREATESPI"),
        Some(Agent::Csd) => Value::Cvda("CSDAPI"),
        Some(Agent::Bundle) => Value::Cvda("BUNDLE"),
        None => Value::Cvda("SYSTEM"),
    };
    match option {
        opt::CHANGEAGENT => agent("CSDBATCH"),
        opt::INSTALLAGENT => agent("GRPLIST"),
        opt::CHANGEAGREL => Value::text(RELEASE),
        opt::DEFINESOURCE => {
            Value::padded(signature.map_or("", |it| it.group.as_str()), Name8::BLANK.as_bytes().len())
        }
        opt::CHANGEUSRID | opt::INSTALLUSRID => Value::text(signature.map_or(Name8::BLANK, |it| it.user)),
        _ => Value::Number(signature.map_or(0, |it| it.abstime)),
    }
}
