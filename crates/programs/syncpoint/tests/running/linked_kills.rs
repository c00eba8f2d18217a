//! Three regions, each a process, and units of work that change records in two or three of them, by function shipping, a LINK and a
//! START: one region after the other is killed under load, links are broken off, and the region that decides is killed while another
//! one that was killed hears what it has missed; a ledger kept outside proves that every acknowledged unit of work is there
//! in all of them, that no other is anywhere in part, and that nothing stays in doubt or locked.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, PATIENCE, Region, application, asked_for, product, share_programs};
use crate::kills::{ACCOUNTS, BALANCE, accounts};
use crate::terminal::Terminal;

/// Rounds in an ordinary run: each kind once.
const KILLS: u64 = KINDS;
/// The kinds of rounds.
const KINDS: u64 = Harm::ALL.len() as u64;
/// A kill comes after at most so many acknowledgements, and at most so many microseconds.
const ACKNOWLEDGED: u64 = 25;
const LATER: u64 = 30_000;
/// Microseconds in which a region that was started again hears what it has missed.
const RESYNCHRONISES: u64 = 400_000;
/// Acknowledgements of each seat behind a kill, which show that nothing is locked for ever.
const BEHIND: u32 = 2;
const NAMES: [&str; 3] = ["REGA", "REGB", "REGC"];
/// Those at terminals of the first region. T changes records of two regions, U those of three, V has the second region
/// change the third one's.
const SEATS: [&str; 4] = ["T0", "U1", "V2", "U3"];

/// Moves one from an account here to one at another region, writes entries everywhere, and says so once it is committed:
/// `MOVE prefix number from to`.
const MOVER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-PREFIX.
               10  WS-KIND         PIC X(01).
               10  FILLER          PIC X(01).
           05  FILLER              PIC X(01).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(01).
           05  WS-FROM             PIC X(04).
           05  FILLER              PIC X(01).
           05  WS-TO               PIC X(04).
           05  FILLER              PIC X(56).
       01  ACCOUNT.
           05  ACCOUNT-KEY         PIC X(04).
           05  ACCOUNT-BALANCE     PIC 9(09).
       01  WS-FILE                 PIC X(08).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
       01  ANSWER.
           05  ANSWER-WORD         PIC X(08).
           05  ANSWER-NUMBER       PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-PREFIX          TO ENTRY-PREFIX
           MOVE WS-NUMBER          TO ENTRY-NUMBER ANSWER-NUMBER
           EXEC CICS READ FILE('ACCOUNT') INTO(ACCOUNT)
                     RIDFLD(WS-FROM) UPDATE
           END-EXEC
           SUBTRACT 1 FROM ACCOUNT-BALANCE
           EXEC CICS REWRITE FILE('ACCOUNT') FROM(ACCOUNT) END-EXEC
           MOVE 'ACCTB' TO WS-FILE
           IF WS-KIND = 'V' MOVE 'ACCTC' TO WS-FILE END-IF
           EXEC CICS READ FILE(WS-FILE) INTO(ACCOUNT)
                     RIDFLD(WS-TO) UPDATE
           END-EXEC
           ADD 1 TO ACCOUNT-BALANCE
           EXEC CICS REWRITE FILE(WS-FILE) FROM(ACCOUNT) END-EXEC
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(DUPREC)
              MOVE 'DOUBLE' TO ANSWER-WORD
              EXEC CICS SEND TEXT FROM(ANSWER) ERASE FREEKB END-EXEC
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
              EXEC CICS RETURN END-EXEC
           END-IF
           EXEC CICS WRITE FILE('LEDGB') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           IF WS-KIND = 'U'
              EXEC CICS WRITE FILE('LEDGC') FROM(ENTRY-RECORD)
                        RIDFLD(ENTRY-RECORD)
              END-EXEC
           END-IF
           EXEC CICS LINK PROGRAM('ENTERS') COMMAREA(ENTRY-RECORD)
           END-EXEC
           EXEC CICS START TRANSID('STAR') FROM(ENTRY-RECORD) PROTECT
           END-EXEC
           EXEC CICS SYNCPOINT RESP(WS-RESP) END-EXEC
           MOVE 'DURABLE'          TO ANSWER-WORD
           IF WS-RESP NOT = DFHRESP(NORMAL)
              MOVE 'BACKED' TO ANSWER-WORD
           END-IF
           EXEC CICS SEND TEXT FROM(ANSWER) ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Runs at the second region for the first one: writes an entry; one of V at the third region, too.
const ENTERS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENTERS.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  WS-KIND             PIC X(01).
           05  FILLER              PIC X(07).
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('LINKED') FROM(DFHCOMMAREA)
                     RIDFLD(DFHCOMMAREA)
           END-EXEC
           IF WS-KIND = 'V'
              EXEC CICS WRITE FILE('LEDGC') FROM(DFHCOMMAREA)
                        RIDFLD(DFHCOMMAREA)
              END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
