//! The engine of a record server, as a region has it.

mod asking;
mod calls;
mod copies;
mod directory;
mod elsewhere;
mod hears;
mod loading;
mod recent;
mod runner;
mod thread;
mod unit;

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use records::{
    Answer, Archive, Batch, Claim, Decider, Decision, Direction, DoubtfulChange, EncryptionKey, Engine,
    Error, Holder, Holding, Indoubt, Load, LockOf, Locks, LogCounts, Origin, Owner, Replaced,
    ResolvedWatcher, Resource, Result, SharedCounts, Standing, StoreId, StoreInfo, StoreWatcher, TokioClock,
    UnitOfWork, Verified, Versioned,
};

use self::asking::caller_waits;
pub(crate) use self::calls::Calls;
pub use self::elsewhere::{Elsewhere, NotThere};
use self::loading::RemoteLoad;
pub use self::runner::Connector;
use self::unit::RemoteUnit;
use crate::limits::LOOK_MAX;
use crate::protocol::{InDoubt, Locked, Reply, Request, of_bytes};

/// The engine of a record server.
///
/// Record locks, records and the log are the server's. A unit of work keeps its changes here until its commit, which takes
/// them there in one exchange. Names and numbers of owners are this process's ([`Engine::locks`]).
pub struct Remote {
    calls: Arc<Calls>,
    locks: Arc<Locks>,
    /// The thread of the link; it ends with this.
    _thread: Option<thread::Thread>,
}

impl Remote {
    fn new(calls: Arc<Calls>, thread: Option<thread::Thread>, locks_per_owner: usize) -> Arc<Self> {
        let locks = Locks::new(Arc::new(TokioClock), locks_per_owner);
        Arc::new(Self { calls, locks, _thread: thread })
    }

    /// An engine without a thread: its link is the future that is returned, which lives in a `LocalSet` of the caller's.
    pub fn without_thread<C: Connector>(
        applid: &str,
        run: u64,
        connector: C,
        patience: Duration,
    ) -> (Arc<Self>, impl Future<Output = ()> + use<C>) {
        let calls = Arc::new(Calls::new(patience));
        let runs = runner::run(Arc::clone(&calls), connector, crate::hello::of_region(applid, run));
        (Self::new(calls, None, records::Limits::default().locks_per_owner), runs)
    }

    /// Waits until the server is there, or says why it is not.
    ///
    /// # Errors
    /// The reason.
    pub async fn is_there(&self) -> std::result::Result<(), String> {
        self.calls.is_there().await
    }

    /// The number of the records, which is theirs wherever they are served.
    pub fn records(&self) -> u64 {
        self.calls.records()
    }

    /// Copies of records that are read, of whichever store of all regions, may take so many bytes; 0 means that none are kept.
    pub fn copies_take(&self, bytes: usize) {
        self.calls.copies.takes(bytes);
    }

    fn blocking<T>(&self, request: &Request<'_>, read: impl FnOnce(Reply<'_>) -> Option<T>) -> Result<T> {
        let reply = self.calls.ask_and_block(request)?;
        answer(&reply, read)
    }
}

/// The answer in a reply. A failure is an error; another reply than the one that belongs to the request is one, too.
fn answer<T>(reply: &[u8], read: impl FnOnce(Reply<'_>) -> Option<T>) -> Result<T> {
    match of_bytes::<Reply<'_>>(reply) {
        Some(Reply::Failed(failure)) => Err(failure.error()),
        Some(reply) => read(reply).ok_or_else(broken),
        None => Err(broken()),
    }
}

fn broken() -> Error {
    Error::Lost("the record server has sent a reply that belongs to no such request".into())
}

/// The answer to a request that is done, and no more.
fn done(reply: Reply<'_>) -> Option<()> {
    (reply == Reply::Done).then_some(())
}

fn shown(unit: &InDoubt<'_>) -> Indoubt {
    Indoubt {
        name: unit.name.to_vec(),
        since: UNIX_EPOCH + Duration::from_millis(unit.since),
        standing: match unit.standing {
            0 => Standing::Attended,
            1 => Standing::Shunted,
            2 => Standing::Forced(Decision::Commit),
            _ => Standing::Forced(Decision::Backout),
        },
        owner: None,
        stores: unit.stores as usize,
        keys: unit.keys as usize,
    }
}

/// A lock at the server, as listings of the region show it.
fn lock_of(lock: &Locked<'_>) -> (Holding, LockOf) {
    let by = lock
        .owner
        .map_or_else(|| Holding::Doubtful(lock.unit.to_vec()), |owner| Holding::Owner(Owner(owner)));
    let resource = match lock.store {
        Some(store) => Resource::record(StoreId(store), lock.name),
        None => Resource::named(lock.name),
    };
    let &Locked { waits, retained, refusals, seconds, .. } = lock;
    (by, LockOf { resource, waits, retained, refusals, seconds })
}

