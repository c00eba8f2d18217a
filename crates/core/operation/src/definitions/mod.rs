//! Definitions: the rules by which resources come into a region and go from it, while it runs, too.
//!
//! A type of resource that is defined has one row, [`Defined`], in its domain's `definition.rs`: the attributes that
//! count, the way from a definition to a resource, the conditions for replacing or discarding one, and the status that
//! a warm start keeps. CSD texts ([`install`]), EXEC CICS CREATE ([`create`]), DISCARD and CEMT DISCARD ([`discard`])
//! all go through it.
//!
//! The effects of CREATE and DISCARD outlive the region (`kept`): a warm and an emergency start repeat them after the
//! CSD texts are installed, as long as the text of the resource is the same as then. A cold start forgets them.
//!
//! Out of scope: what an attribute means. That is its domain's.

mod absent;
mod command;
pub(crate) mod csd_commands;
mod kept;
pub mod requests;
mod shelf;
mod statuses;
#[cfg(test)]
mod tests;

use ebcdic::Characters;
use std::sync::Arc;

use csd::{Definition, ResourceType};
use parking_lot::Mutex;
use spec::{CommandId, cond};

pub use absent::{ABSENT, Absent};
pub use csd_commands::condition_of;
pub use kept::Texts;
pub(crate) use kept::restore;
pub use shelf::{Shelf, command_of};
pub use statuses::Statuses;

use domains::statistics::Statistics;
use kernel::catalog::{self, Domain};
use kernel::exec::Handler;
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::recovery::{self, UnitOfWork};
use kernel::region::Region;
use kernel::registry::signature::{Agent, OF_A_BUNDLE, Signature, Signatures};
use kernel::registry::{Defined, Kind, Manager};

/// This domain, for [`kernel::catalog::add`].
pub static DOMAIN: Domain = Domain {
    keeper: Some(&statuses::KEEPER),
    begin: |kept, _| {
        kept.put(Statuses::default());
        kept.put(Texts::default());
        kept.put(Shelf::default());
        kept.put(Signatures::default());
    },
    ..Domain::named("definitions")
};

/// CREATE and DISCARD of every type that is defined, and the commands on CSD texts.
pub(crate) fn handlers() -> impl Iterator<Item = (CommandId, Handler)> {
    all().flat_map(command::of_type).chain(csd_commands::handlers())
}

/// The definition rules of a type, if regions have such resources.
pub fn of(resource: ResourceType) -> Option<&'static Defined> {
    all().find(|defined| defined.resource == resource)
}

/// Returns true if anything depends on the value of an attribute.
pub fn reads(resource: ResourceType, attribute: &str) -> bool {
    let own = of(resource).map(|defined| defined.reads);
    let reads = own.or_else(|| absent::part(resource).map(|part| part.reads));
    reads.is_some_and(|reads| reads.contains(&attribute))
}

/// Every type that is defined.
pub fn all() -> impl Iterator<Item = &'static Defined> {
    catalog::kinds().into_iter().filter_map(|kind| kind.defined)
}

/// Makes the resource of a CSD text's definition.
///
/// # Errors
/// The reason why it is not installed, and the remedy.
pub fn install(region: &Arc<Region>, definition: &Definition) -> Result<(), String> {
    // Types without a row are in `ABSENT`.
    let Some(defined) = of(definition.resource) else {
        return absent::part(definition.resource).map_or(Ok(()), |part| (part.install)(region, definition));
    };
    defined.sound(definition)?;
    (defined.install)(region, definition)?;
    Texts::of(region).note(definition);
    sign(region, definition, Signature::now(Agent::Text, &definition.group, Name8::BLANK));
    Ok(())
}

/// Notes who has made a resource.
fn sign(region: &Region, definition: &Definition, signature: Signature) {
    Signatures::of(region).note(definition.resource, &name_bytes(&definition.name), signature);
}

/// RESP2 of INVREQ of CREATE: the resource cannot be installed; its number is recalled, not read.
const NOT_INSTALLED: i32 = 500;
/// RESP2 of INVREQ of CREATE: an attribute is missing.
const MISSING: i32 = 403;

/// Checks that a definition that CREATE gives has all that its type needs.
fn check(defined: &Defined, definition: &Definition) -> Outcome {
    defined.complete(definition).map_err(|why| refuse(definition, MISSING, &why))
}

/// A refusal to make a resource: the program's condition, and why.
#[derive(Debug)]
pub struct NotMade {
    /// The condition, or the abend.
    pub raise: Raise,
    /// The reason in words.
    pub why: String,
}

/// Logs why a definition becomes no resource, and returns the program's condition.
fn refuse(definition: &Definition, resp2: i32, why: &str) -> Raise {
    let Definition { resource, name, .. } = definition;
    tracing::warn!(target: "RD", "{resource} {name} is not created: {why}");
    cond::INVREQ.raise(resp2)
}

/// CREATE: makes a resource by a definition, in the place of one of its name unless that is in use.
///
/// # Errors
/// INVREQ: it cannot be installed; the region's log says why. The engine's condition if it cannot be kept.
pub async fn create(by: &Manager, definition: &Definition) -> Outcome {
    make(by, definition, Agent::Create).await.map_err(|refused| refused.raise)
}

