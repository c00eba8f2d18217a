//! Two-phase commit: how units of work become indoubt, and how they end.
//!
//! A unit of work in doubt rests in a store of the engine's own: to prepare a unit of work is to commit an entry that holds its
//! changes and the names of its locks; to resolve it is to commit, in one unit of work, its changes and the end of the
//! entry. So nothing in the log refers to what went before, and neither replay, checkpoint nor trimming know of it.
//!
//! From its preparation on a unit of work has an owner of locks of its own: the fate of its task does not matter.

use std::sync::Arc;

use super::core::Core;
use super::force::Durable;
use super::holders::{Holder, Holders};
use crate::base::Patience;
use crate::change::{Changes, Record};
use crate::indoubt::IndoubtEntry;
use crate::key::Key;
use crate::key::LONGEST_KEY;
use crate::log::Ending;
use crate::range::read_range;
use crate::signal::{Signalled, signal};
use crate::state::{DIRECTORY, Description, directory_key};
use crate::{
    Batch, Decider, Decision, Direction, DoubtfulChange, Error, Indoubt, Origin, Owner, Recovery, Resolved,
    ResolvedChange, Result, Standing, StoreId,
};

/// The store of what is indoubt; made when it is first needed.
const STORE: &str = "\0indoubt";

/// Begun, or put off.
enum Begun {
    /// It ends when this comes.
    Ends(Durable),
    /// A force that makes it indoubt or ends it is under way: behind that it is certain what it is.
    Waits(Signalled<()>),
}

/// Which unit of work is to be resolved, and how.
pub(super) struct Resolution<'a> {
    pub(super) name: &'a [u8],
    pub(super) decision: Decision,
    pub(super) by: Decider,
    /// Only if its locks are held by this one: another unit of work may have come to the name meanwhile.
    pub(super) owner: Option<Owner>,
}

impl Core {
    /// Begins to make changes indoubt; they are when the signal comes. After an error of this call nothing has
    /// happened; after an error of the signal the unit of work is backed out. Returns who holds the locks meanwhile.
    pub(super) fn prepare(
        self: &Arc<Self>,
        name: &[u8],
        owner: Owner,
        changes: &mut Changes,
    ) -> Result<(Owner, Durable)> {
        if name.is_empty() || name.len() > LONGEST_KEY {
            return Err(Error::Limit("length of a unit of work's name"));
        }
        let mut holders = self.holders.lock();
        let store = self.indoubt_store()?;
        if holders.0.contains_key(name) || self.entry(store, name)?.is_some() {
            return Err(Error::NameInUse);
        }
        let mut entry = IndoubtEntry {
            forced: None,
            since: self.clock.now(),
            locks: self.locks.held(owner),
            changes: std::mem::take(changes),
        };
        let prepared = entry.to_bytes().and_then(|bytes| {
            let prepared = Changes::of(store, name, Some(&bytes));
            self.check_size(prepared.bytes()).map(|()| prepared)
        });
        let prepared = prepared.inspect_err(|_| *changes = std::mem::take(&mut entry.changes))?;
        let holder = Holder::new(self.locks.new_owner(), (true, true));
        self.locks.hand_over(owner, holder.owner);
        let prepared = (holder.owner, self.commit_forced(prepared, holder.owner, Ending::Prepare)?);
        holders.0.insert(name.to_vec(), holder);
        Ok(prepared)
    }

    /// The task of a prepared unit of work is gone.
    pub(super) fn shunt(&self, owner: Owner) {
        if let Some(holder) = self.holders.lock().of(owner) {
            holder.attended = false;
            if !holder.busy {
                self.locks.retain(holder.owner);
            }
            return;
        }
        self.resolved.tell_unheard(owner);
    }

    /// See [`crate::Engine::resolve`].
    pub(super) async fn resolve(self: &Arc<Self>, resolution: Resolution<'_>) -> Result<()> {
        self.gate.pass().await?;
        loop {
            match self.begin_resolve(&resolution)? {
                Begun::Ends(durable) => return durable.await,
                Begun::Waits(settled) => settled.await,
            }
        }
    }

