//! Queue of changes that wait to be written to the log: groups, the last of which is being filled.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crc32fast::Hasher;
use parking_lot::Mutex;

use super::aside::Aside;
use super::deferral::Deferral;
use super::format::{HEADER, encode_unit, seal};
use crate::blocks::Blocks;
use crate::change::Changes;
use crate::disk::BLOCK;
use crate::locks::Release;
use crate::position::Position;
use crate::seal::{BEFORE, BEHIND, Vault};
use crate::signal::Signal;
use crate::{Error, Owner, Result};

/// Size up to which groups are filled, if segments are large.
const GROUP_BYTES: usize = 1 << 20;
/// Buffers of groups that are kept to be used again.
const SPARE_GROUPS: usize = 4;

/// Bytes that a segment needs besides a single unit of work, rounded up.
pub(crate) const GROUP_RESERVE: usize = BLOCK;

/// Effects that a unit of work has once it is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is over.
    Commit,
    /// It is indoubt, and keeps its locks.
    Prepare,
    /// It was indoubt, and is over.
    Resolve,
}

/// A unit of work that waits for the force. It becomes visible, and lets go of its locks, when it is durable.
pub(crate) struct Forced {
    pub(crate) changes: Changes,
    pub(crate) owner: Owner,
    pub(crate) ending: Ending,
    pub(crate) done: Signal<Done>,
}

impl Forced {
    /// Result of the unit of work, to be sent. Locks that still are to be released go with it.
    pub(crate) fn end(self, outcome: Result<()>, locks: Option<Release>) -> (Signal<Done>, Done) {
        (self.done, Done { outcome, _remains: self.changes, _locks: locks })
    }
}

/// End of a unit of work.
pub(crate) struct Done {
    pub(crate) outcome: Result<()>,
    /// Records that its changes have replaced. The thread that made them frees them: any other would pay more.
    _remains: Changes,
    /// They were taken on that thread, too.
    _locks: Option<Release>,
}

/// One unit of work in a group.
struct Entry {
    /// End of its bytes in the group.
    end: usize,
    /// Set if a task waits for it. Otherwise it is visible already.
    forced: Option<Forced>,
}

/// Units of work that become durable together.
pub(crate) struct Group {
    blocks: Blocks,
    entries: Vec<Entry>,
    /// Over its units of work as they came: what overwrites them here is noticed before they are written.
    sum: Hasher,
    /// Its payload is encrypted.
    vault: Option<Arc<Vault>>,
    /// The number of its last unit of work that is kept beside the log.
    aside: u64,
}

impl Group {
    fn new(vault: Option<Arc<Vault>>) -> Self {
        let blocks = Blocks::zeroed(Self::front(vault.as_deref()));
        Self { blocks, entries: Vec::new(), sum: Hasher::new(), vault, aside: 0 }
    }

    /// Bytes before the first unit of work.
    fn front(vault: Option<&Vault>) -> usize {
        HEADER + if vault.is_some() { BEFORE } else { 0 }
    }

    /// Bytes that it holds, header and all.
    fn bytes(&self) -> usize {
        self.blocks.len()
    }

    fn add(&mut self, changes: &Changes) -> Result<()> {
        let start = self.blocks.len();
        encode_unit(changes, &mut self.blocks)?;
        self.sum.update(&self.blocks.as_slice()[start..]);
        self.entries.push(Entry { end: self.blocks.len(), forced: None });
        Ok(())
    }

    /// The number of its last unit of work that is kept beside the log.
    pub(super) fn aside(&self) -> u64 {
        self.aside
    }

    /// The bytes to write at `at`, and the checksum that the next group will name.
    pub(crate) fn seal(&mut self, at: Position) -> Result<(&[u8], u32)> {
        let units = &self.blocks.as_slice()[Self::front(self.vault.as_deref())..];
        let mut checksum = self.sum.clone().finalize();
        if crc32fast::hash(units) != checksum {
            return Err(Error::Overwritten("what was to be written to the log".into()));
        }
        if let Some(vault) = &self.vault {
            self.blocks.extend(&[0; BEHIND]);
            vault.seal(&at.to_bytes(), &mut self.blocks.as_mut_slice()[HEADER..])?;
            checksum = crc32fast::hash(&self.blocks.as_slice()[HEADER..]);
        }
        let chain = seal(&mut self.blocks, checksum, self.entries.len(), at);
        Ok((self.blocks.padded(), chain))
    }

