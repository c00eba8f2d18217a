//! The seam: what every record engine offers. The engine of this crate ([`crate::Local`]) is one; a database server
//! can be another.

use std::sync::Arc;

use crate::{
    Answer, Archive, Batch, Decider, Decision, Direction, DoubtfulChange, EncryptionKey, Error, Indoubt,
    Lifetime, LockOf, Locks, Origin, Owner, Recovery, Replaced, ResolvedWatcher, Resource, Result, Stamp,
    StoreId, StoreInfo, Verified, Wait,
};

/// Counts of a log since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogCounts {
    /// Groups that were written: each is one force, however many wait for it.
    pub groups: u64,
    /// Units of work that waited for one of them.
    pub forced_units: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// Checkpoints that have moved changes into the base.
    pub checkpoints: u64,
}

/// The work of the process that has the records for one of those that share them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCounts {
    /// Requests that it has answered.
    pub exchanges: u64,
    /// Locks that were waited for.
    pub lock_waits: u64,
    /// Locks that were refused because of a deadlock.
    pub deadlocks: u64,
    /// Locks that were not granted in time.
    pub timeouts: u64,
    /// Records that were changed.
    pub changes: u64,
    /// Units of work that were committed.
    pub units: u64,
    /// Those of them that have waited for the log to be forced.
    pub forced: u64,
    /// Copies of records that were read here instead of an exchange.
    pub copies_used: u64,
    /// Copies that were out of date when they were wanted.
    pub copies_refused: u64,
}

/// The holder of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// An owner of this process.
    Here(Owner),
    /// Another process of those that share the records, by its name.
    Elsewhere(String),
}

/// The one of this process for whom another one keeps a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holding {
    /// An owner.
    Owner(Owner),
    /// The unit of work in doubt of this name.
    Doubtful(Vec<u8>),
}

/// The right to use something by its name, beside others or alone: see [`Engine::claim`]. Given back when dropped.
#[derive(Default)]
pub struct Claim(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Claim {
    /// A claim that has something to do when it is given back.
    pub fn given_back_by(ends: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(ends)))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(ends) = self.0.take() {
            ends();
        }
    }
}

/// The numbers that the owner of a store gives out, each once: see [`UnitOfWork::take_numbers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Keys are addresses: they begin behind the last record.
    Addresses,
    /// Keys end with numbers: they begin with this one.
    From(u64),
}

/// The content of a store that other processes change: see [`Engine::watch_store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen<'a> {
    /// All of it: the watch begins, or begins again.
    All(&'a [(Vec<u8>, Vec<u8>)]),
    /// A record that was changed; `None` if it was deleted.
    One(&'a [u8], Option<&'a [u8]>),
}

