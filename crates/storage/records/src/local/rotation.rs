//! Change of the user's key while the engine works: the new key is in force at once, and a thread of its own seals
//! the records under the former key with it, piece by piece, between checkpoints. An engine that ends meanwhile goes
//! on at its next start.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::core::Core;
use crate::seal::{SALT, SealPlace};
use crate::{EncryptionKey, Error, Result};

/// Time between a failed step and the next attempt.
const RETRY: Duration = Duration::from_secs(1);

/// Work of the thread until the engine ends.
pub(super) fn seal_anew(core: &Core) {
    let mut failed = None;
    while !core.gate.is_stopping() {
        {
            let mut awake = core.resealing.awake.lock();
            if failed.is_some() && !core.gate.is_stopping() {
                core.resealing.bell.wait_for(&mut awake, RETRY);
            }
            while !core.has_former() && !core.gate.is_stopping() {
                core.resealing.bell.wait(&mut awake);
            }
        }
        if core.gate.is_stopping() {
            return;
        }
        let error = core.seal_some().err();
        if let Some(error) = error.as_ref().filter(|error| failed.as_ref() != Some(*error)) {
            tracing::error!(target: "RM", "records cannot be sealed with the new key now: {error}");
        }
        failed = error;
    }
}

impl Core {
    /// The user's key is another one from now on. It can also open what was sealed before.
    pub(super) fn rotate(&self, key: &EncryptionKey) -> Result<()> {
        let sealed = self.sealed.as_ref().ok_or(Error::Unsupported("a key for data in clear"))?;
        {
            let mut place = self.resealing.place.lock();
            // No thread writes records to the base meanwhile.
            let _no_checkpoint = self.checkpointing.lock();
            sealed.vault().rotate(sealed.inner(), key, salt()?)?;
            *place = None;
        }
        self.resealing.wake();
        Ok(())
    }

    /// Returns true if anything may be left under a former key.
    pub(super) fn has_former(&self) -> bool {
        self.sealed.as_ref().is_some_and(|sealed| sealed.vault().has_former())
    }

    /// Returns how many records were sealed again; `None` once all are.
    pub(super) fn resealing(&self) -> Option<u64> {
        self.has_former().then(|| self.resealing.records.load(Ordering::Relaxed))
    }

    /// Seals some records again; false if there is nothing to do any more.
    pub(crate) fn seal_some(&self) -> Result<bool> {
        let Some(sealed) = self.sealed.as_ref().filter(|sealed| sealed.vault().has_former()) else {
            return Ok(false);
        };
        let mut place = self.resealing.place.lock();
        if place.is_none() {
            // A group of the log that was being written when the key was changed is visible then, and the log begins behind
            // all that was sealed before.
            self.flush_log()?;
            self.checkpoint()?;
        }
        let _no_checkpoint = self.checkpointing.lock();
        let done = sealed.seal_some(place.as_ref().unwrap_or(&SealPlace::BEGINNING))?;
        self.resealing.records.fetch_add(done.records, Ordering::Relaxed);
        *place = done.next;
        if place.is_none() {
            sealed.vault().forget_former(sealed.inner())?;
            let records = self.resealing.records.load(Ordering::Relaxed);
            tracing::info!(target: "RM", "{records} records are sealed with the new key: the former one opens nothing any more");
        }
        Ok(place.is_some())
    }
}

/// Random bytes for a start.
pub(super) fn salt() -> Result<[u8; SALT]> {
    let mut salt = [0; SALT];
    aws_lc_rs::rand::fill(&mut salt).map_err(|_| Error::Io("the system has no random numbers".into()))?;
    Ok(salt)
}