    /// Bytes that it takes in the log.
    pub(crate) fn padded_bytes(&self) -> u64 {
        let behind = if self.vault.is_some() { BEHIND } else { 0 };
        (self.blocks.len() + behind).next_multiple_of(BLOCK) as u64
    }

    /// Number of units of work that wait for it.
    pub(crate) fn forced(&self) -> usize {
        self.entries.iter().filter(|entry| entry.forced.is_some()).count()
    }

    /// The units of work that wait for it.
    pub(crate) fn take_forced(&mut self) -> impl Iterator<Item = Forced> + '_ {
        self.entries.iter_mut().filter_map(|entry| entry.forced.take())
    }

    /// A group of only those units that no task waits for.
    fn unforced(&self) -> Self {
        let mut rest = Self::new(self.vault.clone());
        rest.aside = self.aside;
        let mut start = Self::front(self.vault.as_deref());
        for entry in &self.entries {
            if entry.forced.is_none() {
                let unit = &self.blocks.as_slice()[start..entry.end];
                rest.blocks.extend(unit);
                rest.sum.update(unit);
                rest.entries.push(Entry { end: rest.blocks.len(), forced: None });
            }
            start = entry.end;
        }
        rest
    }

    fn clear(&mut self) {
        self.blocks.truncate(Self::front(self.vault.as_deref()));
        self.entries.clear();
        self.sum.reset();
        self.aside = 0;
    }
}

/// Sleep of the log's thread.
#[derive(Clone, Copy)]
pub(crate) enum Sleep {
    /// It is awake.
    Not,
    /// It sleeps until then, unless something is urgent.
    Until(Instant),
    /// It sleeps until there is anything at all.
    UntilCalled,
}

/// The queue. Plain data, kept under a mutex by its owner.
pub(crate) struct Queue {
    groups: VecDeque<Group>,
    spare: Vec<Group>,
    /// Number of units in it that wait for a force.
    forced: usize,
    /// Several were forced together: the next force may wait, so that others join.
    deferral: Deferral,
    /// Number of units worth waiting for a moment, since as many were forced together last time.
    expected: usize,
    bytes: usize,
    /// The log's thread has been called since it went to sleep, for what is there.
    called: bool,
    sleep: Sleep,
    /// Groups are not filled beyond this, except by a single large unit of work.
    group_bytes: usize,
    vault: Option<Arc<Vault>>,
    /// Keeps the units of work that no task waits for.
    aside: Option<Arc<Mutex<Aside>>>,
    /// The number of what was kept last.
    kept: u64,
}

impl Queue {
    /// An empty queue for a log with segments of this size, whose groups are encrypted if there is a vault.
    pub(crate) fn new(segment_bytes: u64, vault: Option<Arc<Vault>>) -> Self {
        let group_bytes = (segment_bytes as usize - GROUP_RESERVE).min(GROUP_BYTES);
        Self {
            groups: VecDeque::new(),
            spare: Vec::new(),
            forced: 0,
            deferral: Deferral::default(),
            expected: 0,
            bytes: 0,
            called: false,
            sleep: Sleep::Not,
            group_bytes,
            vault,
            aside: None,
            kept: 0,
        }
    }

    /// Sets where units of work that no task waits for are also kept, beside the log.
    pub(crate) fn keeps(&mut self, aside: Arc<Mutex<Aside>>) {
        self.aside = Some(aside);
    }

    /// Adds a unit of work that no task waits for. The caller makes it visible before it lets go of the queue.
    pub(crate) fn add_unforced(&mut self, changes: &Changes) -> Result<()> {
        if let Some(aside) = &self.aside {
            self.kept = aside.lock().keep(changes)?;
        }
        self.add(changes)
    }

    /// Adds a unit of work that is kept beside the log already, under this number.
    pub(crate) fn add_kept(&mut self, changes: &Changes, number: u64) -> Result<()> {
        self.kept = number;
        self.add(changes)
    }

    fn add(&mut self, changes: &Changes) -> Result<()> {
        let kept = self.kept;
        let group = self.group_for(changes.bytes());
        group.add(changes)?;
        group.aside = kept;
        self.bytes += changes.bytes();
        Ok(())
    }

