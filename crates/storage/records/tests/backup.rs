//! Backups: taken while others work, checked, and restored.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use records::{
    Archive, Batch, Direction, EncryptionKey, Engine, Error, Limits, Local, Origin, Recovery, Result,
    StoreId, Wait, check_backup, restore,
};

const ACCOUNTS: u64 = 50;

fn open(folder: &Path, encrypted: bool) -> Arc<Local> {
    let key = encrypted.then(|| EncryptionKey::from_hex(&"7e".repeat(32)).expect("a key"));
    let limits = Limits { segment_bytes: 256 * 1024, ..Limits::default() };
    Local::open_with(folder, limits, key).expect("the engine opens")
}

/// The stores of the test: balances, and an entry for each transfer.
async fn stores(engine: &Local) -> (StoreId, StoreId) {
    if let (Some(accounts), Some(ledger)) = (engine.find("accounts"), engine.find("ledger")) {
        return (accounts, ledger);
    }
    let mut unit = engine.begin(engine.locks().new_owner());
    let accounts = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    let ledger = unit.create_store("ledger", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("commits");
    (accounts, ledger)
}

/// Moves money, and notes it.
async fn transfer(engine: &Local, number: u64) -> Result<()> {
    let (accounts, ledger) = stores(engine).await;
    let mut unit = engine.begin(engine.locks().new_owner());
    let (from, to) = (number * 7 % ACCOUNTS, number * 13 % ACCOUNTS);
    for account in [from.min(to), from.max(to)] {
        unit.lock(accounts, &account.to_be_bytes(), Wait::Forever).await?;
    }
    for (account, amount) in [(from, -1_i64), (to, 1)] {
        let mut balance = Vec::new();
        let found = unit.get(accounts, &account.to_be_bytes(), &mut balance).await?;
        let balance = if found { i64::from_be_bytes(balance.try_into().expect("eight")) } else { 0 };
        unit.put(accounts, &account.to_be_bytes(), &(balance + amount).to_be_bytes()).await?;
    }
    unit.put(ledger, &number.to_be_bytes(), b"moved").await?;
    unit.commit().await
}

/// Number of transfers; all up to the last one are there, and no money came or went.
async fn check(engine: &Local) -> u64 {
    let (accounts, ledger) = stores(engine).await;
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut batch = Batch::default();
    unit.range(ledger, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a range");
    let numbers = batch.iter().map(|(key, _)| u64::from_be_bytes(key.try_into().expect("eight")));
    assert!(numbers.eq(1..=batch.len() as u64), "a gap in the ledger");
    let transfers = batch.len() as u64;
    unit.range(accounts, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a range");
    let balances = batch.iter().map(|(_, balance)| i64::from_be_bytes(balance.try_into().expect("eight")));
    assert_eq!(balances.sum::<i64>(), 0);
    transfers
}

fn backup(engine: &Local) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = Archive::begin(&mut bytes).expect("begun");
    engine.backup(&mut archive, &mut || {}, &mut |_| {}).expect("a backup");
    archive.add_file("notes/a", &mut &b"a file beside it"[..]).expect("a file");
    archive.end().expect("ended");
    bytes
}

/// Restores into a folder; the other files that were in the backup.
fn restored(folder: &Path, bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    check_backup(&mut Cursor::new(bytes), &mut |_| {})?;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut take = |name: &str, piece: &[u8]| {
        match files.last_mut().filter(|(last, _)| last == name) {
            Some((_, bytes)) => bytes.extend(piece),
            None => files.push((name.to_owned(), piece.to_vec())),
        }
        Ok(())
    };
    restore(folder, &mut Cursor::new(bytes), &mut take, &mut |_| {})?;
    Ok(files)
}

#[tokio::test]
async fn a_backup_under_load_has_all_that_was_acknowledged_and_nothing_half() {
    for encrypted in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = open(folder.path(), encrypted);
        let (acknowledged, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut backups = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                while !stop.load(Ordering::Relaxed) {
                    let next = acknowledged.load(Ordering::Relaxed) + 1;
                    runtime.block_on(transfer(&engine, next)).expect("a transfer");
                    acknowledged.store(next, Ordering::Relaxed);
                }
            });
            for round in 1..=4 {
                while acknowledged.load(Ordering::Relaxed) < round * 30 {
                    std::thread::yield_now();
                }
                let before = acknowledged.load(Ordering::Relaxed);
                backups.push((before, backup(&engine), acknowledged.load(Ordering::Relaxed) + 1));
            }
            stop.store(true, Ordering::Relaxed);
        });
        for (before, bytes, after) in backups {
            let target = tempfile::tempdir().expect("a folder");
            let files = restored(target.path(), &bytes).expect("restored");
            assert_eq!(files, [("notes/a".to_owned(), b"a file beside it".to_vec())]);
            let engine = open(target.path(), encrypted);
            let found = check(&engine).await;
            assert!((before..=after).contains(&found), "{before} acknowledged before, {found} found");
            // It goes on from there, and over another start.
            transfer(&engine, found + 1).await.expect("a transfer");
            drop(engine);
            assert_eq!(check(&open(target.path(), encrypted)).await, found + 1);
        }
    }
}

#[tokio::test]
async fn what_is_committed_behind_the_moment_of_a_backup_is_not_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = open(folder.path(), false);
    transfer(&engine, 1).await.expect("a transfer");
    let mut bytes = Vec::new();
    let mut archive = Archive::begin(&mut bytes).expect("begun");
    let mut later = || {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("a runtime").block_on(transfer(&engine, 2)).expect("a transfer");
            });
        });
    };
    engine.backup(&mut archive, &mut later, &mut |_| {}).expect("a backup");
    archive.end().expect("ended");
    let target = tempfile::tempdir().expect("a folder");
    restored(target.path(), &bytes).expect("restored");
    assert_eq!((check(&open(target.path(), false)).await, check(&engine).await), (1, 2));
}

#[tokio::test]
async fn a_backup_that_is_damaged_or_cut_off_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = open(folder.path(), false);
    for number in 1..=20 {
        transfer(&engine, number).await.expect("a transfer");
    }
    let whole = backup(&engine);
    assert_eq!(check_backup(&mut Cursor::new(&whole), &mut |_| {}), Ok(()));
    for at in (0..whole.len()).step_by(97) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        assert!(
            matches!(check_backup(&mut Cursor::new(&damaged), &mut |_| {}), Err(Error::Corrupt(_))),
            "{at}"
        );
        let cut = check_backup(&mut Cursor::new(&whole[..at]), &mut |_| {});
        assert!(matches!(cut, Err(Error::Corrupt(_))), "{at}");
    }
}

#[tokio::test]
async fn a_folder_that_holds_data_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = open(folder.path(), false);
    transfer(&engine, 1).await.expect("a transfer");
    let bytes = backup(&engine);
    assert!(restored(folder.path(), &bytes).is_err(), "in use");
    transfer(&engine, 2).await.expect("a transfer");
    drop(engine);
    assert!(restored(folder.path(), &bytes).is_err(), "not empty");
    assert_eq!(check(&open(folder.path(), false)).await, 2);
}
