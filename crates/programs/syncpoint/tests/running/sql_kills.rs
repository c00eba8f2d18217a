//! The real process and its private PostgreSQL, killed at random moments under load: each unit of work writes a record and a
//! row, and a ledger kept outside proves that every acknowledged one is there in both, and no other in one alone. With a second
//! server, which has a row, too, and where all but the last resource are prepared.
//!
//! `SYNCPOINT_SQL_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::house::{Chance, FREE_PORT, Region, application, asked_for};
use crate::terminal::Terminal;
use crate::with_database::{USUAL, WithDatabase};

/// Kills in an ordinary run.
const KILLS: u64 = 24;
/// Terminals that work at the same time.
const TERMINALS: u32 = 3;
/// A kill comes after at most so many acknowledgements, …
const ACKNOWLEDGED: u64 = 30;
/// … and at most so many microseconds.
const LATER: u64 = 20_000;
/// So many come behind the death of the database: it is back then.
const BEHIND: u32 = 10;

/// Writes a record and a row, and says so once both are committed: `MOVE prefix number`.
pub const MOVER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-PREFIX           PIC X(02).
           05  FILLER              PIC X(01).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(66).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
      * SECOND: WHAT IT IS ASKED
       01  ANSWER.
           05  ANSWER-WORD         PIC X(10) VALUE 'COMMITTED '.
           05  ANSWER-NUMBER       PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-PREFIX          TO ENTRY-PREFIX
           MOVE WS-NUMBER          TO ENTRY-NUMBER ANSWER-NUMBER
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                     RIDFLD(ENTRY-RECORD)
           END-EXEC
           EXEC SQL INSERT INTO MOVES VALUES (:WS-PREFIX, :WS-NUMBER)
           END-EXEC
      * SECOND: ITS ROW
           IF SQLCODE = 0
              EXEC CICS SYNCPOINT RESP(WS-RESP) END-EXEC
              IF WS-RESP NOT = DFHRESP(NORMAL)
                 MOVE '  REFUSED ' TO ANSWER-WORD
              END-IF
           ELSE
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
              MOVE '  REFUSED '    TO ANSWER-WORD
           END-IF
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Counts what there is of a prefix: records, rows, and units of work that wait for a decision: `LOOK prefix`.
pub const LOOKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-RESP                 PIC S9(08) COMP VALUE 0.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-PREFIX           PIC X(02).
           05  FILLER              PIC X(73).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
       01  WS-ROWS                 PIC S9(09) COMP.
       01  WS-WAITING              PIC S9(09) COMP.
      * SECOND: WHAT IT IS ASKED
       01  ANSWER.
           05  ANSWER-WORD         PIC X(05) VALUE 'SUMS '.
           05  ANSWER-PREFIX       PIC X(02).
           05  FILLER              PIC X VALUE SPACE.
           05  ANSWER-RECORDS      PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE SPACE.
           05  ANSWER-ROWS         PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE SPACE.
           05  ANSWER-WAITING      PIC 9(06) VALUE 0.
      * SECOND: WHAT IT HAS
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           EXEC SQL SELECT COUNT(*) INTO :WS-ROWS FROM MOVES
                    WHERE PREFIX = :WS-PREFIX
           END-EXEC
           IF SQLCODE NOT = 0 MOVE 'WAIT ' TO ANSWER-WORD END-IF
           EXEC SQL SELECT COUNT(*) INTO :WS-WAITING
                    FROM LOOKS.WAITING
           END-EXEC
           IF SQLCODE NOT = 0 MOVE 'WAIT ' TO ANSWER-WORD END-IF
      * SECOND: ITS SUMS
           MOVE WS-ROWS            TO ANSWER-ROWS
           MOVE WS-WAITING         TO ANSWER-WAITING
           MOVE WS-PREFIX          TO ENTRY-PREFIX ANSWER-PREFIX
           MOVE 0                  TO ENTRY-NUMBER
           EXEC CICS STARTBR FILE('LEDGER') RIDFLD(ENTRY-RECORD) GTEQ
                     RESP(WS-RESP)
           END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS READNEXT FILE('LEDGER') INTO(ENTRY-RECORD)
                        RIDFLD(ENTRY-RECORD) RESP(WS-RESP)
              END-EXEC
              IF WS-RESP = DFHRESP(NORMAL)
                 IF ENTRY-PREFIX = WS-PREFIX
                    ADD 1 TO ANSWER-RECORDS
                 ELSE
                    MOVE DFHRESP(ENDFILE) TO WS-RESP
                 END-IF
              END-IF
           END-PERFORM
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Lines of the programs above where there is a second server: what stands for a comment.
const SECOND: [(&str, &str); 4] = [
    (
        "      * SECOND: WHAT IT IS ASKED",
        "       01  KEEP-AREA.
           05  KEEP-WHAT           PIC X(01).
           05  KEEP-PREFIX         PIC X(02).
           05  KEEP-NUMBER         PIC 9(06).
           05  KEEP-CODE           PIC S9(09) COMP.
           05  KEEP-ROWS           PIC S9(09) COMP.
           05  KEEP-WAITING        PIC S9(09) COMP.",
    ),
    (
        "      * SECOND: ITS ROW",
        "           IF SQLCODE = 0
              MOVE 'I'             TO KEEP-WHAT
              MOVE WS-PREFIX       TO KEEP-PREFIX
              MOVE WS-NUMBER       TO KEEP-NUMBER
              EXEC CICS LINK PROGRAM('KEEPS') COMMAREA(KEEP-AREA)
              END-EXEC
              MOVE KEEP-CODE       TO SQLCODE
           END-IF",
    ),
    (
        "      * SECOND: WHAT IT HAS",
        "           05  FILLER              PIC X VALUE SPACE.
           05  ANSWER-KEPT         PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE SPACE.
           05  ANSWER-KEPT-WAITING PIC 9(06) VALUE 0.",
    ),
    (
        "      * SECOND: ITS SUMS",
        "           MOVE 'C'                TO KEEP-WHAT
           MOVE WS-PREFIX          TO KEEP-PREFIX
           EXEC CICS LINK PROGRAM('KEEPS') COMMAREA(KEEP-AREA)
           END-EXEC
           IF KEEP-CODE NOT = 0 MOVE 'WAIT ' TO ANSWER-WORD END-IF
           MOVE KEEP-ROWS          TO ANSWER-KEPT
           MOVE KEEP-WAITING       TO ANSWER-KEPT-WAITING",
    ),
];

