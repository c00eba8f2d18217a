//! The real process, killed at random moments while it captures events: of each unit of work that committed, the event that belongs to
//! it is there, once; of one that was backed out none is; an event that is emitted later is there once at most.
//!
//! `SYNCPOINT_KILLS` says how often; `SYNCPOINT_KILLS_SEED` which moments.

use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::house::{Chance, FREE_PORT, Region, application, asked_for};

/// Kills in an ordinary run.
const KILLS: u64 = 3;
/// A kill comes after at most so many microseconds.
const LATER: u64 = 300_000;

/// Writes a number to the ledger and commits, then another one and backs out: `WORK number`.
const WORKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(69).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-NUMBER TO ENTRY-NUMBER
           DISPLAY 'WORKS FROM ' ENTRY-NUMBER
           PERFORM 5000 TIMES
              ADD 1 TO ENTRY-NUMBER
              MOVE 'OK' TO ENTRY-PREFIX
              EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                        RIDFLD(ENTRY-RECORD)
              END-EXEC
              EXEC CICS SYNCPOINT END-EXEC
              MOVE 'NO' TO ENTRY-PREFIX
              EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD)
                        RIDFLD(ENTRY-RECORD)
              END-EXEC
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
";

/// Compares the ledger with the two queues, empties these, and says what it has found: entries, events of their units of work, events that
/// came later, and what is wrong.
const LOOKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH               PIC S9(04) COMP.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-NUMBER           PIC 9(06).
           05  FILLER              PIC X(69).
       01  RESULT                  PIC S9(08) COMP.
       01  LAST-ONE                PIC 9(06).
       01  NUM                     PIC 9(06).
       01  ENTRY-RECORD.
           05  ENTRY-PREFIX        PIC X(02).
           05  ENTRY-NUMBER        PIC 9(06).
       01  EV.
           05  FILLER              PIC X(228).
           05  EV-PREFIX           PIC X(02).
           05  EV-NUMBER           PIC 9(06).
       01  FOUND-LINE.
           05  FILLER              PIC X(06) VALUE 'FOUND '.
           05  ENTRIES             PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE ' '.
           05  TOGETHERS           PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE ' '.
           05  LATERS              PIC 9(06) VALUE 0.
           05  FILLER              PIC X VALUE ' '.
           05  WRONGS              PIC 9(06) VALUE 0.
       PROCEDURE DIVISION.
           MOVE 80 TO WS-LENGTH
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE WS-NUMBER TO NUM
           MOVE 0 TO RESULT
           PERFORM UNTIL RESULT NOT = 0
              ADD 1 TO NUM
              MOVE 'OK' TO ENTRY-PREFIX
              MOVE NUM TO ENTRY-NUMBER
              EXEC CICS READ FILE('LEDGER') INTO(ENTRY-RECORD)
                        RIDFLD(ENTRY-RECORD) RESP(RESULT)
              END-EXEC
              IF RESULT = 0 ADD 1 TO ENTRIES END-IF
           END-PERFORM
           MOVE 0 TO RESULT
           MOVE WS-NUMBER TO NUM
           PERFORM UNTIL RESULT NOT = 0
              MOVE 236 TO WS-LENGTH
              EXEC CICS READQ TS QUEUE('TOGETHER') INTO(EV) NEXT
                        LENGTH(WS-LENGTH) RESP(RESULT)
              END-EXEC
              IF RESULT = 0
                 ADD 1 TO TOGETHERS NUM
                 IF EV-PREFIX NOT = 'OK' OR EV-NUMBER NOT = NUM
                    ADD 1 TO WRONGS
                 END-IF
              END-IF
           END-PERFORM
           MOVE 0 TO RESULT
           MOVE WS-NUMBER TO LAST-ONE
           PERFORM UNTIL RESULT NOT = 0
              MOVE 236 TO WS-LENGTH
              EXEC CICS READQ TS QUEUE('LATER') INTO(EV) NEXT
                        LENGTH(WS-LENGTH) RESP(RESULT)
              END-EXEC
              IF RESULT = 0
                 ADD 1 TO LATERS
                 IF EV-PREFIX NOT = 'OK' OR EV-NUMBER NOT > LAST-ONE
                    ADD 1 TO WRONGS
                 END-IF
                 MOVE EV-NUMBER TO LAST-ONE
              END-IF
           END-PERFORM
           IF LAST-ONE > WS-NUMBER + ENTRIES ADD 1 TO WRONGS END-IF
           EXEC CICS DELETEQ TS QUEUE('TOGETHER') NOHANDLE END-EXEC
           EXEC CICS DELETEQ TS QUEUE('LATER') NOHANDLE END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           EXEC CICS SEND TEXT FROM(FOUND-LINE)
                     LENGTH(LENGTH OF FOUND-LINE) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(WORK) GROUP(KILLS) PROGRAM(WORKS)
