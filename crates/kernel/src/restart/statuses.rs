//! Statuses of resources that were set by command: a warm restart keeps them, as long as the definition says the same.
//!
//! Definitions come from the CSD texts at every start. What SET or CEMT has changed since is kept beside what the text
//! said then: where the text has been changed meanwhile, the text counts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::{FieldReader, FieldWriter, Kept};
use crate::files::{Access, EnableStatus};
use crate::name::{Name8, TransactionName};
use crate::region::Region;

/// A resource: the letter of its type and its name.
type Key = Vec<u8>;

const FILE: u8 = b'F';
const PROGRAM: u8 = b'P';
const TRANSACTION: u8 = b'T';

/// The statuses that the definitions gave.
#[derive(Default)]
pub struct Statuses {
    installed: Mutex<BTreeMap<Key, Vec<u8>>>,
}

impl Statuses {
    /// Notes what the definitions say. Call it when they are installed and nothing has been set yet.
    pub(super) fn note(&self, region: &Region) {
        *self.installed.lock() = present(region);
    }

    /// What has been set since, for the keypoint.
    pub(super) fn changed(&self, region: &Region) -> Vec<Kept> {
        let installed = self.installed.lock();
        let mut changed = Vec::new();
        for (key, now) in present(region) {
            if let Some(then) = installed.get(&key).filter(|then| **then != now) {
                changed.push((key, FieldWriter::default().bytes(then).bytes(&now).end().into()));
            }
        }
        changed
    }

    /// Sets a resource again. False where it is gone, or its definition says something else now.
    pub(super) fn restore(&self, region: &Arc<Region>, key: &[u8], record: &[u8]) -> bool {
        let mut fields = FieldReader(record);
        let (Some(then), Some(now)) = (fields.bytes(), fields.bytes()) else { return false };
        let installed = self.installed.lock();
        installed.get(key).is_some_and(|installed| installed == then) && set(region, key, now).is_some()
    }
}

fn present(region: &Region) -> BTreeMap<Key, Vec<u8>> {
    let key = |letter: u8, name: &[u8]| [&[letter], name].concat();
    let mut present = BTreeMap::new();
    for file in region.files.list() {
        present.insert(key(FILE, file.name.as_ref()), file_status(&file));
    }
    for program in region.programs.list() {
        let enabled = program.enabled.load(Ordering::Relaxed);
        present.insert(key(PROGRAM, program.name.as_ref()), vec![u8::from(enabled)]);
    }
    for transaction in region.transactions.list() {
        let enabled = transaction.is_enabled();
        present.insert(key(TRANSACTION, transaction.name.as_ref()), vec![u8::from(enabled)]);
    }
    present
}

fn file_status(file: &crate::files::File) -> Vec<u8> {
    let Access { add, browse, delete, read, update } = file.attribute(|attributes| attributes.access);
    let status = match file.enable_status().0 {
        EnableStatus::Enabled => 0,
        EnableStatus::Disabled => 1,
        EnableStatus::Unenabled => 2,
    };
    let mut bytes = vec![status];
    bytes.extend([add, browse, delete, read, update].map(u8::from));
    bytes.extend(file.dataset_name().as_bytes());
    bytes
}

fn set(region: &Region, key: &[u8], status: &[u8]) -> Option<()> {
    let (letter, name) = key.split_first()?;
    let on = status.first().is_some_and(|byte| *byte != 0);
    match *letter {
        FILE => return set_file(region, Name8::new(name), status),
        PROGRAM => region.programs.get(Name8::new(name))?.enabled.store(on, Ordering::Relaxed),
        TRANSACTION => {
            region.transactions.get(TransactionName::new(name))?.enabled.store(on, Ordering::Relaxed);
        }
        _ => return None,
    }
    Some(())
}

fn set_file(region: &Region, name: Name8, status: &[u8]) -> Option<()> {
    let file = region.files.get(name)?;
    let ([enable, access @ ..], dataset) = status.split_first_chunk::<6>()?;
    let [add, browse, delete, read, update] = access.map(|flag| flag != 0);
    let enable = match enable {
        0 => EnableStatus::Enabled,
        1 => EnableStatus::Disabled,
        _ => EnableStatus::Unenabled,
    };
    let dataset = std::str::from_utf8(dataset).ok()?;
    file.restore(enable, |attributes| {
        attributes.access = Access { add, browse, delete, read, update };
        attributes.dataset = dataset.to_owned();
    });
    Some(())
}
