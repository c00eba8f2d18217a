//! The work that the server does for one region.

use std::collections::HashMap;

use crate::limits::STORES_COUNTED;
use crate::protocol::OfCopies;
use crate::status::Tally;

/// The work for one region.
#[derive(Default)]
pub(crate) struct Work {
    pub total: Tally,
    pub stores: HashMap<u32, Tally>,
}

impl Work {
    pub fn count(&mut self, store: Option<u32>, count: impl Fn(&mut Tally)) {
        count(&mut self.total);
        let Some(store) = store else { return };
        if self.stores.len() < STORES_COUNTED || self.stores.contains_key(&store) {
            count(self.stores.entry(store).or_default());
        }
    }

    /// The region says how many copies it has used. What it says replaces what it has said before.
    pub fn copies(&mut self, told: &OfCopies) {
        (self.total.copies_used, self.total.copies_refused) = (0, 0);
        for (store, used, refused) in told.iter().take(STORES_COUNTED) {
            self.total.copies_used = self.total.copies_used.saturating_add(*used);
            self.total.copies_refused = self.total.copies_refused.saturating_add(*refused);
            if let Some(tally) = self.stores.get_mut(store) {
                (tally.copies_used, tally.copies_refused) = (*used, *refused);
            }
        }
    }
}
