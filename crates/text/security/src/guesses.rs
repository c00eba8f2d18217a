//! Wrong passwords: the wait that the next attempt gets, and the revocation of users.
//!
//! Each wrong password makes the next ones wait for twice as long, up to [`WAIT_MAX`]: those for the same user from the
//! same address from the second on, those for any user from the same address from the tenth on, and those for the same user
//! from anywhere by a little. Attempts are checked one after the other, however many come at once; one that would wait for
//! too long is refused, with the answer that a wrong password gets, and unchecked.
//!
//! An address from which a user has signed on before does not wait for others' attempts in that user's name, and is not
//! revoked for them: so attackers cannot lock the user out.
//!
//! Tables never grow beyond their limit: the entries that were silent for longest are forgotten.

use std::hash::Hash;
use std::mem;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use foldhash::{HashMap, HashMapExt};
use parking_lot::Mutex;

/// The longest wait between two attempts, and of an attempt that is checked.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// The wait that the first wrong password causes which causes one.
const WAIT_MIN: Duration = Duration::from_secs(1);
/// The longest wait for others' attempts in a user's name.
const WAIT_FOR_OTHERS_MAX: Duration = Duration::from_secs(5);
/// The time after which a wrong password is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(15 * 60);
/// The number of users and addresses that are remembered, and of places at which users are known.
const KEPT_MAX: usize = 20_000;

/// Wrong passwords that cause no wait.
const FREE_FOR_USER_AT_ADDRESS: u32 = 1;
const FREE_FOR_ADDRESS: u32 = 9;
const FREE_FOR_USER: u32 = 9;

/// A user id, padded with blanks.
pub type UserId = [u8; 8];

/// After how many wrong passwords in a row a user is revoked, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// This number; 0: no user is ever revoked, wrong passwords only wait.
    pub after: u32,
    /// This time.
    pub lasts: Duration,
}

impl Default for Revocation {
    fn default() -> Self {
        Self { after: 0, lasts: FORGOTTEN_AFTER }
    }
}

/// The reason why a password is refused unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It would have to wait for too long.
    TooMany,
    /// The user is revoked for now.
    Revoked,
}

/// Whose wrong passwords are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Those for a user from an address; without one, from programs that no terminal has.
    UserAt(UserId, Option<IpAddr>),
    /// Those from an address.
    At(IpAddr),
    /// Those for a user, from addresses where the user is not known.
    User(UserId),
}

impl Key {
    /// The keys of an attempt; for an address where the user is known, not the user's key for all addresses.
    fn of(user: UserId, address: Option<IpAddr>, known: bool) -> impl Iterator<Item = Self> {
        let user_anywhere = (!known).then_some(Self::User(user));
        [Some(Self::UserAt(user, address)), address.map(Self::At), user_anywhere].into_iter().flatten()
    }

    /// The wait for the next attempt after this number of wrong passwords.
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

    /// Returns true if wrong passwords of this kind revoke a user.
    fn revokes(self) -> bool {
        !matches!(self, Self::At(_))
    }
}

/// The tries counted under one key.
#[derive(Clone, Copy)]
struct Tries {
    wrong: u32,
    /// No other attempt is checked before this time.
    next: Instant,
    /// The time of the last wrong password.
    heard: Instant,
    /// The user is revoked until this time.
    revoked: Option<Instant>,
}

