//! Two regions, each a process, that share their records: they work on the same data sets while one of them, or the record server, is
//! killed; a ledger kept outside proves that every acknowledged unit of work is there, whole, and nothing else.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ::records::{Recovery, Wait};
use datasets::DataSets;
use share::Remote;
use sql::server::{Private, Server};
use sql::{ListenPlace, Session, Settings};
use tempfile::TempDir;
use vsam::{Cluster, Definition, Organization, Replace, Vsam};

use crate::data::Data;
use crate::house::{Chance, FREE_PORT, PATIENCE, Region, application, asked_for, product, share_programs};
use crate::kills::{ACCOUNTS, BALANCE, DATA_SETS, DEFINITIONS, LOADS, MOVER, accounts, move_of};
use crate::records::{self, Process};

/// Kills in an ordinary run.
const KILLS: u64 = 3;
/// Those at terminals of each region.
const SEATS: u32 = 2;
/// A kill comes after at most so many acknowledgements, and at most so many microseconds.
const ACKNOWLEDGED: u64 = 40;
const LATER: u64 = 20_000;
/// Acknowledgements behind a kill, which show that the others go on.
const BEHIND: u32 = 8;

/// The application of a region whose records are at a server.
pub(crate) fn sharing(applid: &str, records: &Path) -> TempDir {
    with_records(applid, &format!("folder = \"{}\"", records.display()))
}

/// The application of a region whose records are in such a place.
pub(crate) fn with_records(applid: &str, records: &str) -> TempDir {
    let region = format!(
        "applid = \"{applid}\"\n{FREE_PORT}[[load]]\ndataset = \"KILLS.ACCOUNT\"\nfile = \"accounts.txt\"\n\
         [records]\n{records}\n",
    );
    let folder = application(&[
        ("region.toml", &region),
        ("accounts.txt", &accounts()),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("programs/MOVER.cbl", MOVER),
        ("programs/LOADS.cbl", LOADS),
    ]);
    share_programs(folder.path(), "sharing-programs");
    folder
}

/// The one whom a kill meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Region(usize),
    Server,
}

/// One at a terminal: the prefix of the entries, and the number of the last that was acknowledged.
struct Seat {
    prefix: String,
    region: usize,
    number: AtomicU32,
}

impl Seat {
    /// Works until the region is gone, or all are to end. A unit of work that was backed out is tried again.
    fn work(&self, region: &Region, (all, ends): (&AtomicU32, &AtomicBool)) {
        let Ok(mut terminal) = crate::terminal::Terminal::try_connect(region.address) else { return };
        let seat = u32::from(self.prefix.as_bytes()[1]) + self.region as u32 * 11;
        while !ends.load(Ordering::Relaxed) {
            let next = self.number.load(Ordering::Relaxed) + 1;
            let durable = format!("DURABLE {next:06}");
            let answer = terminal.try_either(&move_of(&self.prefix, next, seat), &[&durable, "DFHAC"]);
            match answer {
                Err(_) => return,
                Ok(screen) if screen.contains(&durable) => {
                    self.number.store(next, Ordering::Relaxed);
                    all.fetch_add(1, Ordering::Relaxed);
                }
                Ok(_) => {}
            }
        }
    }
}

/// A topology that works.
struct Site {
    records: TempDir,
    folders: [TempDir; 2],
    server: Option<Process>,
    regions: [Option<Region>; 2],
}

impl Site {
    fn start() -> Self {
        let records = tempfile::tempdir().expect("a folder");
        let server = Some(records::start(records.path()));
        let folders = ["REGA", "REGB"].map(|applid| sharing(applid, records.path()));
        // Both at once: one of them defines and loads the data sets, and the other one finds them.
        let regions = thread::scope(|scope| {
            let starts = folders.each_ref().map(|folder| scope.spawn(|| Region::start(folder.path())));
            starts.map(|start| Some(start.join().expect("it starts")))
        });
        Self { records, folders, server, regions }
    }

    fn kill(&mut self, victim: Victim) {
        match victim {
            Victim::Server => {
                self.server.take().expect("it runs").kill();
                self.server = Some(records::start(self.records.path()));
            }
            Victim::Region(at) => self.regions[at].as_ref().expect("it runs").signal("KILL"),
        }
    }

    /// Checks the data: the entries of everybody without a gap, and the sum of the balances, which never changes.
    fn look(&self) -> BTreeMap<String, u32> {
        looked(&Data::shared(self.records.path()))
    }
}

