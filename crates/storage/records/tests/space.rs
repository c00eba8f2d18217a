//! Space comes back without a reorganisation: records that are written at the end of a store and deleted at its beginning, and
//! stores of which nearly everything is deleted.

use std::path::Path;
use std::sync::Arc;

use records::{Engine, Limits, Local, Recovery, StoreId};

/// Records of a round, and their bytes.
const ROUND: u32 = 4_000;
const RECORD: usize = 200;
/// Records of a unit of work.
const UNIT: u32 = 1_000;

async fn open(folder: &Path) -> (Arc<Local>, StoreId) {
    let limits = Limits { base_bytes: 256 << 20, ..Limits::default() };
    let engine = Local::open(folder, limits).expect("the engine opens");
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("journal", Recovery::Recoverable).expect("a new store");
    unit.commit().await.expect("commits");
    (engine, store)
}

/// Writes records of these numbers, or deletes them, and has them in the base.
async fn change(engine: &Local, store: StoreId, numbers: impl Iterator<Item = u32>, writes: bool) {
    let numbers: Vec<_> = numbers.collect();
    for some in numbers.chunks(UNIT as usize) {
        let mut unit = engine.begin(engine.locks().new_owner());
        for number in some {
            let key = number.to_be_bytes();
            match writes {
                true => unit.put(store, &key, &[b'r'; RECORD]).await.expect("put"),
                false => unit.delete(store, &key).await.map(drop).expect("deleted"),
            }
        }
        unit.commit().await.expect("commits");
        // As an engine at work does it: a checkpoint takes as much space again as the pages that it changes.
        engine.checkpoint().expect("a checkpoint");
    }
}

/// Bytes of all files of the base.
fn base_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder.join("base")).expect("a base").flatten();
    files.map(|file| std::os::unix::fs::MetadataExt::blocks(&file.metadata().expect("a file")) * 512).sum()
}

#[tokio::test]
async fn ascending_keys_take_the_space_of_those_that_were_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, store) = open(folder.path()).await;
    change(&engine, store, 0..ROUND, true).await;
    let mut sizes = Vec::new();
    for round in 1..=12 {
        change(&engine, store, round * ROUND..(round + 1) * ROUND, true).await;
        change(&engine, store, (round - 1) * ROUND..round * ROUND, false).await;
        sizes.push(base_bytes(folder.path()));
    }
    // The first rounds find their size; the later ones live in it.
    assert!(sizes[11] <= sizes[3] * 11 / 10, "it grows: {sizes:?}");
    println!("bytes of the base, round by round: {sizes:?}");
    let records = u64::from(ROUND) * RECORD as u64;
    assert!(sizes[11] < records * 8, "{records} bytes of records are there: {sizes:?}");
}

#[tokio::test]
async fn what_mass_deletes_leave_is_used_for_new_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, store) = open(folder.path()).await;
    change(&engine, store, 0..10 * ROUND, true).await;
    let full = base_bytes(folder.path());
    // All but one of a hundred, all over the store.
    change(&engine, store, (0..10 * ROUND).filter(|number| number % 100 != 0), false).await;
    change(&engine, store, 10 * ROUND..19 * ROUND, true).await;
    let again = base_bytes(folder.path());
    assert!(again <= full * 5 / 4, "{full} bytes were full, {again} are now");
    println!(
        "{full} bytes with {} records, {again} after most were deleted and {} written",
        10 * ROUND,
        9 * ROUND
    );
}
