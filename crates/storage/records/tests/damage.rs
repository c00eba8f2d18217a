//! Damage to the files of an engine that does not run: it is noticed, said, and never answered as data.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use records::{
    Batch, Direction, EncryptionKey, Engine, Error, Limits, Local, Origin, Recovery, Result, Trust,
};

const PAGE: usize = 4096;
/// Records at rest in the base, …
const RESTING: u32 = 1_500;
/// … and units of work in the log.
const LOGGED: u32 = 20;
/// Long enough for pages of their own.
const LONG: usize = 9_000;
/// Places that are damaged, one at a time.
const TRIES: u64 = 40;

type Records = BTreeMap<Vec<u8>, Vec<u8>>;

fn open(folder: &Path, encrypted: bool) -> Result<Arc<Local>> {
    let key = encrypted.then(|| EncryptionKey::from_hex(&"7e".repeat(32)).expect("a key"));
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    Local::open_with(folder, limits, key)
}

/// A folder with records at rest and in the log, and what is in it.
async fn filled(folder: &Path, encrypted: bool) -> Records {
    let mut all = Records::new();
    let engine = open(folder, encrypted).expect("an engine");
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("commits");
    let mut put = async |number: u32, checkpoint: bool| {
        let key = format!("account {:06}", number * 7919 % 1_000_003).into_bytes();
        let length = if number % 200 == 7 { LONG } else { 60 + number as usize % 90 };
        let record: Vec<u8> = (0..length).map(|at| (number as usize * 31 + at * 7) as u8).collect();
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.put(store, &key, &record).await.expect("a put");
        match checkpoint {
            false => unit.commit().await.expect("commits"),
            true => unit.commit_unforced().await.expect("commits"),
        }
        all.insert(key, record);
    };
    for number in 0..RESTING {
        put(number, true).await;
        if number % 400 == 399 {
            engine.checkpoint().expect("a checkpoint");
        }
    }
    engine.checkpoint().expect("a checkpoint");
    for number in RESTING..RESTING + LOGGED {
        put(number, false).await;
    }
    all
}

/// A copy of a folder, to be damaged.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_name() != "lock.mdb" {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Results of damage.
#[derive(Debug, PartialEq)]
enum Outcome {
    Refused(String),
    /// Some reads failed, and a verification says what is wrong; the other reads were right.
    Noticed,
    /// Nothing is wrong: no tree has the place.
    Harmless,
}

/// Opens, reads everything in three ways and verifies: whatever is answered must be right.
async fn look(folder: &Path, encrypted: bool, expected: &Records) -> Outcome {
    let engine = match open(folder, encrypted) {
        Ok(engine) => engine,
        Err(error @ (Error::Corrupt(_) | Error::Log(_))) => return Outcome::Refused(error.to_string()),
        Err(error) => panic!("{error:?}"),
    };
    let Some(store) = engine.find("accounts") else { panic!("the store is gone") };
    let mut failed = false;
    let mut unit = engine.begin(engine.locks().new_owner());
    let mut record = Vec::new();
    for (key, value) in expected {
        match unit.get(store, key, &mut record).await {
            Ok(found) => assert!(found && record == *value, "{} is another", String::from_utf8_lossy(key)),
            Err(Error::Corrupt(_)) => failed = true,
            Err(error) => panic!("{error:?}"),
        }
    }
    for direction in [Direction::Forward, Direction::Backward] {
        let mut batch = Batch::default();
        match unit.range(store, Origin::Start, direction, usize::MAX, &mut batch).await {
            Ok(()) => {
                let read: Records = batch.to_vec().into_iter().collect();
                assert!(read == *expected, "a browse shows something else");
            }
            Err(Error::Corrupt(_)) => failed = true,
            Err(error) => panic!("{error:?}"),
        }
    }
    let verified = engine.verify(store).expect("verified");
    // A start that had to accept the log has written a checkpoint.
    assert!([RESTING, RESTING + LOGGED].map(u64::from).contains(&verified.expected), "{verified:?}");
    assert_eq!(verified.problems.is_empty(), verified.records == verified.expected, "{verified:?}");
    assert_eq!(failed, !verified.problems.is_empty(), "{verified:?}");
    // Writing finds it as well, or has nothing to do with it.
    for (key, value) in expected.iter().step_by(5) {
        let mut unit = engine.begin(engine.locks().new_owner());
        unit.put(store, key, value).await.expect("a put");
        unit.commit_unforced().await.expect("commits");
    }
    match engine.checkpoint() {
        Ok(()) => {}
        Err(Error::Corrupt(_)) => failed = true,
        Err(error) => panic!("{error:?}"),
    }
    if failed { Outcome::Noticed } else { Outcome::Harmless }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Damages a file of the base in many places, one at a time. Returns how many were noticed.
async fn damage_base(encrypted: bool, damage: impl Fn(&mut Chance, &mut Vec<u8>)) -> usize {
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), encrypted).await;
    let mut noticed = 0;
    for seed in 1..=TRIES {
        let damaged = tempfile::tempdir().expect("a folder");
        copy(whole.path(), damaged.path());
        let path = damaged.path().join("base/data.mdb");
        let mut bytes = fs::read(&path).expect("the base");
        damage(&mut Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)), &mut bytes);
        fs::write(&path, bytes).expect("written");
        if look(damaged.path(), encrypted, &expected).await != Outcome::Harmless {
            noticed += 1;
        }
    }
    noticed
}

