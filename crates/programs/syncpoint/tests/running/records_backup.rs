//! Backups of a record server, and another key for it, while four regions change records and one of them, or the server, is killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use records::{Engine, Recovery, StoreId, Wait};
use share::Remote;

use crate::data::Data;
use crate::house::{PATIENCE, Region, product};
use crate::kills::{ACCOUNTS, BALANCE, move_of};
use crate::records::start_with;
use crate::sharing::sharing;
use crate::terminal::Terminal;

const NAMES: [&str; 4] = ["REGA", "REGB", "REGC", "REGD"];
/// Acknowledgements between two steps of the test.
const MORE: u32 = 20;

pub(crate) fn run(arguments: &[&str]) -> (bool, String) {
    let output = product().arg("records").args(arguments).output().expect("syncpoint starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// The entries of everybody, without a gap; the balances add up.
pub(crate) fn look(records: &Path) -> BTreeMap<String, u32> {
    let data = Data::shared(records);
    let accounts = data.records("KILLS.ACCOUNT");
    let sum: u64 = accounts.iter().map(|account| account[4..].parse::<u64>().expect("a balance")).sum();
    assert_eq!((accounts.len() as u32, sum), (ACCOUNTS, u64::from(ACCOUNTS) * BALANCE), "money came or went");
    let mut counts = BTreeMap::new();
    for entry in data.records("KILLS.LEDGER") {
        let (prefix, number) = entry.split_at(2);
        let count = counts.entry(prefix.to_owned()).or_default();
        *count += 1;
        assert_eq!(number.parse(), Ok(*count), "{prefix} has a gap");
    }
    counts
}

/// One at a terminal: the number of the last entry that was acknowledged.
struct Seat {
    prefix: String,
    number: AtomicU32,
}

impl Seat {
    fn work(&self, region: &Region, ends: &AtomicBool) {
        let Ok(mut terminal) = Terminal::try_connect(region.address) else { return };
        let seat = u32::from(self.prefix.as_bytes()[0]);
        while !ends.load(Ordering::Relaxed) {
            let next = self.number.load(Ordering::Relaxed) + 1;
            let durable = format!("DURABLE {next:06}");
            match terminal.try_either(&move_of(&self.prefix, next, seat), &[&durable, "DFHAC"]) {
                Err(_) => return,
                Ok(screen) if screen.contains(&durable) => self.number.store(next, Ordering::Relaxed),
                Ok(_) => {}
            }
        }
    }
}

#[test]
fn backups_and_a_change_of_keys_beside_four_regions_and_kills_agree_with_the_ledger() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).display().to_string();
    for (name, digit) in [("old", "5"), ("new", "7")] {
        std::fs::write(path(name), digit.repeat(64)).expect("written");
    }
    let records = tempfile::tempdir().expect("a folder");
    let folder = records.path().display().to_string();
    let mut server = Some(start_with(records.path(), &["--key", &path("old")]));
    let folders = NAMES.map(|applid| sharing(applid, records.path()));
    let regions = folders.each_ref().map(|folder| Region::start(folder.path()));
    let seats: Vec<Seat> = ["A0", "B0", "C0", "D0"]
        .map(|prefix| Seat { prefix: prefix.to_owned(), number: AtomicU32::new(0) })
        .into();
    let told = || -> Vec<u32> { seats.iter().map(|seat| seat.number.load(Ordering::Relaxed)).collect() };
    let ends = AtomicBool::new(false);
    let mut backups = Vec::new();
    thread::scope(|scope| {
        for (seat, region) in seats.iter().zip(&regions) {
            scope.spawn(|| seat.work(region, &ends));
        }
        let goes_on = || {
            let (wanted, begun) = (told().iter().sum::<u32>() + MORE, Instant::now());
            while told().iter().sum::<u32>() < wanted {
                if begun.elapsed() > PATIENCE {
                    ends.store(true, Ordering::Relaxed);
                    panic!("nothing goes on:\n{}", regions.each_ref().map(Region::log).join("\n\n"));
                }
                thread::sleep(Duration::from_micros(200));
            }
        };
        for step in 0..4 {
            goes_on();
            let (file, before) = (path(&format!("backup{step}")), told());
            let (is_made, said) = run(&[&folder, "--backup", &file]);
            assert!(is_made && said.contains("everything that was committed"), "{said}");
            // What a backup before the change of keys needs is the former one.
            backups.push((file, before, if step < 2 { "old" } else { "new" }));
            match step {
                1 => {
                    let (is_rotated, said) = run(&[&folder, "--rotate-key", &path("new")]);
                    assert!(is_rotated && said.contains("from now on"), "{said}");
                }
                2 => {
                    server.take().expect("it runs").kill();
                    server = Some(start_with(records.path(), &["--key", &path("new")]));
                }
                _ => regions[3].signal("KILL"),
            }
        }
        goes_on();
        ends.store(true, Ordering::Relaxed);
    });
    let last = told();
    let found = look(records.path());
    for (seat, told) in seats.iter().zip(&last) {
        let count = found.get(&seat.prefix).copied().unwrap_or(0);
        let more = u32::from(seat.prefix == "D0");
        assert!((*told..=told + more).contains(&count), "{}: {told}, {count} are there", seat.prefix);
    }
    for region in regions.into_iter().take(3) {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success(), "{log}");
    }
    server.take().expect("it runs").end();
    for (number, (file, before, key)) in backups.iter().enumerate() {
        let restored = place.path().join(format!("restored{number}"));
        let name = restored.display().to_string();
        let (is_restored, said) = run(&[&name, "--restore", file]);
        assert!(is_restored && said.contains("is restored"), "{said}");
        let (again, said) = run(&[&name, "--restore", file]);
        assert!(!again && said.contains("there are records"), "{said}");
        let _server = start_with(&restored, &["--key", &path(key)]);
        let found = look(&restored);
        for ((seat, before), last) in seats.iter().zip(before).zip(&last) {
            let count = found.get(&seat.prefix).copied().unwrap_or(0);
            assert!((*before..=last + 1).contains(&count), "{}: {before}, {count} are there", seat.prefix);
        }
    }
}

