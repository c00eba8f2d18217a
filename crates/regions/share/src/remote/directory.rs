//! The directory of stores, as the server has last told it.

use std::collections::HashMap;

use parking_lot::{Mutex, RwLock};
use records::{OWN_STORES, Recovery, StoreId, StoreInfo};

use crate::limits::NUMBERS_ASIDE;
use crate::protocol::{Described, recovery};

#[derive(Default)]
struct Stores {
    by_name: HashMap<String, StoreId>,
    by_id: HashMap<StoreId, StoreInfo>,
}

/// The stores that there are, and numbers for new ones.
#[derive(Default)]
pub(crate) struct Directory {
    stores: RwLock<Stores>,
    aside: Mutex<Aside>,
}

/// Numbers that are set aside.
#[derive(Default)]
struct Aside {
    /// The next one, and the first that is not.
    next: u32,
    end: u32,
    /// More were asked for.
    asked: bool,
}

impl Directory {
    pub fn is_now(&self, stores: &[Described<'_>]) {
        let mut now = Stores::default();
        for known in stores {
            let (id, name) = (StoreId(known.store), known.name.to_owned());
            now.by_name.insert(name.clone(), id);
            now.by_id.insert(id, StoreInfo { id, name, recovery: recovery(known.recoverable) });
        }
        *self.stores.write() = now;
    }

    pub fn find(&self, name: &str) -> Option<StoreId> {
        self.stores.read().by_name.get(name).copied()
    }

    pub fn recovery(&self, store: StoreId) -> Option<Recovery> {
        self.stores.read().by_id.get(&store).map(|known| known.recovery)
    }

    /// Returns true if all regions may use a store.
    pub fn is_of_all(&self, store: StoreId) -> bool {
        self.stores.read().by_id.get(&store).is_some_and(|known| !known.name.starts_with(OWN_STORES))
    }

    pub fn list(&self) -> Vec<StoreInfo> {
        let mut list: Vec<_> = self.stores.read().by_id.values().cloned().collect();
        list.sort_by_key(|known| known.id);
        list
    }

    /// Numbers from `first` on are set aside.
    pub fn set_aside(&self, first: u32) {
        *self.aside.lock() = Aside { next: first, end: first.saturating_add(NUMBERS_ASIDE), asked: false };
    }

    /// A number for a new store. True with it: more are to be set aside.
    pub fn number(&self) -> Option<(StoreId, bool)> {
        let mut aside = self.aside.lock();
        if aside.next >= aside.end {
            return None;
        }
        let number = StoreId(aside.next);
        aside.next += 1;
        let few = aside.end - aside.next < NUMBERS_ASIDE / 2;
        let asks = few && !std::mem::replace(&mut aside.asked, few);
        Some((number, asks))
    }
}