";

/// Runs at the second region when the unit of work has committed.
const STARTED: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ENTRY-RECORD            PIC X(08).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(ENTRY-RECORD) END-EXEC
           EXEC CICS WRITE FILE('STARTED') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const FIRST: &str = "
DEFINE TRANSACTION(MOVE) GROUP(KILLS) PROGRAM(MOVER)
DEFINE PROGRAM(MOVER) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE PROGRAM(ENTERS) GROUP(KILLS) REMOTESYSTEM(REGB)
DEFINE TRANSACTION(STAR) GROUP(KILLS) REMOTESYSTEM(REGB)
DEFINE FILE(ACCTB) GROUP(KILLS) REMOTESYSTEM(REGB) REMOTENAME(ACCOUNT)
DEFINE FILE(ACCTC) GROUP(KILLS) REMOTESYSTEM(REGC) REMOTENAME(ACCOUNT)
DEFINE FILE(LEDGB) GROUP(KILLS) REMOTESYSTEM(REGB) REMOTENAME(LEDGER)
DEFINE FILE(LEDGC) GROUP(KILLS) REMOTESYSTEM(REGC) REMOTENAME(LEDGER)
";

const SECOND: &str = "
DEFINE TRANSACTION(STAR) GROUP(KILLS) PROGRAM(STARTED)
DEFINE PROGRAM(STARTED) GROUP(KILLS)
DEFINE PROGRAM(ENTERS) GROUP(KILLS)
DEFINE FILE(LINKED) GROUP(KILLS) DSNAME(KILLS.LINKED)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(STARTED) GROUP(KILLS) DSNAME(KILLS.STARTED)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(LEDGC) GROUP(KILLS) REMOTESYSTEM(REGC) REMOTENAME(LEDGER)
";

const ALL: &str = "
DEFINE FILE(ACCOUNT) GROUP(KILLS) DSNAME(KILLS.ACCOUNT)
       READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(LEDGER) GROUP(KILLS) DSNAME(KILLS.LEDGER)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(KILLS.ACCOUNT) INDEXED KEYS(4 0) RECORDSIZE(13 13))
 DEFINE CLUSTER (NAME(KILLS.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(8 8))
 DEFINE CLUSTER (NAME(KILLS.LINKED) INDEXED KEYS(8 0) RECORDSIZE(8 8))
 DEFINE CLUSTER (NAME(KILLS.STARTED) INDEXED KEYS(8 0) RECORDSIZE(8 8))
";

/// The application of one of the regions.
fn linked(at: usize, links: &Path) -> TempDir {
    let region = format!(
        "applid = \"{0}\"\nsysid = \"{0}\"\n{FREE_PORT}[[load]]\ndataset = \"KILLS.ACCOUNT\"\nfile = \"accounts.txt\"\n\
         [security]\ndefault-rights = [\"run\"]\n[links]\nfolder = \"{1}\"\n[sit]\nISC = \"YES\"\nIRCSTRT = \"YES\"\n",
        NAMES[at],
        links.display()
    );
    let partners = NAMES.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, name)| {
        format!(
            "DEFINE CONNECTION({name}) GROUP(LINKS) NETNAME({name}) ACCESSMETHOD(IRC)\n\
             DEFINE SESSIONS({name}) GROUP(LINKS) CONNECTION({name}) PROTOCOL(LU61) SENDCOUNT(40) RECEIVECOUNT(40)\n"
        )
    });
    let own = [FIRST, SECOND, ""][at];
    let definitions = format!("{}{own}{ALL}", partners.collect::<String>());
    let accounts = accounts();
    let mut files = vec![
        ("region.toml", region.as_str()),
        ("accounts.txt", &accounts),
        ("kills.csd", &definitions),
        ("kills.idcams", DATA_SETS),
    ];
    match at {
        0 => files.push(("programs/MOVER.cbl", MOVER)),
        1 => files.extend([("programs/ENTERS.cbl", ENTERS), ("programs/STARTED.cbl", STARTED)]),
        _ => {}
    }
    let folder = application(&files);
    share_programs(folder.path(), &format!("linked-programs-{at}"));
    folder
}