/// Hears of the content of a store: see [`Engine::watch_store`].
pub type StoreWatcher = Box<dyn Fn(Seen<'_>) + Send + Sync>;

/// Keys and records in ascending order of the keys.
pub type Sorted<'a> = &'a mut dyn Iterator<Item = Result<(Vec<u8>, Vec<u8>)>>;

/// A record and its version: see [`Engine::read_versioned`].
pub type Versioned = (Vec<u8>, u64);

/// A load of stores: see [`Engine::begin_load`]. Dropped without a commit it has done nothing.
pub trait Load {
    /// Fills a store with records. Gives the number of records.
    fn fill(&mut self, store: StoreId, records: Sorted<'_>) -> Result<u64>;

    /// Lets the stores hold what they were filled with, durably.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// The beginning of the names of stores that belong to one process of those that share an engine.
pub const OWN_STORES: &str = "region ";

/// The store that describes the tables of all processes that share an engine: a record for each, by the table's name.
pub const SHARED_TABLES: &str = "shared tables";

/// The name of the store with the records of a shared table. Who has the table open claims this name, too.
pub fn shared_table(name: &str) -> String {
    format!("table {name}")
}

/// A store by its name, made if it is not there. Another process may make it at the same time.
///
/// # Errors
/// The engine's own.
pub async fn store_named(engine: &dyn Engine, name: &str, recovery: Recovery) -> Result<StoreId> {
    if let Some(store) = engine.find(name) {
        return Ok(store);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let created = match unit.create_store(name, recovery) {
        Ok(store) => unit.commit().await.map(|()| store),
        Err(error) => Err(error),
    };
    match created {
        Err(Error::StoreExists(_)) => {
            engine.find(name).ok_or_else(|| Error::Lost(format!("{name} is made and not there")))
        }
        created => created,
    }
}

/// A record engine. Shared by all threads of a region.
pub trait Engine: Send + Sync {
    /// The lock manager of this process: numbers of owners, and locks on names. Those of records are there as well, in one
    /// waits-for graph, unless others use the records beside this process ([`Self::is_shared`]): then they are where the
    /// records are, and only [`UnitOfWork::lock`] takes them.
    fn locks(&self) -> &Arc<Locks>;

    /// Starts a unit of work. `owner` names who does it ([`Locks::new_owner`]): successive units of work of one task
    /// have the same owner, so that a task can never deadlock with itself.
    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork>;

    /// The store of this name.
    fn find(&self, name: &str) -> Option<StoreId>;

    /// All stores in the order of their numbers.
    fn stores(&self) -> Vec<StoreInfo>;

    /// Returns true if other processes create, change and delete stores beside this one. Stores whose names begin with
    /// [`OWN_STORES`] are this process's alone all the same: others neither see nor use them.
    fn is_shared(&self) -> bool {
        false
    }

    /// This process ends: from now on nothing waits for long where those are gone who have the records.
    fn is_ending(&self) {}

    /// Returns true unless the process that has the records is away, as far as is known here.
    fn is_reached(&self) -> bool {
        true
    }

    /// Claims a name among the processes that share the engine, beside others who claim it so or `alone`; `None` if another
    /// process has it otherwise. An engine that is not shared grants each claim.
    fn claim(&self, name: &[u8], alone: bool) -> Answer<'static, Result<Option<Claim>>> {
        let _ = (name, alone);
        Answer::ready(Ok(Some(Claim::default())))
    }

    /// From now on `watcher` hears what a store holds, and of each change that another process commits. It hears of a change
    /// before any answer that the engine gives to this process later than the commit. It is called on any thread, and must
    /// neither wait nor ask the engine. An engine that is not shared never calls it.
    fn watch_store(&self, store: StoreId, watcher: StoreWatcher) -> Answer<'static, Result<()>> {
        let _ = (store, watcher);
        Answer::ready(Ok(()))
    }

    /// From now on a store that other processes share takes up to so many records: one more is refused with [`Error::Limit`] when a
    /// unit of work puts it there. Each process that puts records there says so. Returns the number of records, with those that
    /// units of work are about to add.
    fn bound(&self, store: StoreId, most: u64) -> Answer<'static, Result<u64>> {
        let _ = (store, most);
        Answer::ready(Err(Error::Unsupported("a bound of a store that is not shared")))
    }

    /// Reads a record of a store that other processes share and that is not recoverable, with its version: a number that no other state
    /// of the record has.
    fn read_versioned(&self, store: StoreId, key: &[u8]) -> Answer<'static, Result<Option<Versioned>>> {
        let _ = (store, key);
        Answer::ready(Err(Error::Unsupported("versions of a store that is not shared")))
    }

    /// Replaces such a record, or deletes it (`None`), if it still has the version that was read.
    fn replace_versioned(
        &self,
        store: StoreId,
        key: &[u8],
        version: u64,
        record: Option<&[u8]>,
    ) -> Answer<'static, Result<Replaced>> {
        let _ = (store, key, version, record);
        Answer::ready(Err(Error::Unsupported("versions of a store that is not shared")))
    }

    /// Tells the process that has the locks of records that `waiter` waits for a name that `holder` has here, so that a circle of
    /// waits through both is found: [`Error::Deadlock`], at once or whenever it is closed. `Ok`: it is time to look again who
    /// the holder is. Dropped, the wait is over. If one table has all locks, it never answers.
    fn note_wait(&self, waiter: Owner, holder: Owner) -> Answer<'static, Result<()>> {
        let _ = (waiter, holder);
        Answer::later(std::future::pending())
    }

    /// Lock that an owner of this process waits for: a record or a name, wherever it is.
    fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.locks().awaited(owner)
    }

    /// The holder of what an owner of this process waits for. It may ask another process, which has little time to answer.
    fn holder_for(&self, waiter: Owner) -> Option<Holder> {
        self.locks().holder(&self.awaited(waiter)?).map(Holder::Here)
    }

    /// Locks that owners and units of work in doubt of this process have in another one or wait for there, as far as this one knows
    /// them. Blocks the calling thread.
    fn held_elsewhere(&self) -> Vec<(Holding, LockOf)> {
        Vec::new()
    }

    /// Gives back the names that an owner has taken to its own end ([`UnitOfWork::lock_name`]).
    fn release_names(&self, owner: Owner) {
        let _ = owner;
    }

    /// The work of the process that has the records for this one, in all and by store; nothing if that is this process.
    /// Blocks the calling thread.
    fn shared_counts(&self) -> Option<(SharedCounts, Vec<(String, SharedCounts)>)> {
        None
    }

    /// Sets so many numbers of stores aside, for [`UnitOfWork::create_store_as`] by another process; the first of them.
    fn set_numbers_aside(&self, count: u32) -> Result<StoreId> {
        let _ = count;
        Err(Error::Unsupported("numbers of stores set aside"))
    }

    /// Bytes that the changes of a unit of work may have, counted by [`crate::change_bytes`].
    fn largest_unit(&self) -> usize {
        usize::MAX
    }

    /// Replaces what the store holds, all at once, by `records`, which come in ascending order of their keys and
    /// without duplicates; an error among them ends the load and leaves the store as it was. Returns how many there
    /// were. Not part of a unit of work: the caller sees to it that no other task uses the store meanwhile. Blocks the
    /// calling thread, so keep it off the threads that run tasks.
    fn load(&self, store: StoreId, records: Sorted<'_>) -> Result<u64> {
        let mut load = self.begin_load()?;
        let count = load.fill(store, records)?;
        load.commit()?;
        Ok(count)
    }

    /// Begins to do so with several stores: all of them hold something else after its commit, or none.
    fn begin_load(&self) -> Result<Box<dyn Load + '_>>;

    /// Writes what is committed to the base and trims the log. Blocks the calling thread. An engine does it by itself
    /// when it is due; this is for utilities and an orderly shutdown.
    fn checkpoint(&self) -> Result<()>;

    /// Reads all that a store has at rest, beyond what is damaged, and says what it found. Blocks the calling thread.
    fn verify(&self, store: StoreId) -> Result<Verified> {
        let _ = store;
        Ok(Verified::default())
    }

    /// Copies all that was committed before the call into an archive, and perhaps more, but nothing half; others go on
    /// meanwhile. `fixed` is called once, when no later commit gets into the archive any more; `progress` hears how many
    /// records were copied. Blocks the calling thread.
    fn backup(
        &self,
        archive: &mut Archive<'_>,
        fixed: &mut dyn FnMut(),
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let _ = (archive, fixed, progress);
        Err(Error::Unsupported("a backup"))
    }

    /// Seals with another key from now on; records under the former key are sealed with the new one while others go
    /// on, see [`Self::resealing`]. Nothing needs the former key any more when this returns. Blocks the calling
    /// thread.
    fn rotate(&self, key: &EncryptionKey) -> Result<()> {
        let _ = key;
        Err(Error::Unsupported("a key for data in clear"))
    }

    /// Number of records that have been sealed again, while some are left under a former key; then `None`.
    fn resealing(&self) -> Option<u64> {
        None
    }

    /// Waits until the engine can do no work any more before it is opened again, because its disk failed or something
    /// overwrote its memory; then says why. A disk that is full is no such failure.
    fn failure(&self) -> Answer<'static, String> {
        Answer::later(std::future::pending())
    }

    /// Counts of its log.
    fn log_counts(&self) -> LogCounts {
        LogCounts::default()
    }

    /// Keeps copies of a store's records in main storage as they are read, up to `limit` of them. They are always
    /// up to date; an engine that has no such copies ([`crate::Copies`] has) need not do anything.
    fn keep(&self, store: StoreId, limit: Option<u64>) {
        let _ = (store, limit);
    }

    /// Makes no more copies of a store and forgets those that there are, when it is called as often as [`Self::keep`].
    fn release_kept(&self, store: StoreId) {
        let _ = store;
    }

    /// The units of work that are indoubt, and those that an operator has ended without their coordinator; by name.
    fn indoubt(&self) -> Result<Vec<Indoubt>> {
        Ok(Vec::new())
    }

    /// The changes of units of work in doubt in a store, by unit of work and key.
    fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        let _ = store;
        Ok(Vec::new())
    }

    /// From now on `watcher` hears of each unit of work in doubt that ends without its task: by [`Self::resolve`]. It hears
    /// of it when the changes can be seen, and before the locks are free, on whichever thread that is: it must neither
    /// wait nor ask the engine. A keeper of something beside the records brings it up to date there.
    fn watch_resolved(&self, watcher: ResolvedWatcher) {
        let _ = watcher;
    }

    /// Ends the indoubt unit of work of this name, whether its task waits for that or it was shunted: the decision is
    /// durable, then the changes are visible or forgotten, then the locks are free. After an error it is still indoubt. While
    /// it becomes indoubt, or is being ended, this waits: [`crate::Error::NotIndoubt`] says that it is over, durably.
    ///
    /// The decision of an operator is remembered until the coordinator comes with the same decision, or
    /// [`Self::forget`]; a coordinator that comes with the other one learns of it by [`crate::Error::Heuristic`].
    fn resolve(&self, name: &[u8], decision: Decision, by: Decider) -> Answer<'static, Result<()>> {
        let _ = (name, decision, by);
        Answer::ready(Err(Error::NotIndoubt))
    }

    /// Forgets what an operator has decided about a unit of work.
    fn forget(&self, name: &[u8]) -> Answer<'static, Result<()>> {
        let _ = name;
        Answer::ready(Err(Error::NotIndoubt))
    }
}

