//! A coupling-facility data table that two regions share: the region that loads it is killed, and the other one goes on behind the last record.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{FREE_PORT, PATIENCE, Region, application, share_programs};
use crate::records;

/// Records of the data set: enough for a kill in the middle.
const RECORDS: u32 = 12_000;

/// Says whether the record in the middle has come, and how many there are once all have.
const LOOKER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-KEY                  PIC X(06) VALUE '000200'.
       01  WS-RECORD               PIC X(20).
       01  WS-COUNT                PIC 9(06) VALUE 0.
       01  ANSWER.
           05  ANSWER-WORD         PIC X(08).
           05  ANSWER-COUNT        PIC 9(06) VALUE 0.
       PROCEDURE DIVISION.
           MOVE 'NOT YET'          TO ANSWER-WORD
           EXEC CICS READ FILE('SEEDED') INTO(WS-RECORD)
                     RIDFLD(WS-KEY) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 'BEGUN'         TO ANSWER-WORD
           END-IF
           MOVE LOW-VALUES         TO WS-KEY
           EXEC CICS STARTBR FILE('SEEDED') RIDFLD(WS-KEY)
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 'LOADED'        TO ANSWER-WORD
              PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
                 EXEC CICS READNEXT FILE('SEEDED') INTO(WS-RECORD)
                           RIDFLD(WS-KEY) RESP(WS-RESP)
                 END-EXEC
                 IF WS-RESP = DFHRESP(NORMAL) ADD 1 TO WS-COUNT END-IF
              END-PERFORM
              MOVE WS-COUNT        TO ANSWER-COUNT
           END-IF
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DATA_SETS: &str = "
 DEFINE CLUSTER (NAME(LOADS.SEED) INDEXED KEYS(6 0) RECORDSIZE(12 12))
";

fn sharing(applid: &str, records: &Path, opens: &str) -> TempDir {
    let region = format!(
        "applid = \"{applid}\"\n{FREE_PORT}[[load]]\ndataset = \"LOADS.SEED\"\nfile = \"seed.txt\"\n[records]\nfolder = \"{}\"\n",
        records.display()
    );
    let definitions = format!(
        "DEFINE TRANSACTION(LOOK) GROUP(LOADS) PROGRAM(LOOKER)
DEFINE PROGRAM(LOOKER) GROUP(LOADS)
DEFINE FILE(SEEDED) GROUP(LOADS) TABLE(CF) CFDTPOOL(POOLT) DSNAME(LOADS.SEED)
       LOAD(YES) OPENTIME({opens}) READ(YES) BROWSE(YES)
"
    );
    let mut seed = String::new();
    for number in 1..=RECORDS {
        let _ = writeln!(seed, "{number:06}RECORD");
    }
    let folder = application(&[
        ("region.toml", &region),
        ("seed.txt", &seed),
        ("loads.csd", &definitions),
        ("loads.idcams", DATA_SETS),
        ("programs/LOOKER.cbl", LOOKER),
    ]);
    share_programs(folder.path(), "load-programs");
    folder
}

#[test]
fn a_load_whose_region_is_killed_is_finished_by_another_one() {
    let records = tempfile::tempdir().expect("a folder");
    let server = records::start(records.path());
    let (first, second) =
        (sharing("REGA", records.path(), "STARTUP"), sharing("REGB", records.path(), "FIRSTREF"));
    let other = Region::start(second.path());
    let loads = Region::start(first.path());
    let mut terminal = other.terminal();
    let mut look = |wanted: &str| {
        let begun = Instant::now();
        loop {
            let screen =
                terminal.try_either("LOOK", &["NOT YET", "BEGUN", "LOADED", "DFHAC"]).expect("an answer");
            if screen.contains(wanted) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE && !screen.contains("LOADED"), "{screen}\n{}", other.log());
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    look("BEGUN");
    assert!(
        !loads.log().contains("data table LOADS.SEED"),
        "it was loaded before the kill: {RECORDS} are too few"
    );
    loads.signal("KILL");
    let screen = look("LOADED");
    assert!(screen.contains(&format!("{RECORDS:06}")), "{screen}");
    other.signal("INT");
    let (status, log) = other.ended();
    assert!(status.success(), "{log}");
    let count = log
        .lines()
        .find_map(|line| line.split_once("data table LOADS.SEED: ")?.1.split(' ').next()?.parse().ok());
    assert!(count.is_some_and(|count: u32| count > 0 && count < RECORDS), "{count:?} came here\n{log}");
    server.end();
}
