//! Blocks: what a sealed file is made of.
//!
//! ```text
//! file   = "SPSEALED" ring-key:4 id:16 zeros:4  block*
//! block  = length:4 nonce:12 ciphertext tag:16
//! ```
//!
//! Numbers are little-endian; *length* is that of the ciphertext. Each file has a key of its own, made of the ring's key and
//! the file's id. A block can be opened only where its plain bytes belong, so that blocks cannot change places.

use std::io;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::{SecureRandom, SystemRandom};

use crate::KEY;

pub(crate) const MAGIC: &[u8; 8] = b"SPSEALED";
/// Bytes before the first block.
pub(crate) const HEAD: u64 = 32;
const ID: usize = 16;
/// Bytes of a block before its ciphertext, and behind it.
pub(crate) const BEFORE: usize = 16;
pub(crate) const BEHIND: usize = 16;
const NONCE: usize = 12;
/// Plain bytes of a block at most.
pub(crate) const BLOCK_MAX: usize = 64 * 1024;

/// The beginning of a sealed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The number of the key in its folder's ring.
    pub ring_key: u32,
    pub id: [u8; ID],
}

impl Head {
    pub fn new(ring_key: u32) -> io::Result<Self> {
        let mut id = [0; ID];
        random(&mut id)?;
        Ok(Self { ring_key, id })
    }

    pub fn to_bytes(self) -> [u8; HEAD as usize] {
        let mut bytes = [0; HEAD as usize];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.ring_key.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.id);
        bytes
    }

    /// `None` if a file begins otherwise.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (ring_key, rest) = rest.split_first_chunk::<4>()?;
        Some(Self { ring_key: u32::from_le_bytes(*ring_key), id: *rest.first_chunk::<ID>()? })
    }
}

/// Random bytes.
pub(crate) fn random(bytes: &mut [u8]) -> io::Result<()> {
    SystemRandom::new().fill(bytes).map_err(|_| io::Error::other("the system gives no random bytes"))
}

/// A key derived from another one.
pub(crate) fn derived(key: &[u8; KEY], about: &[u8]) -> [u8; KEY] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), about);
    let mut derived = [0; KEY];
    derived.copy_from_slice(&tag.as_ref()[..KEY]);
    derived
}

/// Seals and opens the blocks of one file.
pub(crate) struct Blocks(LessSafeKey);

impl Blocks {
    pub fn of(ring_key: &[u8; KEY], head: &Head) -> io::Result<Self> {
        Self::with(&derived(ring_key, &head.id))
    }

    pub fn with(key: &[u8; KEY]) -> io::Result<Self> {
        let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| failed())?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Appends a block with these bytes to `out`, which begin at `start` of the plain file.
    pub fn seal(&self, start: u64, plain: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let mut nonce = [0; NONCE];
        random(&mut nonce)?;
        out.extend_from_slice(&(plain.len() as u32).to_le_bytes());
        out.extend_from_slice(&nonce);
        let at = out.len();
        out.extend_from_slice(plain);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, Aad::from(start.to_le_bytes()), &mut out[at..]);
        out.extend_from_slice(tag.map_err(|_| failed())?.as_ref());
        Ok(())
    }

    /// Opens what stands behind a block's length: its plain bytes are the first of what is left in `sealed`.
    pub fn open(&self, start: u64, nonce: [u8; NONCE], sealed: &mut Vec<u8>) -> io::Result<()> {
        let nonce = Nonce::assume_unique_for_key(nonce);
        let length =
            self.0.open_in_place(nonce, Aad::from(start.to_le_bytes()), sealed).map(|plain| plain.len());
        sealed.truncate(length.map_err(|_| damaged())?);
        Ok(())
    }
}

/// The error of something sealed that cannot be opened.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "something sealed in it is not what was written")
}

/// The library refuses only keys and texts of impossible lengths.
fn failed() -> io::Error {
    io::Error::other("the encryption failed")
}