/// The entries of everybody, without a gap, and the sum of the balances, which never changes.
fn looked(data: &Data) -> BTreeMap<String, u32> {
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

/// A victim of a kill among regions directly in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Region(usize),
    /// Sessions of both, as when the database ends some of them.
    Sessions,
}

#[test]
fn every_acknowledged_unit_of_work_of_two_regions_directly_in_a_database_survives_kills() {
    let place = tempfile::tempdir().expect("a folder");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o711)).expect("a mode");
    let (server, url) = database(place.path());
    let records = format!("database = \"{url}\"\nlease = 3");
    let folders = ["REGA", "REGB"].map(|applid| with_records(applid, &records));
    let mut running = thread::scope(|scope| {
        let starts = folders.each_ref().map(|folder| scope.spawn(|| Region::start(folder.path())));
        starts.map(|start| Some(start.join().expect("it starts")))
    });
    let seats = [0, 1].map(|region| {
        let prefix = format!("{}0", ["A", "B"][region]);
        Seat { prefix, region, number: AtomicU32::new(0) }
    });
    for (kill, lost) in
        [Lost::Sessions, Lost::Region(0), Lost::Sessions, Lost::Region(1)].into_iter().enumerate()
    {
        let (all, ends) = (AtomicU32::new(0), AtomicBool::new(false));
        let regions = running.each_mut().map(|region| region.take().expect("it runs"));
        thread::scope(|scope| {
            for seat in &seats {
                scope.spawn(|| seat.work(&regions[seat.region], (&all, &ends)));
            }
            let reach = |wanted: u32| {
                let begun = Instant::now();
                while all.load(Ordering::Relaxed) < wanted {
                    let logs = regions.each_ref().map(Region::log);
                    assert!(
                        begun.elapsed() < PATIENCE,
                        "kill {kill} of {lost:?}: nothing goes on:\n{logs:?}"
                    );
                    thread::sleep(Duration::from_micros(200));
                }
            };
            reach(5 + 7 * kill as u32);
            match lost {
                Lost::Region(at) => regions[at].signal("KILL"),
                Lost::Sessions => end_sessions(&server),
            }
            reach(all.load(Ordering::Relaxed) + BEHIND);
            ends.store(true, Ordering::Relaxed);
        });
        running = regions.map(Some);
        let found = looked(&Data::in_database(&url, place.path()));
        for seat in &seats {
            let (told, count) =
                (seat.number.load(Ordering::Relaxed), found.get(&seat.prefix).copied().unwrap_or(0));
            let more = u32::from(lost == Lost::Region(seat.region));
            assert!(
                (told..=told + more).contains(&count),
                "kill {kill} of {lost:?}: {} was told {told}, {count} are there",
                seat.prefix
            );
            seat.number.store(count, Ordering::Relaxed);
        }
        if let Lost::Region(at) = lost {
            drop(running[at].take());
            running[at] = Some(Region::start(folders[at].path()));
        }
    }
    for region in running.iter_mut().filter_map(Option::take) {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
    // The start says that a place is not named any more, or that another one is.
    let file = folders[0].path().join("region.toml");
    let text = fs::read_to_string(&file).expect("the file");
    fs::write(&file, text.replace("lease = 3", "schema = \"another\"")).expect("written");
    let (_, said) = run(folders[0].path(), &["run"]);
    assert!(said.contains("SPRG031") && said.contains("names another place"), "{said}");
    let without = text.split("[records]").next().expect("the rest").to_owned();
    fs::write(&file, without).expect("written");
    let (_, said) = run(folders[0].path(), &["run"]);
    assert!(said.contains("SPRG031") && said.contains("region.toml names none"), "{said}");
    fs::write(&file, text.replace("postgresql://", "postgresql://user:guessed@x/")).expect("written");
    let (_, said) = run(folders[0].path(), &["run"]);
    assert!(said.contains("SPRG031") && said.contains("password-file"), "{said}");
}

/// A private PostgreSQL in a folder, and its URL for the owner.
fn database(folder: &Path) -> (Server, String) {
    let private = Private { is_tied: true, sessions: 120, ..Private::new(folder.join("postgresql")) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let server = runtime.block_on(Server::start(&private)).expect("a server");
    let owner = server.owner();
    let ListenPlace::Socket { folder, port } = owner.place else { panic!("a private server has a socket") };
    let url = format!("postgresql://{}@:{port}/{}?host={}", owner.user, owner.database, folder.display());
    (server, url)
}

/// Ends some of the sessions of the regions.
fn end_sessions(server: &Server) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut session = Session::connect(&server.owner(), &Settings::default()).await.expect("a session");
        let ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE application_name LIKE 'syncpoint REG_ %' AND pid % 2 = 0";
        session.script(ends).await.expect("they end");
        session.close().await;
    });
}