/// The answer to an operator's request.
fn cemt(folder: &Path, request: &str) -> String {
    let output =
        product().args(["cemt", ".", request]).current_dir(folder).output().expect("syncpoint starts");
    (String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
        .to_uppercase()
}

/// The records of a data set of a region that runs.
fn records(folder: &Path, dataset: &str) -> Vec<String> {
    let file = folder.join("records.csv");
    let _ = std::fs::remove_file(&file);
    let mut command = product();
    command.args(["data", "export", dataset, "--to", "records.csv"]).current_dir(folder);
    let output = command.output().expect("syncpoint starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(&file).expect("a file");
    text.lines().skip(1).map(str::to_owned).collect()
}

/// One at a terminal of the first region: the prefix of the entries, and the number of the last that was acknowledged.
struct Seat {
    prefix: &'static str,
    number: AtomicU32,
}

impl Seat {
    /// Works until the region is gone, or all are to end. A unit of work that was backed out is tried again.
    fn work(&self, region: &Region, (all, ends): (&AtomicU32, &AtomicBool)) {
        let Ok(mut terminal) = Terminal::try_connect(region.address) else { return };
        let seat = u32::from(self.prefix.as_bytes()[1]);
        while !ends.load(Ordering::Relaxed) {
            let next = self.number.load(Ordering::Relaxed) + 1;
            let (from, to) = ((next * 7 + seat) % ACCOUNTS, (next * 3 + seat * 5) % ACCOUNTS);
            let text = format!("MOVE {} {next:06} {from:04} {to:04}", self.prefix);
            let durable = format!("DURABLE {next:06}");
            match terminal.try_either(&text, &[&durable, "DFHAC", "BACKED", "DOUBLE"]) {
                Err(_) => return,
                Ok(screen) if screen.contains(&durable) => {
                    self.number.store(next, Ordering::Relaxed);
                    all.fetch_add(1, Ordering::Relaxed);
                }
                Ok(screen) => {
                    assert!(!screen.contains("DOUBLE"), "{text}: it was backed out, and is there\n{screen}");
                    thread::sleep(Duration::from_millis(2));
                }
            }
        }
    }
}

/// Three regions and their folders.
struct Site {
    folders: [TempDir; 3],
    regions: [Option<Region>; 3],
    _links: TempDir,
}

impl Site {
    fn start() -> Self {
        let links = tempfile::tempdir().expect("a folder");
        let folders = [0, 1, 2].map(|at| linked(at, links.path()));
        let regions = folders.each_ref().map(|folder| Some(Region::start(folder.path())));
        let site = Self { folders, regions, _links: links };
        site.settled();
        site
    }

    fn restart(&mut self, at: usize) {
        drop(self.regions[at].take());
        self.regions[at] = Some(Region::start(self.folders[at].path()));
    }

    /// Waits until all are linked, and nothing is in doubt or has not been heard.
    fn settled(&self) {
        let begun = Instant::now();
        loop {
            let states: Vec<String> = self
                .folders
                .iter()
                .enumerate()
                .map(|(at, folder)| {
                    let partners = NAMES.iter().filter(|name| **name != NAMES[at]);
                    let requests = partners.map(|name| format!("INQUIRE CONNECTION({name})"));
                    let units = ["INQUIRE UOW", "INQUIRE UOWLINK"].map(str::to_owned);
                    requests.chain(units).map(|request| cemt(folder.path(), &request)).collect::<String>()
                })
                .collect();
            let is_settled = |state: &String| {
                state.matches("CONNSTATUS(ACQUIRED)").count() == 2
                    && !state.contains("INDOUBT")
                    && !state.contains("UOWSTATE(COMMIT)")
                    && state.contains("UOWL(*)  NOT FOUND")
            };
            if states.iter().all(is_settled) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "never settled:\n{}\n{}", states.concat(), self.logs());
        }
    }

    fn logs(&self) -> String {
        let logs = self.regions.iter().flatten().map(Region::log);
        logs.map(|log| log.lines().rev().take(25).collect::<Vec<_>>().join("\n"))
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// Checks all data: the entries of everybody without a gap and the same everywhere, and the sum of the balances.
    fn look(&self) -> BTreeMap<String, u32> {
        let balances: u64 = (0..3)
            .flat_map(|at| records(self.folders[at].path(), "KILLS.ACCOUNT"))
            .map(|account| account[4..].parse::<u64>().expect("a balance"))
            .sum();
        assert_eq!(balances, 3 * u64::from(ACCOUNTS) * BALANCE, "money came or went");
        let own = self.entries(0, "KILLS.LEDGER");
        assert_eq!(own, self.entries(1, "KILLS.LEDGER"), "shipped");
        assert_eq!(own, self.entries(1, "KILLS.LINKED"), "linked");
        let mut third = own.clone();
        third.retain(|prefix, _| !prefix.starts_with('T'));
        assert_eq!(third, self.entries(2, "KILLS.LEDGER"), "at the third");
        let begun = Instant::now();
        while own != self.entries(1, "KILLS.STARTED") {
            assert!(begun.elapsed() < PATIENCE, "a START is lost or came twice\n{}", self.logs());
        }
        own
    }

    fn entries(&self, at: usize, dataset: &str) -> BTreeMap<String, u32> {
        let mut counts = BTreeMap::new();
        for entry in records(self.folders[at].path(), dataset) {
            let (prefix, number) = entry.split_at(2);
            let count = counts.entry(prefix.to_owned()).or_default();
            *count += 1;
            assert_eq!(number.parse(), Ok(*count), "{dataset} of {}: {prefix} has a gap", NAMES[at]);
        }
        counts
    }
}

/// The harm that is done in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    /// A region is killed, and started again at once.
    Kill(usize),
    /// The first region breaks its link to another one off: it is made again.
    Cut(usize),
    /// Another region is killed, and the first one while that comes back and hears how units of work have ended.
    KillInResynchronisation(usize),
}

impl Harm {
    const ALL: [Self; 7] = [
        Self::Kill(0),
        Self::Kill(1),
        Self::Kill(2),
        Self::KillInResynchronisation(1),
        Self::KillInResynchronisation(2),
        Self::Cut(1),
        Self::Cut(2),
    ];

    /// Returns true if the region whose terminals the seats have is killed: a unit of work may have ended there that no terminal was told
    /// of.
    fn kills_first(self) -> bool {
        matches!(self, Self::Kill(0) | Self::KillInResynchronisation(_))
    }
}

/// Works, and does harm meanwhile.
fn work_and_harm(site: &mut Site, seats: &[Seat], harm: Harm, chance: &mut Chance) {
    let (all, ends) = (AtomicU32::new(0), AtomicBool::new(false));
    let moment = chance.below(ACKNOWLEDGED) as u32;
    let later = Duration::from_micros(chance.below(LATER));
    let first = site.regions[0].take().expect("it runs");
    thread::scope(|scope| {
        for seat in seats {
            scope.spawn(|| seat.work(&first, (&all, &ends)));
        }
        let wait = |site: &Site, what: &str, is_so: &dyn Fn() -> bool| {
            let begun = Instant::now();
            while !is_so() {
                if begun.elapsed() > PATIENCE {
                    ends.store(true, Ordering::Relaxed);
                    panic!("{what}: nothing goes on:\n{}\n\n{}", first.log(), site.logs());
                }
                thread::sleep(Duration::from_micros(200));
            }
        };
        wait(site, "before the kill", &|| all.load(Ordering::Relaxed) >= moment);
        // A moment between two acknowledgements, not always just behind one.
        thread::sleep(later);
        match harm {
            Harm::Kill(0) => return first.signal("KILL"),
            Harm::Kill(victim) => {
                site.regions[victim].as_ref().expect("it runs").signal("KILL");
                site.restart(victim);
            }
            Harm::Cut(other) => {
                let told = cemt(site.folders[0].path(), &format!("SET CONNECTION({}) KILL", NAMES[other]));
                assert!(told.contains("NORMAL"), "{told}");
            }
            Harm::KillInResynchronisation(victim) => {
                site.regions[victim].as_ref().expect("it runs").signal("KILL");
                site.restart(victim);
                // The link is made within a quarter of a second.
                thread::sleep(Duration::from_micros(chance.below(RESYNCHRONISES)));
                return first.signal("KILL");
            }
        }
        let wanted: Vec<u32> =
            seats.iter().map(|seat| seat.number.load(Ordering::Relaxed) + BEHIND).collect();
        let is_so =
            || seats.iter().zip(&wanted).all(|(seat, wanted)| seat.number.load(Ordering::Relaxed) >= *wanted);
        wait(site, "behind the kill", &is_so);
        ends.store(true, Ordering::Relaxed);
    });
    site.regions[0] = Some(first);
    if harm.kills_first() {
        site.restart(0);
    }
}

#[test]
fn every_unit_of_work_of_several_regions_survives_kills_of_each_of_them_whole() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let mut site = Site::start();
    let seats = SEATS.map(|prefix| Seat { prefix, number: AtomicU32::new(0) });
    for kill in 1..=kills {
        // Each of them in turn first, so that a short run has all.
        let next = if kill <= KINDS { kill - 1 } else { chance.below(KINDS) } as usize;
        let harm = Harm::ALL[next];
        work_and_harm(&mut site, &seats, harm, &mut chance);
        site.settled();
        let found = site.look();
        for seat in &seats {
            let told = seat.number.load(Ordering::Relaxed);
            let count = found.get(seat.prefix).copied().unwrap_or(0);
            // One more was on its way in the region that decides, if that was killed.
            let more = u32::from(harm.kills_first());
            assert!(
                (told..=told + more).contains(&count),
                "round {kill}, {harm:?}: {} was told {told}, {count} are there",
                seat.prefix
            );
            seat.number.store(count, Ordering::Relaxed);
        }
    }
    for region in site.regions.iter_mut().filter_map(Option::take) {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
}
