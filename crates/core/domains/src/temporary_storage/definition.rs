//! TSMODEL definitions.

use std::time::Duration;

use csd::{Definition, ResourceType};
use spec::{cmd, cond};

use super::{Location, Model, RemoteModel};
use crate::temporary_storage::TemporaryStorage;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, bytes_of, remote_system};

/// The installation of a TSMODEL definition. Existing queues keep their attributes.
pub static DEFINED: Defined = Defined {
    resource: ResourceType::Tsmodel,
    create: cmd::CREATE_TSMODEL,
    discard: cmd::DISCARD_TSMODEL,
    reads: &[
        "XPREFIX",
        "PREFIX",
        "EXPIRYINTMIN",
        "LOCATION",
        "POOLNAME",
        "RECOVERY",
        "REMOTESYSTEM",
        "REMOTEPREFIX",
        "XREMOTEPFX",
    ],
    without_effect: &[("SECURITY", "who may run the transaction may use the queues")],
    elsewhere: Some("requests raise SYSIDERR"),
    needs: &[&["PREFIX", "XPREFIX"]],
    refuses: |_| Ok(()),
    install: |region, definition| {
        TemporaryStorage::of(region).install(model(region, definition));
        Ok(())
    },
    may_replace: |_, _| Ok(()),
    may_discard,
    remove: |region, name| TemporaryStorage::of(region).discard_model(Name8::new(name)),
    status: None,
};

/// RESP2 of NOTFND: no such model.
const NOT_FOUND: i32 = 1;
/// Seconds of a minute, in which EXPIRYINTMIN counts.
const MINUTE: u64 = 60;

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = Name8::new(name);
    let found = TemporaryStorage::of(region).models().iter().any(|model| model.name == name);
    if found { Ok(()) } else { Err(cond::NOTFND.raise(NOT_FOUND)) }
}

fn model(region: &Region, definition: &Definition) -> Model {
    let prefix = match definition.get("XPREFIX") {
        Some(digits) => bytes_of(digits),
        None => definition.get("PREFIX").unwrap_or_default().as_bytes().to_vec(),
    };
    let remote = remote_system(region, definition).map(|system| RemoteModel {
        system,
        prefix: match (definition.get("XREMOTEPFX"), definition.get("REMOTEPREFIX")) {
            (Some(digits), _) => bytes_of(digits),
            (None, Some(prefix)) => prefix.as_bytes().to_vec(),
            (None, None) => prefix.clone(),
        },
    });
    let expires_after = definition.number("EXPIRYINTMIN").filter(|minutes| *minutes > 0);
    let main = definition.is("LOCATION", "MAIN");
    // Without a record server no region shares a pool: its queues are the region's own.
    let pool = definition.get("POOLNAME").filter(|_| region.records.is_shared());
    let pool = pool.map_or(Name8::BLANK, Name8::from);
    Model {
        name: Name8::from(definition.name.as_str()),
        prefix,
        location: if main { Location::Main } else { Location::Auxiliary },
        recoverable: definition.flag("RECOVERY") && !main && pool.is_blank(),
        expires_after: expires_after.map(|minutes| Duration::from_secs(minutes * MINUTE)),
        remote,
        pool,
    }
}