/// Entries in two halves: when the younger is full it becomes the older one, and the entries of that are forgotten. So
/// neither memory nor the time of a look grows, and a key that keeps being tried is always remembered.
struct Halves<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Copy + Eq + Hash, V: Copy> Halves<K, V> {
    fn new() -> Self {
        Self { young: HashMap::new(), old: HashMap::new() }
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// The entry, made from `new` if there is none, among the younger ones from now on.
    fn entry(&mut self, key: K, new: V) -> &mut V {
        let former = self.old.remove(&key);
        if !self.young.contains_key(&key) && self.young.len() >= KEPT_MAX / 2 {
            self.old = mem::take(&mut self.young);
        }
        self.young.entry(key).or_insert(former.unwrap_or(new))
    }

    fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }

    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

/// The place of a try: a user, and an address if there is one.
type Place = (UserId, Option<IpAddr>);

struct Table {
    tries: Halves<Key, Tries>,
    /// The places where users have signed on. Filling it takes a right password.
    known: Halves<Place, ()>,
}

/// The wrong passwords of a region.
pub struct Guesses {
    table: Mutex<Table>,
    revocation: Revocation,
}

impl Default for Guesses {
    fn default() -> Self {
        Self::new(Revocation::default())
    }
}

impl Guesses {
    /// None yet.
    pub fn new(revocation: Revocation) -> Self {
        let table = Table { tries: Halves::new(), known: Halves::new() };
        Self { table: Mutex::new(table), revocation }
    }

    /// Begins an attempt; returns the time that it must wait before it is checked.
    ///
    /// # Errors
    /// It is refused; the user gets the answer that a wrong password gets.
    pub fn begin(&self, user: UserId, address: Option<IpAddr>, now: Instant) -> Result<Duration, Refused> {
        let address = address.map(network);
        let mut table = self.table.lock();
        let known = table.known.get(&(user, address)).is_some();
        let tries: Vec<(Key, Tries)> =
            Key::of(user, address, known).filter_map(|key| Some((key, *table.tries.get(&key)?))).collect();
        if tries.iter().any(|(_, tries)| tries.revoked.is_some_and(|until| now < until)) {
            return Err(Refused::Revoked);
        }
        let begin = tries.iter().fold(now, |begin, (_, tries)| begin.max(tries.next));
        let wait = begin - now;
        if wait > WAIT_MAX {
            return Err(Refused::TooMany);
        }
        for (key, tries) in tries {
            let after = key.wait_after(tries.wrong);
            if !after.is_zero() {
                table.tries.entry(key, tries).next = begin + after;
            }
        }
        Ok(wait)
    }

    /// Counts a wrong password. Returns true if the user is revoked for it.
    pub fn was_wrong(&self, user: UserId, address: Option<IpAddr>, now: Instant) -> bool {
        let address = address.map(network);
        let mut table = self.table.lock();
        let known = table.known.get(&(user, address)).is_some();
        let mut revoked = false;
        for key in Key::of(user, address, known) {
            let new = Tries { wrong: 0, next: now, heard: now, revoked: None };
            let tries = table.tries.entry(key, new);
            if now - tries.heard >= FORGOTTEN_AFTER {
                tries.wrong = 0;
            }
            tries.wrong = tries.wrong.saturating_add(1);
            tries.heard = now;
            tries.next = tries.next.max(now + key.wait_after(tries.wrong));
            if self.revocation.after > 0 && key.revokes() && tries.wrong >= self.revocation.after {
                tries.wrong = 0;
                tries.revoked = Some(now + self.revocation.lasts);
                revoked = true;
            }
        }
        revoked
    }

    /// The password was right.
    pub fn was_right(&self, user: UserId, address: Option<IpAddr>) {
        let address = address.map(network);
        let mut table = self.table.lock();
        table.known.entry((user, address), ());
        table.tries.remove(&Key::UserAt(user, address));
    }

    /// The number of wrong passwords in a row that the user has had from an address since one was right.
    pub fn wrong(&self, user: UserId, address: Option<IpAddr>) -> u32 {
        let key = Key::UserAt(user, address.map(network));
        self.table.lock().tries.get(&key).map_or(0, |tries| tries.wrong)
    }

    /// The number of users and addresses that are remembered.
    pub fn remembered(&self) -> usize {
        let table = self.table.lock();
        table.tries.len() + table.known.len()
    }
}

/// The part of an address that counts as one address: of IPv6 the network, since the owner of one address there has
/// 2^64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}
