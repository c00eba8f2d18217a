//! Passwords that were wrong: how long the next one must wait.
//!
//! Each wrong password makes the next ones wait for twice as long, up to [`WAIT_MAX`]: those for the same user from the
//! same address from the second on, those for any user from the same address from the tenth on, and those for the same user
//! from anywhere by a little. Attempts are checked one after the other, however many come at once; one that would wait for
//! too long is refused, with the answer that a wrong password gets, and unchecked.
//!
//! An address from which a user has signed on before does not wait for what others try in that user's name: so nobody is
//! locked out by them.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use foldhash::HashMap;
use parking_lot::Mutex;

use crate::limits::GUESSES_KEPT_MAX;
use crate::name::Name8;
use crate::region::Region;

/// The longest wait between two attempts, and of an attempt that is checked.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The wait that the first wrong password causes which causes one.
const WAIT_MIN: Duration = Duration::from_secs(1);
/// The longest wait for what others try in a user's name.
const WAIT_FOR_OTHERS_MAX: Duration = Duration::from_secs(2);
/// After so long nobody knows of a wrong password any more.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15 * 60);

/// Wrong passwords that cause no wait.
const FREE_FOR_USER_AT_ADDRESS: u32 = 1;
const FREE_FOR_ADDRESS: u32 = 9;
const FREE_FOR_USER: u32 = 9;

/// Whose wrong passwords are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Those for a user from an address; without one, from programs that no terminal has.
    UserAt(Name8, Option<IpAddr>),
    /// Those from an address.
    At(IpAddr),
    /// Those for a user.
    User(Name8),
}

impl Key {
    /// All that an attempt belongs to.
    fn of(user: Name8, address: Option<IpAddr>) -> impl Iterator<Item = Self> {
        let keys = [Some(Self::UserAt(user, address)), address.map(Self::At), Some(Self::User(user))];
        keys.into_iter().flatten()
    }

    /// The wait for the next attempt after so many wrong passwords.
    fn wait_after(self, wrong: u32) -> Duration {
        let (free, most) = match self {
            Self::UserAt(..) => (FREE_FOR_USER_AT_ADDRESS, WAIT_MAX),
            Self::At(_) => (FREE_FOR_ADDRESS, WAIT_MAX),
            Self::User(_) => (FREE_FOR_USER, WAIT_FOR_OTHERS_MAX),
        };
        match wrong.saturating_sub(free) {
            0 => Duration::ZERO,
            counted => WAIT_MIN.saturating_mul(1 << (counted - 1).min(10)).min(most),
        }
    }
}

/// What is known of one who tries.
struct Tries {
    wrong: u32,
    /// Before this no other attempt is checked.
    next: Instant,
    /// The last that was heard of it.
    heard: Instant,
    /// Whether the user has signed on from there.
    known: bool,
}

/// The wrong passwords of a region.
#[derive(Default)]
pub struct Guesses(Mutex<HashMap<Key, Tries>>);

impl Guesses {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// An attempt: how long it must wait before it is checked; `None`: it is refused.
    pub(crate) fn begin(&self, user: Name8, address: Option<IpAddr>, now: Instant) -> Option<Duration> {
        let mut table = self.0.lock();
        let is_known = table.get(&Key::UserAt(user, address)).is_some_and(|tries| tries.known);
        let counts = |key: &Key| !(is_known && matches!(key, Key::User(_)));
        let keys = || Key::of(user, address).filter(counts);
        let begin = keys().filter_map(|key| table.get(&key)).fold(now, |begin, tries| begin.max(tries.next));
        let wait = begin - now;
        if wait > WAIT_MAX {
            return None;
        }
        for key in keys() {
            if let Some(tries) = table.get_mut(&key)
                && let after = key.wait_after(tries.wrong)
                && !after.is_zero()
            {
                tries.next = begin + after;
            }
        }
        Some(wait)
    }

