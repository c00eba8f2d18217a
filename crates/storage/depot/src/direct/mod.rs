//! The record engine directly in a PostgreSQL database, for several regions without a record server.
//!
//! ```text
//!  region ─ unit of work: private changes ─► session of its own ─► BEGIN, locks (rows), …, changes, number, COMMIT
//!         ─ reads ─────────────────────────► sessions that read ─► records (store, key) → record
//!         ─ place ─────────────────────────► a row, renewed      ─► regions, slots, claims
//! ```
//!
//! - A lock is a row of `locks` that its transaction inserts and deletes: others who insert the same one wait for the transaction, in the database,
//!   which finds circles of waits through all regions.
//! - A commit has a number in the row of its session. Without an answer the number is asked for, in a way that keeps a late commit out.
//! - A unit of work in doubt is rows, and so are its locks: they are committed with its name.

mod asking;
mod calls;
mod doubt;
mod known;
mod limits;
mod load;
mod names;
mod row_locks;
mod sessions;
mod shared;
mod statements;
mod tables;
mod unit;
mod worker;

use std::sync::Arc;

use parking_lot::Mutex;
use records::{
    Answer, Claim, Decider, Decision, DoubtfulChange, Engine, Holder, Holding, Indoubt, Load, LockOf, Locks,
    Owner, ResolvedWatcher, Resource, Result, StoreId, StoreInfo, StoreWatcher, TokioClock, UnitOfWork,
    Verified,
};
use tokio::sync::oneshot;

use self::asking::caller_waits;
use self::calls::Calls;
use self::doubt::Resolution;
use self::known::Known;
use self::limits::READ_RECORDS;
use self::load::DirectLoad;
use self::names::Names;
use self::unit::DirectUnit;
use crate::text::{bytes, quoted};
use crate::{CannotOpen, Options, limits as lease_limits, schema};

/// The engine directly in a database.
///
/// Record locks and records are the database's. A unit of work keeps its changes here until its commit, which sends them in one exchange. Names
/// and numbers of owners are this process's ([`Engine::locks`]).
pub struct Direct {
    calls: Arc<Calls>,
    /// Names that tasks have to their own end.
    names: Arc<Names>,
    locks: Arc<Locks>,
    run: String,
    /// The name of its sessions.
    application: String,
    thread: Mutex<Option<(oneshot::Sender<()>, std::thread::JoinHandle<()>)>>,
}

impl Direct {
    /// Connects, makes the tables if they are not there, and takes the place of the region with this APPLID, as soon as no other run has it.
    ///
    /// # Errors
    /// See [`CannotOpen`].
    pub async fn open(
        mut options: Options,
        applid: &str,
        locks_per_owner: usize,
    ) -> std::result::Result<Arc<Self>, CannotOpen> {
        schema::check_name(&options.schema)?;
        if !(lease_limits::LEASE_MIN..=lease_limits::LEASE_MAX).contains(&options.lease) {
            return Err(CannotOpen::Lease);
        }
        let known = Arc::new(Known::new(applid.to_owned()));
        let (calls, queues) = Calls::new(Arc::clone(&known), options.holder.lock.take());
        let ((ready, is_ready), (ends, ended)) = (oneshot::channel(), oneshot::channel());
        let run = options.holder.run.clone();
        let application = known.application(&options.schema);
        let thread = sessions::start(options, known, queues, ready, ended);
        let thread = thread.map_err(|error| CannotOpen::Thread(error.to_string()))?;
        match is_ready.await {
            Ok(opened) => opened?,
            Err(_) => return Err(CannotOpen::Thread("it has ended".to_owned())),
        }
        let locks = Locks::new(Arc::new(TokioClock), locks_per_owner);
        Ok(Arc::new(Self {
            calls: Arc::new(calls),
            names: Arc::default(),
            locks,
            run,
            application,
            thread: Mutex::new(Some((ends, thread))),
        }))
    }

    /// Takes a claim in the database, which no other region has otherwise.
    async fn claims(calls: Arc<Calls>, run: String, name: Vec<u8>, alone: bool) -> Result<Option<Claim>> {
        caller_waits().await;
        // Counted before it is asked for: a claim of the same name that is given back meanwhile leaves the row.
        let claim = given_back(&calls, name.clone(), alone);
        let (name, applid) = (bytes(&name), quoted(&calls.known.applid));
        let text = format!(
            "UPDATE state SET one = one; \
             DELETE FROM claims WHERE name = {name} AND NOT EXISTS (SELECT 1 FROM regions r WHERE r.applid = claims.applid \
             AND r.run = claims.run AND r.until > clock_timestamp()); \
             INSERT INTO claims SELECT {name}, {applid}, {alone}, '{run}' WHERE NOT EXISTS (SELECT 1 FROM claims \
             WHERE name = {name} AND applid <> {applid} AND (alone OR {alone})) \
             ON CONFLICT (name, applid, alone) DO UPDATE SET run = excluded.run RETURNING 1"
        );
        let is = !calls.order(text).await?.is_empty();
        Ok(is.then_some(claim))
    }
}

/// A claim that is counted from now on; the last one of its kind that is dropped is given back.
fn given_back(calls: &Arc<Calls>, name: Vec<u8>, alone: bool) -> Claim {
    *calls.known.claims.lock().entry((name.clone(), alone)).or_default() += 1;
    let calls = Arc::clone(calls);
    Claim::given_back_by(move || {
        let key = (name, alone);
        let mut claims = calls.known.claims.lock();
        match claims.get_mut(&key) {
            Some(times) if *times > 1 => *times -= 1,
            _ => {
                claims.remove(&key);
                // In order: another one of this name is asked for behind it.
                calls.order_unwaited(format!(
                    "DELETE FROM claims WHERE name = {} AND applid = {} AND alone = {alone}",
                    bytes(&key.0),
                    quoted(&calls.known.applid)
                ));
            }
        }
    })
}

