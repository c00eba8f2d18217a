//! Statuses of resources that were set by command: a warm restart keeps them, as long as the definition is the same.
//!
//! Definitions come from the CSD texts at every start, and from CREATE (`definitions`). A change by SET or CEMT is kept
//! beside the status that the text gave then: if the text has been changed meanwhile, the text counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use kernel::fields::{FieldReader, FieldWriter};
use kernel::keeper::Keeper;
use kernel::region::Region;
use kernel::registry::{Defined, Status};
use kernel::stores::KeypointRecord;

/// A resource: the letter of its type and its name.
type Key = Vec<u8>;

/// The statuses that the definitions gave.
#[derive(Default)]
pub struct Statuses {
    installed: Mutex<BTreeMap<Key, Vec<u8>>>,
}

/// Keeps the changes of SET beyond an orderly end.
pub(crate) static KEEPER: Keeper = Keeper {
    letter: b'R',
    keypoint: |region| Statuses::of(region).changed(region),
    restore: |region, key, record| Statuses::of(region).restore(region, key, record),
    count: Some(("statuses", |region| Statuses::of(region).changed(region).len())),
    ..Keeper::NOTHING
};

impl Statuses {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Notes the statuses of the definitions. Call it when they are installed and nothing has been set yet.
    pub(crate) fn note(&self, region: &Region) {
        *self.installed.lock() = present(region);
    }

    /// Notes the status in the definition of one resource, which has just been installed.
    pub(crate) fn note_one(&self, region: &Region, defined: &Defined, name: &[u8]) {
        let Some(status) = &defined.status else { return };
        let name = name.trim_ascii_end();
        let now = (status.all)(region).into_iter().find(|(other, _)| other.trim_ascii_end() == name);
        self.installed.lock().extend(now.map(|(name, now)| (key(status, &name), now)));
    }

    /// The statuses set since, for the keypoint.
    fn changed(&self, region: &Region) -> Vec<KeypointRecord> {
        let installed = self.installed.lock();
        let mut changed = Vec::new();
        for (key, now) in present(region) {
            if let Some(then) = installed.get(&key).filter(|then| **then != now) {
                changed.push((key, FieldWriter::default().bytes(then).bytes(&now).end().into()));
            }
        }
        changed
    }

    /// Sets a resource again, unless it is gone or its definition says something else now.
    fn restore(&self, region: &Arc<Region>, key: &[u8], record: &[u8]) {
        let mut fields = FieldReader(record);
        let (Some(then), Some(now)) = (fields.bytes(), fields.bytes()) else { return };
        if self.installed.lock().get(key).is_some_and(|installed| installed == then) {
            set(region, key, now);
        }
    }
}

fn key(defined: &Status, name: &[u8]) -> Key {
    [&[defined.letter], name].concat()
}

/// The types whose statuses are kept.
fn kept() -> impl Iterator<Item = &'static Status> {
    super::all().filter_map(|defined| defined.status.as_ref())
}

fn present(region: &Region) -> BTreeMap<Key, Vec<u8>> {
    let of_type = |status: &'static Status| {
        (status.all)(region).into_iter().map(|(name, now)| (key(status, &name), now))
    };
    kept().flat_map(of_type).collect()
}

fn set(region: &Region, key: &[u8], status: &[u8]) -> Option<()> {
    let (letter, name) = key.split_first()?;
    let of_type = kept().find(|kept| kept.letter == *letter)?;
    (of_type.set)(region, name, status)
}
