//! The effects of CREATE and DISCARD, kept for the next start.
//!
//! A record describes a resource, by type and name: its attributes in the CSD text when it was created or discarded,
//! and its attributes since, with its signature: time, user, agent, group. If the text has other attributes at the next
//! start, the text counts.

use ebcdic::Characters;
use std::collections::BTreeMap;
use std::sync::Arc;

use csd::{Definition, ResourceType};
use parking_lot::Mutex;

use super::name_bytes;
use kernel::fields::{FieldReader, FieldWriter};
use kernel::name::Name8;
use kernel::raise::Outcome;
use kernel::recovery::UnitOfWork;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::registry::signature::{Agent, Signature, Signatures};
use kernel::task::WaitKind;

/// The separator of type and name in a key.
const SEPARATOR: u8 = 0;

/// The content of the CSD texts: the attributes of each resource that they define.
#[derive(Default)]
pub struct Texts(Mutex<BTreeMap<Vec<u8>, String>>);

impl Texts {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// A definition of a text has been installed.
    pub(super) fn note(&self, definition: &Definition) {
        let key = key(definition.resource, &definition.name);
        self.0.lock().insert(key, definition.attributes_text());
    }

    /// The attributes that the texts give to a resource, if they define it.
    fn text(&self, key: &[u8]) -> Option<String> {
        self.0.lock().get(key).cloned()
    }
}

fn key(resource: ResourceType, name: &str) -> Vec<u8> {
    let mut key = resource.name().as_bytes().to_vec();
    key.push(SEPARATOR);
    key.extend(name_bytes(name));
    key
}

/// Waits until no other task creates or discards a resource: to the end of the unit of work.
pub(super) async fn lock(own: &mut UnitOfWork, by: &Manager, resource: ResourceType, name: &str) -> Outcome {
    own.lock(by.region.stores.definitions, &key(resource, name), by.patience(), WaitKind::LOG).await
}

/// Keeps the new state of a locked resource: its definition, or nothing.
pub(super) async fn keep(
    own: &mut UnitOfWork,
    region: &Region,
    (resource, name): (ResourceType, &str),
    created: Option<(&Definition, &Signature)>,
) -> Outcome {
    let (store, key) = (region.stores.definitions, key(resource, name));
    let (then, now) = (Texts::of(region).text(&key), created.map(|(it, _)| it.attributes_text()));
    if now == then {
        // The next start does as much without a record.
        return own.delete(store, &key).await;
    }
    let bytes = |text: &Option<String>| text.as_deref().map(name_bytes);
    let record = FieldWriter::default().optional(bytes(&then).as_deref());
    let mut record = record.optional(bytes(&now).as_deref());
    if let Some((_, signature)) = created {
        record = record.number(signature.abstime).bytes(signature.user.as_bytes());
        record = record.number(agent_number(signature.agent)).bytes(&name_bytes(&signature.group));
    }
    own.put(store, &key, &record.end()).await
}

/// Restores the state that a record holds, at a start. False if the CSD text has changed since: the record is out of
/// date.
pub(crate) fn restore(region: &Arc<Region>, key: &[u8], record: &[u8]) -> bool {
    let mut fields = FieldReader(record);
    let text = |bytes: &[u8]| Characters::default().text(bytes);
    let (Some(then), Some(now)) = (fields.optional(), fields.optional()) else { return false };
    let Some((resource, name)) = read_key(key) else { return false };
    if Texts::of(region).text(key) != then.map(text) {
        tracing::warn!(
            target: "RD",
            "{resource} {name} is as the CSD texts define it: they have changed since it was created or discarded by command"
        );
        return false;
    }
    let Some(defined) = super::of(resource) else { return false };
    let Some(now) = now.map(text) else {
        (defined.remove)(region, &name_bytes(&name));
        Signatures::of(region).forget(resource, &name_bytes(&name));
        return true;
    };
    let installed =
        csd::read_attributes(resource, &name, &now).map_err(|wrong| wrong.message).and_then(|definition| {
            defined.sound(&definition)?;
            (defined.install)(region, &definition)?;
            Ok(definition)
        });
    match &installed {
        // One of a text was signed when that was read.
        Ok(definition) => match signature(&mut fields) {
            Signature { agent: Agent::Text, .. } => {}
            signature => super::sign(region, definition, signature),
        },
        Err(why) => tracing::warn!(
            target: "RD",
            "{resource} {name}, which was created by command, is not there again: {why}"
        ),
    }
    installed.is_ok()
}

/// The signature of a resource. Records of earlier versions have none, or neither agent nor group: those were created.
fn signature(fields: &mut FieldReader<'_>) -> Signature {
    let mut signature = Signature::now(Agent::Create, "", Name8::BLANK);
    if let (Some(abstime), Some(user)) = (fields.number(), fields.bytes()) {
        (signature.abstime, signature.user) = (abstime, Name8::new(user));
    }
    if let (Some(agent), Some(group)) = (fields.number(), fields.bytes()) {
        signature.agent = AGENTS.iter().find(|(_, number)| *number == agent).map_or(Agent::Create, |it| it.0);
        signature.group = Characters::default().text(group);
    }
    signature
}

/// The numbers of agents in records. Resources of bundles have no record.
const AGENTS: [(Agent, i64); 3] = [(Agent::Create, 0), (Agent::Csd, 1), (Agent::Text, 2)];

fn agent_number(agent: Agent) -> i64 {
    AGENTS.iter().find(|(known, _)| *known == agent).map_or(0, |(_, number)| *number)
}

fn read_key(key: &[u8]) -> Option<(ResourceType, String)> {
    let at = key.iter().position(|byte| *byte == SEPARATOR)?;
    let resource = ResourceType::named(std::str::from_utf8(&key[..at]).ok()?)?;
    Some((resource, super::name_text(&key[at + 1..])))
}