impl Engine for Remote {
    fn locks(&self) -> &Arc<Locks> {
        &self.locks
    }

    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork> {
        Box::new(RemoteUnit::new(Arc::clone(&self.calls), owner))
    }

    fn find(&self, name: &str) -> Option<StoreId> {
        self.calls.directory.find(name)
    }

    fn stores(&self) -> Vec<StoreInfo> {
        self.calls.directory.list()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn is_ending(&self) {
        self.calls.is_ending();
    }

    fn is_reached(&self) -> bool {
        self.calls.epoch().is_some()
    }

    fn claim(&self, name: &[u8], alone: bool) -> Answer<'static, Result<Option<Claim>>> {
        let (calls, name) = (Arc::clone(&self.calls), name.to_vec());
        Answer::later(async move {
            let reply = calls.ask(&Request::Claim { name: &name, alone }, None).await?.0;
            let is = answer(&reply, |reply| if let Reply::Is(is) = reply { Some(is) } else { None })?;
            Ok(is.then(|| calls.claimed(name, alone)))
        })
    }

    fn largest_unit(&self) -> usize {
        self.calls.largest_unit()
    }

    fn begin_load(&self) -> Result<Box<dyn Load + '_>> {
        Ok(Box::new(RemoteLoad::begin(&self.calls)?))
    }

    fn backup(&self, _: &mut Archive<'_>, _: &mut dyn FnMut(), _: &mut dyn FnMut(u64)) -> Result<()> {
        Err(Error::Unsupported("a backup of the records of a record server through a region"))
    }

    fn rotate(&self, _: &EncryptionKey) -> Result<()> {
        Err(Error::Unsupported("another key for the records of a record server through a region"))
    }

    fn watch_store(&self, store: StoreId, watcher: StoreWatcher) -> Answer<'static, Result<()>> {
        let calls = Arc::clone(&self.calls);
        Answer::later(async move {
            caller_waits().await;
            let watched = calls.hears.watch_store(store, watcher);
            let (reply, epoch) = calls.ask(&Request::Watch { store: store.0 }, None).await?;
            answer(&reply, done)?;
            // A later session reads all of it by itself.
            let mut unit = RemoteUnit::in_session(Arc::clone(&calls), Owner(0), epoch);
            let mut batch = Batch::default();
            unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await?;
            let all: Vec<_> = batch.iter().map(|(key, record)| (key.to_vec(), record.to_vec())).collect();
            watched.is_all(&all);
            Ok(())
        })
    }

    fn checkpoint(&self) -> Result<()> {
        self.blocking(&Request::Checkpoint, done)
    }

    fn verify(&self, store: StoreId) -> Result<Verified> {
        self.blocking(&Request::Verify { store: store.0 }, |reply| match reply {
            Reply::Verified { records, expected, problems } => {
                let problems = problems.into_iter().map(str::to_owned).collect();
                Some(Verified { records, expected, problems })
            }
            _ => None,
        })
    }

    fn failure(&self) -> Answer<'static, String> {
        let calls = Arc::clone(&self.calls);
        Answer::later(async move { calls.failure().await })
    }

    fn keep(&self, store: StoreId, limit: Option<u64>) {
        self.calls.copies.keep(store, limit);
    }

    fn release_kept(&self, store: StoreId) {
        self.calls.copies.release(store);
    }

    fn bound(&self, store: StoreId, most: u64) -> Answer<'static, Result<u64>> {
        let calls = Arc::clone(&self.calls);
        Answer::later(async move {
            caller_waits().await;
            calls.is_bound(store, most);
            let reply = calls.ask(&Request::Bound { store: store.0, most }, None).await?.0;
            answer(&reply, |reply| if let Reply::Number(records) = reply { Some(records) } else { None })
        })
    }

    fn read_versioned(&self, store: StoreId, key: &[u8]) -> Answer<'static, Result<Option<Versioned>>> {
        let (calls, key) = (Arc::clone(&self.calls), key.to_vec());
        Answer::later(async move {
            let request = Request::Versioned { store: store.0, key: &key };
            let reply = calls.ask(&request, None).await?.0;
            answer(&reply, |reply| match reply {
                Reply::Versioned(record, version) => Some(record.map(|record| (record.to_vec(), version))),
                _ => None,
            })
        })
    }

    fn replace_versioned(
        &self,
        store: StoreId,
        key: &[u8],
        version: u64,
        record: Option<&[u8]>,
    ) -> Answer<'static, Result<Replaced>> {
        let (calls, key, record) = (Arc::clone(&self.calls), key.to_vec(), record.map(<[u8]>::to_vec));
        Answer::later(async move {
            let record = record.as_deref();
            let request = Request::Replace { store: store.0, key: &key, version, record };
            let reply = calls.ask(&request, None).await?.0;
            answer(&reply, |reply| match reply {
                Reply::Replaced(0) => Some(Replaced::Done),
                Reply::Replaced(1) => Some(Replaced::Changed),
                Reply::Replaced(2) => Some(Replaced::Gone),
                _ => None,
            })
        })
    }

    fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.locks.awaited(owner).or_else(|| self.calls.awaited(owner))
    }

    fn holder_for(&self, waiter: Owner) -> Option<Holder> {
        if let Some(awaited) = self.locks.awaited(waiter) {
            return self.locks.holder(&awaited).map(Holder::Here);
        }
        self.calls.awaited(waiter)?;
        // Without a server no task has it.
        let epoch = self.calls.epoch()?;
        let request = Request::Holder { waiter: waiter.0 };
        let reply = self.calls.ask_and_block_for(&request, Some(epoch), LOOK_MAX).ok()?.0;
        match of_bytes::<Reply<'_>>(&reply)? {
            Reply::Held(Some(owner), _) => Some(Holder::Here(Owner(owner))),
            Reply::Held(None, Some(applid)) => Some(Holder::Elsewhere(applid.to_owned())),
            _ => None,
        }
    }

    fn held_elsewhere(&self) -> Vec<(Holding, LockOf)> {
        let listed = || {
            // Without a server no task holds anything.
            let epoch = self.calls.epoch()?;
            let reply = self.calls.ask_and_block_for(&Request::Locks, Some(epoch), LOOK_MAX).ok()?.0;
            match of_bytes::<Reply<'_>>(&reply)? {
                Reply::Locks(locks) => Some(locks.iter().map(lock_of).collect()),
                _ => None,
            }
        };
        listed().unwrap_or_default()
    }

    fn release_names(&self, owner: Owner) {
        self.calls.task_ends(owner);
    }

    fn shared_counts(&self) -> Option<(SharedCounts, Vec<(String, SharedCounts)>)> {
        let epoch = self.calls.epoch()?;
        let reply = self.calls.ask_and_block_for(&Request::OwnWork, Some(epoch), LOOK_MAX).ok()?.0;
        let Reply::Work(total, stores) = of_bytes::<Reply<'_>>(&reply)? else { return None };
        let (mut total, copies) = (SharedCounts::from(total), self.calls.copies.counts());
        (total.copies_used, total.copies_refused) = (0, 0);
        for (_, used, refused) in &copies {
            total.copies_used += used;
            total.copies_refused += refused;
        }
        let of_store = |(name, tally): (&str, _)| {
            let known = self.calls.directory.find(name);
            let copies = copies.iter().find(|(store, ..)| known == Some(StoreId(*store)));
            let (copies_used, copies_refused) = copies.map_or((0, 0), |(_, used, refused)| (*used, *refused));
            (name.to_owned(), SharedCounts { copies_used, copies_refused, ..SharedCounts::from(tally) })
        };
        Some((total, stores.into_iter().map(of_store).collect()))
    }

    // Statistics must not wait for a server that has gone: a region collects them at its end, too.
    fn log_counts(&self) -> LogCounts {
        let counted = || {
            let epoch = self.calls.epoch()?;
            let reply = self.calls.ask_and_block_for(&Request::Counts, Some(epoch), LOOK_MAX).ok()?.0;
            match of_bytes::<Reply<'_>>(&reply)? {
                Reply::Counted(groups, forced_units, bytes) => {
                    Some(LogCounts { groups, forced_units, bytes, ..LogCounts::default() })
                }
                _ => None,
            }
        };
        counted().unwrap_or_default()
    }

    fn indoubt(&self) -> Result<Vec<Indoubt>> {
        self.blocking(&Request::Indoubt, |reply| match reply {
            Reply::Indoubt(units) => Some(units.iter().map(shown).collect()),
            _ => None,
        })
    }

    fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        self.blocking(&Request::Doubtful { store: store.0 }, |reply| match reply {
            Reply::Doubtful(changes) => Some(
                changes.into_iter().map(|(key, record)| (key.to_vec(), record.map(<[u8]>::to_vec))).collect(),
            ),
            _ => None,
        })
    }

    fn note_wait(&self, waiter: Owner, holder: Owner) -> Answer<'static, Result<()>> {
        let calls = Arc::clone(&self.calls);
        Answer::later(async move {
            let request = Request::Waits { waiter: waiter.0, holder: holder.0 };
            answer(&calls.ask(&request, None).await?.0, done)
        })
    }

    fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.calls.hears.watch_resolved(watcher);
    }

    fn resolve(&self, name: &[u8], decision: Decision, by: Decider) -> Answer<'static, Result<()>> {
        let (calls, name) = (Arc::clone(&self.calls), name.to_vec());
        let (commits, by_operator) = (decision == Decision::Commit, by == Decider::Operator);
        Answer::later(async move {
            let request = Request::Resolve { name: &name, commits, by_operator };
            answer(&calls.ask(&request, None).await?.0, done)
        })
    }

    fn forget(&self, name: &[u8]) -> Answer<'static, Result<()>> {
        let (calls, name) = (Arc::clone(&self.calls), name.to_vec());
        Answer::later(
            async move { answer(&calls.ask(&Request::Forget { name: &name }, None).await?.0, done) },
        )
    }
}
