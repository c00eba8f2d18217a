//! Refused attaches of a JVM server: each is a line of the region's log and a record of the audit, and Java may ask without end. Beyond a
//! limit within a second a user is refused a transaction without a look at the right; other users, and other transactions, are not.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kernel::name::{Name8, TransactionName};
use parking_lot::Mutex;

use crate::limits::{REFUSALS_PER_SECOND, REFUSED_MAX};

/// The time that the limit is for.
const SECOND: Duration = Duration::from_secs(1);

/// A user, and the transaction that it may not run.
type Refused = (Name8, TransactionName);

/// The refusals of one second, and its begin, of each that was refused.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<HashMap<Refused, (Instant, u32)>>);

impl Refusals {
    /// A user was refused a task. More of them within a second than have room are not counted.
    pub fn add(&self, refused: Refused, now: Instant) {
        let mut all = self.0.lock();
        if all.len() >= REFUSED_MAX && !all.contains_key(&refused) {
            all.retain(|_, (began, _)| now - *began < SECOND);
        }
        let has_room = all.len() < REFUSED_MAX;
        match all.get_mut(&refused) {
            Some((began, count)) if now - *began < SECOND => *count = count.saturating_add(1),
            Some(other) => *other = (now, 1),
            None if has_room => drop(all.insert(refused, (now, 1))),
            None => {}
        }
    }

    /// Returns true if there were so many within a second that no other one is asked for.
    pub fn are_too_many(&self, refused: Refused, now: Instant) -> bool {
        let all = self.0.lock();
        all.get(&refused).is_some_and(|(began, count)| now - *began < SECOND && *count >= REFUSALS_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(user: &str, transaction: &str) -> Refused {
        (Name8::from(user), TransactionName::from(transaction))
    }

    #[test]
    fn refusals_have_a_limit_within_a_second_and_begin_again_in_the_next() {
        let (refusals, now, it) = (Refusals::default(), Instant::now(), refused("ALICE", "PAYS"));
        for _ in 1..REFUSALS_PER_SECOND {
            refusals.add(it, now);
        }
        assert!(!refusals.are_too_many(it, now));
        refusals.add(it, now);
        assert!(refusals.are_too_many(it, now));
        assert!(!refusals.are_too_many(it, now + SECOND));
        refusals.add(it, now + SECOND);
        assert!(!refusals.are_too_many(it, now + SECOND));
    }

    #[test]
    fn other_users_and_other_transactions_are_not_refused_with_one() {
        let (refusals, now, it) = (Refusals::default(), Instant::now(), refused("ALICE", "PAYS"));
        for _ in 0..REFUSALS_PER_SECOND {
            refusals.add(it, now);
        }
        assert!(refusals.are_too_many(it, now));
        assert!(!refusals.are_too_many(refused("BOB", "PAYS"), now));
        assert!(!refusals.are_too_many(refused("ALICE", "LIST"), now));
    }

    #[test]
    fn no_more_are_counted_than_have_room_and_those_of_the_last_second_make_some() {
        let (refusals, now) = (Refusals::default(), Instant::now());
        for number in 0..=REFUSED_MAX {
            refusals.add(refused(&format!("U{number}"), "PAYS"), now);
        }
        assert_eq!(refusals.0.lock().len(), REFUSED_MAX);
        refusals.add(refused("LATE", "PAYS"), now + SECOND);
        assert_eq!(refusals.0.lock().len(), 1);
    }
}
