//! Sealed files against files in clear: the same calls have the same results, and nothing of what was written can be seen.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use sealed::{File, KEY, KEYRING, KEYRING_TWIN, protect, read, rotate, seal_folder};

const FIRST: [u8; KEY] = [1; KEY];
const SECOND: [u8; KEY] = [2; KEY];
const MARK: &[u8] = b"4111111111111111";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn shows(path: &Path, text: &[u8]) -> bool {
    fs::read(path).expect("a file").windows(text.len()).any(|window| window == text)
}

/// Pieces that are written are read in other pieces, at any place, as from a file in clear.
#[test]
fn a_sealed_file_is_a_file() {
    let (clear, secret) = (folder(), folder());
    protect(secret.path(), &FIRST, None).expect("protected");
    let paths = [clear.path(), secret.path()].map(|folder| folder.join("file"));
    for seed in 0..40 {
        let results = paths.each_ref().map(|path| {
            let mut chance = fastrand::Rng::with_seed(seed);
            let mut seen = Vec::new();
            drop(File::create(path).expect("made"));
            for _ in 0..chance.usize(1..30) {
                match chance.u8(0..6) {
                    0..3 => {
                        let mut file = File::append(path).expect("opened");
                        for _ in 0..chance.usize(1..5) {
                            let length = if chance.u8(0..10) == 0 { 200_000 } else { chance.usize(0..300) };
                            let byte = chance.u8(..);
                            file.write_all(&vec![byte; length]).expect("written");
                        }
                    }
                    3 => {
                        let mut file = File::append(path).expect("opened");
                        let length = file.length().expect("a length");
                        file.truncate(chance.u64(0..=length)).expect("cut");
                        file.write_all(MARK).expect("written");
                    }
                    4 => {
                        let mut file = File::update(path).expect("opened");
                        let length = file.length().expect("a length");
                        let at = chance.u64(0..=length);
                        file.seek(SeekFrom::Start(at)).expect("a place");
                        let bytes = vec![b'u'; chance.usize(0..500).min((length - at) as usize)];
                        file.write_all(&bytes).expect("replaced");
                    }
                    _ => {
                        let mut file = File::open(path).expect("opened");
                        let at = chance.u64(0..=file.length().expect("a length"));
                        file.seek(SeekFrom::Start(at)).expect("a place");
                        let mut some = Vec::new();
                        file.take(chance.u64(0..1000)).read_to_end(&mut some).expect("read");
                        seen.push(some);
                    }
                }
            }
            (seen, read(path).expect("read"))
        });
        assert!(results[0] == results[1], "seed {seed}");
    }
    assert!(
        fs::read(&paths[0]).expect("a file") == read(&paths[0]).expect("read"),
        "in clear it is as it is"
    );
}

#[test]
fn nothing_shows_and_a_key_of_the_user_can_be_changed() {
    let state = folder();
    let path = state.path().join("journals/a");
    fs::create_dir(state.path().join("journals")).expect("a folder");
    fs::write(&path, MARK).expect("in clear, before there was a key");
    protect(state.path(), &FIRST, None).expect("protected");
    assert_eq!(seal_folder(&state.path().join("journals")).expect("sealed"), 1);
    File::append(&path).expect("opened").write_all(MARK).expect("written");
    assert!(!shows(&path, MARK));
    rotate(state.path(), &SECOND).expect("rotated");
    File::append(&path).expect("opened").write_all(MARK).expect("written");
    let new = state.path().join("journals/b");
    File::create(&new).expect("made").write_all(MARK).expect("written");
    assert!(!shows(&path, MARK) && !shows(&new, MARK));
    assert!(protect(state.path(), &FIRST, None).is_err(), "the former key opens nothing any more");
    // As a start does: also one that a crash has left under the former key.
    protect(state.path(), &SECOND, Some(&FIRST)).expect("protected");
    assert_eq!(
        (read(&path).expect("read").len(), read(&new).expect("read").len()),
        (3 * MARK.len(), MARK.len())
    );
    protect(state.path(), &FIRST, Some(&SECOND)).expect("under the former one until now");
    assert_eq!(read(&new).expect("read"), MARK);
}

#[test]
fn the_keyring_is_there_twice_and_its_loss_is_refused() {
    let state = folder();
    protect(state.path(), &FIRST, None).expect("protected");
    let path = state.path().join("a");
    File::create(&path).expect("made").write_all(MARK).expect("written");
    let whole = fs::read(state.path().join(KEYRING)).expect("the keyring");
    for name in [KEYRING, KEYRING_TWIN] {
        for at in 0..=whole.len() {
            let damage = match whole.get(at) {
                Some(_) => [&whole[..at], &[whole[at] ^ 1], &whole[at + 1..]].concat(),
                None => Vec::new(),
            };
            fs::write(state.path().join(name), damage).expect("written");
            protect(state.path(), &FIRST, None).unwrap_or_else(|why| panic!("{name}, {at}: {why}"));
            assert_eq!(read(&path).expect("read"), MARK, "{name}, {at}");
            assert_eq!(
                fs::read(state.path().join(KEYRING)).expect("there"),
                fs::read(state.path().join(KEYRING_TWIN)).expect("there"),
                "both are whole again"
            );
        }
    }
    for name in [KEYRING, KEYRING_TWIN] {
        fs::remove_file(state.path().join(name)).expect("removed");
    }
    let why = protect(state.path(), &FIRST, None).expect_err("no new keys").to_string();
    assert!(why.contains("keyring is gone") && why.contains("backup"), "{why}");
}

#[test]
fn half_a_block_goes_and_damage_is_no_data() {
    let state = folder();
    protect(state.path(), &FIRST, None).expect("protected");
    let path = state.path().join("a");
    let mut file = File::create(&path).expect("made");
    file.write_all(b"first").expect("written");
    let whole = fs::metadata(&path).expect("there").len();
    file.write_all(b"second").expect("written");
    drop(file);
    let bytes = fs::read(&path).expect("read");
    for left in 0..bytes.len() {
        fs::write(&path, &bytes[..left]).expect("cut off");
        if left as u64 >= whole {
            assert_eq!(read(&path).expect("read"), b"first", "{left}");
        }
        File::append(&path).expect("opened").write_all(b" third").expect("written");
        let expected: &[u8] = if left as u64 >= whole { b"first third" } else { b" third" };
        assert_eq!(read(&path).expect("read"), expected, "{left}");
    }
    for at in 28..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        fs::write(&path, &damaged).expect("damaged");
        match read(&path) {
            Ok(read) => assert!(b"firstsecond".starts_with(&read[..]), "{at}: {read:?}"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::InvalidData, "{at}"),
        }
    }
}

#[test]
fn a_folder_is_protected_by_whatever_name_it_is_called() {
    let above = folder();
    let (state, link) = (above.path().join("state"), above.path().join("link"));
    fs::create_dir_all(state.join("sequential")).expect("a folder");
    std::os::unix::fs::symlink(&state, &link).expect("a link");
    protect(&link, &FIRST, None).expect("protected");
    for path in [link.join("sequential/A"), state.join("sequential/B")] {
        File::create(&path).expect("made").write_all(MARK).expect("written");
        assert!(!shows(&path, MARK), "{}", path.display());
        assert_eq!(read(&path).expect("read"), MARK);
    }
}
