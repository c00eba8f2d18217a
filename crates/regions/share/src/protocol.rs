//! Requests of a region and replies of the record server, as they lie in the frames of a link.
//!
//! A message is read strictly: what is left over behind it, a number that is none, a length beyond the bytes that are
//! there make it no message.

use std::time::Duration;

use records::{Decision, Direction, Origin, Recovery, StoreId, StoreInfo, Wait};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::pairs;
use crate::status::{Status, Tally};

/// The name of the protocol. It changes with the protocol, and both sides must have the same.
pub const PROTOCOL: &str = "RECORDS-6";

/// The word of one who only looks, behind that name.
pub const LOOKS: &str = "LOOKS";

/// The time to wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waits {
    /// Not at all.
    No,
    /// So many milliseconds.
    AtMost(u64),
    /// Until it comes.
    Forever,
}

impl From<Wait> for Waits {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::No => Self::No,
            Wait::AtMost(most) => Self::AtMost(most.as_millis().try_into().unwrap_or(u64::MAX)),
            Wait::Forever => Self::Forever,
        }
    }
}

impl From<Waits> for Wait {
    fn from(waits: Waits) -> Self {
        match waits {
            Waits::No => Self::No,
            Waits::AtMost(most) => Self::AtMost(Duration::from_millis(most)),
            Waits::Forever => Self::Forever,
        }
    }
}

/// The start of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RangeStart<'a> {
    /// At its first record.
    Start,
    /// At a key, or the next one.
    At(&'a [u8]),
    /// Beyond a key.
    Beyond(&'a [u8]),
}

impl<'a> From<Origin<'a>> for RangeStart<'a> {
    fn from(origin: Origin<'a>) -> Self {
        match origin {
            Origin::Start => Self::Start,
            Origin::At(key) => Self::At(key),
            Origin::Beyond(key) => Self::Beyond(key),
        }
    }
}

impl<'a> From<RangeStart<'a>> for Origin<'a> {
    fn from(origin: RangeStart<'a>) -> Self {
        match origin {
            RangeStart::Start => Self::Start,
            RangeStart::At(key) => Self::At(key),
            RangeStart::Beyond(key) => Self::Beyond(key),
        }
    }
}

/// A place for commits in a region, and the number of the commit that takes it: numbers of one place rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitPlace {
    /// The place.
    pub place: u32,
    /// The number.
    pub number: u64,
}

