//! Encryption at rest: AES-256-GCM over what the log and the base hold.
//!
//! Every start of the engine has a key of its own, derived from the user's key and a random salt that the base keeps;
//! under it, what is sealed is numbered. So no key is ever used twice with one nonce: not after a crash that took back
//! what a number was used for, and not where two copies of a folder go on separately.
//!
//! ```text
//! sealed = run:4 number:8 ciphertext tag:16
//! ```
//!
//! What never lives here: where sealed bytes are kept, and where the user's key comes from.

mod base;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};

pub(crate) use self::base::SealedBase;
use crate::base::Base;
use crate::{Error, Result};

/// Bytes before what is sealed.
pub(crate) const BEFORE: usize = 12;
/// Bytes behind it.
pub(crate) const BEHIND: usize = 16;
/// Bytes of a key.
const KEY: usize = 32;
/// Bytes of the salt of a start.
pub(crate) const SALT: usize = 32;
/// What derived keys are for.
const PURPOSE: &[u8] = b"syncpoint records AES-256-GCM";
/// The number under which nothing is sealed: its tag proves the key.
const PROOF: u64 = u64::MAX;

/// The user's key.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey([u8; KEY]);

impl EncryptionKey {
    /// A key of 64 hexadecimal digits; blanks and line ends around them do not matter.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.trim().as_bytes();
        if digits.len() != 2 * KEY {
            return None;
        }
        let mut key = [0; KEY];
        for (byte, pair) in key.iter_mut().zip(digits.chunks(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = (digit(0)? << 4 | digit(1)?) as u8;
        }
        Some(Self(key))
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptionKey(..)")
    }
}

/// What a start of the engine seals with.
pub(crate) struct Sealing {
    pub(crate) key: EncryptionKey,
    /// Random.
    pub(crate) salt: [u8; SALT],
}

/// One start of the engine.
struct Run {
    salt: [u8; SALT],
    key: OnceLock<LessSafeKey>,
}

/// Seals and opens.
pub(crate) struct Vault {
    key: EncryptionKey,
    /// All starts there ever were; the last one is the present one.
    runs: Vec<Run>,
    next: AtomicU64,
}

impl Vault {
    /// What to seal and open with, if anything: `sealing` must be as it was when the folder was new. Refuses before
    /// anything is written.
    pub(crate) fn open(base: &dyn Base, has_log: bool, sealing: Option<Sealing>) -> Result<Option<Self>> {
        let known = base.runs()?;
        let is_new = known.is_empty() && !has_log && base.spaces()?.is_empty();
        let Some(Sealing { key, salt }) = sealing else {
            return if known.is_empty() { Ok(None) } else { Err(Error::Key(NEEDS_KEY)) };
        };
        if known.is_empty() && !is_new {
            return Err(Error::Key(IN_CLEAR));
        }
        let mut runs = Vec::with_capacity(known.len() + 1);
        for note in &known {
            let (salt, proof) =
                note.split_first_chunk().ok_or_else(|| Error::Corrupt("a start of the engine".into()))?;
            let run = Run { salt: *salt, key: OnceLock::new() };
            // The last proves it for all.
            if runs.len() + 1 == known.len() && run.proof(&key)? != proof {
                return Err(Error::Key(WRONG_KEY));
            }
            runs.push(run);
        }
        let run = Run { salt, key: OnceLock::new() };
        base.add_run(runs.len() as u32, &[&salt[..], &run.proof(&key)?].concat())?;
        runs.push(run);
        Ok(Some(Self { key, runs, next: AtomicU64::new(0) }))
    }

    /// Seals what lies in `bytes` between [`BEFORE`] and [`BEHIND`]. It can only be opened with the same `about`.
    pub(crate) fn seal(&self, about: &[u8], bytes: &mut [u8]) -> Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let run = self.runs.len() - 1;
        let (before, rest) = bytes.split_at_mut(BEFORE);
        let (plain, behind) = rest.split_at_mut(rest.len() - BEHIND);
        before[..4].copy_from_slice(&(run as u32).to_le_bytes());
        before[4..].copy_from_slice(&number.to_le_bytes());
        let key = self.runs[run].key(&self.key)?;
        let tag = key.seal_in_place_separate_tag(nonce(number), Aad::from(about), plain);
        behind.copy_from_slice(tag.map_err(|_| failed())?.as_ref());
        Ok(())
    }

    /// Opens what [`Self::seal`] has sealed, in place.
    pub(crate) fn open_sealed<'a>(&self, about: &[u8], sealed: &'a mut [u8]) -> Result<&'a [u8]> {
        let damaged = || Error::Corrupt("something sealed cannot be opened".into());
        let (before, rest) = sealed.split_at_mut_checked(BEFORE).ok_or_else(damaged)?;
        let run = u32::from_le_bytes(before[..4].try_into().map_err(|_| damaged())?);
        let number = u64::from_le_bytes(before[4..].try_into().map_err(|_| damaged())?);
        let key = self.runs.get(run as usize).ok_or_else(damaged)?.key(&self.key)?;
        key.open_in_place(nonce(number), Aad::from(about), rest).map(|plain| &*plain).map_err(|_| damaged())
    }

    /// Appends a record to `out`, sealed.
    pub(crate) fn seal_record(&self, about: &[u8], record: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.resize(start + BEFORE, 0);
        out.extend_from_slice(record);
        out.resize(out.len() + BEHIND, 0);
        self.seal(about, &mut out[start..])
    }
}

impl Run {
    fn key(&self, of_user: &EncryptionKey) -> Result<&LessSafeKey> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let mut derived = [0; KEY];
        let secret = Salt::new(HKDF_SHA256, &self.salt).extract(&of_user.0);
        let filled = secret.expand(&[PURPOSE], &AES_256_GCM).and_then(|okm| okm.fill(&mut derived));
        let key = filled.and_then(|()| UnboundKey::new(&AES_256_GCM, &derived)).map_err(|_| failed())?;
        Ok(self.key.get_or_init(|| LessSafeKey::new(key)))
    }

    /// What only the right key makes of this start.
    fn proof(&self, key: &EncryptionKey) -> Result<[u8; BEHIND]> {
        let tag = self.key(key)?.seal_in_place_separate_tag(nonce(PROOF), Aad::from(PURPOSE), &mut []);
        tag.ok().and_then(|tag| tag.as_ref().try_into().ok()).ok_or_else(failed)
    }
}

const NEEDS_KEY: &str = "the data are encrypted: name the key that they were written with";
const WRONG_KEY: &str = "the key is not the one that the data were written with";
const IN_CLEAR: &str = "the data were written without a key: start without one, \
    or unload them and load them into a new folder";

fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; BEFORE];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

/// The library refuses only what it was never given: keys and texts of impossible lengths.
fn failed() -> Error {
    Error::Io("the encryption failed".into())
}
