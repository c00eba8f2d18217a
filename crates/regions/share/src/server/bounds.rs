//! Stores that take a limited number of records.
//!
//! ```text
//! unknown ──► counted ──► changes add and take away ──► unknown: what ended may have changed anything
//!             (alone)     (beside each other)
//! ```
//!
//! A unit of work *reserves* the place of a record that it is about to add, since its changes come with its commit, which is not
//! refused for want of room any more. A reservation is given back with the end of the unit of work, or of its session. One that is
//! in doubt has none: what it adds is counted as if it were there.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use link::Asked;
use records::{Batch, Direction, Error, Origin, Result, StoreId};
use tokio::sync::{OwnedRwLockReadGuard, RwLock};

use super::Inner;
use super::session::{Session, done, failed};
use crate::limits::RANGE_RECORDS;
use crate::protocol::{Reply, to_bytes};

/// The refusal of one record more.
const FULL: &str = "records of a table";

/// A session, and the number of a unit of work in it.
type Unit = (u64, u64);

/// A store and the number of records that it takes.
struct Bound {
    store: StoreId,
    most: Cell<u64>,
    /// Records that can be seen; `None` until they are counted.
    count: Cell<Option<u64>>,
    /// The keys of records that units of work are about to add.
    reserved: RefCell<HashMap<Unit, HashSet<Vec<u8>>>>,
    /// Read by changes; the one who counts has it alone.
    counting: Arc<RwLock<()>>,
}

impl Bound {
    fn used(&self) -> u64 {
        let reserved: usize = self.reserved.borrow().values().map(HashSet::len).sum();
        self.count.get().unwrap_or_default().saturating_add(reserved as u64)
    }

    fn adds(&self, records: i64) {
        self.count.set(self.count.get().map(|count| count.saturating_add_signed(records)));
    }
}

/// The stores of a server that take a limited number of records.
#[derive(Default)]
pub(super) struct Bounds(RefCell<BTreeMap<u32, Rc<Bound>>>);

impl Bounds {
    fn of(&self, store: u32) -> Option<Rc<Bound>> {
        self.0.borrow().get(&store).cloned()
    }

    /// A unit of work has ended: what it has reserved is free.
    pub fn ends(&self, session: u64, number: u64) {
        self.0
            .borrow()
            .values()
            .for_each(|bound| drop(bound.reserved.borrow_mut().remove(&(session, number))));
    }

    /// A session has ended.
    pub fn session_ends(&self, session: u64) {
        for bound in self.0.borrow().values() {
            bound.reserved.borrow_mut().retain(|(whose, _), _| *whose != session);
        }
    }

    /// A store is gone.
    pub fn forget(&self, StoreId(store): StoreId) {
        self.0.borrow_mut().remove(&store);
    }
}

/// A change of a store that is being made: no task counts its records meanwhile.
pub(super) struct Entered {
    bound: Rc<Bound>,
    _here: OwnedRwLockReadGuard<()>,
}

impl Entered {
    /// A record is about to be added: it has its place from now on.
    ///
    /// # Errors
    /// There is none.
    pub fn add(&self) -> Result<()> {
        if self.bound.used() >= self.bound.most.get() {
            return Err(Error::Limit(FULL));
        }
        self.bound.adds(1);
        Ok(())
    }

    /// So many records have been added, or taken away.
    pub fn adds(&self, records: i64) {
        self.bound.adds(records);
    }

    /// Notes that the number of records is unknown.
    pub fn is_unknown(&self) {
        self.bound.count.set(None);
    }

    /// The store.
    pub fn store(&self) -> StoreId {
        self.bound.store
    }

    fn reserve(&self, unit: Unit, key: &[u8]) -> Result<()> {
        let has = self.bound.reserved.borrow().get(&unit).is_some_and(|keys| keys.contains(key));
        if !has && self.bound.used() >= self.bound.most.get() {
            return Err(Error::Limit(FULL));
        }
        self.bound.reserved.borrow_mut().entry(unit).or_default().insert(key.to_vec());
        Ok(())
    }
}

/// Changes a store beside others, while no task counts its records.
async fn beside(bound: &Rc<Bound>) -> Entered {
    let here = Arc::clone(&bound.counting).read_owned().await;
    Entered { bound: Rc::clone(bound), _here: here }
}