/// The work at the second server: a row is inserted, or rows and units of work that wait are counted.
const KEEPS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. KEEPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-PREFIX               PIC X(02).
       01  WS-NUMBER               PIC S9(09) COMP.
       01  WS-ROWS                 PIC S9(09) COMP.
       01  WS-WAITING              PIC S9(09) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  KEEP-WHAT           PIC X(01).
           05  KEEP-PREFIX         PIC X(02).
           05  KEEP-NUMBER         PIC 9(06).
           05  KEEP-CODE           PIC S9(09) COMP.
           05  KEEP-ROWS           PIC S9(09) COMP.
           05  KEEP-WAITING        PIC S9(09) COMP.
       PROCEDURE DIVISION.
           MOVE KEEP-PREFIX        TO WS-PREFIX
           IF KEEP-WHAT = 'I'
              MOVE KEEP-NUMBER     TO WS-NUMBER
              EXEC SQL INSERT INTO KEPT VALUES (:WS-PREFIX, :WS-NUMBER)
              END-EXEC
           ELSE
              EXEC SQL SELECT COUNT(*) INTO :WS-WAITING
                       FROM LOOKS.WAITING
              END-EXEC
              IF SQLCODE = 0
                 EXEC SQL SELECT COUNT(*) INTO :WS-ROWS FROM KEPT
                          WHERE PREFIX = :WS-PREFIX
                 END-EXEC
              END-IF
              MOVE WS-ROWS         TO KEEP-ROWS
              MOVE WS-WAITING      TO KEEP-WAITING
           END-IF
           MOVE SQLCODE            TO KEEP-CODE
           EXEC CICS RETURN END-EXEC.
