//! The chain: a line's hash is made from the hash before it and from the line's content.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// A hash as 64 hexadecimal digits.
pub(crate) type Hash = String;

/// The hash before the first record of all.
pub(crate) const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The hash of a line.
pub(crate) fn hash(before: &str, json: &str) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(before.as_bytes());
    hasher.update(json.as_bytes());
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line of a file: hash and JSON.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(hash, _)| hash.len() == BEGINNING.len())
}

/// The end of a chain: the number of records, and the hash of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the last record.
    pub number: u64,
    /// Its hash.
    pub hash: String,
}

/// A head that was noted elsewhere, as `17:3f2a…`.
pub type Noted = Head;

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.hash)
    }
}

impl FromStr for Head {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(number, hash)| Some((number.parse().ok()?, hash)));
        let digits =
            |hash: &str| hash.len() == BEGINNING.len() && hash.chars().all(|c| c.is_ascii_hexdigit());
        match parts {
            Some((number, hash)) if digits(hash) => Ok(Self { number, hash: hash.to_ascii_lowercase() }),
            _ => Err(format!(
                "{text} is no end of an audit: it is NUMBER:HASH, as the region's log and verify tell it"
            )),
        }
    }
}
