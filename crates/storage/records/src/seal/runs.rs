//! The keys of all starts of an engine: derived from the user's key, or kept under it where the user had another one then.
//!
//! ```text
//! note of a start = salt:32 proof:16            its key is derived from the user's key
//!                 | by:4 key:32 tag:16          written under a former key: kept under the key of the start `by`
//!                 | nothing                     nothing is left that was sealed then
//! ```

use std::sync::OnceLock;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};

use super::{BEHIND, EncryptionKey, KEY, SALT, failed, nonce};
use crate::{Error, Result};

/// Purpose of derived keys: records and log, and the keys of starts under a former key.
const PURPOSE: &[u8] = b"syncpoint records AES-256-GCM";
const PURPOSE_FORMER: &[u8] = b"syncpoint keys of former starts AES-256-GCM";
/// The number under which nothing is sealed: its tag proves the key.
const PROOF: u64 = u64::MAX;

/// Sources of a start's key.
#[derive(Clone)]
enum Note {
    Own { salt: [u8; SALT], proof: [u8; BEHIND] },
    Former { by: u32, kept: [u8; KEY + BEHIND] },
    Gone,
}

impl Note {
    fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::Gone);
        }
        let own = || {
            let (salt, proof) = bytes.split_first_chunk()?;
            Some(Self::Own { salt: *salt, proof: proof.try_into().ok()? })
        };
        let former = || {
            let (by, kept) = bytes.split_first_chunk()?;
            Some(Self::Former { by: u32::from_le_bytes(*by), kept: kept.try_into().ok()? })
        };
        own().or_else(former)
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Own { salt, proof } => [&salt[..], proof].concat(),
            Self::Former { by, kept } => [&by.to_le_bytes()[..], kept].concat(),
            Self::Gone => Vec::new(),
        }
    }
}

/// One start of the engine.
struct Run {
    note: Note,
    key: OnceLock<LessSafeKey>,
}

impl From<Note> for Run {
    fn from(note: Note) -> Self {
        Self { note, key: OnceLock::new() }
    }
}

/// All starts there ever were; the last one is the present one.
pub(super) struct Runs {
    user: EncryptionKey,
    runs: Vec<Run>,
}

impl Runs {
    /// The starts that notes tell of, if the user's key is the one of the last of them; it proves it for all.
    pub fn read(notes: &[Vec<u8>], user: &EncryptionKey) -> Result<Option<Self>> {
        let torn = || Error::Corrupt("a start of the engine".into());
        let read: Option<Vec<_>> = notes.iter().map(|note| Note::read(note)).collect();
        let read = read.ok_or_else(torn)?;
        match read.last() {
            Some(Note::Own { salt, proof: noted }) if proof(user, salt)? != *noted => return Ok(None),
            None | Some(Note::Own { .. }) => {}
            Some(_) => return Err(torn()),
        }
        Ok(Some(Self { user: user.clone(), runs: read.into_iter().map(Run::from).collect() }))
    }

    /// Number of starts.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The user's key.
    pub fn user(&self) -> &EncryptionKey {
        &self.user
    }

    /// One more start; its note.
    pub fn begin(&mut self, salt: [u8; SALT]) -> Result<Vec<u8>> {
        let note = Note::Own { salt, proof: proof(&self.user, &salt)? };
        let bytes = note.bytes();
        self.runs.push(note.into());
        Ok(bytes)
    }

    /// The same starts under another key of the user, and one more that begins with it.
    pub fn under(&self, user: &EncryptionKey, salt: [u8; SALT]) -> Result<Self> {
        let by = self.count() as u32;
        let wrapping = derive(user, &salt, PURPOSE_FORMER).and_then(|key| cipher(&key))?;
        let kept = |at: usize| match self.secret(at)? {
            None => Ok(Note::Gone),
            Some(secret) => {
                let mut kept = [0; KEY + BEHIND];
                let (key, behind) = kept.split_at_mut(KEY);
                key.copy_from_slice(&secret);
                let tag =
                    wrapping.seal_in_place_separate_tag(nonce(at as u64), Aad::from(PURPOSE_FORMER), key);
                behind.copy_from_slice(tag.map_err(|_| failed())?.as_ref());
                Ok(Note::Former { by, kept })
            }
        };
        let notes = (0..self.count()).map(kept).collect::<Result<Vec<_>>>()?;
        let mut under = Self { user: user.clone(), runs: notes.into_iter().map(Run::from).collect() };
        under.begin(salt)?;
        Ok(under)
    }

