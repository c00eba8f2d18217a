//! Result sets that clients come back to: they are kept until they are discarded, or until no client has used them for a while.

use std::collections::HashMap;
use std::sync::Arc;

use crate::limits::{KEPT_BYTES_MAX, KEPT_SECONDS, SETS_MAX, SETS_PER_USER_MAX};
use crate::{Record, Refusal};

/// A result.
#[derive(Debug)]
pub struct ResultSet {
    /// The name of its records' elements.
    pub element: String,
    /// Its records.
    pub records: Vec<Record>,
    size: usize,
}

impl ResultSet {
    /// A result of records.
    pub fn new(element: String, records: Vec<Record>) -> Self {
        let size = records.iter().map(Record::size).sum();
        Self { element, records, size }
    }
}

/// A set that is kept.
struct Kept {
    user: String,
    used: u64,
    set: Arc<ResultSet>,
}

/// The sets of all users, by their tokens. Times are seconds from any beginning.
#[derive(Default)]
pub struct Retained(HashMap<String, Kept>);

impl Retained {
    /// Keeps a set for a user under a token that cannot be guessed.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn keep(&mut self, token: &str, user: &str, set: Arc<ResultSet>, now: u64) -> Result<(), Refusal> {
        self.forget_old(now);
        let help =
            "Discard result sets that are no longer needed: GET CICSResultCache/token without NODISCARD.";
        if self.0.values().filter(|kept| kept.user == user).count() >= SETS_PER_USER_MAX {
            return Err(Refusal::limit("SETS_PER_USER_MAX", help));
        }
        if self.0.len() >= SETS_MAX {
            return Err(Refusal::limit("SETS_MAX", help));
        }
        if self.0.values().map(|kept| kept.set.size).sum::<usize>() + set.size > KEPT_BYTES_MAX {
            return Err(Refusal::limit("KEPT_BYTES_MAX", help));
        }
        self.0.insert(token.to_owned(), Kept { user: user.to_owned(), used: now, set });
        Ok(())
    }

    /// A user's set. Without `keeps` it is discarded.
    pub fn get(&mut self, token: &str, user: &str, keeps: bool, now: u64) -> Option<Arc<ResultSet>> {
        self.forget_old(now);
        let kept = self.0.get_mut(token).filter(|kept| kept.user == user)?;
        kept.used = now;
        let set = Arc::clone(&kept.set);
        if !keeps {
            self.0.remove(token);
        }
        Some(set)
    }

    /// The number of sets that are kept.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if none is kept.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn forget_old(&mut self, now: u64) {
        self.0.retain(|_, kept| now.saturating_sub(kept.used) < KEPT_SECONDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bytes: usize) -> Arc<ResultSet> {
        let record = Record { name: vec![b'x'; bytes], attributes: Vec::new() };
        Arc::new(ResultSet::new("cicsprogram".to_owned(), vec![record]))
    }

    #[test]
    fn a_set_is_its_users_until_it_is_discarded_or_old() {
        let mut retained = Retained::default();
        retained.keep("T", "ANN", set(1), 0).expect("kept");
        assert!(retained.get("T", "BOB", false, 1).is_none(), "another user's");
        assert!(retained.get("T", "ANN", true, KEPT_SECONDS - 1).is_some());
        assert!(retained.get("T", "ANN", true, 2 * KEPT_SECONDS - 2).is_some(), "its use keeps it");
        assert!(retained.get("T", "ANN", false, 2 * KEPT_SECONDS).is_some());
        assert!(retained.get("T", "ANN", false, 2 * KEPT_SECONDS).is_none(), "it was discarded");
        retained.keep("U", "ANN", set(1), 0).expect("kept");
        assert!(retained.get("U", "ANN", true, KEPT_SECONDS).is_none(), "nobody has used it");
        assert!(retained.is_empty());
    }

    #[test]
    fn sets_that_are_left_open_meet_a_limit_and_other_users_do_not() {
        let mut retained = Retained::default();
        for number in 0..1_000 {
            let kept = retained.keep(&number.to_string(), "ANN", set(1), 0);
            assert_eq!(kept.is_ok(), number < SETS_PER_USER_MAX);
        }
        assert!(retained.keep("B", "BOB", set(1), 0).is_ok());
        for user in 0..1_000 {
            let _ = retained.keep(&format!("U{user}"), &format!("U{user}"), set(1), 0);
        }
        assert_eq!(retained.len(), SETS_MAX);
        assert!(retained.keep("C", "CEM", set(1), KEPT_SECONDS).is_ok(), "old ones make room");
        let refused = retained.keep("D", "CEM", set(KEPT_BYTES_MAX), KEPT_SECONDS).expect_err("a limit");
        assert!(refused.full.contains("KEPT_BYTES_MAX"));
    }
}