/// A unit of work: private changes, the locks that guard them, and one end for all of them.
///
/// A unit of work that is dropped is backed out, unless it is prepared: then it is *shunted*. It stays indoubt, over
/// restarts, until [`Engine::resolve`], and its locks are *retained*: a request for one fails at once
/// ([`Error::Retained`]), since waiting might take days. Reads see its own changes, and otherwise what is committed: never
/// another unit's uncommitted changes, except in stores that are not recoverable.
///
/// The changer of a key holds a lock that guards it. That is the caller's choice ([`UnitOfWork::lock`]) because one
/// lock may guard several keys: the entries that a record has in alternate indexes are guarded by the record's lock.
pub trait UnitOfWork: Send {
    /// Owner of the locks.
    fn owner(&self) -> Owner;

    /// Creates a store. It can be used after the commit.
    fn create_store(&mut self, name: &str, recovery: Recovery) -> Result<StoreId>;

    /// Creates a store with a number that was set aside ([`Engine::set_numbers_aside`]).
    fn create_store_as(&mut self, store: StoreId, name: &str, recovery: Recovery) -> Result<()> {
        let _ = (store, name, recovery);
        Err(Error::Unsupported("a store with a number of the caller's"))
    }

    /// Deletes a store with all that it holds, at the commit.
    fn delete_store(&mut self, store: StoreId) -> Result<()>;