#[tokio::test]
async fn what_is_whole_is_harmless() {
    for encrypted in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let expected = filled(folder.path(), encrypted).await;
        assert_eq!(look(folder.path(), encrypted, &expected).await, Outcome::Harmless);
    }
}

#[tokio::test]
async fn a_bit_of_the_base() {
    for encrypted in [false, true] {
        let noticed = damage_base(encrypted, |chance, bytes| {
            let bit = chance.below(bytes.len() as u64 * 8) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
        });
        assert!(noticed.await > 0);
    }
}

#[tokio::test]
async fn a_page_of_the_base_that_is_zeros_or_anything() {
    for encrypted in [false, true] {
        for zeros in [false, true] {
            let noticed = damage_base(encrypted, |chance, bytes| {
                let page = chance.below((bytes.len() / PAGE) as u64) as usize;
                bytes[page * PAGE..(page + 1) * PAGE]
                    .fill_with(|| if zeros { 0 } else { chance.below(256) as u8 });
            });
            assert!(noticed.await > 0);
        }
    }
}

#[tokio::test]
async fn a_page_of_the_base_in_the_place_of_another_one() {
    let noticed = damage_base(false, |chance, bytes| {
        let pages = (bytes.len() / PAGE) as u64;
        let (from, to) = (chance.below(pages) as usize, chance.below(pages) as usize);
        bytes.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
    });
    assert!(noticed.await > 0);
}

#[tokio::test]
async fn a_base_that_was_cut_off_is_refused() {
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), false).await;
    let length = fs::metadata(whole.path().join("base/data.mdb")).expect("the base").len();
    for left in [0, 100, PAGE as u64, length / 2, length - PAGE as u64, length - 1] {
        let damaged = tempfile::tempdir().expect("a folder");
        copy(whole.path(), damaged.path());
        let file = fs::OpenOptions::new().write(true).open(damaged.path().join("base/data.mdb"));
        file.expect("the base").set_len(left).expect("cut off");
        let Outcome::Refused(text) = look(damaged.path(), false, &expected).await else { panic!("{left}") };
        assert!(text.contains("base/data.mdb"), "{text}");
    }
}

#[tokio::test]
async fn a_file_that_is_gone_is_refused() {
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), false).await;
    for name in ["base/data.mdb", "log/forced"] {
        let damaged = tempfile::tempdir().expect("a folder");
        copy(whole.path(), damaged.path());
        fs::remove_file(damaged.path().join(name)).expect("removed");
        let outcome = look(damaged.path(), false, &expected).await;
        assert!(matches!(outcome, Outcome::Refused(_)), "{name}: {outcome:?}");
    }
}

/// A small file, and what a start says where nothing is left of it; `None`: it starts.
const SMALL_FILES: [(&str, Option<&str>); 6] = [
    ("base/checks", None),
    ("base/checks.twin", None),
    ("base/lock.mdb", None),
    ("lock", None),
    ("format", Some("format is damaged: if this version has written the data, write the line")),
    ("log/forced", Some("log/forced")),
];

/// Ways to damage a small file: a bit in each of some places, the end cut off, zeros, nothing left.
fn small_damages(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut damages: Vec<Vec<u8>> = (0..whole.len())
        .step_by((whole.len() / 24).max(1))
        .map(|at| {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1 << (at % 8);
            bytes
        })
        .collect();
    damages.push(whole[..whole.len() / 2].to_vec());
    damages.push(vec![0; whole.len()]);
    damages.push(Vec::new());
    damages
}