#[test]
fn every_acknowledged_unit_of_work_of_two_regions_survives_kills_of_each_and_of_the_server() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let mut site = Site::start();
    let seats: Vec<Seat> = (0..2)
        .flat_map(|region| (0..SEATS).map(move |seat| (region, seat)))
        .map(|(region, seat)| {
            let prefix = format!("{}{seat}", ["A", "B"][region]);
            Seat { prefix, region, number: AtomicU32::new(0) }
        })
        .collect();
    for kill in 1..=kills {
        // Each of them in turn first, so that a short run has all.
        let victim = match if kill <= 3 { kill % 3 } else { chance.below(3) } {
            0 => Victim::Server,
            at => Victim::Region(at as usize - 1),
        };
        let (all, ends) = (AtomicU32::new(0), AtomicBool::new(false));
        let moment = chance.below(ACKNOWLEDGED) as u32;
        let later = Duration::from_micros(chance.below(LATER));
        let regions = site.regions.each_mut().map(|region| region.take().expect("it runs"));
        thread::scope(|scope| {
            for seat in &seats {
                scope.spawn(|| seat.work(&regions[seat.region], (&all, &ends)));
            }
            let reach = |wanted: u32| {
                let begun = Instant::now();
                while all.load(Ordering::Relaxed) < wanted {
                    let logs = regions.each_ref().map(Region::log);
                    assert!(
                        begun.elapsed() < PATIENCE,
                        "kill {kill} of {victim:?}: nothing goes on:\n{logs:?}"
                    );
                    thread::sleep(Duration::from_micros(200));
                }
            };
            reach(moment);
            // A moment between two acknowledgements, not always just behind one.
            thread::sleep(later);
            match victim {
                Victim::Region(at) => regions[at].signal("KILL"),
                Victim::Server => site.kill(victim),
            }
            reach(all.load(Ordering::Relaxed) + BEHIND);
            ends.store(true, Ordering::Relaxed);
        });
        site.regions = regions.map(Some);
        let found = site.look();
        for seat in &seats {
            let (told, count) =
                (seat.number.load(Ordering::Relaxed), found.get(&seat.prefix).copied().unwrap_or(0));
            // One more was on its way in a region that was killed; any other one has heard what became of it.
            let more = u32::from(victim == Victim::Region(seat.region));
            assert!(
                (told..=told + more).contains(&count),
                "kill {kill} of {victim:?}: {} was told {told}, {count} are there",
                seat.prefix
            );
            seat.number.store(count, Ordering::Relaxed);
        }
        if let Victim::Region(at) = victim {
            drop(site.regions[at].take());
            site.regions[at] = Some(Region::start(site.folders[at].path()));
        }
    }
    for region in site.regions.iter_mut().filter_map(Option::take) {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
    site.server.take().expect("it runs").end();
}

