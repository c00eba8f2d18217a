//! Clients that say who they are: asked for each message of a scenario that wants to know, and remembered for a while.

use std::net::IpAddr;
use std::sync::Arc;

use foldhash::HashMap;
use kernel::region::Region;
use kernel::security::{User, check_at_door, may_attach};
use kernel::transactions::Transactions;
use sha2::{Digest, Sha256};
use webdomain::{Basic, Certificates};

use crate::limits::{KNOWN_MAX, KNOWN_TICKS};
use crate::scenario::Scenario;
use crate::settings::Identity;

/// A digest of a client's proof, by which it is remembered: nothing that could be shown again.
pub(crate) type Key = [u8; 32];

/// The proof that a client shows.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    /// The value of its header Authorization.
    Password(Vec<u8>),
    /// The SHA-256 of its certificate in hexadecimal.
    Certificate(String),
}

impl Shown {
    /// It, for a scenario: another one may be another transaction's.
    pub fn key(&self, lane: usize) -> Key {
        let (kind, bytes) = match self {
            Self::Password(value) => (b'P', value.as_slice()),
            Self::Certificate(fingerprint) => (b'C', fingerprint.as_bytes()),
        };
        Sha256::new()
            .chain_update([kind])
            .chain_update(lane.to_be_bytes())
            .chain_update(bytes)
            .finalize()
            .into()
    }
}

/// A client whose message waits until it is known who that is.
#[derive(Debug)]
pub(crate) struct Stranger {
    /// Its place, and its number among all clients.
    pub place: u32,
    pub number: u64,
    /// The scenario's place.
    pub lane: usize,
    /// From where.
    pub peer: IpAddr,
    /// The proof that it shows.
    pub shown: Shown,
}

/// The outcome of a check.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// The client is this user, who may use the scenario.
    Is(Arc<User>),
    /// It is unknown.
    Unknown,
    /// The user may not use the scenario's transaction.
    MayNot,
}

/// The clients of a hub that were known lately.
#[derive(Default)]
pub(crate) struct Known(HashMap<Key, (Arc<User>, u32)>);

impl Known {
    /// The user who has shown this before.
    pub fn user(&self, key: &Key, now: u32) -> Option<Arc<User>> {
        let (user, since) = self.0.get(key)?;
        (now.wrapping_sub(*since) < KNOWN_TICKS).then(|| Arc::clone(user))
    }

    /// Remembers a user.
    pub fn remember(&mut self, key: Key, user: &Arc<User>, now: u32) {
        if self.0.len() >= KNOWN_MAX {
            self.0.clear();
        }
        self.0.insert(key, (Arc::clone(user), now));
    }
}

/// Finds out who a client is.
pub(crate) async fn identify(
    region: &Region,
    scenario: &Scenario,
    certificates: &dyn Certificates,
    stranger: &Stranger,
) -> Verdict {
    let user = match &stranger.shown {
        Shown::Password(value) => match Basic::read(value) {
            Some(Basic { user, password }) => check_at_door(region, user, password, stranger.peer).await,
            None => None,
        },
        Shown::Certificate(fingerprint) => certificates.user(fingerprint),
    };
    let Some(user) = user.map(Arc::new) else { return Verdict::Unknown };
    let transaction = Transactions::of(region).get(scenario.said.transaction);
    match transaction.is_some_and(|transaction| may_attach(region, &user, &transaction)) {
        true => Verdict::Is(user),
        false => Verdict::MayNot,
    }
}

impl Identity {
    /// The status of a client that is unknown.
    pub(crate) fn unknown(self) -> u16 {
        match self {
            Self::Basic => 401,
            Self::Certificate => 403,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_forgotten_after_a_while_and_is_a_scenarios_own() {
        let mut known = Known::default();
        let shown = Shown::Password(b"Basic QQ==".to_vec());
        let user = User::region();
        known.remember(shown.key(1), &user, 7);
        assert!(known.user(&shown.key(1), 7 + KNOWN_TICKS - 1).is_some());
        assert!(known.user(&shown.key(1), 7 + KNOWN_TICKS).is_none());
        assert!(known.user(&shown.key(2), 7).is_none());
        assert!(known.user(&Shown::Certificate("Basic QQ==".into()).key(1), 7).is_none());
    }
}