    /// Adds a unit of work that waits for the force.
    pub(crate) fn add_forced(&mut self, forced: Forced) -> Result<()> {
        self.add(&forced.changes)?;
        self.forced += 1;
        self.deferral.join(Instant::now);
        if let Some(entry) = self.groups.back_mut().and_then(|group| group.entries.last_mut()) {
            entry.forced = Some(forced);
        }
        Ok(())
    }

    /// The last group, if it has room, or a new one.
    fn group_for(&mut self, bytes: usize) -> &mut Group {
        let full = self.groups.back().is_none_or(|last| last.bytes() + bytes > self.group_bytes);
        if full {
            let group = self.spare.pop().unwrap_or_else(|| Group::new(self.vault.clone()));
            self.groups.push_back(group);
        }
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    /// Takes the first group.
    pub(crate) fn take(&mut self) -> Option<Group> {
        let group = self.groups.pop_front()?;
        self.called = false;
        self.forced -= group.forced();
        self.bytes = if self.groups.is_empty() { 0 } else { self.bytes.saturating_sub(group.bytes()) };
        Some(group)
    }

    /// Gives back a group that was written.
    pub(crate) fn recycle(&mut self, mut group: Group) {
        if self.spare.len() < SPARE_GROUPS && group.bytes() <= GROUP_BYTES {
            group.clear();
            self.spare.push(group);
        }
    }

    /// Puts back what is visible already of a group that could not be written, to be written first.
    pub(crate) fn put_back(&mut self, group: &Group) {
        let rest = group.unforced();
        if !rest.entries.is_empty() {
            self.bytes += rest.bytes();
            self.groups.push_front(rest);
        }
    }

    /// Returns true if as many wait for the force as are expected to, and it is not deferred; or more than a group is
    /// there.
    pub(crate) fn is_urgent(&self) -> bool {
        self.forced >= self.expected.max(1) && !self.is_deferred() || self.groups.len() > 1
    }

    /// Returns true if the next force waits for others.
    pub(crate) fn is_deferred(&self) -> bool {
        self.deferral.holds(self.forced, Instant::now)
    }

    /// Until when the log's thread need not be called because the next force waits for others, who are there or are
    /// about to come.
    pub(crate) fn deferred_until(&self) -> Option<Instant> {
        self.deferral.end().filter(|end| self.forced > 0 || Instant::now() < *end)
    }

    /// So many were forced together just now: whether the next force waits for others, for this time at most.
    pub(crate) fn note_forced(&mut self, forced: usize, defer: Duration) {
        self.deferral.note(forced, defer, Instant::now());
        if self.deferral.end().is_some() {
            self.expected = 0;
        }
    }

    /// The log's thread goes to sleep or wakes.
    pub(crate) fn sleeps(&mut self, sleep: Sleep) {
        self.sleep = sleep;
        self.called = false;
    }

    /// Returns true if the log's thread must be called for the present units; it is once.
    pub(crate) fn call(&mut self) -> bool {
        self.is_news() && !std::mem::replace(&mut self.called, true)
    }

    /// Returns true if the present units are worth waking the writer.
    pub(crate) fn is_news(&self) -> bool {
        let awaited = match self.sleep {
            Sleep::Not => false,
            Sleep::Until(until) => self.forced > 0 && self.deferral.end().is_some_and(|end| end < until),
            Sleep::UntilCalled => !self.is_empty(),
        };
        awaited || self.is_urgent()
    }

    /// Returns true if no more than these came together last time.
    pub(crate) fn expects_at_most(&self, at_most: usize) -> bool {
        self.expected <= at_most
    }

    /// Returns true if it is urgent, and for no more than these: if many came together last time, they will again.
    pub(crate) fn is_urgent_for(&self, at_most: usize) -> bool {
        self.is_urgent() && (1..=at_most).contains(&self.forced)
    }

    /// Expects as many to come together again.
    pub(crate) fn expect(&mut self, forced: usize) {
        self.expected = if self.deferral.end().is_some() { 0 } else { forced };
    }

    /// Returns true if more are expected to want the force than do. One alone, which is forced as it comes, is not waited for.
    pub(crate) fn expects_more(&self) -> bool {
        self.expected > self.forced.max(1)
    }

    /// Expects no more than there are.
    pub(crate) fn stop_expecting(&mut self) {
        self.expected = self.forced;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Bytes that wait, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
