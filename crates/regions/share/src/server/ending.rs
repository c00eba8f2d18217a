//! The ends of units of work.

use std::rc::Rc;

use link::Asked;
use records::{Decider, Error, Lifetime, Owner, Resource, Result, StoreId, UnitOfWork, Wait};

use super::bounds::Entered;
use super::names::inside;
use super::places;
use super::session::{Session, done, failed};
use super::stamps::Changing;
use crate::limits::STORE_MADE;
use crate::protocol::{Change, CommitPlace, Reply, decision, recovery, to_bytes};

/// Makes the changes of a region's unit of work. Those of stores themselves come first.
async fn make(unit: &mut dyn UnitOfWork, changes: &[Owned]) -> Result<()> {
    for change in changes {
        match change {
            Owned::Record(store, key, Some(record)) => unit.put(*store, key, record).await?,
            Owned::Record(store, key, None) => unit.delete(*store, key).await?,
            Owned::Create(store, name, recoverable) => {
                unit.create_store_as(*store, name, recovery(*recoverable))?;
            }
            Owned::Delete(store) => unit.delete_store(*store)?,
            Owned::Empty(store) => unit.empty_store(*store)?,
            Owned::Promise(store, recoverable) => unit.set_recovery(*store, recovery(*recoverable))?,
        }
    }
    Ok(())
}

/// A store, a key and the record there; `None` if it is deleted.
type Content<'a> = (StoreId, &'a [u8], Option<&'a [u8]>);

/// A change, for a task that outlives the frame that it came in.
enum Owned {
    Record(StoreId, Vec<u8>, Option<Vec<u8>>),
    Create(StoreId, String, bool),
    Delete(StoreId),
    Empty(StoreId),
    Promise(StoreId, bool),
}

impl Owned {
    /// The changes that a session asks for, of which each must be of a store that its region may use.
    fn all(session: &Session, changes: &[Change<'_>]) -> Result<Vec<Self>> {
        let mut checked = None;
        let mut created = Vec::new();
        let mut may_use = |store: u32, created: &[u32]| {
            if checked != Some(store) && !created.contains(&store) {
                session.may_use(store)?;
                checked = Some(store);
            }
            Ok(StoreId(store))
        };
        let mut all = Vec::with_capacity(changes.len());
        for change in changes {
            all.push(match *change {
                Change::Record(store, key, record) => {
                    Self::Record(may_use(store, &created)?, key.to_vec(), record.map(<[u8]>::to_vec))
                }
                Change::Create(store, name, recoverable) => {
                    created.push(store);
                    let name = inside(&session.applid(), name)?.into_owned();
                    Self::Create(StoreId(store), name, recoverable)
                }
                Change::Delete(store) => Self::Delete(may_use(store, &created)?),
                Change::Empty(store) => Self::Empty(may_use(store, &created)?),
                Change::Promise(store, recoverable) => Self::Promise(may_use(store, &created)?, recoverable),
            });
        }
        Ok(all)
    }

    /// The store that begins again with it.
    fn begins_again(&self) -> Option<u32> {
        match self {
            Self::Delete(StoreId(store)) | Self::Empty(StoreId(store)) => Some(*store),
            _ => None,
        }
    }

    fn is_of_directory(&self) -> bool {
        !matches!(self, Self::Record(..))
    }

    /// The store, the key and the content of a record.
    fn record_and_content(&self) -> Option<Content<'_>> {
        match self {
            Self::Record(store, key, record) => Some((*store, key, record.as_deref())),
            _ => None,
        }
    }

    /// The store and the key of a record.
    fn record(&self) -> Option<(StoreId, &[u8])> {
        match self {
            Self::Record(store, key, _) => Some((*store, key)),
            _ => None,
        }
    }
}

/// The locks of a unit of work that is being ended: free when this is dropped, unless the engine has seen to it.
struct Locked<'a> {
    session: &'a Session,
    owner: Owner,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.session.inner.engine.locks().release_all(self.owner, Lifetime::Unit);
    }
}

impl Session {
    /// Answers how a unit of work has ended. An engine that has failed cannot know: there is no answer, and when the link ends with this
    /// server, the region asks the next one.
    async fn answers(&self, asked: Asked, ended: Result<()>) {
        if matches!(ended, Err(Error::Io(_))) && self.inner.has_failed() {
            return asked.cancelled().await;
        }
        asked.reply(&done(ended));
    }