";

pub const DEFINITIONS: &str = "
DEFINE TRANSACTION(MOVE) GROUP(KILLS) PROGRAM(MOVER)
DEFINE PROGRAM(MOVER) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(LOOK) GROUP(KILLS) PROGRAM(LOOKS)
DEFINE PROGRAM(LOOKS) GROUP(KILLS) CONCURRENCY(THREADSAFE)
DEFINE FILE(LEDGER) GROUP(KILLS) DSNAME(KILLS.LEDGER)
       READ(YES) ADD(YES) BROWSE(YES) RECOVERY(BACKOUTONLY)
";

pub const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(KILLS.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(8 8))
";

pub const TABLES: &str = "
CREATE TABLE MOVES (PREFIX CHAR(2) NOT NULL, NUMBER INTEGER NOT NULL, PRIMARY KEY (PREFIX, NUMBER));
";

/// The application.
pub fn working() -> WithDatabase {
    WithDatabase::new(&[
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("tables.sql", TABLES),
        ("programs/MOVER.cbl", MOVER),
        ("programs/LOOKS.cbl", LOOKS),
    ])
}

/// The folder of the second server in the state.
const ARCHIVE: &str = "postgresql-arch";

/// The application with a second server, and more lines of region.toml.
pub fn working_with_two(more: &str) -> WithDatabase {
    let region = format!(
        "{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n\
         [sql.ARCH]\nprivate = true\nprograms = \"KEEPS\"\nscripts = \"kept.sql\"\n{more}"
    );
    let with_second = |program: &str| {
        SECOND.iter().fold(program.to_owned(), |text, (mark, lines)| text.replace(mark, lines))
    };
    let (mover, looks) = (with_second(MOVER), with_second(LOOKS));
    WithDatabase::of(application(&[
        ("region.toml", &region),
        ("kills.csd", &format!("{DEFINITIONS}DEFINE PROGRAM(KEEPS) GROUP(KILLS) CONCURRENCY(THREADSAFE)\n")),
        ("kills.idcams", DATA_SETS),
        ("tables.sql", TABLES),
        ("kept.sql", &TABLES.replace("MOVES", "KEPT")),
        ("programs/MOVER.cbl", &mover),
        ("programs/LOOKS.cbl", &looks),
        ("programs/KEEPS.cbl", KEEPS),
    ]))
}

/// The number of units of work of each, by the prefix.
pub type Counts = BTreeMap<String, u32>;

