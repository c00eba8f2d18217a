//! State that all units of work and the engine's own threads share.
//!
//! Order in which its locks are taken: place of [`Resealing`], checkpointing, writer, holders, queue, state. A unit that is not forced is put into the
//! queue and made visible in one step under the queue's lock, so that the taker of the queue's groups knows that they
//! are visible. A forced unit is made visible when its group is on the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::{Condvar, Mutex, RwLock};

use super::cold::Cold;
use super::gate::Gate;
use super::holders::Holders;
use super::pace::{ForOneForce, Pace};
use super::resealing::Resealing;
use super::resolved::Watchers;
use crate::base::{Base, Patience, Space};
use crate::change::Changes;
use crate::clock::Clock;
use crate::log::{Ending, Forced, GROUP_RESERVE, Queue, Segments, Writer};
use crate::position::Position;
use crate::seal::SealedBase;
use crate::signal::send_all;
use crate::state::{CommittedState, DIRECTORY, Description, directory_key};
use crate::{Error, Lifetime, Limits, Locks, LogCounts, Owner, Recovery, Result, StoreId};

pub(crate) struct Core {
    pub(super) limits: Limits,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) locks: Arc<Locks>,
    pub(super) holders: Mutex<Holders>,
    /// Those who hear of what was in doubt.
    pub(super) resolved: Watchers,
    pub(super) state: RwLock<CommittedState>,
    /// Number of changes that the state has seen: it differs whenever anything that can be read differs.
    pub(super) versions: Arc<AtomicU64>,
    pub(super) queue: Mutex<Queue>,
    /// Rung when the queue has something for the writer.
    pub(super) bell: Condvar,
    pub(super) writer: Mutex<Writer>,
    pub(super) pace: Pace,
    pub(super) segments: Arc<Segments>,
    pub(super) base: Arc<dyn Base>,
    /// The same base, if its records are sealed.
    pub(super) sealed: Option<Arc<SealedBase>>,
    pub(super) resealing: Resealing,
    pub(super) gate: Gate,
    /// Reads that wait for the disk.
    pub(super) cold: Cold,
    /// Held by the one who does a checkpoint.
    pub(super) checkpointing: Mutex<()>,
    pub(super) next_store: AtomicU32,
    pub(super) next_space: AtomicU32,
    /// Written by the holder of the writer.
    pub(super) counts: Mutex<LogCounts>,
}

impl Core {
    /// A number for a new store.
    pub(super) fn new_store(&self) -> StoreId {
        StoreId(self.next_store.fetch_add(1, Ordering::Relaxed))
    }