impl Drop for Direct {
    fn drop(&mut self) {
        self.names.end_all();
        if let Some((ends, thread)) = self.thread.lock().take() {
            drop(ends);
            let _ = thread.join();
        }
    }
}

impl Engine for Direct {
    fn locks(&self) -> &Arc<Locks> {
        &self.locks
    }

    fn begin(&self, owner: Owner) -> Box<dyn UnitOfWork> {
        Box::new(DirectUnit::new(Arc::clone(&self.calls), Arc::clone(&self.names), owner))
    }

    fn find(&self, name: &str) -> Option<StoreId> {
        self.calls.known.find(name)
    }

    fn stores(&self) -> Vec<StoreInfo> {
        self.calls.known.list()
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn claim(&self, name: &[u8], alone: bool) -> Answer<'static, Result<Option<Claim>>> {
        Answer::later(Self::claims(Arc::clone(&self.calls), self.run.clone(), name.to_vec(), alone))
    }

    fn watch_store(&self, store: StoreId, watcher: StoreWatcher) -> Answer<'static, Result<()>> {
        let calls = Arc::clone(&self.calls);
        Answer::later(async move {
            caller_waits().await;
            calls.known.watch(store, watcher);
            // Everybody, also this region, sees another version, and reads the store before the answer.
            let text = format!(
                "UPDATE stores SET watched = true WHERE store = {}; UPDATE state SET version = version + 1",
                store.0
            );
            calls.order(text).await.map(drop)
        })
    }

    fn largest_unit(&self) -> usize {
        limits::UNIT_BYTES
    }

    fn begin_load(&self) -> Result<Box<dyn Load + '_>> {
        Ok(Box::new(DirectLoad { taken: self.calls.take()? }))
    }

    fn checkpoint(&self) -> Result<()> {
        // What is committed is where it belongs.
        self.calls.known.check()
    }

    fn verify(&self, store: StoreId) -> Result<Verified> {
        let mut verified = Verified::default();
        let mut from = String::new();
        loop {
            let text = format!(
                "SELECT key, record, sum FROM records WHERE store = {} {from} ORDER BY key LIMIT {READ_RECORDS}",
                store.0
            );
            let rows = self.calls.read_and_block(text)?;
            for row in &rows {
                verified.expected += 1;
                match tables::checked(row, 0) {
                    Ok(_) => verified.records += 1,
                    Err(error) => verified.problems.push(error.to_string()),
                }
            }
            let Some(last) = rows.last().filter(|_| rows.len() == READ_RECORDS) else { return Ok(verified) };
            from = format!("AND key > {}", bytes(&tables::bytes(last, 0)?));
        }
    }

    fn failure(&self) -> Answer<'static, String> {
        let mut over = self.calls.known.over.subscribe();
        Answer::later(async move {
            let why = over.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
            match why {
                Some(why) => why,
                None => std::future::pending().await,
            }
        })
    }

    fn awaited(&self, owner: Owner) -> Option<Resource> {
        self.locks.awaited(owner).or_else(|| self.calls.known.awaited(owner))
    }

    fn holder_for(&self, waiter: Owner) -> Option<Holder> {
        if let Some(awaited) = self.locks.awaited(waiter) {
            return self.locks.holder(&awaited).map(Holder::Here);
        }
        let awaited = self.calls.known.awaited(waiter)?;
        if let Some(holder) = self.calls.known.holder(&awaited) {
            return Some(Holder::Here(holder));
        }
        let store = awaited.store().unwrap_or(row_locks::NAMES);
        let text = statements::holders(&self.application, store, awaited.name());
        let rows = self.calls.read_within(text, limits::HOLDER).ok()?;
        let name = String::from_utf8_lossy(tables::value(rows.first()?, 0).ok()?).into_owned();
        let applid = name.strip_prefix("syncpoint ")?.split(' ').next()?;
        // One who has let go of it meanwhile.
        (applid != self.calls.known.applid).then(|| Holder::Elsewhere(applid.to_owned()))
    }

    fn held_elsewhere(&self) -> Vec<(Holding, LockOf)> {
        self.calls.known.held()
    }

    fn release_names(&self, owner: Owner) {
        self.names.end(owner);
    }

    fn indoubt(&self) -> Result<Vec<Indoubt>> {
        doubt::listed(&self.calls.read_and_block(doubt::list(&self.calls.known.applid))?)
    }

    fn doubtful(&self, store: StoreId) -> Result<Vec<DoubtfulChange>> {
        doubt::of_store(self.calls.read_and_block(doubt::in_store(store))?)
    }

    fn watch_resolved(&self, watcher: ResolvedWatcher) {
        self.calls.known.watch_resolved(watcher);
    }

    fn resolve(&self, name: &[u8], decision: Decision, by: Decider) -> Answer<'static, Result<()>> {
        let (calls, name) = (Arc::clone(&self.calls), name.to_vec());
        Answer::later(async move {
            caller_waits().await;
            doubt::resolve(&calls, Resolution { name: &name, decision, by, forced: true }, true).await
        })
    }

    fn forget(&self, name: &[u8]) -> Answer<'static, Result<()>> {
        let (calls, name) = (Arc::clone(&self.calls), name.to_vec());
        Answer::later(async move {
            caller_waits().await;
            doubt::forget(&calls, &name).await
        })
    }
}