DEFINE PROGRAM(WORKS) GROUP(KILLS)
DEFINE TRANSACTION(LOOK) GROUP(KILLS) PROGRAM(LOOKS)
DEFINE PROGRAM(LOOKS) GROUP(KILLS)
DEFINE FILE(LEDGER) GROUP(KILLS) DSNAME(KILLS.LEDGER)
       READ(YES) ADD(YES) RECOVERY(BACKOUTONLY)
DEFINE TSMODEL(TOGETHER) GROUP(KILLS) PREFIX(TOGETHER) RECOVERY(YES)
DEFINE TSMODEL(LATER) GROUP(KILLS) PREFIX(LATER) RECOVERY(YES)
DEFINE BUNDLE(EVENTS) GROUP(KILLS) BUNDLEDIR(events)
";

const MANIFEST: &str = r#"<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="events">
  <define name="Together" type="http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING" path="Together.evbind"/>
  <define name="Later" type="http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING" path="Later.evbind"/>
</manifest>
"#;

/// An event of each WRITE to the ledger, with its key, for a queue.
fn binding(queue: &str, mode: &str) -> String {
    format!(
        r#"<e:eventBinding CICSEPSchemaVersion="2" CICSEPSchemaRelease="0" xmlns:e="http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding">
  <eventSpecification><name>Written</name>
    <eventInformation><eventInformationItem name="Key" dataType="text" length="8"/></eventInformation></eventSpecification>
  <eventCaptureSpecification><name>Written</name><eventIdentifier>Written</eventIdentifier>
    <filter><locationFilter filterType="CICS_API"><writeFILECommand verb="WRITE" adVerb="FILE"/></locationFilter></filter>
    <dataCapture><captureItem><dataCaptureItem source="FROM" offset="0" captureLength="8" captureDataType="CHAR"
      eventItemName="Key" formatlength="8" formatdataType="text"/></captureItem></dataCapture>
  </eventCaptureSpecification>
  <eventDispatcherSpecification><eventDispatcher>
    <eventDispatcherPolicy><eventsTransactional>true</eventsTransactional><emissionMode>{mode}</emissionMode></eventDispatcherPolicy>
    <eventDispatcherAdapter>
      <cicsTSQueueAdapter><queueName>{queue}</queueName><useAuxTempStorage>true</useAuxTempStorage><format>CFE</format></cicsTSQueueAdapter>
    </eventDispatcherAdapter>
  </eventDispatcher></eventDispatcherSpecification>
</e:eventBinding>
"#
    )
}

fn working() -> TempDir {
    application(&[
        ("region.toml", FREE_PORT),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", " DEFINE CLUSTER (NAME(KILLS.LEDGER) INDEXED KEYS(8 0) RECORDSIZE(8 8))\n"),
        ("programs/WORKS.cbl", WORKS),
        ("programs/LOOKS.cbl", LOOKS),
        ("events/META-INF/cics.xml", MANIFEST),
        ("events/Together.evbind", &binding("TOGETHER", "synchronous")),
        ("events/Later.evbind", &binding("LATER", "asynchronous")),
    ])
}

/// The region works from a number on until it is killed.
fn work_and_kill(folder: &Path, from: u64, chance: &mut Chance) {
    let region = Region::start(folder);
    let mut terminal = region.terminal();
    terminal.start_and_go(&format!("WORK {from:06}"));
    region.logs("WORKS FROM");
    thread::sleep(Duration::from_micros(chance.below(LATER)));
    assert!(region.is_running(), "the region has ended by itself:\n{}", region.log());
    region.signal("KILL");
    region.ended();
}

/// The entries behind a number, the events of their units of work, those that came later, and what is wrong.
fn look(folder: &Path, from: u64) -> [u64; 4] {
    let region = Region::start(folder);
    let mut terminal = region.terminal();
    terminal.until(&format!("LOOK {from:06}"), "FOUND ");
    let shown = terminal.shows();
    let found = shown.split_once("FOUND ").map_or("", |(_, found)| found);
    let mut numbers = found.split_whitespace().map(|number| number.parse().expect("a number"));
    let numbers = [(); 4].map(|()| numbers.next().expect("four numbers"));
    region.signal("TERM");
    region.ended();
    numbers
}

#[test]
fn events_belong_to_their_units_of_work_through_kills() {
    let kills = asked_for("SYNCPOINT_KILLS").unwrap_or(KILLS);
    let mut chance = Chance::asked_for();
    let folder = working();
    let (mut from, mut all) = (0, [0; 4]);
    for kill in 1..=kills {
        work_and_kill(folder.path(), from, &mut chance);
        let found = look(folder.path(), from);
        let [entries, together, later, wrong] = found;
        assert_eq!((together, wrong), (entries, 0), "kill {kill}: {found:?}");
        assert!(later <= entries, "kill {kill}: {found:?}");
        from += entries;
        all.iter_mut().zip(found).for_each(|(all, found)| *all += found);
    }
    println!("{kills} kills: {} units of work, {} events that came later were lost", all[0], all[0] - all[2]);
}