impl Inner {
    /// A change of a store begins; `None` if it takes any number of records.
    pub(super) async fn enter(&self, store: StoreId) -> Result<Option<Entered>> {
        let Some(bound) = self.bounds.of(store.0) else { return Ok(None) };
        loop {
            let entered = beside(&bound).await;
            if bound.count.get().is_some() {
                return Ok(Some(entered));
            }
            drop(entered);
            let alone = Arc::clone(&bound.counting).write_owned().await;
            if bound.count.get().is_none() {
                bound.count.set(Some(self.counted(store).await?));
            }
            drop(alone);
        }
    }

    /// Changes of these stores begin. Stores are entered in the order of their numbers, so that no tasks wait in a circle.
    pub(super) async fn enter_all(&self, mut stores: Vec<StoreId>) -> Result<Vec<Entered>> {
        stores.sort_unstable();
        stores.dedup();
        let mut entered = Vec::new();
        for store in stores {
            entered.extend(self.enter(store).await?);
        }
        Ok(entered)
    }

    /// Something that may change any store begins: the stores that take a limited number of records, counted or not.
    pub(super) async fn enter_each(&self) -> Vec<Entered> {
        let bounds: Vec<_> = self.bounds.0.borrow().values().cloned().collect();
        let mut entered = Vec::with_capacity(bounds.len());
        for bound in &bounds {
            entered.push(beside(bound).await);
        }
        entered
    }

    /// The records of a store that can be seen, and those that units of work in doubt add.
    async fn counted(&self, store: StoreId) -> Result<u64> {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let (mut count, mut batch, mut last) = (0, Batch::default(), None::<Vec<u8>>);
        loop {
            let origin = last.as_deref().map_or(Origin::Start, Origin::Beyond);
            unit.range(store, origin, Direction::Forward, RANGE_RECORDS, &mut batch).await?;
            count += batch.len() as u64;
            match batch.last() {
                Some((key, _)) if batch.len() == RANGE_RECORDS => last = Some(key.to_vec()),
                _ => break,
            }
        }
        for (key, record) in self.engine.doubtful(store)? {
            count += u64::from(record.is_some() && !self.has(store, &key).await?);
        }
        Ok(count)
    }

    async fn has(&self, store: StoreId, key: &[u8]) -> Result<bool> {
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        unit.get(store, key, &mut Vec::new()).await
    }

    /// Number of records by which a change makes a store larger: 1, 0 or -1.
    pub(super) async fn growth(&self, store: StoreId, key: &[u8], record: Option<&[u8]>) -> Result<i64> {
        let before = i64::from(self.has(store, key).await?);
        Ok(i64::from(record.is_some()) - before)
    }
}

impl Session {
    /// A store takes up to so many records from now on.
    pub(super) fn bound(&self, asked: Asked, store: u32, most: u64) {
        {
            let mut bounds = self.inner.bounds.0.borrow_mut();
            let bound = bounds.entry(store).or_insert_with(|| {
                let (count, reserved, counting) = Default::default();
                Rc::new(Bound { store: StoreId(store), most: Cell::new(most), count, reserved, counting })
            });
            bound.most.set(most);
        }
        let session = self.shared();
        tokio::task::spawn_local(async move {
            asked.reply(&match session.inner.enter(StoreId(store)).await {
                Ok(entered) => to_bytes(&Reply::Number(entered.map_or(0, |entered| entered.bound.used()))),
                Err(error) => failed(&error),
            });
        });
    }

    /// A unit of work is about to put a record there.
    pub(super) fn reserve(&self, asked: Asked, number: u64, store: u32, key: &[u8]) {
        let (session, key) = (self.shared(), key.to_vec());
        tokio::task::spawn_local(async move {
            let reserved = session.reserves(number, StoreId(store), &key).await;
            asked.reply(&done(reserved));
        });
    }

    async fn reserves(&self, number: u64, store: StoreId, key: &[u8]) -> Result<()> {
        let Some(entered) = self.inner.enter(store).await? else { return Ok(()) };
        if self.inner.has(store, key).await? {
            return Ok(());
        }
        // Locks that the session took now would never be given back.
        if self.is_ended() || self.known_owner(number).is_none() {
            return Err(Error::Cancelled);
        }
        entered.reserve((self.id, number), key)
    }
}
