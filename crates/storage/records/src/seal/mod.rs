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
//! The user's key can be changed while the engine works: the keys of the starts before are kept under the new one, until
//! all that they have sealed is sealed again. Each step is one write of the base, so a crash leaves it done or not done.
//!
//! Out of scope: where sealed bytes are kept, and where the user's key comes from.

mod base;
mod runs;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_lc_rs::aead::{Aad, Nonce};

pub(crate) use self::base::{SealPlace, SealedBase};
use self::runs::Runs;
use crate::base::Base;
use crate::shared::Shared;
use crate::{Error, Result};

/// Bytes before what is sealed.
pub(crate) const BEFORE: usize = 12;
/// Bytes behind it.
pub(crate) const BEHIND: usize = 16;
/// Bytes of a key.
const KEY: usize = 32;
/// Bytes of the salt of a start.
pub(crate) const SALT: usize = 32;

/// The user's key.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptionKey([u8; KEY]);

impl EncryptionKey {
    /// Returns its bytes, from which other keys are derived.
    pub fn bytes(&self) -> &[u8; KEY] {
        &self.0
    }

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

/// The user's keys when an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// The one that counts; `None`: nothing is encrypted.
    pub now: Option<EncryptionKey>,
    /// The one before it, until no data need it.
    pub former: Option<EncryptionKey>,
}

impl From<Option<EncryptionKey>> for Keys {
    fn from(now: Option<EncryptionKey>) -> Self {
        Self { now, former: None }
    }
}

/// Keys with which a start of the engine seals.
pub(crate) struct Sealing {
    pub(crate) key: EncryptionKey,
    /// The key that was in force before, if it may still be.
    pub(crate) former: Option<EncryptionKey>,
    /// Random.
    pub(crate) salt: [u8; SALT],
}

/// Seals and opens.
pub(crate) struct Vault {
    runs: Shared<Runs>,
    next: AtomicU64,
}

impl Vault {
    /// Keys to seal and open with, if any: `sealing` must be as it was when the folder was new. Refuses before
    /// anything is written. If the former key is still in force, the new one is from now on.
    pub(crate) fn open(base: &dyn Base, has_log: bool, sealing: Option<Sealing>) -> Result<Option<Self>> {
        let known = base.runs()?;
        let is_new = known.is_empty() && !has_log && base.spaces()?.is_empty();
        let Some(Sealing { key, former, salt }) = sealing else {
            return if known.is_empty() { Ok(None) } else { Err(Error::Key(NEEDS_KEY)) };
        };
        if known.is_empty() && !is_new {
            return Err(Error::Key(IN_CLEAR));
        }
        let runs = if let Some(mut runs) = Runs::read(&known, &key)? {
            let note = runs.begin(salt)?;
            base.note_runs(&[(known.len() as u32, note)])?;
            runs
        } else {
            let before = former.map(|former| Runs::read(&known, &former)).transpose()?.flatten();
            let runs = before.ok_or(Error::Key(WRONG_KEY))?.under(&key, salt)?;
            base.note_runs(&runs.notes())?;
            runs
        };
        Ok(Some(Self { runs: Shared::new(runs), next: AtomicU64::new(0) }))
    }

    /// Another key of the user from now on. What was sealed before can still be opened; nothing tells the former key.
    /// No thread may write records to the base meanwhile, but spaces may be filled.
    pub(crate) fn rotate(&self, base: &dyn Base, key: &EncryptionKey, salt: [u8; SALT]) -> Result<()> {
        if self.runs.read().user() == key {
            return Ok(());
        }
        let runs = self.runs.read().under(key, salt)?;
        let notes = runs.notes();
        base.note_runs(&notes)?;
        *self.runs.write() = runs;
        // A space that was being filled has what was sealed before, once this is noted.
        base.note_runs(&notes)
    }

    /// Nothing is left that was sealed under a former key.
    pub(crate) fn forget_former(&self, base: &dyn Base) -> Result<()> {
        let runs = self.runs.read().without_former();
        base.note_runs(&runs.notes())?;
        *self.runs.write() = runs;
        Ok(())
    }

    /// Returns true if anything may be left under a former key.
    pub(crate) fn has_former(&self) -> bool {
        self.runs.read().any_former()
    }

    /// Returns true if sealed bytes are under a former key.
    fn is_former(&self, sealed: &[u8]) -> bool {
        let run = sealed.first_chunk().map(|run| u32::from_le_bytes(*run));
        run.is_some_and(|run| self.runs.read().is_former(run))
    }

    /// Seals what lies in `bytes` between [`BEFORE`] and [`BEHIND`]. It can only be opened with the same `about`.
    pub(crate) fn seal(&self, about: &[u8], bytes: &mut [u8]) -> Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let runs = self.runs.read();
        let run = runs.count() - 1;
        let (before, rest) = bytes.split_at_mut(BEFORE);
        let (plain, behind) = rest.split_at_mut(rest.len() - BEHIND);
        before[..4].copy_from_slice(&(run as u32).to_le_bytes());
        before[4..].copy_from_slice(&number.to_le_bytes());
        let key = runs.key(run)?.ok_or_else(failed)?;
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
        let runs = self.runs.read();
        let key = runs.key(run as usize)?.ok_or_else(damaged)?;
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

const NEEDS_KEY: &str = "the data are encrypted: name the key that they were written with";
/// The text of [`Error::Key`] for a key that is not the one of the data.
pub const WRONG_KEY: &str = "the key is not the one that the data were written with";
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
