//! The server's work, counted by region and by store.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use link::Asked;
use records::{Error, StoreId};

use super::Inner;
use super::names::outside;
use super::session::Session;
use super::work::Work;
use crate::limits::{COPIES_TOLD_MAX, REGIONS_COUNTED, STORES_TOLD};
use crate::protocol::{OfCopies, Push, Reply, of_bytes, to_bytes};
use crate::status::{RegionStatus, Status, Tally};

/// The name under which regions beyond [`REGIONS_COUNTED`] are counted.
const OTHERS: &str = "others";

/// The work for all regions, by APPLID.
pub(super) type Works = RefCell<HashMap<String, Rc<RefCell<Work>>>>;

impl Inner {
    /// The counts of a region, which go on where its last session has ended.
    pub(super) fn work_of(&self, applid: &str) -> Rc<RefCell<Work>> {
        let mut works = self.works.borrow_mut();
        let full = works.len() >= REGIONS_COUNTED && !works.contains_key(applid);
        Rc::clone(works.entry(if full { OTHERS } else { applid }.to_owned()).or_default())
    }

    /// The state of the server, as far as it is known here.
    fn status(&self) -> Status {
        let log = self.engine.log_counts();
        let stores = self.engine.stores();
        let names: HashMap<u32, &str> =
            stores.iter().map(|store| (store.id.0, store.name.as_str())).collect();
        let (works, sessions) = (self.works.borrow(), self.sessions.borrow());
        let mut left = STORES_TOLD;
        let mut regions: Vec<_> = works.iter().collect();
        regions.sort_by_key(|(applid, _)| *applid);
        let regions = regions.into_iter().map(|(applid, work)| {
            let (work, session) = (work.borrow(), sessions.iter().find(|session| session.is_of(applid)));
            let (holding, waiting) = session.map_or((0, 0), |session| session.units());
            let stores = told(&work, applid, &names, &mut left);
            RegionStatus {
                applid: applid.clone(),
                is_here: session.is_some(),
                holding,
                waiting,
                total: work.total,
                stores,
            }
        });
        let regions = regions.collect();
        Status { forces: log.groups, forced_units: log.forced_units, log_bytes: log.bytes, regions }
    }
}

/// The counts of stores by the names that the region knows; those that are gone are counted in the total alone.
fn told(work: &Work, applid: &str, names: &HashMap<u32, &str>, left: &mut usize) -> Vec<(String, Tally)> {
    let named = |(store, tally): (&u32, &Tally)| {
        let name = names.get(store)?;
        Some((outside(applid, name)?.into_owned(), *tally))
    };
    let mut stores: Vec<_> = work.stores.iter().filter_map(named).take(*left).collect();
    *left -= stores.len();
    stores.sort_by(|(one, _), (other, _)| one.cmp(other));
    stores
}

impl Session {
    /// Counts something for a store, or for none.
    pub(super) fn counts(&self, store: Option<u32>, count: impl Fn(&mut Tally)) {
        if let Some(work) = &*self.work.borrow() {
            work.borrow_mut().count(store, count);
        }
    }

    /// A lock was granted or refused.
    pub(super) fn counts_lock(&self, store: Option<u32>, locked: &records::Result<()>) {
        match locked {
            Err(Error::Deadlock) => self.counts(store, |tally| tally.deadlocks += 1),
            Err(Error::TimedOut) => self.counts(store, |tally| tally.timeouts += 1),
            _ => {}
        }
    }

    /// A unit of work was committed.
    pub(super) fn counts_unit(&self, forced: bool) {
        self.counts(None, |tally| {
            tally.units += 1;
            tally.forced += u64::from(forced);
        });
    }

    /// A record was changed.
    pub(super) fn counts_change(&self, store: StoreId) {
        self.counts(Some(store.0), |tally| tally.changes += 1);
    }

    /// Asks the region how many copies it has used.
    async fn asks_copies(&self) {
        let Some(asking) = self.asks(&to_bytes(&Push::Copies)) else { return };
        let Ok(Ok(reply)) = tokio::time::timeout(COPIES_TOLD_MAX, asking).await else { return };
        if let (Some(told), Some(work)) = (of_bytes::<OfCopies>(&reply), &*self.work.borrow()) {
            work.borrow_mut().copies(&told);
        }
    }

    /// Tells the region what was done for it.
    pub(super) fn own_work(&self, asked: Asked) {
        let stores = self.inner.engine.stores();
        let names: HashMap<u32, &str> =
            stores.iter().map(|store| (store.id.0, store.name.as_str())).collect();
        let work = self.work.borrow();
        let Some(work) = &*work else { return asked.fail("this is no region") };
        let (work, mut left) = (work.borrow(), STORES_TOLD);
        let stores = told(&work, &self.applid(), &names, &mut left);
        let stores = stores.iter().map(|(name, tally)| (name.as_str(), *tally)).collect();
        asked.reply(&to_bytes(&Reply::Work(work.total, stores)));
    }

    /// Tells all that the server does.
    pub(super) fn status(&self, asked: Asked) {
        let inner = Rc::clone(&self.inner);
        tokio::task::spawn_local(async move {
            let sessions = inner.sessions.borrow().clone();
            let mut told = tokio::task::JoinSet::new();
            for session in sessions {
                told.spawn_local(async move { session.asks_copies().await });
            }
            let all = async { while told.join_next().await.is_some() {} };
            // Each of them is given that long, beside the others.
            let _ = tokio::time::timeout(COPIES_TOLD_MAX + Duration::from_secs(1), all).await;
            asked.reply(&to_bytes(&Reply::Status(inner.status())));
        });
    }
}