/// INSTALL: makes a resource by a definition of the texts.
///
/// # Errors
/// The reason why it is not made.
pub async fn install_one(by: &Manager, definition: &Definition) -> Result<(), NotMade> {
    if of(definition.resource).is_some() {
        return make(by, definition, Agent::Csd).await;
    }
    let refused = |why: String| NotMade { raise: cond::INVREQ.raise(NOT_INSTALLED), why };
    match ABSENT.iter().find(|(resource, _)| *resource == definition.resource) {
        Some((_, Absent::Told(meaning))) => Err(refused((*meaning).to_owned())),
        Some((_, Absent::Part(part))) => (part.install)(&by.region, definition).map_err(refused),
        _ => Ok(()),
    }
}

async fn make(by: &Manager, definition: &Definition, agent: Agent) -> Result<(), NotMade> {
    let Definition { resource, name, .. } = definition;
    let reason = Mutex::new(String::new());
    let refuse = |resp2: i32, why: &str| {
        why.clone_into(&mut reason.lock());
        refuse(definition, resp2, why)
    };
    let made = async {
        let nothing = || refuse(NOT_INSTALLED, "regions have no such resources");
        let defined = of(*resource).ok_or_else(nothing)?;
        defined.complete(definition).map_err(|why| refuse(MISSING, &why))?;
        (defined.refuses)(definition).map_err(|why| refuse(NOT_INSTALLED, &why))?;
        let bytes = name_bytes(name);
        let make = async |own: &mut UnitOfWork| {
            kept::lock(own, by, *resource, name).await?;
            if let Some(bundle) = Signatures::of(&by.region).bundle_of(*resource, &bytes) {
                return Err(refuse(NOT_INSTALLED, &format!("it is a part of BUNDLE {bundle}")));
            }
            (defined.may_replace)(&by.region, &bytes).map_err(|raise| {
                let in_use =
                    format!("the resource of that name is in use, or not the application's: {raise}");
                refuse(NOT_INSTALLED, &in_use)
            })?;
            let signature = Signature::now(agent, &definition.group, by.user().id);
            kept::keep(own, &by.region, (*resource, name), Some((definition, &signature))).await?;
            (defined.install)(&by.region, definition).map_err(|why| refuse(NOT_INSTALLED, &why))?;
            sign(&by.region, definition, signature);
            Ok(())
        };
        recovery::apart(&by.region, by.control(), make).await?;
        Statuses::of(&by.region).note_one(&by.region, defined, &bytes);
        Outcome::Ok(())
    };
    if let Err(raise) = made.await {
        let why = Some(reason.into_inner()).filter(|why| !why.is_empty());
        return Err(NotMade { why: why.unwrap_or_else(|| raise.to_string()), raise });
    }
    let (verb, done) = if agent == Agent::Csd { ("INSTALL", "installed") } else { ("CREATE", "created") };
    tracing::info!(target: "RD", "{resource} {name} is {done} by {}", by.user().id);
    by.has_changed(&format!("{verb} {resource}"), &name_bytes(name), definition.attributes_text());
    Ok(())
}

/// Has the next start make a resource with this value of an attribute, which SET has changed; until its text changes.
///
/// # Errors
/// The engine's condition if it cannot be kept, and the abend of a task that is purged meanwhile.
pub async fn keep_attribute(by: &Manager, definition: &Definition, attribute: &str, value: &str) -> Outcome {
    let Definition { resource, name, .. } = definition;
    let mut kept = definition.clone();
    if !kept.is(attribute, value) {
        kept.attributes.retain(|it| it.spec.name != attribute);
        let text = format!("{} {attribute}({})", kept.attributes_text(), csd::quoted_if_needed(value));
        kept = csd::read_attributes(*resource, name, &text)
            .map_err(|wrong| refuse(definition, 0, &wrong.message))?;
    }
    let keep = async |own: &mut UnitOfWork| {
        kept::lock(own, by, *resource, name).await?;
        match Signatures::of(&by.region).get(*resource, &name_bytes(name)) {
            Some(signature) => {
                kept::keep(own, &by.region, (*resource, name), Some((&kept, &signature))).await
            }
            // It was discarded meanwhile.
            None => Ok(()),
        }
    };
    recovery::apart(&by.region, by.control(), keep).await
}

/// DISCARD: takes a resource away.
///
/// # Errors
/// The published conditions of DISCARD for the type; INVREQ for a type that cannot be discarded.
pub async fn discard(by: &Manager, kind: &Kind, name: &[u8]) -> Outcome {
    let Some(defined) = kind.defined else { return Err(cond::INVREQ.raise(0)) };
    let text = name_text(name);
    let take = async |own: &mut UnitOfWork| {
        kept::lock(own, by, defined.resource, &text).await?;
        if Signatures::of(&by.region).bundle_of(defined.resource, name).is_some() {
            return Err(cond::INVREQ.raise(OF_A_BUNDLE));
        }
        (defined.may_discard)(&by.region, name)?;
        kept::keep(own, &by.region, (defined.resource, &text), None).await?;
        Statistics::of(&by.region).discards(&by.region, &defined.resource.to_string(), &text);
        (defined.remove)(&by.region, name);
        Signatures::of(&by.region).forget(defined.resource, name);
        Ok(())
    };
    recovery::apart(&by.region, by.control(), take).await?;
    tracing::info!(target: "RD", "{} {text} is discarded by {}", defined.resource, by.user().id);
    by.has_changed(&format!("DISCARD {}", defined.resource), name, String::new());
    Ok(())
}

/// A resource's name as a definition has it.
fn name_text(name: &[u8]) -> String {
    Characters::default().text(name.trim_ascii_end())
}

/// A resource's name as tables have it, but without blanks at its end.
fn name_bytes(name: &str) -> Vec<u8> {
    // No name contains a character that programs do not have.
    Characters::default().bytes(name)
}
