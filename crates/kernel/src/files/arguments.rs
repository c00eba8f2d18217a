//! What the file commands have in common: the file, the key, the wait.

use std::sync::Arc;
use std::time::Duration;

use records::Wait;
use spec::{cond, opt};
use vsam::{Dataset, Key, Organization, Search};

use super::file::File;
use super::{Access, resp2};
use crate::exec::Call;
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{Task, WaitKind};

/// The file of a command. EIBDS and EIBRSRCE name it, also if there is none.
pub(super) fn file(task: &mut Task, call: &Call<'_>) -> Outcome<Arc<File>> {
    let name: Option<Name8> = call.name(opt::FILE)?;
    let name = match name {
        Some(name) => name,
        None => call.need_name(opt::DATASET)?,
    };
    task.level_mut().eib.set_dataset(name);
    let file =
        task.region.files.get(name).ok_or_else(|| cond::FILENOTFOUND.raise(resp2::FILE_NOT_DEFINED))?;
    file.requests.count(call.command(), call.keyword(opt::UPDATE));
    Ok(file)
}

/// The file's data set, if the file is usable and allows what is asked for.
pub(super) async fn dataset(task: &Task, file: &File, allows: fn(Access) -> bool) -> Outcome<Arc<Dataset>> {
    let dataset = match file.opened() {
        Some(dataset) if file.enable_status() == super::EnableStatus::Enabled => dataset,
        _ => task.wait(WaitKind::File, file.usable(&task.region.vsam)).await??,
    };
    if allows(file.access()) { Ok(dataset) } else { Err(cond::INVREQ.raise(resp2::NOT_ALLOWED)) }
}

/// How long a command waits for a record.
pub(super) fn wait(task: &Task, call: &Call<'_>) -> Wait {
    match task.transaction.deadlock_timeout_s {
        _ if call.keyword(opt::NOSUSPEND) => Wait::No,
        0 => Wait::Forever,
        seconds => Wait::AtMost(Duration::from_secs(seconds.into())),
    }
}

/// Bytes of an RBA in RIDFLD.
const RBA_LENGTH: usize = 4;

/// What a command searches for.
pub(super) struct Wanted {
    pub key: Key,
    pub generic: bool,
    pub at_least: bool,
}

impl Wanted {
    /// The key in RIDFLD: its beginning with GENERIC and KEYLENGTH, otherwise whole.
    ///
    /// Order of checks: key length below zero, too long for a generic key, not the file's.
    pub fn read(call: &Call<'_>, dataset: &Dataset) -> Outcome<Self> {
        let generic = call.keyword(opt::GENERIC);
        let at_least = call.keyword(opt::GTEQ);
        let full = dataset.key_length();
        let length = match call.number(opt::KEYLENGTH)? {
            None => full,
            Some(n) => usize::try_from(n).map_err(|_| cond::INVREQ.raise(resp2::NEGATIVE_KEY_LENGTH))?,
        };
        if generic && call.has(opt::KEYLENGTH) && length >= full {
            return Err(cond::INVREQ.raise(resp2::GENERIC_KEY_LENGTH));
        }
        if !generic && length != full && !is_address(call) {
            return Err(cond::INVREQ.raise(resp2::KEY_LENGTH));
        }
        Ok(Self { key: key(call, dataset, length)?, generic, at_least })
    }

    /// As a search of the data set.
    pub fn search(&self) -> Search<'_> {
        Search { key: &self.key, generic: self.generic, at_least: self.at_least }
    }
}

fn is_address(call: &Call<'_>) -> bool {
    call.keyword(opt::RBA) || call.keyword(opt::XRBA) || call.keyword(opt::RRN)
}

/// The key in RIDFLD, `length` bytes of it. An RBA of four bytes is widened to the eight that data sets count with.
pub(super) fn key(call: &Call<'_>, dataset: &Dataset, length: usize) -> Outcome<Key> {
    let narrow = call.keyword(opt::RBA);
    let length = if narrow { RBA_LENGTH } else { length };
    let bytes = call.bytes_of(opt::RIDFLD, length)?.unwrap_or_default();
    if narrow && dataset.cluster().organization == Organization::EntrySequenced {
        let mut wide = Key::from_elem(0, vsam::RBA_LENGTH - RBA_LENGTH);
        wide.extend_from_slice(&bytes);
        return Ok(wide);
    }
    Ok(Key::from_slice(&bytes))
}

/// Gives a key back to the program, as wide as it gave one.
pub(super) fn put_key(call: &Call<'_>, key: &[u8]) -> Outcome {
    let key = match call.keyword(opt::RBA) {
        true if key.len() == vsam::RBA_LENGTH => &key[vsam::RBA_LENGTH - RBA_LENGTH..],
        _ => key,
    };
    call.put_area(opt::RIDFLD, key)
}

/// TOKEN as the program gives it back.
pub(super) fn token(call: &Call<'_>) -> Outcome<Option<u32>> {
    let bytes = call.bytes_of(opt::TOKEN, size_of::<u32>())?;
    Ok(bytes.and_then(|bytes| bytes.as_slice().try_into().ok()).map(u32::from_be_bytes))
}
