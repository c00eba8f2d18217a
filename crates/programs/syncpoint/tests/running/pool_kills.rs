//! Two regions, each a process, and a record server: tasks of both draw from a named counter, count in a queue of a shared pool under an ENQ
//! of both regions, and in a coupling-facility data table under the contention model, while a region or the server is killed. What each
//! unit of work has drawn it writes into a ledger of records: no number may come twice there, and no acknowledged entry may be missing.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::data::Data;
use crate::house::{Chance, FREE_PORT, PATIENCE, Region, application, asked_for, product, share_programs};
use crate::records::{self, Process};
use crate::terminal::Terminal;

/// Kills in an ordinary run: each region and the server once.
const KILLS: u64 = 3;
/// Those at terminals of each region.
const SEATS: u32 = 2;
/// A kill comes after at most so many acknowledgements, and at most so many microseconds.
const ACKNOWLEDGED: u64 = 30;
const LATER: u64 = 20_000;
/// Acknowledgements behind a kill, which show that nothing is locked for ever.
const BEHIND: u32 = 8;

/// Draws a number of each kind, writes them into the ledger, and says so once they are committed: `DRAW prefix number`. Table and queue are not
/// recoverable: what their server has acknowledged is there when it is back, so that no number comes twice.
const DRAWER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DRAWER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-COUNTER              PIC S9(08) COMP.
       01  WS-ITEM                 PIC S9(04) COMP VALUE 1.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-PREFIX           PIC X(02).
           05  FILLER              PIC X(01).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(66).
       01  CELL.
           05  CELL-KEY            PIC X(04) VALUE '0001'.
           05  CELL-VALUE          PIC 9(08).
       01  QUEUED                  PIC 9(08).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
           05  ENTRY-COUNTER       PIC 9(08).
           05  ENTRY-QUEUED        PIC 9(08).
           05  ENTRY-CELL          PIC 9(08).
       01  ANSWER.
           05  FILLER              PIC X(08) VALUE 'DURABLE '.
           05  ANSWER-NUMBER       PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-PREFIX          TO ENTRY-PREFIX
           MOVE WS-NUMBER          TO ENTRY-NUMBER ANSWER-NUMBER
           EXEC CICS GET COUNTER('DRAWN') POOL('POOLC')
                     VALUE(WS-COUNTER) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
              MOVE 1 TO WS-COUNTER
              EXEC CICS DEFINE COUNTER('DRAWN') POOL('POOLC')
                        VALUE(WS-COUNTER) NOHANDLE
              END-EXEC
              EXEC CICS GET COUNTER('DRAWN') POOL('POOLC')
                        VALUE(WS-COUNTER)
              END-EXEC
           END-IF
           MOVE WS-COUNTER         TO ENTRY-COUNTER
           PERFORM WITH TEST AFTER UNTIL WS-RESP = DFHRESP(NORMAL)
              EXEC CICS READ FILE('CELL') INTO(CELL)
                        RIDFLD('0001') UPDATE RESP(WS-RESP)
              END-EXEC
              IF WS-RESP = DFHRESP(NOTFND)
                 MOVE 1 TO CELL-VALUE
                 EXEC CICS WRITE FILE('CELL') FROM(CELL)
                           RIDFLD('0001') RESP(WS-RESP)
                 END-EXEC
              ELSE
                 ADD 1 TO CELL-VALUE
                 EXEC CICS REWRITE FILE('CELL') FROM(CELL)
                           RESP(WS-RESP)
                 END-EXEC
              END-IF
              IF WS-RESP NOT = DFHRESP(NORMAL) AND DFHRESP(CHANGED)
                    AND DFHRESP(DUPREC)
                 EXEC CICS ABEND ABCODE('CELL') END-EXEC
              END-IF
           END-PERFORM
           MOVE CELL-VALUE         TO ENTRY-CELL
           EXEC CICS ENQ RESOURCE('SHARED-COUNT') LENGTH(12) END-EXEC
           MOVE 8 TO WS-LENGTH
           EXEC CICS READQ TS QUEUE('POOLQ') INTO(QUEUED)
                     LENGTH(WS-LENGTH) ITEM(1) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              ADD 1 TO QUEUED
              EXEC CICS WRITEQ TS QUEUE('POOLQ') FROM(QUEUED)
                        LENGTH(8) ITEM(WS-ITEM) REWRITE
              END-EXEC
           ELSE
              MOVE 1 TO QUEUED
              EXEC CICS WRITEQ TS QUEUE('POOLQ') FROM(QUEUED)
                        LENGTH(8)
              END-EXEC
           END-IF
           MOVE QUEUED             TO ENTRY-QUEUED
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(DRAW) GROUP(KILLS) PROGRAM(DRAWER)
DEFINE PROGRAM(DRAWER) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE ENQMODEL(SHARED) GROUP(KILLS) ENQNAME(SHARED*) ENQSCOPE(PLEX)
DEFINE TSMODEL(POOLED) GROUP(KILLS) PREFIX(POOL) POOLNAME(POOLA)
DEFINE FILE(CELL) GROUP(KILLS) TABLE(CF) CFDTPOOL(POOLT)
       KEYLENGTH(4) RECORDSIZE(12) UPDATEMODEL(CONTENTION) MAXNUMRECS(5)
       READ(YES) UPDATE(YES) ADD(YES)
DEFINE FILE(LEDGER) GROUP(KILLS) DSNAME(KILLS.LEDGER)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(KILLS.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(32 32))
";

