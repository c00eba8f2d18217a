//! PassTickets of our own: a password for one sign-on at one application, within a few minutes.
//!
//! A ticket is eight letters and digits of a keyed hash (HMAC-SHA-256) of user, application and second. The key lets
//! its holder issue and check them: regions that share it take each other's tickets.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use foldhash::{HashMap, HashMapExt};
use parking_lot::Mutex;

/// The time for which a ticket is good.
const LIFE: Duration = Duration::from_secs(300);
/// The seconds by which the clock of another region may be ahead.
const AHEAD: u64 = 10;
/// Tickets that are remembered as used, or as issued.
const KEPT_MAX: usize = 100_000;
/// Characters of a ticket.
const LENGTH: usize = 8;
const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The result of taking a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// It was good, and is used up.
    Now,
    /// It was good, and was used before, or no more tickets can be remembered.
    Before,
    /// It is not a ticket of this user at this application, or too old.
    None,
}

/// Issues tickets and takes them.
pub struct PassTickets {
    key: Key,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The seconds of tickets that were used, by user, application and second.
    used: HashMap<(String, String, u64), ()>,
    /// The last second for which a ticket was issued.
    issued: HashMap<(String, String), u64>,
}

impl PassTickets {
    /// Tickets by a key of any length; 32 random bytes are right.
    pub fn new(key: &[u8]) -> Self {
        let state = State { used: HashMap::new(), issued: HashMap::new() };
        Self { key: Key::new(HMAC_SHA256, key), state: Mutex::new(state) }
    }

    /// A ticket for a user at an application. Two for the same in the same second are two different ones; `None` where more
    /// were issued than time allows.
    pub fn issue(&self, user: &str, application: &str, now: SystemTime) -> Option<String> {
        let second = seconds(now);
        let mut state = self.state.lock();
        if state.issued.len() >= KEPT_MAX {
            state.issued.retain(|_, last| *last >= second);
        }
        let key = (user.to_owned(), application.to_owned());
        let last = state.issued.get(&key).copied();
        let next = last.map_or(second, |last| second.max(last + 1));
        if next > second + AHEAD || state.issued.len() >= KEPT_MAX {
            return None;
        }
        state.issued.insert(key, next);
        Some(self.ticket(user, application, next))
    }

    /// Takes a ticket: it is good once.
    pub fn take(&self, user: &str, application: &str, ticket: &str, now: SystemTime) -> Used {
        if ticket.len() != LENGTH {
            return Used::None;
        }
        let latest = seconds(now) + AHEAD;
        let earliest = seconds(now).saturating_sub(LIFE.as_secs());
        let ticket = ticket.to_ascii_uppercase();
        let found = (earliest..=latest).find(|second| self.ticket(user, application, *second) == ticket);
        let Some(second) = found else { return Used::None };
        let mut state = self.state.lock();
        if state.used.len() >= KEPT_MAX {
            state.used.retain(|(.., second), ()| *second >= earliest);
        }
        let key = (user.to_owned(), application.to_owned(), second);
        // When no more can be remembered, no ticket is taken: a ticket is never good twice.
        if state.used.len() >= KEPT_MAX || state.used.insert(key, ()).is_some() {
            return Used::Before;
        }
        Used::Now
    }

    fn ticket(&self, user: &str, application: &str, second: u64) -> String {
        let about = format!("{user}\0{application}\0{second}");
        let tag = sign(&self.key, about.as_bytes());
        let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
        tag.as_ref().iter().take(LENGTH).map(letter).collect()
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_once_for_its_user_at_its_application_for_a_while() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let tickets = PassTickets::new(&[7; 32]);
        let ticket = tickets.issue("ANNA", "BANK", now).expect("a ticket");
        let another = tickets.issue("ANNA", "BANK", now).expect("another");
        assert!(ticket.len() == LENGTH && ticket != another);
        let later = now + Duration::from_secs(60);
        assert_eq!(tickets.take("BOB", "BANK", &ticket, later), Used::None);
        assert_eq!(tickets.take("ANNA", "SHOP", &ticket, later), Used::None);
        assert_eq!(PassTickets::new(&[8; 32]).take("ANNA", "BANK", &ticket, later), Used::None);
        assert_eq!(tickets.take("ANNA", "BANK", &ticket, now + LIFE + Duration::from_secs(1)), Used::None);
        assert_eq!(tickets.take("ANNA", "BANK", &ticket.to_lowercase(), later), Used::Now);
        assert_eq!(tickets.take("ANNA", "BANK", &ticket, later), Used::Before);
        assert_eq!(tickets.take("ANNA", "BANK", &another, later), Used::Now);
        let issued = (0..100).filter_map(|_| tickets.issue("ANNA", "BANK", now)).count();
        assert!(issued <= AHEAD as usize, "{issued}");
    }
}