/// A change of a unit of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change<'a> {
    /// A record; `None` if it is deleted.
    Record(u32, #[serde(with = "serde_bytes")] &'a [u8], #[serde(with = "serde_bytes")] Option<&'a [u8]>),
    /// A store with a number that was set aside; true if it is recoverable.
    Create(u32, &'a str, bool),
    /// A store that is deleted.
    Delete(u32),
    /// A store that is emptied.
    Empty(u32),
    /// Another promise of a store: true if it is recoverable from now on.
    Promise(u32, bool),
}

/// A request of a region. Units of work are named by their owners' numbers in the region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request<'a> {
    /// The first one: what the region must know. It hears of each change of the directory from here on.
    Begin,
    /// Numbers of stores to be set aside.
    Aside(u32),
    /// The lock of a key, and its record if it `reads`.
    Lock {
        owner: u64,
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        waits: Waits,
        reads: bool,
    },
    /// The lock of a key is given back.
    Unlock {
        owner: u64,
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// A unit of work ends without changes: its locks are free; if it is prepared, it is shunted.
    Release { owner: u64 },
    /// A record.
    Get {
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// Records in order.
    Range { store: u32, origin: RangeStart<'a>, forward: bool, limit: u32 },
    /// A change of a store that is not recoverable.
    Change {
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        #[serde(with = "serde_bytes")]
        record: Option<&'a [u8]>,
    },
    /// All changes of a unit of work, and its end.
    Commit {
        owner: u64,
        place: CommitPlace,
        forced: bool,
        #[serde(borrow)]
        changes: Vec<Change<'a>>,
    },
    /// All changes of a unit of work, which is in doubt from here on.
    Prepare { owner: u64, name: &'a [u8], changes: Vec<Change<'a>> },
    /// The end of a unit of work that is in doubt, by its own task.
    Finish { owner: u64, name: &'a [u8], commits: bool, forced: bool },
    /// The number of the last commit of a place.
    Last { place: u32 },
    /// The description of a store.
    Describe { store: u32 },
    /// A name for this region alone, or beside others.
    Claim { name: &'a [u8], alone: bool },
    /// A claim is given back.
    GiveBack { name: &'a [u8], alone: bool },
    /// The units of work of this region that are in doubt.
    Indoubt,
    /// The changes of those in a store.
    Doubtful { store: u32 },
    /// The end of one that is in doubt, not by its task.
    Resolve { name: &'a [u8], commits: bool, by_operator: bool },
    /// An operator's decision is forgotten.
    Forget { name: &'a [u8] },
    /// A checkpoint.
    Checkpoint,
    /// A look at all that a store has at rest.
    Verify { store: u32 },
    /// The counts of the log.
    Counts,
    /// The region hears of changes of a store that others commit.
    Watch { store: u32 },
    /// Numbers of a store, each given out once: addresses behind its last record, or numbers `from` one on.
    Numbers { store: u32, addresses: bool, from: u64, count: u64 },
    /// A unit of work waits for a name that another one has in the region: a deadlock is answered, or that the other one has
    /// ended.
    Waits { waiter: u64, holder: u64 },
    /// A load of stores begins: its number.
    BeginLoad,
    /// Records in order for a store of a load, and the number of them with the last ones.
    Fill {
        load: u64,
        store: u32,
        #[serde(borrow, with = "pairs")]
        records: Vec<(&'a [u8], &'a [u8])>,
        last: bool,
    },
    /// The stores of a load hold what they were filled with.
    CommitLoad { load: u64 },
    /// A load is given up.
    DropLoad { load: u64 },
    /// A name among all regions, to the end of the unit of work, or of the task.
    LockName { owner: u64, name: &'a [u8], to_the_end: bool, waits: Waits },
    /// The name is given back.
    UnlockName { owner: u64, name: &'a [u8], to_the_end: bool },
    /// A task has ended, and so have the names that it had to its end.
    TaskEnds { owner: u64 },
    /// The holder of what a unit of work waits for.
    Holder { waiter: u64 },
    /// A record, with a stamp for a copy of it; true if it is one of a data table.
    Copy {
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        is_of_table: bool,
    },
    /// A store takes up to so many records.
    Bound { store: u32, most: u64 },
    /// A unit of work is about to put a record into such a store, of which it has the lock.
    Reserve {
        owner: u64,
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// A record of a store that is not recoverable, and its version.
    Versioned {
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// A change of such a record, if it still has this version.
    Replace {
        store: u32,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        version: u64,
        #[serde(with = "serde_bytes")]
        record: Option<&'a [u8]>,
    },
    /// The region reads ahead in a store: each change of the store raises the stamp of that.
    Ahead { store: u32 },
    /// A shared table is deleted, at the wish of one who looks.
    DropTable { name: &'a str },
    /// A backup of all records, into a file, at the wish of one who looks.
    Backup { file: &'a str },
    /// The key in a file for the records from now on, at the wish of one who looks.
    Rotate { key_file: &'a str },
    /// The work of the server for this region.
    OwnWork,
    /// The locks that this region has, and those that it waits for.
    Locks,
    /// The work of the server for all.
    Status,
}

impl Request<'_> {
    /// The one store that it is about, which the region must be allowed to use.
    pub fn store(&self) -> Option<u32> {
        match *self {
            Self::Lock { store, .. }
            | Self::Get { store, .. }
            | Self::Range { store, .. }
            | Self::Change { store, .. }
            | Self::Doubtful { store }
            | Self::Verify { store }
            | Self::Watch { store }
            | Self::Numbers { store, .. }
            | Self::Copy { store, .. }
            | Self::Bound { store, .. }
            | Self::Reserve { store, .. }
            | Self::Ahead { store }
            | Self::Versioned { store, .. }
            | Self::Replace { store, .. }
            | Self::Fill { store, .. } => Some(store),
            _ => None,
        }
    }

    /// Returns true if it may be asked again where its reply was lost with the session.
    pub fn is_repeatable(&self) -> bool {
        matches!(
            self,
            Self::Lock { .. }
                | Self::Get { .. }
                | Self::Range { .. }
                | Self::Describe { .. }
                | Self::Claim { .. }
                | Self::LockName { .. }
                | Self::Copy { .. }
                | Self::Bound { .. }
                | Self::Versioned { .. }
        )
    }
}

/// A store, as the directory has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described<'a> {
    /// Its number.
    pub store: u32,
    /// Its name.
    pub name: &'a str,
    /// True if it is recoverable.
    pub recoverable: bool,
}

/// A unit of work in doubt, as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InDoubt<'a> {
    /// Its name, as the region gave it.
    pub name: &'a [u8],
    /// Milliseconds from 1970 on.
    pub since: u64,
    /// 0: its task waits; 1: shunted; 2, 3: an operator has committed it, or backed it out.
    pub standing: u8,
    /// Stores and keys that it changes.
    pub stores: u64,
    /// See `stores`.
    pub keys: u64,
}

/// A lock of a region, as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked<'a> {
    /// The unit of work that has it or waits for it; `None`: one in doubt.
    pub owner: Option<u64>,
    /// The name of the one in doubt.
    pub unit: &'a [u8],
    /// The store; `None`: it is a name among all regions.
    pub store: Option<u32>,
    /// The key, or the name.
    #[serde(with = "serde_bytes")]
    pub name: &'a [u8],
    /// It is waited for.
    pub waits: bool,
    /// It is retained, and so many were refused because of that.
    pub retained: bool,
    /// See `retained`.
    pub refusals: u32,
    /// Seconds for which that has been so.
    pub seconds: u32,
}

/// A reply of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<'a> {
    /// It is done.
    Done,
    /// It is not; nothing was changed, unless the failure says otherwise.
    #[serde(borrow)]
    Failed(Failure<'a>),
    /// A record; `None` if there is none.
    Record(#[serde(with = "serde_bytes")] Option<&'a [u8]>),
    /// Records in order; more follow if the limit of a reply was reached before that of the request. The place and the value of the
    /// stamp of their store, if the region reads ahead there and nothing is being changed.
    Records {
        #[serde(borrow, with = "pairs")]
        records: Vec<(&'a [u8], &'a [u8])>,
        more: bool,
        stamp: Option<(u32, u64)>,
    },
    /// The directory, and the most bytes of a unit of work.
    Begun { stores: Vec<Described<'a>>, largest_unit: u64 },
    /// A number.
    Number(u64),
    /// Yes or no.
    Is(bool),
    /// A store; `None` if there is none.
    Store(Option<Described<'a>>),
    /// Units of work in doubt.
    Indoubt(Vec<InDoubt<'a>>),
    /// Their changes in a store.
    Doubtful(Vec<(&'a [u8], Option<&'a [u8]>)>),
    /// Numbers of records that are right and of those that there should be, and what is wrong.
    Verified { records: u64, expected: u64, problems: Vec<&'a str> },
    /// Groups, units of work and bytes of the log.
    Counted(u64, u64, u64),
    /// A holder: a unit of work of the region, or another region.
    Held(Option<u64>, Option<&'a str>),
    /// A record, and the place and the value of its stamp; `None` if it may not be copied now.
    Stamped(#[serde(with = "serde_bytes")] Option<&'a [u8]>, Option<(u32, u64)>),
    /// A record, and the version of it, or of its absence.
    Versioned(#[serde(with = "serde_bytes")] Option<&'a [u8]>, u64),
    /// 0: it was changed; 1: it has another version; 2: it is not there.
    Replaced(u8),
    /// The work of the server for one region, in all and by store.
    Work(Tally, Vec<(&'a str, Tally)>),
    /// Locks of the region.
    Locks(Vec<Locked<'a>>),
    /// The work of the server for all.
    Status(Status),
}

/// A message that the server sends without a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Push<'a> {
    /// The directory has changed.
    #[serde(borrow)]
    Directory(Vec<Described<'a>>),
    /// Another region has changed these records of a store.
    Changed(u32, Vec<(&'a [u8], Option<&'a [u8]>)>),
    /// A unit of work in doubt has ended without its task.
    Resolved { name: &'a [u8], commits: bool, changes: Vec<OfResolved<'a>> },
    /// The number of copies that the region has used, and found out of date: [`OfCopies`] is the reply.
    Copies,
}

/// A store, the copies of it that were used, and those that were out of date.
pub type OfCopies = Vec<(u32, u64, u64)>;

/// A change of a unit of work in doubt that has ended: the store, the key, the record, and true if there was one before.
pub type OfResolved<'a> = (u32, &'a [u8], Option<&'a [u8]>, bool);

/// Bytes of most messages, or somewhat more.
const USUAL_BYTES: usize = 320;

/// Writes a message.
pub fn to_bytes<T: Serialize>(message: &T) -> Vec<u8> {
    // Only what has no length known before cannot be written, and no message has such.
    postcard::to_extend(message, Vec::with_capacity(USUAL_BYTES)).unwrap_or_default()
}

/// Reads a message; `None` if the bytes are none.
pub fn of_bytes<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (message, left) = postcard::take_from_bytes(bytes).ok()?;
    left.is_empty().then_some(message)
}

/// True for forward.
pub fn is_forward(direction: Direction) -> bool {
    direction == Direction::Forward
}

/// The direction.
pub fn direction(forward: bool) -> Direction {
    if forward { Direction::Forward } else { Direction::Backward }
}

/// The promise of a store.
pub fn recovery(recoverable: bool) -> Recovery {
    if recoverable { Recovery::Recoverable } else { Recovery::NonRecoverable }
}

/// The decision.
pub fn decision(commits: bool) -> Decision {
    if commits { Decision::Commit } else { Decision::Backout }
}

/// A store of the engine as the directory has it.
pub fn described(info: &StoreInfo) -> Described<'_> {
    let StoreInfo { id: StoreId(store), name, recovery } = info;
    Described { store: *store, name, recoverable: *recovery == Recovery::Recoverable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written_and_nothing_else_is_one() {
        let changes = vec![
            Change::Record(7, b"key", Some(b"record")),
            Change::Record(7, b"other", None),
            Change::Create(9, "name", true),
            Change::Promise(9, false),
        ];
        let place = CommitPlace { place: 3, number: u64::MAX };
        let request = Request::Commit { owner: 4, place, forced: true, changes };
        let bytes = to_bytes(&request);
        assert_eq!(of_bytes::<Request<'_>>(&bytes), Some(request));
        for length in 0..bytes.len() {
            assert_eq!(of_bytes::<Request<'_>>(&bytes[..length]), None, "{length} bytes of it");
        }
        assert_eq!(of_bytes::<Request<'_>>(&[bytes.as_slice(), b"x"].concat()), None);
    }

    #[test]
    fn counts_beyond_the_bytes_are_refused_without_memory_for_them() {
        // A commit of 2^32 - 1 changes, none of which is there.
        let mut bytes = to_bytes(&Request::Commit {
            owner: 0,
            place: CommitPlace { place: 0, number: 0 },
            forced: true,
            changes: Vec::new(),
        });
        bytes.pop();
        bytes.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(of_bytes::<Request<'_>>(&bytes), None);
        let mut random = 1_u64;
        for length in 0..2_000 {
            let garbage: Vec<u8> = (0..length % 90)
                .map(|_| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (random >> 33) as u8
                })
                .collect();
            let _ = of_bytes::<Request<'_>>(&garbage);
            let _ = of_bytes::<Reply<'_>>(&garbage);
        }
    }
}