/// Runs a command on a folder: whether it went well, and what it said.
fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = product().args(arguments).current_dir(folder).output().expect("syncpoint starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn commands_beside_a_record_server_have_its_locks_or_are_refused_by_name() {
    let records = tempfile::tempdir().expect("a folder");
    let server = records::start(records.path());
    let folder = sharing("REGA", records.path());
    let other = sharing("REGA", records.path());
    let region = Region::start(folder.path());
    let said = Region::refused(other.path());
    assert!(said.contains("SPRG031") && said.contains("REGA shares the records already"), "{said}");
    for runs in [true, false] {
        let (is_done, said) = run(folder.path(), &["data", "list"]);
        assert!(is_done && said.contains("KILLS.ACCOUNT") && said.contains("20"), "{said}");
        let (is_done, said) = run(folder.path(), &["backup", ".", "copy"]);
        assert!(!is_done && said.contains("record server"), "runs {runs}: {said}");
        let left =
            fs::read_dir(folder.path()).expect("a folder").map(|entry| entry.expect("one").file_name());
        assert!(left.filter_map(|name| name.into_string().ok()).all(|name| !name.contains("copy")));
        if runs {
            let text = fs::read_to_string(folder.path().join("region.toml")).expect("a text");
            let keys = "[data]\nencryption-key-file = \"key\"\nformer-encryption-key-file = \"key\"\n";
            fs::write(folder.path().join("region.toml"), format!("{text}{keys}")).expect("written");
            let key = folder.path().join("key");
            fs::write(&key, "7".repeat(64)).expect("written");
            fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("its owner's");
            let (is_done, said) = run(folder.path(), &["key", "rotate", "."]);
            assert!(!is_done && said.contains("record server"), "{said}");
            fs::write(folder.path().join("region.toml"), text).expect("written");
            region.signal("INT");
            while region.is_running() {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    // A state whose records are elsewhere is not taken for an empty one.
    let text = fs::read_to_string(folder.path().join("region.toml")).expect("a text");
    let (alone, _) = text.split_once("[records]").expect("it names a server");
    fs::write(folder.path().join("region.toml"), alone).expect("written");
    let said = Region::refused(folder.path());
    assert!(said.contains("SPRG031") && said.contains("region.toml names none"), "{said}");
    // Nor for one at another server.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let named = elsewhere.path().display().to_string();
    fs::write(folder.path().join("region.toml"), text.replace(&records.path().display().to_string(), &named))
        .expect("written");
    let said = Region::refused(folder.path());
    assert!(said.contains("SPRG031") && said.contains("names others"), "{said}");
    // Nor are records of a region's own forgotten.
    let alone_file = other.path().join("region.toml");
    let (alone, named) = text.split_once("[records]").expect("it names a server");
    fs::write(&alone_file, alone).expect("written");
    let own = Region::start(other.path());
    own.signal("INT");
    own.ended();
    fs::write(&alone_file, format!("{alone}[records]{named}")).expect("written");
    let said = Region::refused(other.path());
    assert!(said.contains("SPRG031") && said.contains("records of its own"), "{said}");
    server.end();
}

/// The data sets of a region of a few lines.
async fn data_sets(records: &Path, applid: &str, sequential: &Path) -> DataSets {
    let engine = Remote::open(&share::socket(records), applid, 1_000).await.expect("the server takes it");
    let vsam = Vsam::open(engine).await.expect("the catalogue is there");
    DataSets::open(vsam, sequential).await.expect("the data sets are there")
}

#[tokio::test]
async fn what_one_region_defines_opens_or_reserves_is_so_for_the_others() {
    let (records, own, other) = (tempfile::tempdir(), tempfile::tempdir(), tempfile::tempdir());
    let records = records.expect("a folder");
    let server = records::start(records.path());
    let one = data_sets(records.path(), "REGA", own.expect("a folder").path()).await;
    let two = data_sets(records.path(), "REGB", other.expect("a folder").path()).await;
    let name: vsam::Name = "SHARED.ONE".parse().expect("a name");
    let cluster = Cluster {
        name: name.clone(),
        organization: Organization::EntrySequenced,
        average: 4,
        maximum: 4,
        recovery: Recovery::Recoverable,
        reuse: false,
    };
    one.vsam.define(Definition::Cluster(cluster.clone())).await.expect("defined");
    let again = two.vsam.define(Definition::Cluster(cluster)).await;
    assert_eq!(again, Err(vsam::Error::EntryExists(name.clone())));
    // A load fills it for all.
    let mut three = (0..3).map(|number| Ok(format!("A{number:03}").into_bytes()));
    let loaded = one.vsam.load(&name, &mut three, Replace::No, &mut |_| ()).await;
    assert_eq!(loaded.map(|copied| copied.written), Ok(3));
    let open = two.vsam.dataset(&name).await.expect("it is there");
    let mut unit = two.vsam.engine().begin(two.vsam.engine().locks().new_owner());
    let address = open.write(&mut *unit, None, b"B003", Wait::No).await.expect("written");
    assert_eq!(&*address, 12_u64.to_be_bytes(), "behind what was loaded");
    unit.commit().await.expect("committed");
    // A data set that one has open the other may open, too, and cannot delete.
    assert_eq!(one.vsam.delete(&name).await, Err(vsam::Error::InUse(name.clone())));
    assert!(one.vsam.dataset(&name).await.is_ok());
    drop(open);
    // Jobs of both.
    let names = |alone| vec![(name.to_string(), alone), ("A.FILE".to_owned(), true)];
    let held = one.reserve(&names(true)).await.expect("an answer").expect("it is free");
    assert_eq!(two.reserve(&names(false)).await.expect("an answer").err(), Some(name.to_string()));
    drop(held);
    // The other region's job hears of its end a moment later.
    let held = tokio::time::timeout(Duration::from_secs(20), async {
        loop {
            match two.reserve(&names(false)).await.expect("an answer") {
                Ok(held) => return held,
                Err(name) => assert_eq!(name, "SHARED.ONE", "files belong to each region"),
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    drop(held.await.expect("it is free in the end"));
    one.vsam.delete(&name).await.expect("nobody has it");
    assert!(matches!(two.vsam.dataset(&name).await, Err(vsam::Error::NoEntry(_))));
    drop((one, two));
    server.end();
}
