//! The warm keypoint: what is in main storage while the region runs, written at its orderly end.

use super::{END, ORDERLY};
use crate::definitions::Statuses;
use domains::interval::IntervalControl;
use domains::temporary_storage::TemporaryStorage;
use domains::transient_data::TransientData;
use kernel::region::Region;

/// The first byte of a keypoint's keys: whose record it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// Items of auxiliary temporary storage.
    TemporaryStorage = b'S' as isize,
    /// Records of intrapartition queues that are not recoverable.
    TransientData = b'D' as isize,
    /// Pending STARTs that are not protected.
    Starts = b'I' as isize,
    /// What SET has changed.
    Statuses = b'R' as isize,
}

impl Section {
    pub fn letter(self) -> u8 {
        self as isize as u8
    }

    pub fn of(letter: u8) -> Option<Self> {
        let sections = [Self::TemporaryStorage, Self::TransientData, Self::Starts, Self::Statuses];
        sections.into_iter().find(|section| section.letter() == letter)
    }
}

/// Bytes that are written in one unit of work.
const BATCH_BYTES: usize = 1 << 20;

/// Writes the keypoint, and last of all that the next start may be warm. Call it when no task runs any more; what it
/// takes over is no longer in the region.
///
/// # Errors
/// The engine's own: the next start is an emergency restart then.
pub async fn keypoint(region: &Region) -> records::Result<()> {
    let sections = [
        (Section::TemporaryStorage, TemporaryStorage::of(region).keypoint()),
        (Section::TransientData, TransientData::of(region).keypoint()),
        (Section::Starts, IntervalControl::of(region).keypoint()),
        (Section::Statuses, Statuses::of(region).changed(region)),
    ];
    let engine = &region.records;
    let owner = engine.locks().new_owner();
    let mut unit = engine.begin(owner);
    let mut bytes = 0;
    for (section, records) in sections {
        for (key, record) in records {
            let key = [&[section.letter()], key.as_slice()].concat();
            unit.put(region.stores.keypoint, &key, &record).await?;
            bytes += key.len() + record.len();
            if bytes > BATCH_BYTES {
                unit.commit_unforced().await?;
                (unit, bytes) = (engine.begin(owner), 0);
            }
        }
    }
    unit.put(region.stores.status, END, ORDERLY).await?;
    unit.commit().await
}
