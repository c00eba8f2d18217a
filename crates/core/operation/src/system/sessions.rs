//! SESSIONS: not a resource of its own, but a part of a CONNECTION.

use std::collections::BTreeMap;

use csd::Definition;
use parking_lot::RwLock;

use kernel::name::{Name, Name8};
use kernel::region::Region;

/// The sessions of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sessions {
    /// SENDCOUNT: requests of this region in flight.
    pub sends: u32,
    /// RECEIVECOUNT: requests of the partner.
    pub receives: u32,
    /// USERID: the user of the link; `None`: the partner's own.
    pub user: Option<Name8>,
}

/// The SESSIONS definitions of a region, by the connections that they name.
#[derive(Default)]
pub struct AllSessions(RwLock<BTreeMap<(Name<4>, Name8), Sessions>>);

impl AllSessions {
    /// Those of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Those of a connection: several definitions count together, and the first one that names a user names it.
    pub fn of_connection(&self, connection: Name<4>) -> Option<Sessions> {
        let all = self.0.read();
        let own = all.iter().filter(|((of, _), _)| *of == connection).map(|(_, sessions)| *sessions);
        own.reduce(|all, one| Sessions {
            sends: all.sends + one.sends,
            receives: all.receives + one.receives,
            user: all.user.or(one.user),
        })
    }
}

/// Installs a SESSIONS definition.
pub fn install_sessions(region: &Region, definition: &Definition) -> Result<(), String> {
    let name = Name8::from(definition.name.as_str());
    let Some(connection) = definition.get("CONNECTION") else {
        return Err(format!("SESSIONS {name} needs CONNECTION"));
    };
    let count = |attribute: &str| definition.number(attribute).and_then(|count| u32::try_from(count).ok());
    let most = definition.numbers("MAXIMUM").first().and_then(|most| u32::try_from(*most).ok());
    let sessions = Sessions {
        // APPC says both by MAXIMUM.
        sends: count("SENDCOUNT").or(most).unwrap_or(1),
        receives: count("RECEIVECOUNT").or(most).unwrap_or(1),
        user: definition.get("USERID").filter(|user| !user.is_empty()).map(Name8::from),
    };
    AllSessions::of(region).0.write().insert((Name::from(connection), name), sessions);
    Ok(())
}

/// Attributes of SESSIONS that count.
pub const SESSIONS_READS: &[&str] = &["CONNECTION", "MAXIMUM", "RECEIVECOUNT", "SENDCOUNT", "USERID"];
