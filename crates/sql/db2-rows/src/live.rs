//! The part of a table that all units of work share while the region runs: numbers of rows, and who holds what beside the engine's locks.
//!
//! The engine's locks are exclusive. Locks that several may hold together are noted here, and each holder has an exclusive lock of
//! its own for it: a unit of work that must wait for a holder waits for that lock, so the engine finds every circle. A note may be
//! out of date, never the lock: a note whose lock is free belongs to no unit of work.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use foldhash::HashMap;
use parking_lot::Mutex;
use records::{Owner, StoreId};
use smallvec::SmallVec;

use crate::range::Range;

/// The number of a row in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rid(pub u64);

impl Rid {
    /// The key of the row.
    pub(crate) fn key(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// From the key of a row, or what an index has of it.
    pub(crate) fn from_key(key: &[u8]) -> Option<Self> {
        key.try_into().ok().map(u64::from_be_bytes).map(Self)
    }
}

/// The key of the lock of one who shares a row.
pub(crate) fn share_key(rid: Rid, owner: Owner) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&rid.key());
    key[8..].copy_from_slice(&owner.0.to_be_bytes());
    key
}

/// The row and the owner in the key of a lock, if it is that of one who shares a row.
pub(crate) fn share_in(key: &[u8]) -> Option<(Rid, Owner)> {
    let (rid, owner) = key.split_at_checked(8)?;
    Some((Rid::from_key(rid)?, Owner(u64::from_be_bytes(owner.try_into().ok()?))))
}

/// Ways to hold a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Rows of it are held by those who read.
    ReadsRows,
    /// Rows of it are changed.
    ChangesRows,
    /// No other unit of work changes it.
    Share,
    /// No other unit of work uses it, but for uncommitted reads.
    Exclusive,
}

impl Mode {
    /// Returns true if two units of work can hold a table so.
    pub(crate) fn goes_with(self, other: Self) -> bool {
        use Mode::{ChangesRows, ReadsRows, Share};
        matches!(
            (self, other),
            (ReadsRows, ReadsRows | ChangesRows | Share)
                | (ChangesRows, ReadsRows | ChangesRows)
                | (Share, ReadsRows | Share)
        )
    }

    /// The least mode that is both.
    pub(crate) fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::ReadsRows, mode) | (mode, Self::ReadsRows) => mode,
            _ => Self::Exclusive,
        }
    }
}

/// A range that a unit of work has read and wants to find again.
struct Kept {
    owner: Owner,
    store: StoreId,
    range: Range,
}

/// The part of a table that units of work share.
#[derive(Debug, Default)]
pub(crate) struct Live {
    next_rid: AtomicU64,
    /// The edition of the catalogue in which it became what others see.
    pub(crate) edition: AtomicU64,
    /// The owner that is changing its definition; 0: none.
    pub(crate) changing: AtomicU64,
    /// The owner that has it for itself; 0: none.
    pub(crate) exclusive: AtomicU64,
    holders: Mutex<Vec<(Owner, Mode)>>,
    /// Number of rows that are shared.
    shared: AtomicUsize,
    shares: Mutex<HashMap<Rid, SmallVec<[Owner; 2]>>>,
    /// Number of ranges.
    ranged: AtomicUsize,
    ranges: Mutex<Vec<Kept>>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.owner, self.range)
    }
}

impl Live {
    /// A table of which rows up to this one have been there.
    pub(crate) fn new(last: Option<Rid>) -> Self {
        Self { next_rid: AtomicU64::new(last.map_or(1, |last| last.0 + 1)), ..Self::default() }
    }

    /// A number for a new row.
    pub(crate) fn new_rid(&self) -> Rid {
        Rid(self.next_rid.fetch_add(1, Ordering::Relaxed))
    }

    /// Others that hold the table so that `owner` cannot hold it in this mode.
    pub(crate) fn against(&self, owner: Owner, mode: Mode) -> SmallVec<[Owner; 4]> {
        let holders = self.holders.lock();
        let against = holders.iter().filter(|(other, held)| *other != owner && !mode.goes_with(*held));
        against.map(|(other, _)| *other).collect()
    }

    /// An owner holds the table in this mode from now on, and no other; `None`: not at all.
    pub(crate) fn hold(&self, owner: Owner, mode: Option<Mode>) {
        let mut holders = self.holders.lock();
        holders.retain(|(other, _)| *other != owner);
        if self.exclusive.load(Ordering::Acquire) == owner.0 {
            self.exclusive.store(0, Ordering::Release);
        }
        if let Some(mode) = mode {
            holders.push((owner, mode));
            if mode == Mode::Exclusive {
                self.exclusive.store(owner.0, Ordering::Release);
            }
        }
    }

    /// Those that share a row, but for this one.
    pub(crate) fn sharers(&self, rid: Rid, owner: Option<Owner>) -> SmallVec<[Owner; 2]> {
        if self.shared.load(Ordering::Acquire) == 0 {
            return SmallVec::new();
        }
        let shares = self.shares.lock();
        let of_row = shares.get(&rid).into_iter().flatten();
        of_row.copied().filter(|other| Some(*other) != owner).collect()
    }

    /// An owner shares a row from now on.
    pub(crate) fn share(&self, rid: Rid, owner: Owner) {
        let mut shares = self.shares.lock();
        let owners = shares.entry(rid).or_default();
        if !owners.contains(&owner) {
            owners.push(owner);
        }
        self.shared.store(shares.len(), Ordering::Release);
    }

    /// An owner does not share a row any more.
    pub(crate) fn unshare(&self, rid: Rid, owner: Owner) {
        let mut shares = self.shares.lock();
        if let Some(owners) = shares.get_mut(&rid) {
            owners.retain(|other| *other != owner);
            if owners.is_empty() {
                shares.remove(&rid);
            }
        }
        self.shared.store(shares.len(), Ordering::Release);
    }

    /// Returns true if an owner keeps a range of a store already.
    pub(crate) fn keeps(&self, owner: Owner, store: StoreId, range: &Range) -> bool {
        let has = |kept: &Kept| kept.owner == owner && kept.store == store && kept.range.covers(range);
        self.ranges.lock().iter().any(has)
    }

    /// An owner keeps a range of a store from now on.
    pub(crate) fn keep(&self, owner: Owner, store: StoreId, range: &Range) {
        let mut ranges = self.ranges.lock();
        ranges.push(Kept { owner, store, range: range.clone() });
        self.ranged.store(ranges.len(), Ordering::Release);
    }

    /// An owner keeps no ranges any more.
    pub(crate) fn leave_ranges(&self, owner: Owner) {
        let mut ranges = self.ranges.lock();
        ranges.retain(|kept| kept.owner != owner);
        self.ranged.store(ranges.len(), Ordering::Release);
    }

    /// Others that keep a range in which this key lies.
    pub(crate) fn keepers(&self, store: StoreId, key: &[u8], owner: Owner) -> SmallVec<[Owner; 2]> {
        if self.ranged.load(Ordering::Acquire) == 0 {
            return SmallVec::new();
        }
        let ranges = self.ranges.lock();
        let has = |kept: &&Kept| kept.owner != owner && kept.store == store && kept.range.contains(key);
        ranges.iter().filter(has).map(|kept| kept.owner).collect()
    }
}
