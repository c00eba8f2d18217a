//! Sealed data, seen from outside.

use super::*;
use crate::sim::{Machine, Running};
use crate::{Batch, Direction, Engine, Limits, Origin, Recovery, UnitOfWork};

fn key() -> EncryptionKey {
    EncryptionKey::from_hex(&"a5".repeat(KEY)).expect("a key")
}

#[test]
fn a_key_is_64_hexadecimal_digits() {
    let digits = "00ff".repeat(16);
    for (text, good) in [
        (digits.clone(), true),
        (format!("  {}\n", digits.to_uppercase()), true),
        (digits[1..].to_owned(), false),
        (digits.replace('f', "g"), false),
        (String::new(), false),
    ] {
        assert_eq!(EncryptionKey::from_hex(&text).is_some(), good, "{text}");
    }
    assert_eq!(format!("{:?}", key()), "EncryptionKey(..)");
}

/// A vault as the start of an engine on `machine` would make it.
fn vault(machine: &Machine) -> Vault {
    let sealing = Sealing { key: key(), former: None, salt: machine.salt() };
    Vault::open(machine.base(), false, Some(sealing)).expect("the right key").expect("a vault")
}

fn sealed(vault: &Vault, about: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    vault.seal_record(about, b"4000 0012 3456 7899", &mut bytes).expect("sealed");
    bytes
}

#[test]
fn nothing_is_sealed_twice_alike_within_a_start_or_across_starts() {
    let machine = Machine::new(1, Limits::default()).encrypted(key());
    let mut all = Vec::new();
    for _ in 0..5 {
        let vault = vault(&machine);
        all.extend((0..5).map(|_| sealed(&vault, b"here")));
    }
    for (at, one) in all.iter().enumerate() {
        assert_eq!(one.len(), BEFORE + 19 + BEHIND);
        assert!(all[..at].iter().all(|other| other[..BEFORE] != one[..BEFORE]), "the same nonce");
        assert!(all[..at].iter().all(|other| other[BEFORE..] != one[BEFORE..]), "the same bytes");
    }
}

#[test]
fn what_is_sealed_opens_in_its_place_only_and_only_unchanged() {
    let machine = Machine::new(1, Limits::default()).encrypted(key());
    let first = sealed(&vault(&machine), b"here");
    let later = vault(&machine);
    let open = |about: &[u8], mut bytes: Vec<u8>| later.open_sealed(about, &mut bytes).map(<[u8]>::to_vec);
    let damaged = Err(Error::Corrupt("something sealed cannot be opened".into()));
    assert_eq!(open(b"here", first.clone()), Ok(b"4000 0012 3456 7899".to_vec()));
    assert_eq!(open(b"there", first.clone()), damaged);
    for at in 0..first.len() {
        let mut changed = first.clone();
        changed[at] ^= 1;
        assert_eq!(open(b"here", changed), damaged, "byte {at}");
        assert_eq!(open(b"here", first[..at].to_vec()), damaged, "{at} bytes");
    }
}

#[test]
fn an_engine_that_never_wrote_has_a_folder_for_either() {
    let machine = Machine::new(1, Limits::default());
    drop(machine.start().expect("an engine").engine.stores());
    machine.encrypted(key()).start().expect("nothing was written in clear");
}

/// Records that are written before a key is changed, and the machine whose power fails meanwhile.
const RECORDS: usize = 40;

async fn committed(running: &Running, unit: Box<dyn UnitOfWork>) -> Result<()> {
    let committed = unit.commit();
    while running.write_group()? {}
    committed.await
}

async fn write(running: &Running, from: usize) -> Result<()> {
    let begin = || running.engine.begin(running.engine.locks().new_owner());
    if running.engine.find("kept").is_none() {
        let mut unit = begin();
        unit.create_store("kept", Recovery::Recoverable)?;
        committed(running, unit).await?;
    }
    let store = running.engine.find("kept").expect("it is made");
    for number in from..from + RECORDS {
        let mut unit = begin();
        unit.put(store, format!("{number:04}").as_bytes(), b"4000 0012 3456 7899").await?;
        committed(running, unit).await?;
        if number % 16 == 0 {
            running.engine.checkpoint()?;
        }
    }
    Ok(())
}

async fn count(running: &Running) -> Result<usize> {
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let Some(store) = running.engine.find("kept") else { return Ok(0) };
    let mut batch = Batch::default();
    unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await?;
    Ok(batch.iter().filter(|(_, record)| *record == b"4000 0012 3456 7899").count())
}

/// Changes the key and seals everything with the new one; the machine's power may fail at any time.
async fn change_key(machine: &Machine, key: &EncryptionKey) -> Result<()> {
    let running = machine.start()?;
    running.engine.rotate(key)?;
    write(&running, RECORDS).await?;
    while running.seal_some()? {}
    Ok(())
}

#[tokio::test]
async fn a_power_cut_at_any_moment_of_a_change_of_keys_loses_nothing() {
    let (mut interrupted, another) = (0, EncryptionKey::from_hex(&"5a".repeat(KEY)).expect("a key"));
    for seed in 0..200 {
        let limits = Limits { segment_bytes: 64 * 1024, ..Limits::default() };
        let machine = Machine::new(seed, limits).encrypted(key());
        let running = machine.start().expect("an engine");
        write(&running, 0).await.expect("written");
        drop(running);
        machine.power().fails_after(seed * 2_500);
        let changed = change_key(&machine, &another).await;
        interrupted += u32::from(changed.is_err());
        machine.power().restore();
        // Whether the former key was still in force or the new one already: the start finds it out, and goes on.
        let machine = machine.with_another_key(another.clone());
        let running = machine.start().expect("one of both keys fits");
        assert!(count(&running).await.expect("read") >= RECORDS, "seed {seed}");
        while running.seal_some().expect("sealed") {}
        drop(running);
        let machine = machine.with_one_key();
        let running = machine.start().expect("the new key is enough");
        assert!(count(&running).await.expect("read") >= RECORDS, "seed {seed}");
        assert!(running.engine.resealing().is_none(), "seed {seed}");
        drop(running);
        let before = machine.encrypted(key()).start().map(drop);
        assert_eq!(before, Err(Error::Key(WRONG_KEY)), "seed {seed}");
    }
    assert!((20..200).contains(&interrupted), "{interrupted} of 200 were interrupted");
}
