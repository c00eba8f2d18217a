//! RIDFLD: what identifies a record, and whether a data set knows records by it.

use spec::{cond, opt};
use vsam::{Dataset, Key, Organization, Search};

use super::resp2;
use kernel::exec::Call;
use kernel::raise::{Outcome, RaiseCondition};

/// Bytes of an RBA in RIDFLD.
const NARROW_RBA_LENGTH: usize = 4;

/// The kind of identification in RIDFLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// A key, or its beginning.
    Key,
    /// RBA: the lower half of a relative byte address.
    Rba,
    /// XRBA: a whole relative byte address.
    Xrba,
    /// RRN: a relative record number.
    Rrn,
}

impl Identity {
    /// Returns the kind that a command names.
    pub fn of(call: &Call<'_>) -> Self {
        if call.keyword(opt::RBA) {
            Self::Rba
        } else if call.keyword(opt::XRBA) {
            Self::Xrba
        } else if call.keyword(opt::RRN) {
            Self::Rrn
        } else {
            Self::Key
        }
    }

    /// Checks that the data set knows its records by it.
    ///
    /// # Errors
    /// INVREQ for an RBA in a KSDS and an XRBA in what is no ESDS; ILLOGIC for whatever else the access method itself
    /// would refuse.
    pub fn check(self, dataset: &Dataset) -> Outcome {
        let organization = match dataset.is_path() {
            true => None,
            false => Some(dataset.cluster().organization),
        };
        match (self, organization) {
            (Self::Key, None | Some(Organization::Keyed(_)))
            | (Self::Rba | Self::Xrba, Some(Organization::EntrySequenced))
            | (Self::Rrn, Some(Organization::Relative)) => Ok(()),
            (Self::Rba, None | Some(Organization::Keyed(_))) => Err(cond::INVREQ.raise(resp2::RBA_OF_KSDS)),
            (Self::Xrba, _) => Err(cond::INVREQ.raise(resp2::XRBA_OF_NO_ESDS)),
            _ => Err(cond::ILLOGIC.raise(resp2::LOGIC)),
        }
    }

    /// The identifier in RIDFLD, `length` bytes of it if it is a key. An RBA is widened to what data sets count with.
    pub fn read(self, call: &Call<'_>, length: usize) -> Outcome<Key> {
        let wide = if self == Self::Rba { vsam::RBA_LENGTH - NARROW_RBA_LENGTH } else { 0 };
        let mut key = Key::from_elem(0, wide + if wide > 0 { NARROW_RBA_LENGTH } else { length });
        if !call.copy_to(opt::RIDFLD, &mut key[wide..])? {
            key.truncate(wide);
        } else if wide > 0 && key[wide..].iter().all(|byte| *byte == u8::MAX) {
            // High values stand for the end, as in any other identifier.
            key.fill(u8::MAX);
        }
        Ok(key)
    }

    /// Gives an identifier back to the program, as wide as it gave one.
    ///
    /// # Errors
    /// ILLOGIC for an address that an RBA cannot hold.
    pub fn put(self, call: &Call<'_>, key: &[u8]) -> Outcome {
        if self != Self::Rba {
            return call.put_area(opt::RIDFLD, key);
        }
        let (high, low) = key.split_at(key.len().saturating_sub(NARROW_RBA_LENGTH));
        if high.iter().any(|byte| *byte != 0) {
            return Err(cond::ILLOGIC.raise(resp2::LOGIC));
        }
        call.put_area(opt::RIDFLD, low)
    }
}

/// The search argument of a command.
pub(super) struct Wanted {
    pub key: Key,
    pub generic: bool,
    pub at_least: bool,
    pub identity: Identity,
}

impl Wanted {
    /// The identifier in RIDFLD: the beginning of a key with GENERIC and KEYLENGTH, otherwise whole.
    ///
    /// Order of checks: kind of identifier, key length below zero, too long for a generic key, not the file's.
    pub fn read(call: &Call<'_>, dataset: &Dataset) -> Outcome<Self> {
        let identity = Identity::of(call);
        identity.check(dataset)?;
        let generic = call.keyword(opt::GENERIC);
        let full = dataset.key_length();
        let length = key_length(call)?.unwrap_or(full);
        if generic && call.has(opt::KEYLENGTH) && length >= full {
            return Err(cond::INVREQ.raise(resp2::GENERIC_KEY_LENGTH));
        }
        if !generic && length != full && identity == Identity::Key {
            return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
        }
        let key = identity.read(call, if identity == Identity::Key { length } else { full })?;
        Ok(Self { key, generic, at_least: call.keyword(opt::GTEQ), identity })
    }

    /// As a search of the data set.
    pub fn search(&self) -> Search<'_> {
        Search { key: &self.key, generic: self.generic, at_least: self.at_least }
    }
}

/// KEYLENGTH.
///
/// # Errors
/// INVREQ below zero.
pub(super) fn key_length(call: &Call<'_>) -> Outcome<Option<usize>> {
    let negative = |_| cond::INVREQ.raise(resp2::NEGATIVE_KEY_LENGTH);
    call.number(opt::KEYLENGTH)?.map(usize::try_from).transpose().map_err(negative)
}