    /// Empties a store, at the commit. The caller sees to it that no other unit of work has changes in it.
    fn empty_store(&mut self, store: StoreId) -> Result<()>;

    /// Changes what a store promises, at the commit. The caller sees to it that no other unit of work has changes in it.
    fn set_recovery(&mut self, store: StoreId, recovery: Recovery) -> Result<()>;

    /// Takes the exclusive lock of a key until the end of the unit of work, whether there is a record or not.
    fn lock<'a>(&'a mut self, store: StoreId, key: &'a [u8], wait: Wait) -> Answer<'a, Result<()>>;

    /// Returns true if it has the lock of a key.
    fn has_lock(&self, store: StoreId, key: &[u8]) -> bool;

    /// Takes so many numbers, one behind the other, of a store that several processes share, and returns the first. Its owner
    /// gives each number out once, whatever becomes of the unit of work; none that a unit of work in doubt has taken.
    fn take_numbers<'a>(
        &'a mut self,
        store: StoreId,
        numbers: Numbers,
        count: u64,
    ) -> Answer<'a, Result<u64>> {
        let _ = (store, numbers, count);
        Answer::ready(Err(Error::Unsupported("numbers of a store that is not shared")))
    }

    /// Takes a name among the processes that share the engine: one owner of all has it at a time, to the end of the unit of
    /// work or of the task. If the engine is not shared, [`Locks`] has all names.
    fn lock_name<'a>(&'a mut self, name: &'a [u8], lifetime: Lifetime, wait: Wait) -> Answer<'a, Result<()>> {
        let _ = (name, lifetime, wait);
        Answer::ready(Err(Error::Unsupported("names of an engine that is not shared")))
    }

    /// Releases such a name once; one that is not held is no error.
    fn unlock_name(&mut self, name: &[u8], lifetime: Lifetime) {
        let _ = (name, lifetime);
    }

    /// Returns true if it holds locks that [`Engine::locks`] does not know.
    fn has_locks_elsewhere(&self) -> bool {
        false
    }

    /// Releases a lock before the end, except when the unit of work has changed that key in a recoverable store.
    fn unlock(&mut self, store: StoreId, key: &[u8]);

    /// Reads a record into `record`, replacing what is there; false (and an empty `record`) when there is none.
    fn get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>>;

    /// Takes the lock of a key and reads its record: [`Self::lock`] and [`Self::get`] in one exchange where the engine is
    /// elsewhere. The lock stays if there is no record; after an error of the read it may be there, and [`Self::unlock`]
    /// releases it.
    fn lock_and_get<'a>(
        &'a mut self,
        store: StoreId,
        key: &'a [u8],
        wait: Wait,
        record: &'a mut Vec<u8>,
    ) -> Answer<'a, Result<bool>> {
        Answer::later(async move {
            self.lock(store, key, wait).await?;
            self.get(store, key, record).await
        })
    }

    /// Asks whether so many changes with keys and records of so many bytes will be taken; if so, the next ones are not
    /// refused for want of room. So a caller that makes several changes for one request makes all or none.
    fn make_room(&mut self, changes: usize, bytes: usize) -> Result<()> {
        let _ = (changes, bytes);
        Ok(())
    }

    /// The moment before the first of several changes that one request makes, with reads between them. A request that is only tried, and
    /// that one of these reads would end, waits here: otherwise its first change would be made twice.
    fn begins_several(&mut self) -> Answer<'_, ()> {
        Answer::ready(())
    }

    /// Writes a record, whether there was one or not.
    fn put<'a>(&'a mut self, store: StoreId, key: &'a [u8], record: &'a [u8]) -> Answer<'a, Result<()>>;

    /// Deletes a record; no matter whether there was one.
    fn delete<'a>(&'a mut self, store: StoreId, key: &'a [u8]) -> Answer<'a, Result<()>>;

    /// Reads up to `limit` records into `batch`, replacing what is there; fewer mean that the range ends there.
    fn range<'a>(
        &'a mut self,
        store: StoreId,
        origin: Origin<'a>,
        direction: Direction,
        limit: usize,
        batch: &'a mut Batch,
    ) -> Answer<'a, Result<()>>;

    /// Returns true if another read of a batch would still show the same. Cheap; false is always a correct answer.
    fn is_current(&self, store: StoreId, stamp: Stamp) -> bool;

    /// True as long as nothing was changed that a commit would have to make durable.
    fn is_clean(&self) -> bool;

    /// Makes the changes durable, then visible, then releases the locks. Ready at once when there is nothing to
    /// commit. If the answer is dropped, the unit of work is either backed out or goes on to its commit. After an
    /// error it is backed out, except after [`crate::Error::Io`], where only a restart can tell. The owner's next unit
    /// of work begins after the answer.
    fn commit(self: Box<Self>) -> Answer<'static, Result<()>>;

    /// As [`Self::commit`], but without waiting for the disk: whole after a crash, or not there at all; one that was
    /// prepared is whole, or indoubt once more.
    fn commit_unforced(self: Box<Self>) -> Answer<'static, Result<()>>;

    /// First half of a two-phase commit: makes the changes durable as *indoubt* under the name that the coordinator
    /// gave. They stay invisible and their locks are kept until [`Self::commit`] or [`Self::backout`], after an error
    /// of which they still are. Everything else is refused from now on ([`Error::Prepared`]).
    ///
    /// A unit of work without changes is not listed as indoubt: it has nothing to decide. [`Error::NameInUse`] and
    /// [`Error::Limit`] leave the unit of work as it was; after any other error it is backed out. If the answer is
    /// dropped, it may become indoubt nevertheless.
    fn prepare<'a>(&'a mut self, name: &'a [u8]) -> Answer<'a, Result<()>> {
        let _ = name;
        Answer::ready(Err(Error::Unsupported("two-phase commit")))
    }

    /// Forgets the changes and releases the locks.
    fn backout(self: Box<Self>) -> Answer<'static, Result<()>>;
}
