//! The real process, killed at random moments under load: several terminals move money, a batch task loads records, and
//! a ledger kept outside proves that every acknowledged unit of work is there, whole, and nothing else.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::data::Data;
use crate::house::{Chance, FREE_PORT, Region, application, asked_for};

/// Kills in an ordinary run.
const KILLS: u64 = 3;
/// Terminals that work at the same time.
const TERMINALS: u32 = 4;
pub(crate) const ACCOUNTS: u32 = 20;
pub(crate) const BALANCE: u64 = 500_000;
/// A kill comes after at most so many acknowledgements, …
const ACKNOWLEDGED: u64 = 60;
/// … and at most so many microseconds.
const LATER: u64 = 20_000;
/// Records of a unit of work of the batch task.
const BATCH: u32 = 20;
/// The batch task's prefix in the ledger; terminals have T0, T1, …
const LOADER: &str = "BB";

/// Moves one from an account to another, writes an entry in the ledger, and says so once it is committed:
/// `MOVE prefix number from to`, where from comes before to.
pub(crate) const MOVER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-PREFIX           PIC X(02).
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
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
       01  ANSWER.
           05  FILLER              PIC X(08) VALUE 'DURABLE '.
           05  ANSWER-NUMBER       PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           EXEC CICS READ FILE('ACCOUNT') INTO(ACCOUNT)
                     RIDFLD(WS-FROM) UPDATE
           END-EXEC
           SUBTRACT 1 FROM ACCOUNT-BALANCE
           EXEC CICS REWRITE FILE('ACCOUNT') FROM(ACCOUNT) END-EXEC
           EXEC CICS READ FILE('ACCOUNT') INTO(ACCOUNT)
                     RIDFLD(WS-TO) UPDATE
           END-EXEC
           ADD 1 TO ACCOUNT-BALANCE
           EXEC CICS REWRITE FILE('ACCOUNT') FROM(ACCOUNT) END-EXEC
           MOVE WS-PREFIX          TO ENTRY-PREFIX
           MOVE WS-NUMBER          TO ENTRY-NUMBER ANSWER-NUMBER
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Writes entries, 20 to a unit of work, and says in the log which was the last of each: `LOAD number`.
pub(crate) const LOADS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOADS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(69).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02) VALUE 'BB'.
           05  ENTRY-NUMBER        PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-NUMBER          TO ENTRY-NUMBER
           PERFORM UNTIL ENTRY-NUMBER > 900000
              PERFORM 20 TIMES
                 ADD 1 TO ENTRY-NUMBER
                 EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                           RIDFLD(ENTRY-RECORD)
                 END-EXEC
              END-PERFORM
              EXEC CICS SYNCPOINT END-EXEC
              DISPLAY 'LOADED ' ENTRY-NUMBER
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
";

pub(crate) const DEFINITIONS: &str = "
DEFINE TRANSACTION(MOVE) GROUP(KILLS) PROGRAM(MOVER)
DEFINE PROGRAM(MOVER) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(LOAD) GROUP(KILLS) PROGRAM(LOADS)
DEFINE PROGRAM(LOADS) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE FILE(ACCOUNT) GROUP(KILLS) DSNAME(KILLS.ACCOUNT)
       READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(LEDGER) GROUP(KILLS) DSNAME(KILLS.LEDGER)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
";