    /// Numbers for so many new stores: the first one.
    pub(super) fn new_stores(&self, count: u32) -> Result<StoreId> {
        let taken = self
            .next_store
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| next.checked_add(count));
        taken.map(StoreId).map_err(|_| Error::Limit("numbers of stores"))
    }

    /// A space that was never used.
    pub(super) fn new_space(&self) -> Space {
        Space(self.next_space.fetch_add(1, Ordering::Relaxed))
    }

    /// Makes changes visible now, and durable some time.
    pub(super) fn commit_unforced(&self, mut changes: Changes) -> Result<()> {
        self.check_size(changes.bytes())?;
        self.enqueue(|queue| {
            queue.add_unforced(&changes)?;
            let mut state = self.state.write();
            state.publish(&mut changes)?;
            self.gate.measure_overlay(&state, &self.limits);
            Ok(())
        })
    }

    /// Sees to it that numbers up to these are not given away.
    pub(super) fn skip_numbers(&self, store: StoreId, space: u32) {
        self.next_store.fetch_max(store.0 + 1, Ordering::Relaxed);
        self.next_space.fetch_max(space + 1, Ordering::Relaxed);
    }

    /// Reads a record as it is committed; false (and an empty `record`) when there is none.
    pub(super) fn get(
        &self,
        store: StoreId,
        key: &[u8],
        record: &mut Vec<u8>,
        patience: Patience,
    ) -> Result<bool> {
        let state = self.state.read();
        let known = state.store(store)?;
        match known.overlaid(key) {
            Some(overlaid) => {
                record.clear();
                if let Some(overlaid) = overlaid {
                    record.extend_from_slice(overlaid.verified(key).inspect_err(|_| self.suspect_overlay())?);
                }
                Ok(overlaid.is_some())
            }
            None => self.base.get(known.space, key, record, patience),
        }
    }

    /// Something that was read from main storage is not what it was: a checkpoint looks through the whole overlay.
    pub(super) fn suspect_overlay(&self) {
        self.gate.want_checkpoint();
    }

    /// Adds something for which no task waits to the queue, and wakes the writer if that is news to it.
    fn enqueue<T>(&self, add: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.queue.lock();
        let before = queue.is_news();
        let added = add(&mut queue);
        self.gate.measure_queue(queue.bytes(), &self.limits);
        if before != queue.is_news() {
            self.bell.notify_one();
        }
        added
    }

    /// Bytes of changes that fit into a group of the log.
    pub(super) fn largest_unit(&self) -> usize {
        self.segments.segment_bytes as usize - GROUP_RESERVE
    }

    /// Refuses changes that do not fit into a group of the log.
    pub(super) fn check_size(&self, bytes: usize) -> Result<()> {
        let fits = bytes <= self.largest_unit();
        if fits { Ok(()) } else { Err(Error::Limit("segment_bytes")) }
    }

    /// Writes the next group of the queue to the log, with one force, and makes it visible. How many waited for it;
    /// `None` if there was none. Those who wait for the group learn of an error as well.
    pub(crate) fn write_group(&self) -> Result<Option<usize>> {
        self.write_with(&mut self.writer.lock())
    }

    pub(super) fn write_with(&self, writer: &mut Writer) -> Result<Option<usize>> {
        let Some(mut group) = self.queue.lock().take() else { return Ok(None) };
        let (begun, waiting) = (Instant::now(), group.forced());
        let written = self.gate.refusal().map_or_else(|| writer.write(&mut group), Err);
        self.pace.note(begun.elapsed());
        match &written {
            Ok(position) => {
                let mut forced: ForOneForce<_> = group.take_forced().collect();
                self.count(group.padded_bytes(), forced.len());
                {
                    let mut queue = self.queue.lock();
                    queue.recycle(group);
                    queue.note_forced(waiting, self.limits.defer);
                }
                self.publish_group(&mut forced, *position);
            }
            Err(error) => {
                match error {
                    Error::NoSpace(_) => self.queue.lock().put_back(&group),
                    _ => self.gate.fail(error.clone()),
                }
                self.refuse_group(group.take_forced(), error);
            }
        }
        if written.is_err() || !self.gate.is_open() {
            self.gate.note_group(&written);
        }
        self.measure(writer.position().lsn);
        written.map(|_| Some(waiting))
    }

    fn count(&self, bytes: u64, forced_units: usize) {
        let mut counts = self.counts.lock();
        counts.groups += 1;
        counts.forced_units += forced_units as u64;
        counts.bytes += bytes;
    }

    fn publish_group(&self, forced: &mut ForOneForce<Forced>, position: Position) {
        let mut state = self.state.write();
        let published: ForOneForce<_> =
            forced.iter_mut().map(|unit| state.publish(&mut unit.changes)).collect();
        state.position = position;
        self.gate.measure_overlay(&state, &self.limits);
        drop(state);
        // If no task waits for a lock, each unit's own thread lets go of those that it has taken: it has them at hand.
        let at_once = self.locks.some_wait();
        if at_once {
            let over = forced.iter().filter(|unit| unit.ending == Ending::Commit).map(|unit| unit.owner);
            self.locks.release_all_of(over, Lifetime::Unit);
        }
        send_all(forced.drain(..).zip(published).map(|(unit, published)| {
            let mut locks = None;
            if unit.ending != Ending::Commit {
                self.settle(unit.owner, unit.ending, true);
            } else if !at_once {
                locks = Some(self.locks.to_release(unit.owner, Lifetime::Unit));
            }
            unit.end(published, locks)
        }));
    }

    /// The force that was under way for `owner` has ended.
    pub(super) fn settle(&self, owner: Owner, ending: Ending, durable: bool) {
        let over = match ending {
            Ending::Commit => true,
            Ending::Prepare => !durable,
            Ending::Resolve => durable,
        };
        let mut awaited = Vec::new();
        if ending != Ending::Commit {
            let mut holders = self.holders.lock();
            if over {
                let mut of_owner = holders.0.extract_if(.., |_, holder| holder.owner == owner);
                let ended = of_owner.next().map(|(_, holder)| {
                    awaited = holder.awaited;
                    (holder.attended, holder.ends_as)
                });
                drop(of_owner);
                if let Some((attended, Some(ended))) = ended.filter(|_| durable) {
                    // An attended one has a task, which sees to it itself or is gone without having heard.
                    match attended {
                        true => self.resolved.keep_unheard(owner, ended),
                        false => {
                            drop(holders);
                            self.resolved.tell(&ended);
                        }
                    }
                }
            } else if let Some(holder) = holders.of(owner) {
                (holder.busy, holder.ends_as) = (false, None);
                awaited = std::mem::take(&mut holder.awaited);
                if !holder.attended {
                    self.locks.retain(owner);
                }
            }
        }
        if over {
            self.locks.release_all(owner, Lifetime::Unit);
        }
        send_all(awaited.into_iter().map(|settled| (settled, ())));
    }

    fn refuse_group(&self, forced: impl Iterator<Item = Forced>, error: &Error) {
        send_all(forced.map(|unit| {
            self.settle(unit.owner, unit.ending, false);
            unit.end(Err(error.clone()), None)
        }));
    }

    /// Looks again whether commits must wait.
    pub(super) fn measure(&self, end_of_log: u64) {
        let queue = self.queue.lock();
        let state = self.state.read();
        self.gate.measure(queue.bytes(), &state, end_of_log, &self.limits);
    }

    /// Writes all that is in the queue.
    pub(super) fn flush_log(&self) -> Result<()> {
        // When it says that there is nothing left, the last group is visible: it waits for the writer first.
        while self.write_group()?.is_some() {}
        Ok(())
    }

    /// Adds to `changes` that a store's description changes.
    pub(super) fn describe_in(
        &self,
        changes: &mut Changes,
        store: StoreId,
        change: impl FnOnce(&mut Description),
    ) -> Result<()> {
        let state = self.state.read();
        let known = state.store(store)?;
        let mut description =
            Description { name: known.name.clone(), recovery: known.recovery, space: known.space };
        change(&mut description);
        changes.set(DIRECTORY, &directory_key(store), Some(&description.to_bytes()));
        Ok(())
    }

    /// Promise of a store.
    pub(super) fn recovery(&self, store: StoreId) -> Result<Recovery> {
        Ok(self.state.read().store(store)?.recovery)
    }
}