    /// The password was wrong.
    pub(crate) fn was_wrong(&self, user: Name8, address: Option<IpAddr>, now: Instant) {
        let mut table = self.0.lock();
        if table.len() + 3 > GUESSES_KEPT_MAX {
            table.retain(|_, tries| now - tries.heard < FORGOTTEN_AFTER);
        }
        for key in Key::of(user, address) {
            if table.len() >= GUESSES_KEPT_MAX && !table.contains_key(&key) {
                continue;
            }
            let new = Tries { wrong: 0, next: now, heard: now, known: false };
            let tries = table.entry(key).or_insert(new);
            if now - tries.heard >= FORGOTTEN_AFTER {
                tries.wrong = 0;
            }
            tries.wrong = tries.wrong.saturating_add(1);
            tries.heard = now;
            tries.next = tries.next.max(now + key.wait_after(tries.wrong));
        }
    }

    /// The password was right.
    pub(crate) fn was_right(&self, user: Name8, address: Option<IpAddr>, now: Instant) {
        let mut table = self.0.lock();
        let both = Key::UserAt(user, address);
        if table.len() < GUESSES_KEPT_MAX || table.contains_key(&both) {
            table.insert(both, Tries { wrong: 0, next: now, heard: now, known: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const fn at(last: u8) -> Option<IpAddr> {
        Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)))
    }

    /// Guesses as fast as they are let, for an hour: how many are checked.
    fn checked_in_an_hour(guesses: &Guesses, user: impl Fn(u32) -> Name8, address: Option<IpAddr>) -> u32 {
        let begin = Instant::now();
        let mut now = begin;
        let mut checked = 0;
        while now - begin < Duration::from_secs(3_600) {
            match guesses.begin(user(checked), address, now) {
                Some(wait) => {
                    now += wait + Duration::from_millis(20);
                    guesses.was_wrong(user(checked), address, now);
                    checked += 1;
                }
                None => now += Duration::from_secs(1),
            }
        }
        checked
    }

    #[test]
    fn guessing_takes_long() {
        let checked = checked_in_an_hour(&Guesses::default(), |_| "ANNA".into(), at(1));
        assert!((100..150).contains(&checked), "{checked} passwords of one user");
        let users = |number: u32| Name8::from(format!("U{number}").as_str());
        let checked = checked_in_an_hour(&Guesses::default(), users, at(1));
        assert!((100..160).contains(&checked), "{checked} passwords of many users");
    }

    #[test]
    fn attempts_at_the_same_time_take_turns() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        (0..6).for_each(|_| guesses.was_wrong("ANNA".into(), at(1), now));
        let waits: Vec<_> =
            (0..4).map(|_| guesses.begin("ANNA".into(), at(1), now).map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(16), None, None, None]);
    }

    #[test]
    fn who_mistypes_once_does_not_wait() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        guesses.was_wrong("ANNA".into(), at(1), now);
        assert_eq!(guesses.begin("ANNA".into(), at(1), now), Some(Duration::ZERO));
        guesses.was_wrong("ANNA".into(), at(1), now);
        assert_eq!(guesses.begin("ANNA".into(), at(1), now), Some(WAIT_MIN));
        guesses.was_right("ANNA".into(), at(1), now);
        assert_eq!(guesses.begin("ANNA".into(), at(1), now), Some(Duration::ZERO));
    }

    #[test]
    fn nobody_is_locked_out_by_others() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        guesses.was_right("OPER".into(), at(1), now);
        for guess in 0..200 {
            guesses.was_wrong("OPER".into(), at(2 + guess % 100), now);
            // Each takes its turn, so that there is a queue.
            let _ = guesses.begin("OPER".into(), at(2 + guess % 100), now);
        }
        assert_eq!(guesses.begin("OPER".into(), at(1), now), Some(Duration::ZERO), "from where OPER sits");
    }

    #[test]
    fn what_is_known_has_a_limit() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..GUESSES_KEPT_MAX {
            guesses.was_wrong(Name8::from(format!("{number:X}").as_str()), at(1), now);
        }
        assert!(guesses.0.lock().len() <= GUESSES_KEPT_MAX);
        guesses.was_wrong("ANNA".into(), at(1), now + FORGOTTEN_AFTER);
        assert!(guesses.0.lock().len() < 10);
    }
}