pub(crate) const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(KILLS.ACCOUNT) INDEXED KEYS(4 0) RECORDSIZE(13 13))
 DEFINE CLUSTER (NAME(KILLS.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(8 8))
";

/// The records of all accounts.
pub(crate) fn accounts() -> String {
    (0..ACCOUNTS).map(|number| format!("{number:04}{BALANCE:09}\n")).collect()
}

/// The request that moves one for the next entry of a seat.
pub(crate) fn move_of(prefix: &str, next: u32, seat: u32) -> String {
    let (one, other) = ((next * 7 + seat) % ACCOUNTS, (next * 3 + seat * 5) % ACCOUNTS);
    // In the order of the accounts, so that no task is ended because of a deadlock.
    let (from, to) = (one.min(other), if one == other { ACCOUNTS - 1 } else { one.max(other) });
    let from = if from == to { 0 } else { from };
    format!("MOVE {prefix} {next:06} {from:04} {to:04}")
}

fn working() -> TempDir {
    let accounts = accounts();
    let load = "[[load]]\ndataset = \"KILLS.ACCOUNT\"\nfile = \"accounts.txt\"\n";
    application(&[
        ("region.toml", &format!("{FREE_PORT}{load}")),
        ("accounts.txt", &accounts),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("programs/MOVER.cbl", MOVER),
        ("programs/LOADS.cbl", LOADS),
    ])
}

/// The number of entries that each has in the ledger, or for which it got an acknowledgement: terminals, and the
/// loader.
type Counts = BTreeMap<String, u32>;

/// Works as a user at a terminal until the region is gone: `number` is the last that was acknowledged.
fn work(region: &Region, prefix: &str, number: &AtomicU32, all: &AtomicU32) {
    let Ok(mut terminal) = crate::terminal::Terminal::try_connect(region.address) else { return };
    let seat = u32::from(prefix.as_bytes()[1]);
    loop {
        let next = number.load(Ordering::Relaxed) + 1;
        let moved = terminal.try_until(&move_of(prefix, next, seat), &format!("DURABLE {next:06}"));
        if moved.is_err() {
            return;
        }
        number.store(next, Ordering::Relaxed);
        all.fetch_add(1, Ordering::Relaxed);
    }
}

/// The region works until it is killed; returns what was acknowledged.
fn work_and_kill(folder: &Path, there: &Counts, chance: &mut Chance) -> Counts {
    let region = Region::start(folder);
    let loader_began = there[LOADER];
    let mut batch = region.terminal();
    batch.start_and_go(&format!("LOAD {loader_began:06}"));
    let numbers: BTreeMap<&String, AtomicU32> =
        there.iter().filter(|(prefix, _)| *prefix != LOADER).map(|(p, n)| (p, AtomicU32::new(*n))).collect();
    let all = AtomicU32::new(0);
    let moment = chance.below(ACKNOWLEDGED) as u32;
    let later = Duration::from_micros(chance.below(LATER));
    thread::scope(|scope| {
        for (prefix, number) in &numbers {
            scope.spawn(|| work(&region, prefix, number, &all));
        }
        region.logs("LOADED");
        while all.load(Ordering::Relaxed) < moment {
            assert!(region.is_running(), "the region has ended by itself:\n{}", region.log());
            thread::sleep(Duration::from_micros(100));
        }
        // A moment between two acknowledgements, not always just behind one.
        thread::sleep(later);
        region.signal("KILL");
    });
    let (_, log) = region.ended();
    let loaded = log.lines().rev().find_map(|line| line.split_once("LOADED ")?.1.get(..6)?.parse().ok());
    let mut counts: Counts =
        numbers.iter().map(|(prefix, n)| ((*prefix).clone(), n.load(Ordering::Relaxed))).collect();
    counts.insert(LOADER.to_owned(), loaded.unwrap_or(loader_began));
    counts
}

/// Checks the data: the entries of every terminal, without a gap; and the sum of the balances, which never changes.
fn look(folder: &Path) -> Counts {
    let data = Data::open(folder);
    let accounts = data.records("KILLS.ACCOUNT");
    let sum: u64 = accounts.iter().map(|account| account[4..].parse::<u64>().expect("a balance")).sum();
    assert_eq!((accounts.len() as u32, sum), (ACCOUNTS, u64::from(ACCOUNTS) * BALANCE), "money came or went");
    let mut counts = Counts::new();
    for entry in data.records("KILLS.LEDGER") {
        let (prefix, number) = entry.split_at(2);
        let count = counts.entry(prefix.to_owned()).or_default();
        *count += 1;
        assert_eq!(number.parse(), Ok(*count), "{prefix} has a gap");
    }
    counts
}

#[test]
fn every_acknowledged_unit_of_work_survives_kills_under_load() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let folder = working();
    let mut there: Counts = (0..TERMINALS).map(|number| (format!("T{number}"), 0)).collect();
    there.insert(LOADER.to_owned(), 0);
    let mut more = 0;
    for kill in 1..=kills {
        let acknowledged = work_and_kill(folder.path(), &there, &mut chance);
        let found = look(folder.path());
        for (prefix, told) in &acknowledged {
            let count = found.get(prefix).copied().unwrap_or(0);
            // One more was on its way.
            let unit = if prefix == LOADER { BATCH } else { 1 };
            assert_eq!(count % unit, 0, "kill {kill}: half a unit of work of {prefix}");
            let possible = *told..=told + unit;
            assert!(possible.contains(&count), "kill {kill}: {prefix} was told {told}, {count} are there");
            more += u32::from(count > *told);
            there.insert(prefix.clone(), count);
        }
    }
    println!("{kills} kills, {there:?}; {more} units of work had been durable before anybody was told");
}