    /// The same without a force of its own: after a crash it may be indoubt once more.
    pub(super) async fn resolve_unforced(self: &Arc<Self>, resolution: Resolution<'_>) -> Result<()> {
        self.gate.pass().await?;
        let holders = self.holders.lock();
        let (changes, owner, ending) = self.resolution(&holders, &resolution)?;
        self.commit_unforced(changes)?;
        drop(holders);
        self.settle(owner, ending, true);
        Ok(())
    }

    fn begin_resolve(self: &Arc<Self>, resolution: &Resolution<'_>) -> Result<Begun> {
        let mut holders = self.holders.lock();
        if let Some(holder) = holders.0.get_mut(resolution.name).filter(|holder| holder.busy) {
            let (settles, settled) = signal();
            holder.awaited.push(settles);
            return Ok(Begun::Waits(settled));
        }
        let (changes, owner, ending) = self.resolution(&holders, resolution)?;
        // Its own task needs no notice.
        let ends_as = match (resolution.owner, ending) {
            (None, Ending::Resolve) => Some(self.ends_as(resolution)?),
            _ => None,
        };
        let signalled = self.commit_forced(changes, owner, ending)?;
        if let Some(holder) = holders.of(owner) {
            (holder.busy, holder.ends_as) = (true, ends_as);
        }
        Ok(Begun::Ends(signalled))
    }

    /// End of a unit of work for the log, the owner of its locks, and their fate.
    fn resolution(
        &self,
        holders: &Holders,
        &Resolution { name, decision, by, owner }: &Resolution<'_>,
    ) -> Result<(Changes, Owner, Ending)> {
        let store = self.state.read().find(STORE).ok_or(Error::NotIndoubt)?;
        let entry = self.entry(store, name)?.ok_or(Error::NotIndoubt)?;
        match (entry.forced, by) {
            (None, _) => {}
            (Some(_), Decider::Operator) => return Err(Error::NotIndoubt),
            (Some(made), Decider::Coordinator) if made == decision => {
                return Ok(self.entry_ends(store, name));
            }
            (Some(made), Decider::Coordinator) => return Err(Error::Heuristic(made)),
        }
        let meant = |holder: &&Holder| !holder.busy && owner.is_none_or(|owner| owner == holder.owner);
        let holder = holders.0.get(name).filter(meant).ok_or(Error::NotIndoubt)?;
        let note = match by {
            Decider::Coordinator => None,
            Decider::Operator => {
                let changes = Changes::default();
                Some(
                    IndoubtEntry { forced: Some(decision), locks: Vec::new(), changes, ..entry }
                        .to_bytes()?,
                )
            }
        };
        let mut changes = if decision == Decision::Commit { entry.changes } else { Changes::default() };
        changes.set(store, name, note.as_deref());
        Ok((changes, holder.owner, Ending::Resolve))
    }

    /// The message to watchers about a unit of work that is about to end.
    fn ends_as(&self, &Resolution { name, decision, .. }: &Resolution<'_>) -> Result<Resolved> {
        let store = self.state.read().find(STORE).ok_or(Error::NotIndoubt)?;
        let entry = self.entry(store, name)?.ok_or(Error::NotIndoubt)?;
        let change = |(store, key, record): (StoreId, &Key, &Option<Record>)| {
            let had_record = match self.get(store, key, &mut Vec::new(), Patience::Waits) {
                // The store is made, or was deleted, by the unit of work itself.
                Err(Error::NoStore(_)) => false,
                found => found?,
            };
            let record = record.as_ref().map(|record| record.to_vec());
            Ok(ResolvedChange { store, key: key.to_vec(), record, had_record })
        };
        let changes = entry.changes.iter().filter(|(store, ..)| *store != DIRECTORY).map(change);
        Ok(Resolved { name: name.to_vec(), decision, changes: changes.collect::<Result<_>>()? })
    }

