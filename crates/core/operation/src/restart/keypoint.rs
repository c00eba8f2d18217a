//! The warm keypoint: the content of main storage while the region runs, written at its orderly end.

use kernel::region::Region;

use super::{END, ORDERLY, keepers};

/// Bytes that are written in one unit of work.
const BATCH_BYTES: usize = 1 << 20;

/// Writes the keypoint, and last of all that the next start may be warm. Call it when no task runs any more; the
/// content that it takes over is no longer in the region.
///
/// # Errors
/// The engine's own: the next start is an emergency restart then.
pub async fn keypoint(region: &Region) -> records::Result<()> {
    let engine = &region.records;
    let owner = engine.locks().new_owner();
    let mut unit = engine.begin(owner);
    let mut bytes = 0;
    for keeper in keepers() {
        for (key, record) in (keeper.keypoint)(region) {
            let key = [&[keeper.letter], key.as_slice()].concat();
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