#[tokio::test]
async fn damage_to_a_small_file_is_harmless_or_has_a_way_out() {
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), false).await;
    for (name, refused) in SMALL_FILES {
        let bytes = fs::read(whole.path().join(name)).expect("the file");
        for (number, damage) in small_damages(&bytes).into_iter().enumerate() {
            let damaged = tempfile::tempdir().expect("a folder");
            copy(whole.path(), damaged.path());
            let path = damaged.path().join(name);
            fs::write(&path, damage).expect("written");
            let why = match open(damaged.path(), false).map(drop) {
                Ok(()) => None,
                Err(Error::Corrupt(text) | Error::Log(text) | Error::Io(text)) => Some(text),
                // The bit is in the number of the format.
                Err(Error::Format(_)) if name == "format" => refused.map(ToOwned::to_owned),
                Err(error) => panic!("{name}, {number}: {error:?}"),
            };
            match (refused, why) {
                (_, None) => {}
                (Some(text), Some(why)) if why.contains(text) => {
                    // The way out that the message names.
                    if name == "format" {
                        fs::write(&path, &bytes).expect("written");
                    }
                    drop(open_accepting(damaged.path()).expect("it starts"));
                }
                (_, Some(why)) => panic!("{name}, {number}: {why}"),
            }
            assert_eq!(look(damaged.path(), false, &expected).await, Outcome::Harmless, "{name}, {number}");
        }
    }
}

#[tokio::test]
async fn one_of_two_notes_of_the_log_s_end_is_enough() {
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), false).await;
    for slot in [0, PAGE] {
        let path = whole.path().join("log/forced");
        let mut bytes = fs::read(&path).expect("two marks");
        bytes[slot..slot + 24].fill(0xA5);
        fs::write(&path, bytes).expect("written");
        assert_eq!(look(whole.path(), false, &expected).await, Outcome::Harmless, "{slot}");
    }
}

fn open_accepting(folder: &Path) -> Result<Arc<Local>> {
    let limits = Limits { segment_bytes: 64 * 1024, base_bytes: 64 << 20, ..Limits::default() };
    Local::open_trusting(folder, limits, None, Trust::AsItIs)
}

/// A damaged log is refused; accepted as it is, it gives what it still has, and the engine goes on from there.
#[tokio::test]
async fn a_damaged_log_can_be_accepted() {
    type Harm = fn(&Path);
    let missing: Harm = |path| fs::remove_file(path).expect("removed");
    let end: Harm = |path| damage_last_block(path, |block| block.fill(0));
    let middle: Harm = |path| {
        let mut bytes = fs::read(path).expect("the segment");
        let at = forced(&path.with_file_name("forced")) as usize % bytes.len() / PAGE / 2 * PAGE;
        bytes[at + 40] ^= 1;
        fs::write(path, bytes).expect("written");
    };
    let short: Harm = |path| {
        fs::OpenOptions::new().write(true).open(path).expect("the segment").set_len(8192).expect("cut off");
    };
    let whole = tempfile::tempdir().expect("a folder");
    let expected = filled(whole.path(), false).await;
    for (name, harm) in [("missing", missing), ("end", end), ("middle", middle), ("short", short)] {
        let damaged = tempfile::tempdir().expect("a folder");
        copy(whole.path(), damaged.path());
        harm(&newest(damaged.path()));
        assert!(matches!(open(damaged.path(), false).map(drop), Err(Error::Log(_))), "{name}");
        let engine = open_accepting(damaged.path()).expect("it starts");
        let store = engine.find("accounts").expect("the store");
        let mut unit = engine.begin(engine.locks().new_owner());
        let mut batch = Batch::default();
        unit.range(store, Origin::Start, Direction::Forward, usize::MAX, &mut batch).await.expect("a browse");
        let left: Records = batch.to_vec().into_iter().collect();
        assert!(left.len() >= RESTING as usize && left.len() < expected.len(), "{name}: {}", left.len());
        assert!(left.iter().all(|(key, record)| expected.get(key) == Some(record)), "{name}");
        unit.put(store, b"the next", b"record").await.expect("a put");
        unit.commit().await.expect("commits");
        drop(engine);
        let engine = open(damaged.path(), false).expect("it starts, and nothing need be accepted");
        let mut record = Vec::new();
        let mut unit = engine.begin(engine.locks().new_owner());
        assert!(unit.get(store, b"the next", &mut record).await.expect("a read"), "{name}");
    }
}

/// The file of the log that was written last.
fn newest(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder.join("log")).expect("the log").flatten().map(|entry| entry.path());
    let segments =
        names.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log.")));
    segments.max().expect("a segment")
}