    fn owner_to_end(&self, number: u64) -> Owner {
        self.ends_wait(number);
        self.take_owner(number).unwrap_or_else(|| self.inner.engine.locks().new_owner())
    }

    /// Makes all changes of a unit of work durable, then visible; then its locks are free, then the region hears it.
    pub(super) fn commit(
        &self,
        asked: Asked,
        number: u64,
        place: CommitPlace,
        forced: bool,
        changes: &[Change<'_>],
    ) {
        let (session, changes, busy) = (self.shared(), Owned::all(self, changes), self.begin_ending());
        let owner = self.owner_to_end(number);
        tokio::task::spawn_local(async move {
            let committed = session.commits((number, owner), place, forced, &changes).await;
            // A region that is refused because a store is there already must know it.
            if let Ok(changes) = &changes
                && changes.iter().any(Owned::is_of_directory)
            {
                changes
                    .iter()
                    .filter_map(Owned::begins_again)
                    .for_each(|store| session.inner.forget_numbers(store));
                session.inner.tell_directory();
            }
            if let (Ok(()), Ok(changes)) = (&committed, &changes) {
                session.counts_unit(forced);
                changes.iter().filter_map(Owned::record).for_each(|(store, _)| session.counts_change(store));
                session.tells(changes);
            }
            session.answers(asked, committed).await;
            drop(busy);
        });
    }

    /// Other regions hear of the changes of stores that they watch.
    fn tells(&self, changes: &[Owned]) {
        let store = |change: &Owned| if let Owned::Record(store, ..) = change { Some(*store) } else { None };
        for changes in changes.chunk_by(|one, other| store(one) == store(other)) {
            let Some(store) = changes.first().and_then(store) else { continue };
            if self.inner.is_watched(store) {
                let records = changes.iter().filter_map(|change| match change {
                    Owned::Record(_, key, record) => Some((&**key, record.as_deref())),
                    _ => None,
                });
                self.inner.tell_changes(self, store, &records.collect::<Vec<_>>());
            }
        }
    }

    /// A unit of work with these changes. A store that another unit of work is about to make is waited for: either that one has made it
    /// then, and the region is refused with its name in the directory, or this one makes it.
    async fn made(&self, owner: Owner, changes: &Result<Vec<Owned>>) -> Result<Box<dyn UnitOfWork>> {
        let changes = changes.as_ref().map_err(Clone::clone)?;
        let (engine, ends) = (&self.inner.engine, Lifetime::Unit);
        for change in changes {
            if let Owned::Create(_, name, _) = change {
                engine
                    .locks()
                    .acquire(owner, Resource::store_name(name), ends, Wait::AtMost(STORE_MADE))
                    .await?;
            }
        }
        let mut unit = engine.begin(owner);
        make(&mut *unit, changes).await?;
        Ok(unit)
    }

    /// The places of the stamps of changes; `None`: they may be anywhere.
    fn places(&self, changes: &Result<Vec<Owned>>) -> Option<Vec<u32>> {
        let changes = changes.as_deref().unwrap_or_default();
        let is_known = !changes.iter().any(Owned::is_of_directory);
        is_known.then(|| self.inner.places_of(changes.iter().filter_map(Owned::record)))
    }

    /// Stamps of records are raised before they are changed.
    fn changes_begin(&self, places: Option<Vec<u32>>) -> Result<Changing> {
        match places {
            None => self.inner.begin_change_anywhere(),
            Some(places) => self.inner.begin_change_at(places),
        }
    }

    /// The stores of changes that take a limited number of records, and by how many records each grows.
    async fn growths(&self, changes: &Result<Vec<Owned>>) -> Result<Vec<(Entered, i64)>> {
        let records = || changes.iter().flatten().filter_map(Owned::record_and_content);
        let entered = self.inner.enter_all(records().map(|(store, ..)| store).collect()).await?;
        let mut growths = Vec::with_capacity(entered.len());
        for entered in entered {
            let mut growth = 0;
            for (store, key, record) in records().filter(|(store, ..)| *store == entered.store()) {
                growth += self.inner.growth(store, key, record).await?;
            }
            growths.push((entered, growth));
        }
        Ok(growths)
    }

    async fn commits(
        &self,
        (number, owner): (u64, Owner),
        place: CommitPlace,
        forced: bool,
        changes: &Result<Vec<Owned>>,
    ) -> Result<()> {
        // The engine frees them with the commit; if it refuses that, they are free now.
        let _locked = Locked { session: self, owner };
        // Over when the changes can be seen.
        let _changing = self.changes_begin(self.places(changes))?;
        let growths = self.growths(changes).await;
        // What it has reserved it has from now on, or gives back.
        growths.iter().flatten().for_each(|(entered, growth)| entered.adds((*growth).max(0)));
        self.inner.bounds.ends(self.id, number);
        let growths = growths?;
        let committed = self.commits_counted(owner, place, forced, changes).await;
        for (entered, growth) in &growths {
            match committed {
                Ok(()) => entered.adds((*growth).min(0)),
                Err(_) => entered.is_unknown(),
            }
        }
        committed
    }

    async fn commits_counted(
        &self,
        owner: Owner,
        place: CommitPlace,
        forced: bool,
        changes: &Result<Vec<Owned>>,
    ) -> Result<()> {
        let mut unit = self.made(owner, changes).await?;
        places::put(&self.inner, self, &mut *unit, place).await?;
        if forced { unit.commit().await } else { unit.commit_unforced().await }
    }

    /// Makes a unit of work indoubt.
    pub(super) fn prepare(&self, asked: Asked, number: u64, name: &[u8], changes: &[Change<'_>]) {
        let (session, changes, busy) = (self.shared(), Owned::all(self, changes), self.begin_ending());
        let (owner, name) = (self.owner_to_end(number), self.full_name(name));
        tokio::task::spawn_local(async move {
            let prepared = session.prepares_counted((number, owner), &name, &changes).await.map(|unit| {
                // No caller waits for it any more: it is shunted.
                if !asked.is_cancelled() {
                    session.keep_prepared(number, (unit, session.places(&changes)));
                }
            });
            session.answers(asked, prepared).await;
            drop(busy);
        });
    }

    /// The records that a unit of work in doubt adds are counted with those that are there.
    async fn prepares_counted(
        &self,
        (number, owner): (u64, Owner),
        name: &[u8],
        changes: &Result<Vec<Owned>>,
    ) -> Result<Box<dyn UnitOfWork>> {
        // Once it is prepared, its locks have another owner.
        let _locked = Locked { session: self, owner };
        let entered = self.inner.enter_each().await;
        let prepared = self.prepares(owner, name, changes).await;
        entered.iter().for_each(Entered::is_unknown);
        self.inner.bounds.ends(self.id, number);
        prepared
    }

    async fn prepares(
        &self,
        owner: Owner,
        name: &[u8],
        changes: &Result<Vec<Owned>>,
    ) -> Result<Box<dyn UnitOfWork>> {
        let mut unit = self.made(owner, changes).await?;
        unit.prepare(name).await?;
        Ok(unit)
    }

    /// Ends a unit of work in doubt whose task has waited, also if the link was another one then.
    pub(super) fn finish(&self, asked: Asked, number: u64, name: &[u8], commits: bool, forced: bool) {
        let (session, name, busy) = (self.shared(), self.full_name(name), self.begin_ending());
        let (unit, places) =
            self.take_prepared(number).map_or((None, None), |(unit, places)| (Some(unit), places));
        let changing = match self.changes_begin(places) {
            Ok(changing) => changing,
            Err(error) => {
                unit.into_iter().for_each(|unit| self.keep_prepared(number, (unit, None)));
                return asked.reply(&failed(&error));
            }
        };
        tokio::task::spawn_local(async move {
            let entered = session.inner.enter_each().await;
            let ended = match unit {
                Some(unit) if commits && forced => unit.commit().await,
                Some(unit) if commits => unit.commit_unforced().await,
                Some(unit) => unit.backout().await,
                None => session.inner.engine.resolve(&name, decision(commits), Decider::Coordinator).await,
            };
            entered.iter().for_each(Entered::is_unknown);
            drop((changing, entered));
            if ended.is_ok() && commits {
                session.counts_unit(forced);
            }
            session.inner.tell_directory();
            session.inner.tell_ends();
            session.answers(asked, ended).await;
            drop(busy);
        });
    }

    /// The number of the last commit of a place.
    pub(super) fn last(&self, asked: Asked, place: u32) {
        let session: Rc<Self> = self.shared();
        tokio::task::spawn_local(async move {
            asked.reply(&match places::last(&session.inner, &session, place).await {
                Ok(number) => to_bytes(&Reply::Number(number)),
                Err(error) => failed(&error),
            });
        });
    }
}