    /// See [`crate::Engine::doubtful`].
    pub(super) fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        let mut doubtful = Vec::new();
        for (_, entry) in self.entries()? {
            let changes = entry.changes.in_store(store).into_iter().flatten();
            doubtful.extend(changes.map(|(key, record)| (key.to_vec(), record.as_ref().map(|r| r.to_vec()))));
        }
        Ok(doubtful)
    }

    /// The end of an entry without locks.
    fn entry_ends(&self, store: StoreId, name: &[u8]) -> (Changes, Owner, Ending) {
        (Changes::of(store, name, None), self.locks.new_owner(), Ending::Commit)
    }

    /// See [`crate::Engine::forget`].
    pub(super) fn forget(self: &Arc<Self>, name: &[u8]) -> Result<Durable> {
        let _no_change = self.holders.lock();
        let store = self.state.read().find(STORE).ok_or(Error::NotIndoubt)?;
        let forced = self.entry(store, name)?.is_some_and(|entry| entry.forced.is_some());
        if !forced {
            return Err(Error::NotIndoubt);
        }
        let (changes, owner, ending) = self.entry_ends(store, name);
        self.commit_forced(changes, owner, ending)
    }

    /// See [`crate::Engine::indoubt`].
    pub(super) fn list_indoubt(&self) -> Result<Vec<Indoubt>> {
        let holders = self.holders.lock();
        let shown = self.entries()?.into_iter().filter_map(|(name, entry)| {
            let holder = holders.0.get(&name);
            let standing = match (entry.forced, holder) {
                (Some(decision), _) => Standing::Forced(decision),
                (None, Some(holder)) if holder.attended => Standing::Attended,
                (None, Some(_)) => Standing::Shunted,
                // It was ended a moment ago.
                (None, None) => return None,
            };
            Some(entry.shown(&name, standing, holder.map(|holder| holder.owner)))
        });
        Ok(shown.collect())
    }

    /// After a restart: whatever is indoubt is shunted.
    pub(super) fn restore_indoubt(&self) -> Result<()> {
        for (name, entry) in self.entries()? {
            if entry.forced.is_some() {
                continue;
            }
            self.keep_numbers(&entry.changes)?;
            let owner = self.locks.new_owner();
            self.locks.restore(owner, entry.locks);
            self.holders.lock().0.insert(name, Holder::new(owner, (false, false)));
        }
        Ok(())
    }

    /// Reserves the numbers of stores and spaces that an indoubt unit of work has taken.
    fn keep_numbers(&self, changes: &Changes) -> Result<()> {
        for (key, description) in changes.in_store(DIRECTORY).into_iter().flatten() {
            let store = (&key[..]).try_into().map_or(0, u32::from_be_bytes);
            let description = description.as_deref().map(Description::from_bytes).transpose()?;
            let space = description.map_or(0, |description| description.space.0);
            self.skip_numbers(StoreId(store), space);
        }
        Ok(())
    }

    /// The store of what is indoubt. It is there for everybody before it is in the log, but what comes to rest in it
    /// is in the log behind it.
    fn indoubt_store(&self) -> Result<StoreId> {
        if let Some(store) = self.state.read().find(STORE) {
            return Ok(store);
        }
        let store = self.new_store();
        let description =
            Description { name: STORE.into(), recovery: Recovery::Recoverable, space: self.new_space() };
        let changes = Changes::of(DIRECTORY, &directory_key(store), Some(&description.to_bytes()));
        self.commit_unforced(changes).map(|()| store)
    }

    fn entry(&self, store: StoreId, name: &[u8]) -> Result<Option<IndoubtEntry>> {
        let mut bytes = Vec::new();
        let found = self.get(store, name, &mut bytes, Patience::Waits)?;
        found.then(|| IndoubtEntry::from_bytes(&bytes)).transpose()
    }

    /// All that is indoubt or forced.
    fn entries(&self) -> Result<Vec<(Vec<u8>, IndoubtEntry)>> {
        let mut batch = Batch::default();
        {
            let state = self.state.read();
            let Some(store) = state.find(STORE) else { return Ok(Vec::new()) };
            let everything = (Origin::Start, Direction::Forward);
            read_range(
                state.store(store)?,
                None,
                (&*self.base, Patience::Waits),
                everything,
                usize::MAX,
                &mut batch,
            )?;
        }
        batch.iter().map(|(name, bytes)| Ok((name.to_vec(), IndoubtEntry::from_bytes(bytes)?))).collect()
    }
}