async fn set(engine: &Remote, store: StoreId, record: &[u8]) {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.lock(store, b"key", Wait::Forever).await.expect("a lock");
    unit.put(store, b"key", record).await.expect("private");
    unit.commit().await.expect("committed");
}

async fn read(engine: &Remote, store: StoreId) -> Vec<u8> {
    let mut record = Vec::new();
    engine.begin(engine.locks().new_owner()).get(store, b"key", &mut record).await.expect("a record");
    record
}

/// The copies that a region has read instead of an exchange.
fn used(engine: &Remote) -> u64 {
    engine.shared_counts().expect("counts").0.copies_used
}

#[tokio::test]
async fn a_region_that_keeps_copies_reads_what_was_restored() {
    // The folder is removed, or moved away: then the stamps of the former server are still somewhere.
    for is_moved in [false, true] {
        let place = tempfile::tempdir().expect("a folder");
        let (records, file) =
            (place.path().join("records"), place.path().join("backup").display().to_string());
        let folder = records.display().to_string();
        let server = start_with(&records, &[]);
        let socket = share::socket(&records);
        let open = |applid| Remote::open(&socket, applid, 1_000);
        let (one, other) = (open("REGA").await.expect("a region"), open("REGB").await.expect("a region"));
        let mut unit = one.begin(one.locks().new_owner());
        let [table, recent] =
            ["table", "recent"].map(|name| unit.create_store(name, Recovery::Recoverable).expect("a store"));
        unit.commit().await.expect("committed");
        one.copies_take(1 << 20);
        one.keep(table, None);
        for store in [table, recent] {
            set(&other, store, b"as of the backup").await;
        }
        let (is_made, said) = run(&[&folder, "--backup", &file]);
        assert!(is_made, "{said}");
        for store in [table, recent] {
            set(&other, store, b"later").await;
            for _ in 0..4 {
                assert_eq!(read(&one, store).await, b"later");
            }
        }
        let before = used(&one);
        assert!(before >= 4, "there are copies: {before}");
        server.kill();
        match is_moved {
            true => std::fs::rename(&records, place.path().join("former")).expect("moved"),
            false => std::fs::remove_dir_all(&records).expect("removed"),
        }
        let (is_restored, said) = run(&[&folder, "--restore", &file]);
        assert!(is_restored, "{said}");
        let server = start_with(&records, &[]);
        for store in [table, recent] {
            for _ in 0..4 {
                assert_eq!(read(&one, store).await, b"as of the backup");
            }
            set(&other, store, b"after it").await;
            assert_eq!(read(&one, store).await, b"after it");
        }
        assert!(used(&one) > before, "there are copies again");
        drop((one, other));
        server.end();
    }
}