/// The application of a region whose records are at a server.
fn sharing(applid: &str, records: &Path) -> TempDir {
    let region = format!("applid = \"{applid}\"\n{FREE_PORT}[records]\nfolder = \"{}\"\n", records.display());
    let folder = application(&[
        ("region.toml", &region),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("programs/DRAWER.cbl", DRAWER),
    ]);
    share_programs(folder.path(), "pool-programs");
    folder
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
        let Ok(mut terminal) = Terminal::try_connect(region.address) else { return };
        while !ends.load(Ordering::Relaxed) {
            let next = self.number.load(Ordering::Relaxed) + 1;
            let durable = format!("DURABLE {next:06}");
            match terminal.try_either(&format!("DRAW {} {next:06}", self.prefix), &[&durable, "DFHAC"]) {
                Err(_) => return,
                Ok(screen) if screen.contains(&durable) => {
                    self.number.store(next, Ordering::Relaxed);
                    all.fetch_add(1, Ordering::Relaxed);
                }
                // It has abended.
                Ok(_) => {}
            }
        }
    }
}

/// A kind of number, and its place in an entry.
const KINDS: [(&str, usize); 3] = [("counter", 8), ("queue of the pool", 16), ("table", 24)];

/// Checks the ledger: no number of a kind comes twice, and the entries of everybody have no gap.
fn look(records: &Path) -> BTreeMap<String, u32> {
    let entries = Data::shared(records).records("KILLS.LEDGER");
    for (kind, at) in KINDS {
        let mut drawn = HashMap::new();
        for entry in &entries {
            if let Some(former) = drawn.insert(&entry[at..at + 8], entry) {
                panic!("a number of the {kind} was drawn twice: {former}, {entry}");
            }
        }
    }
    let mut counts = BTreeMap::new();
    for entry in &entries {
        let (prefix, number) = (&entry[..2], &entry[2..8]);
        let count = counts.entry(prefix.to_owned()).or_default();
        *count += 1;
        assert_eq!(number.parse(), Ok(*count), "{prefix} has a gap");
    }
    counts
}

#[test]
fn no_number_comes_twice_and_no_entry_is_lost_while_regions_and_their_record_server_are_killed() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let records = tempfile::tempdir().expect("a folder");
    let mut server: Option<Process> = Some(records::start(records.path()));
    let folders = ["REGA", "REGB"].map(|applid| sharing(applid, records.path()));
    let mut regions = folders.each_ref().map(|folder| Some(Region::start(folder.path())));
    let seats: Vec<Seat> = (0..2)
        .flat_map(|region| (0..SEATS).map(move |seat| (region, seat)))
        .map(|(region, seat)| {
            let prefix = format!("{}{seat}", ["A", "B"][region]);
            Seat { prefix, region, number: AtomicU32::new(0) }
        })
        .collect();
    for kill in 1..=kills {
        // Each of them in turn first, so that a short run has all; 2 is the server.
        let victim = if kill <= 3 { kill - 1 } else { chance.below(3) } as usize;
        let (all, ends) = (AtomicU32::new(0), AtomicBool::new(false));
        let moment = chance.below(ACKNOWLEDGED) as u32;
        let later = Duration::from_micros(chance.below(LATER));
        let running = regions.each_mut().map(|region| region.take().expect("it runs"));
        thread::scope(|scope| {
            for seat in &seats {
                scope.spawn(|| seat.work(&running[seat.region], (&all, &ends)));
            }
            let reach = |wanted: u32| {
                let begun = Instant::now();
                while all.load(Ordering::Relaxed) < wanted {
                    if begun.elapsed() > PATIENCE {
                        ends.store(true, Ordering::Relaxed);
                        let logs = running.each_ref().map(Region::log).join("\n\n");
                        panic!("kill {kill} of {victim}: nothing goes on:\n{logs}");
                    }
                    thread::sleep(Duration::from_micros(200));
                }
            };
            reach(moment);
            // A moment between two acknowledgements, not always just behind one.
            thread::sleep(later);
            match running.get(victim) {
                Some(region) => region.signal("KILL"),
                None => {
                    server.take().expect("it runs").kill();
                    server = Some(records::start(records.path()));
                }
            }
            reach(all.load(Ordering::Relaxed) + BEHIND);
            ends.store(true, Ordering::Relaxed);
        });
        regions = running.map(Some);
        println!("kill {kill} of {victim}");
        let found = look(records.path());
        for seat in &seats {
            let told = seat.number.load(Ordering::Relaxed);
            let count = found.get(&seat.prefix).copied().unwrap_or(0);
            // One more was on its way in a region that was killed; any other one has heard what became of it.
            let more = u32::from(victim == seat.region);
            assert!(
                (told..=told + more).contains(&count),
                "kill {kill} of {victim}: {} was told {told}, {count} are there",
                seat.prefix
            );
            seat.number.store(count, Ordering::Relaxed);
        }
        if let Some(region) = regions.get_mut(victim) {
            drop(region.take());
            *region = Some(Region::start(folders[victim].path()));
        }
    }
    let records_command = |option: &[&str]| {
        let output = product().arg("records").arg(records.path()).args(option).output().expect("it starts");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = records_command(&["--status"]);
    assert!(said.contains("table POOLT.CELL"), "{said}");
    let said = records_command(&["--drop-table", "POOLT.CELL"]);
    assert!(said.contains("a region has it open"), "{said}");
    for region in regions.iter_mut().filter_map(Option::take) {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
    let said = records_command(&["--drop-table", "POOLT.CELL"]);
    assert!(said.contains("is deleted"), "{said}");
    server.take().expect("it runs").end();
}