/// Works as a user at a terminal until the region is gone, or `last` units of work of all are acknowledged.
pub fn work(region: &Region, prefix: &str, number: &AtomicU32, all: &AtomicU32, last: &AtomicU32) {
    let Ok(mut terminal) = Terminal::try_connect(region.address) else { return };
    while all.load(Ordering::Relaxed) < last.load(Ordering::Relaxed) {
        let next = number.load(Ordering::Relaxed) + 1;
        if terminal.try_until(&format!("MOVE {prefix} {next:06}"), &format!("ED {next:06}")).is_err() {
            return;
        }
        if terminal.shows().contains("COMMITTED") {
            number.store(next, Ordering::Relaxed);
            all.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The victim of a kill.
#[derive(Clone, Copy, PartialEq)]
pub enum Victim {
    Region,
    Database,
    /// The second one, where there is one.
    Second,
    Both,
}

/// The region works; a process is killed. What was acknowledged, and the region if it lives.
fn work_and_kill(
    folder: &WithDatabase,
    region: Region,
    there: &Counts,
    victim: Victim,
    chance: &mut Chance,
) -> (Counts, Option<Region>) {
    let numbers: BTreeMap<&String, AtomicU32> = there.iter().map(|(p, n)| (p, AtomicU32::new(*n))).collect();
    let (all, last) = (AtomicU32::new(0), AtomicU32::new(u32::MAX));
    let moment = chance.below(ACKNOWLEDGED) as u32;
    let later = Duration::from_micros(chance.below(LATER));
    thread::scope(|scope| {
        for (prefix, number) in &numbers {
            scope.spawn(|| work(&region, prefix, number, &all, &last));
        }
        while all.load(Ordering::Relaxed) < moment {
            assert!(region.is_running(), "the region has ended by itself:\n{}", region.log());
            thread::sleep(Duration::from_micros(100));
        }
        // A moment between two acknowledgements, not always just behind one.
        thread::sleep(later);
        match victim {
            Victim::Region => {}
            Victim::Database => folder.signal_to(USUAL, "KILL"),
            Victim::Second => folder.signal_to(ARCHIVE, "KILL"),
            Victim::Both => folder.signal("KILL"),
        }
        match victim {
            Victim::Database | Victim::Second => {
                last.store(all.load(Ordering::Relaxed) + BEHIND, Ordering::Relaxed)
            }
            Victim::Region | Victim::Both => region.signal("KILL"),
        }
    });
    let counts = numbers.iter().map(|(prefix, n)| ((*prefix).clone(), n.load(Ordering::Relaxed))).collect();
    if matches!(victim, Victim::Database | Victim::Second) {
        return (counts, Some(region));
    }
    region.ended();
    (counts, None)
}

/// Returns the number of units of work of each prefix, alike in all places; nothing waits for a decision.
pub fn look(region: &Region, there: &Counts, kill: u64) -> Counts {
    let mut terminal = region.terminal();
    let mut counts = Counts::new();
    for prefix in there.keys() {
        terminal.until(&format!("LOOK {prefix}"), &format!("SUMS {prefix}"));
        let shown = terminal.shows();
        let numbers: Vec<u32> = shown.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        // Of the records, and behind it of each server: rows, and what waits.
        let (Some(records), servers) = (numbers.first(), numbers.get(1..).unwrap_or_default()) else {
            panic!("{shown}")
        };
        assert!(!servers.is_empty() && servers.len() % 2 == 0, "{shown}");
        for server in servers.chunks(2) {
            assert_eq!(
                *records, server[0],
                "kill {kill}: {prefix} has {records} records and {} rows",
                server[0]
            );
            assert_eq!(server[1], 0, "kill {kill}: units of work wait for a decision");
        }
        counts.insert(prefix.clone(), *records);
    }
    counts
}

#[test]
fn records_and_rows_agree_after_kills_of_region_and_database() {
    agree_after_kills(&working(), &[Victim::Region, Victim::Database, Victim::Both]);
}

#[test]
fn records_and_two_servers_agree_after_kills_of_any_of_them() {
    agree_after_kills(
        &working_with_two(""),
        &[Victim::Region, Victim::Database, Victim::Second, Victim::Both],
    );
}

/// Kills victims by chance, and compares after each kill what is there with what was acknowledged.
pub fn agree_after_kills(folder: &WithDatabase, victims: &[Victim]) {
    let kills = asked_for("SYNCPOINT_SQL_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let mut there: Counts = (0..TERMINALS).map(|number| (format!("T{number}"), 0)).collect();
    let (mut running, mut more) = (None, 0);
    for kill in 1..=kills {
        let region = running.take().unwrap_or_else(|| Region::start(folder.path()));
        if kill == 1 && victims.contains(&Victim::Database) {
            folder.shows_units_in_doubt();
        }
        let victim = victims[chance.below(victims.len() as u64) as usize];
        let (acknowledged, survivor) = work_and_kill(folder, region, &there, victim, &mut chance);
        let region = survivor.unwrap_or_else(|| Region::start(folder.path()));
        let found = look(&region, &there, kill);
        for (prefix, told) in &acknowledged {
            // One more was on its way.
            let possible = *told..=told + 1;
            let count = found[prefix];
            assert!(possible.contains(&count), "kill {kill}: {prefix} was told {told}, {count} are there");
            more += u32::from(count > *told);
        }
        (there, running) = (found, Some(region));
    }
    let region = running.unwrap_or_else(|| Region::start(folder.path()));
    let log = region.ends_in_order();
    assert!(!folder.lock_file().exists(), "the database goes on without its region:\n{log}");
    println!("{kills} kills, {there:?}; {more} units of work had been durable before anybody was told");
}