#[tokio::test]
async fn what_stands_beside_the_log_is_in_a_backup_and_bears_another_key() {
    let place = tempfile::tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name).display().to_string();
    for (name, digit) in [("old", "5"), ("new", "7")] {
        std::fs::write(path(name), digit.repeat(64)).expect("written");
    }
    let records = place.path().join("records");
    let folder = records.display().to_string();
    let mut server = start_with(&records, &["--key", &path("old")]);
    let engine = Remote::open(&share::socket(&records), "REGA", 1_000).await.expect("a region");
    let mut unit = engine.begin(engine.locks().new_owner());
    let queue = unit.create_store("queue", Recovery::NonRecoverable).expect("a store");
    unit.commit().await.expect("committed");
    let mut backups = Vec::new();
    for round in 0..6_u8 {
        // Each is answered before the log has it: behind the last one comes what the round is about, at once.
        for number in 0..20_u8 {
            let mut unit = engine.begin(engine.locks().new_owner());
            unit.put(queue, b"key", &[round, number, b'x']).await.expect("done at once");
            unit.commit_unforced().await.expect("committed");
        }
        match round {
            0 | 3 => {
                let file = path(&format!("backup{round}"));
                let (is_made, said) = run(&[&folder, "--backup", &file]);
                assert!(is_made, "{said}");
                backups.push((round, file, if round < 2 { "old" } else { "new" }));
            }
            1 => {
                let (is_rotated, said) = run(&[&folder, "--rotate-key", &path("new")]);
                assert!(is_rotated, "{said}");
            }
            _ => {
                server.kill();
                server = start_with(&records, &["--key", &path("new")]);
            }
        }
        assert_eq!(read(&engine, queue).await, [round, 19, b'x'], "round {round}");
    }
    // The change of keys, and at once the death: nothing needs the former key.
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.put(queue, b"key", b"under the new key").await.expect("done at once");
    unit.commit_unforced().await.expect("committed");
    let (is_rotated, said) = run(&[&folder, "--rotate-key", &path("old")]);
    assert!(is_rotated, "{said}");
    server.kill();
    std::fs::remove_file(path("new")).expect("removed");
    let server = start_with(&records, &["--key", &path("old")]);
    assert_eq!(read(&engine, queue).await, b"under the new key");
    drop(engine);
    server.end();
    std::fs::write(path("new"), "7".repeat(64)).expect("written");
    for (round, file, key) in backups {
        let restored = place.path().join(format!("restored{round}"));
        let (is_restored, said) = run(&[&restored.display().to_string(), "--restore", &file]);
        assert!(is_restored, "{said}");
        let _server = start_with(&restored, &["--key", &path(key)]);
        let engine = Remote::open(&share::socket(&restored), "REGA", 1_000).await.expect("a region");
        assert_eq!(read(&engine, queue).await, [round, 19, b'x'], "the backup of round {round}");
    }
}

#[test]
fn what_is_no_backup_of_a_record_server_or_cannot_be_made_is_refused_by_name() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("records");
    let name = folder.display().to_string();
    let file = place.path().join("backup").display().to_string();
    let (is_made, said) = run(&[&name, "--backup", &file]);
    assert!(!is_made && said.contains("does not answer"), "{said}");
    let server = crate::records::start(&folder);
    let nowhere = place.path().join("none/backup").display().to_string();
    let (is_made, said) = run(&[&name, "--backup", &nowhere]);
    assert!(!is_made && said.contains("no backup is made"), "{said}");
    let key = place.path().join("key").display().to_string();
    std::fs::write(&key, "5".repeat(64)).expect("written");
    let (is_rotated, said) = run(&[&name, "--rotate-key", &key]);
    assert!(!is_rotated && said.contains("in clear"), "{said}");
    std::fs::write(&key, "five").expect("written");
    let (is_rotated, said) = run(&[&name, "--rotate-key", &key]);
    assert!(!is_rotated && said.contains("holds no key"), "{said}");
    let (is_made, said) = run(&[&name, "--backup", &file]);
    assert!(is_made, "{said}");
    server.end();
    // A region's backup is none of a server, nor the other way round.
    let application = crate::house::application(&[("region.toml", crate::house::FREE_PORT)]);
    let own = place.path().join("own").display().to_string();
    for (arguments, expected) in [
        (["backup", ".", &own], "committed"),
        (["restore", &file, "."], "it is the backup of a record server"),
    ] {
        let output = product().args(arguments).current_dir(application.path()).output().expect("it starts");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(said.contains(expected), "{said}");
    }
    let other = place.path().join("other").display().to_string();
    let (is_restored, said) = run(&[&other, "--restore", &own]);
    assert!(!is_restored && said.contains("the backup of a region"), "{said}");
    let bytes = std::fs::read(&file).expect("a file");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("written");
    let (is_restored, said) = run(&[&other, "--restore", &file]);
    assert!(!is_restored && said.contains("SPCL"), "{said}");
    assert!(!Path::new(&other).join("base").exists(), "nothing was begun");
}
