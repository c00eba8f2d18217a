//! What is sealed, seen from outside.

use super::*;
use crate::sim::Machine;
use crate::{Engine, Limits};

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
    let sealing = Sealing { key: key(), salt: machine.salt() };
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