    /// The same, but nothing is left that was sealed under a former key.
    pub fn without_former(&self) -> Self {
        let note = |run: &Run| match &run.note {
            Note::Former { .. } => Note::Gone,
            note => note.clone(),
        };
        Self { user: self.user.clone(), runs: self.runs.iter().map(|run| note(run).into()).collect() }
    }

    /// All notes, by the numbers of their starts.
    pub fn notes(&self) -> Vec<(u32, Vec<u8>)> {
        (0..).zip(self.runs.iter().map(|run| run.note.bytes())).collect()
    }

    /// Returns true if a start was under a former key.
    pub fn is_former(&self, at: u32) -> bool {
        matches!(self.runs.get(at as usize), Some(Run { note: Note::Former { .. }, .. }))
    }

    /// Returns true if any was.
    pub fn any_former(&self) -> bool {
        self.runs.iter().any(|run| matches!(run.note, Note::Former { .. }))
    }

    /// The key of a start.
    pub fn key(&self, at: usize) -> Result<Option<&LessSafeKey>> {
        let Some(run) = self.runs.get(at) else { return Ok(None) };
        if let Some(key) = run.key.get() {
            return Ok(Some(key));
        }
        let Some(secret) = self.secret(at)? else { return Ok(None) };
        let key = cipher(&secret)?;
        Ok(Some(run.key.get_or_init(|| key)))
    }

    /// Secret of a start's key; `None` if it is gone.
    fn secret(&self, at: usize) -> Result<Option<[u8; KEY]>> {
        match &self.runs[at].note {
            Note::Gone => Ok(None),
            Note::Own { salt, .. } => derive(&self.user, salt, PURPOSE).map(Some),
            Note::Former { by, kept } => {
                let torn = || Error::Corrupt("the key of a former start".into());
                let Some(Run { note: Note::Own { salt, .. }, .. }) = self.runs.get(*by as usize) else {
                    return Err(torn());
                };
                let wrapping = derive(&self.user, salt, PURPOSE_FORMER).and_then(|key| cipher(&key))?;
                let mut kept = *kept;
                let opened = wrapping.open_in_place(nonce(at as u64), Aad::from(PURPOSE_FORMER), &mut kept);
                let secret = opened.map_err(|_| torn())?;
                Ok(Some((&*secret).try_into().map_err(|_| torn())?))
            }
        }
    }
}

fn derive(user: &EncryptionKey, salt: &[u8; SALT], purpose: &[u8]) -> Result<[u8; KEY]> {
    let mut derived = [0; KEY];
    let secret = Salt::new(HKDF_SHA256, salt).extract(&user.0);
    let filled = secret.expand(&[purpose], &AES_256_GCM).and_then(|okm| okm.fill(&mut derived));
    filled.map(|()| derived).map_err(|_| failed())
}

fn cipher(key: &[u8; KEY]) -> Result<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, key).map(LessSafeKey::new).map_err(|_| failed())
}

/// Proof that only the right key makes for a start.
fn proof(user: &EncryptionKey, salt: &[u8; SALT]) -> Result<[u8; BEHIND]> {
    let key = derive(user, salt, PURPOSE).and_then(|key| cipher(&key))?;
    let tag = key.seal_in_place_separate_tag(nonce(PROOF), Aad::from(PURPOSE), &mut []);
    tag.ok().and_then(|tag| tag.as_ref().try_into().ok()).ok_or_else(failed)
}
