//! Tickets of TLS sessions: a client that comes back shows its ticket, and no thread keeps anything for it.
//!
//! A ticket is good for one life, at the door whose name it was made for: else a session of a door that asks for no certificate
//! could be resumed at one that does. Its key is derived from the door's secret and the number of the life that it began in.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use aws_lc_rs::rand;
use tokio_rustls::rustls::server::ProducesTickets;

/// Bytes of a door's secret.
pub(crate) const SECRET: usize = 32;
/// Bytes of a number in a ticket.
const NUMBER: usize = 8;
/// The longest life that TLS knows.
const LIFE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The maker and reader of a door's tickets.
pub(crate) struct Tickets {
    secret: Prk,
    name: Vec<u8>,
    life_s: u64,
}

/// The length of a key.
struct KeyLength;

impl KeyType for KeyLength {
    fn len(&self) -> usize {
        AES_256_GCM.key_len()
    }
}

/// A secret of tickets that several regions have, so that each of them resumes the sessions of all. Their keys change at the same
/// second, since they follow from it and the clock.
#[derive(Clone, Copy)]
pub struct TicketSecret(pub(crate) [u8; SECRET]);

impl std::fmt::Debug for TicketSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TicketSecret")
    }
}

impl Tickets {
    /// Those of a door; a life has at least a second.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn new(name: &[u8], life: Duration) -> Result<Self, Unspecified> {
        let mut secret = [0; SECRET];
        rand::fill(&mut secret)?;
        Ok(Self::of(&TicketSecret(secret), name, life))
    }

    /// Those of a door of several regions.
    pub fn of(secret: &TicketSecret, name: &[u8], life: Duration) -> Self {
        let secret = Salt::new(HKDF_SHA256, &[]).extract(&secret.0);
        Self { secret, name: name.to_vec(), life_s: life.min(LIFE_MAX).as_secs().max(1) }
    }

    /// The key of the tickets that begin in a life.
    fn key(&self, life: u64) -> Option<LessSafeKey> {
        let number = life.to_be_bytes();
        let info: [&[u8]; 1] = [&number];
        let mut bytes = vec![0; AES_256_GCM.key_len()];
        self.secret.expand(&info, KeyLength).and_then(|key| key.fill(&mut bytes)).ok()?;
        UnboundKey::new(&AES_256_GCM, &bytes).ok().map(LessSafeKey::new)
    }

    /// A ticket: the number of its life, a nonce, and encrypted the second of its issue and the session.
    fn seal(&self, session: &[u8], now: u64) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce).ok()?;
        let mut sealed = [&now.to_be_bytes(), session].concat();
        let life = now / self.life_s;
        let key = self.key(life)?;
        let bound = Aad::from(&self.name);
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound, &mut sealed).ok()?;
        Some([&life.to_be_bytes(), nonce.as_slice(), &sealed].concat())
    }

    /// The session of a ticket, if it is one of ours and still good.
    fn open(&self, ticket: &[u8], now: u64) -> Option<Vec<u8>> {
        let (life, rest) = ticket.split_first_chunk::<NUMBER>()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>()?;
        let life = u64::from_be_bytes(*life);
        let present = now / self.life_s;
        if life != present && life.checked_add(1) != Some(present) {
            return None;
        }
        let mut bytes = sealed.to_vec();
        let bound = Aad::from(&self.name);
        let opened = self.key(life)?.open_in_place(Nonce::assume_unique_for_key(*nonce), bound, &mut bytes);
        let (issued, session) = opened.ok()?.split_first_chunk::<NUMBER>()?;
        let age = now.checked_sub(u64::from_be_bytes(*issued))?;
        (age < self.life_s).then(|| session.to_vec())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        self.life_s.try_into().unwrap_or(u32::MAX)
    }

    fn encrypt(&self, session: &[u8]) -> Option<Vec<u8>> {
        self.seal(session, now())
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        self.open(ticket, now())
    }
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tickets").field("life_s", &self.life_s).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_one_life_at_its_own_door() {
        let tickets = Tickets::new(b"SHOP", Duration::from_secs(600)).expect("random numbers");
        let other = Tickets { secret: tickets.secret.clone(), name: b"SAFE".to_vec(), life_s: 600 };
        let issued = 1_000_100;
        let ticket = tickets.seal(b"session", issued).expect("a ticket");
        for (now, good) in [(issued, true), (issued + 599, true), (issued + 600, false), (issued - 1, false)]
        {
            assert_eq!(tickets.open(&ticket, now).is_some(), good, "{now}");
        }
        assert_eq!(tickets.open(&ticket, issued).as_deref(), Some(b"session".as_slice()));
        assert_eq!(other.open(&ticket, issued), None);
        for at in 0..ticket.len() {
            let mut changed = ticket.clone();
            changed[at] ^= 1;
            assert_eq!(tickets.open(&changed, issued), None, "byte {at}");
            assert_eq!(tickets.open(&ticket[..at], issued), None, "cut at {at}");
        }
    }
}
