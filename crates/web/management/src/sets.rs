//! Result sets of a region's users.

use std::sync::Arc;
use std::time::Instant;

use cmci::retained::{ResultSet, Retained};
use kernel::registry::Manager;
use parking_lot::Mutex;

use crate::stop::Stop;
use crate::values::hexadecimal;

/// The sets that are kept.
pub(crate) struct Sets {
    kept: Mutex<Retained>,
    since: Instant,
}

impl Default for Sets {
    fn default() -> Self {
        Self { kept: Mutex::default(), since: Instant::now() }
    }
}

/// Bytes of a token: it cannot be guessed.
const TOKEN: usize = 8;

impl Sets {
    fn now(&self) -> u64 {
        self.since.elapsed().as_secs()
    }

    /// Keeps a set for a user, and returns its token.
    pub fn keep(by: &Manager, set: &Arc<ResultSet>) -> Result<String, Stop> {
        let sets: &Self = by.region.part();
        let mut token = [0; TOKEN];
        getrandom::fill(&mut token).map_err(|_| cmci::Refusal::limit("random numbers", "Try again."))?;
        let token = hexadecimal(&token);
        let user = by.user().id.to_string();
        sets.kept.lock().keep(&token, &user, Arc::clone(set), sets.now())?;
        Ok(token)
    }

    /// A user's set; without `keeps` it is discarded.
    pub fn get(by: &Manager, token: &str, keeps: bool) -> Option<Arc<ResultSet>> {
        let sets: &Self = by.region.part();
        let user = by.user().id.to_string();
        sets.kept.lock().get(&token.to_ascii_uppercase(), &user, keeps, sets.now())
    }
}