#[tokio::test]
async fn a_tail_of_the_log_that_was_acknowledged_and_is_gone_is_refused() {
    type Harm = fn(&Path);
    let missing: Harm = |path| fs::remove_file(path).expect("removed");
    let zeros: Harm = |path| damage_last_block(path, |block| block.fill(0));
    let bit: Harm = |path| damage_last_block(path, |block| block[100] ^= 4);
    let short: Harm = |path| {
        let file = fs::OpenOptions::new().write(true).open(path).expect("the segment");
        file.set_len(8192).expect("cut off");
    };
    for encrypted in [false, true] {
        let whole = tempfile::tempdir().expect("a folder");
        let expected = filled(whole.path(), encrypted).await;
        for (name, harm) in [("missing", missing), ("zeros", zeros), ("bit", bit), ("short", short)] {
            let damaged = tempfile::tempdir().expect("a folder");
            copy(whole.path(), damaged.path());
            harm(&newest(damaged.path()));
            let outcome = look(damaged.path(), encrypted, &expected).await;
            let Outcome::Refused(text) = outcome else { panic!("{name}: {outcome:?}") };
            assert!(text.contains("docs/backup.md"), "{text}");
        }
    }
}

/// The end of what was forced, by the later one of the two slots.
fn forced(path: &Path) -> u64 {
    let slots = fs::read(path).expect("two marks");
    let number = |at: usize| u64::from_le_bytes(slots[at..at + 8].try_into().expect("a number"));
    if number(0) > number(PAGE) { number(8) } else { number(PAGE + 8) }
}

fn damage_last_block(path: &Path, harm: impl Fn(&mut [u8])) {
    let mut bytes = fs::read(path).expect("the segment");
    // What lies behind the end is of an earlier use.
    let end = forced(&path.with_file_name("forced")) as usize;
    let last = (end - 1) % bytes.len() / PAGE * PAGE;
    harm(&mut bytes[last..last + PAGE]);
    fs::write(path, bytes).expect("written");
}

#[tokio::test]
async fn a_tail_that_was_not_acknowledged_may_be_torn() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = filled(folder.path(), false).await;
    // As if the power had failed in the last force, before anybody was told of it.
    let forced = fs::read(folder.path().join("log/forced")).expect("a mark");
    let engine = open(folder.path(), false).expect("an engine");
    let store = engine.find("accounts").expect("the store");
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.put(store, b"the last", b"record").await.expect("a put");
    unit.commit().await.expect("commits");
    drop(engine);
    damage_last_block(&newest(folder.path()), |block| block[50] ^= 1);
    fs::write(folder.path().join("log/forced"), forced).expect("as it was");
    assert_eq!(look(folder.path(), false, &expected).await, Outcome::Harmless);
}

#[tokio::test]
async fn a_transaction_of_the_base_whose_checks_a_crash_took_does_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = filled(folder.path(), false).await;
    let checks = folder.path().join("base/checks");
    let before = fs::read(&checks).expect("the checks");
    let log = tempfile::tempdir().expect("a folder");
    copy(&folder.path().join("log"), log.path());
    let engine = open(folder.path(), false).expect("an engine");
    engine.checkpoint().expect("a checkpoint");
    drop(engine);
    fs::write(&checks, before).expect("as they were");
    fs::remove_dir_all(folder.path().join("log")).expect("removed");
    copy(log.path(), &folder.path().join("log"));
    assert_eq!(look(folder.path(), false, &expected).await, Outcome::Harmless);
    // It goes on from there.
    let engine = open(folder.path(), false).expect("an engine");
    engine.checkpoint().expect("a checkpoint");
    let store = engine.find("accounts").expect("the store");
    assert_eq!(engine.verify(store).expect("verified").records, u64::from(RESTING + LOGGED));
}

#[tokio::test]
async fn a_folder_of_another_version_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path(), false).await;
    fs::remove_file(folder.path().join("format")).expect("removed");
    let refused = open(folder.path(), false).map(drop);
    assert!(
        matches!(&refused, Err(Error::Format(text)) if text.starts_with("Syncpoint records, format 1: there is no such file")),
        "{refused:?}"
    );
    fs::write(folder.path().join("format"), "Syncpoint records, format 3\n").expect("written");
    assert_eq!(
        open(folder.path(), false).map(drop),
        Err(Error::Format("Syncpoint records, format 3".into()))
    );
}

#[tokio::test]
async fn files_are_their_owner_s_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(&folder.path().join("records"), false).await;
    let mut folders = vec![folder.path().join("records")];
    while let Some(folder) = folders.pop() {
        assert_eq!(fs::metadata(&folder).expect("there").permissions().mode() & 0o777, 0o700, "{folder:?}");
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let mode = entry.metadata().expect("there").permissions().mode() & 0o777;
                assert_eq!(mode, 0o600, "{:?}", entry.path());
            }
        }
    }
}
