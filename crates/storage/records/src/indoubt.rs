//! Units of work that are indoubt: prepared for a coordinator that has not yet said how they end.
//!
//! In scope: how one is shown, and how it rests in the store that holds them all. How they come and go is
//! [`crate::Local`]'s.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::blocks::Blocks;
use crate::change::Changes;
use crate::log::{decode_unit, encode_unit, take};
use crate::{Decision, Error, Owner, Resource, Result, StoreId};

/// Party that decides on the end of an indoubt unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The one who has the right to.
    Coordinator,
    /// An operator who does not want to wait for the coordinator, and may be wrong.
    Operator,
}

/// States of an indoubt unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its task waits for the coordinator.
    Attended,
    /// Its task is gone, its locks are retained.
    Shunted,
    /// An operator has ended it so, and its coordinator does not know.
    Forced(Decision),
}

/// An indoubt unit of work as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indoubt {
    /// The name that its coordinator gave.
    pub name: Vec<u8>,
    /// When it was prepared, to the millisecond.
    pub since: SystemTime,
    /// State of the unit of work.
    pub standing: Standing,
    /// Owner of its locks; `None` once it is forced.
    pub owner: Option<Owner>,
    /// Number of stores that it changes.
    pub stores: usize,
    /// Number of keys that it changes.
    pub keys: usize,
}

/// A unit of work in doubt that has ended without its task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its name.
    pub name: Vec<u8>,
    /// Its end.
    pub decision: Decision,
    /// The changes that it has made, or would have made.
    pub changes: Vec<ResolvedChange>,
}

/// A change of a unit of work in doubt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedChange {
    /// The store.
    pub store: StoreId,
    /// The key.
    pub key: Vec<u8>,
    /// The record; `None` where it was deleted.
    pub record: Option<Vec<u8>>,
    /// True if there was a record of this key before the end.
    pub had_record: bool,
}

impl Resolved {
    /// The changes in a store.
    pub fn of_store(&self, store: StoreId) -> impl Iterator<Item = &ResolvedChange> {
        self.changes.iter().filter(move |change| change.store == store)
    }
}

/// Hears of units of work in doubt that have ended without their tasks: see [`crate::Engine::watch_resolved`].
pub type ResolvedWatcher = Box<dyn Fn(&Resolved) + Send + Sync>;

/// A key that a unit of work in doubt changes, and the record; `None` where it deletes it.
pub type DoubtfulChange = (Vec<u8>, Option<Vec<u8>>);

/// Record of an indoubt unit of work in the engine's own store, under its name.
///
/// ```text
/// entry = standing:1 since:8 locks:4 lock* unit      standing: 0 prepared, 1 forced commit, 2 forced backout
/// lock  = space:4 length:2 name                      since: milliseconds from 1970 on
/// unit  = as in the log
/// ```
pub(crate) struct IndoubtEntry {
    pub(crate) forced: Option<Decision>,
    pub(crate) since: SystemTime,
    pub(crate) locks: Vec<Resource>,
    pub(crate) changes: Changes,
}

impl IndoubtEntry {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let since = self.since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let mut bytes = vec![match self.forced {
            None => 0,
            Some(Decision::Commit) => 1,
            Some(Decision::Backout) => 2,
        }];
        bytes.extend(since.to_le_bytes());
        bytes.extend((self.locks.len() as u32).to_le_bytes());
        for lock in &self.locks {
            let (space, name) = lock.parts();
            bytes.extend(space.to_le_bytes());
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend(name);
        }
        let mut unit = Blocks::zeroed(0);
        encode_unit(&self.changes, &mut unit)?;
        bytes.extend(unit.as_slice());
        Ok(bytes)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes).ok_or_else(|| Error::Corrupt("an indoubt unit of work".into()))
    }

    fn read(mut bytes: &[u8]) -> Option<Self> {
        let forced = match take::<1>(&mut bytes)? {
            [0] => None,
            [1] => Some(Decision::Commit),
            [2] => Some(Decision::Backout),
            _ => return None,
        };
        let since = Duration::from_millis(u64::from_le_bytes(take(&mut bytes)?));
        let locks = u32::from_le_bytes(take(&mut bytes)?);
        let locks = (0..locks).map(|_| read_lock(&mut bytes)).collect::<Option<_>>()?;
        let mut changes = Changes::default();
        for (store, key, record) in decode_unit(&mut bytes)?.changes {
            changes.insert(store, &key, record);
        }
        Some(Self { forced, since: UNIX_EPOCH + since, locks, changes })
    }

    /// As a listing shows it.
    pub(crate) fn shown(&self, name: &[u8], standing: Standing, owner: Option<Owner>) -> Indoubt {
        Indoubt {
            name: name.to_vec(),
            since: self.since,
            standing,
            owner,
            stores: self.changes.stores(),
            keys: self.changes.iter().count(),
        }
    }
}

fn read_lock(bytes: &mut &[u8]) -> Option<Resource> {
    let space = u32::from_le_bytes(take(bytes)?);
    let length = u16::from_le_bytes(take(bytes)?);
    Some(Resource::from_parts(space, bytes.split_off(..length.into())?))
}
