//! Memory of hostile tasks goes back to the system behind them.

use std::fs;
use std::time::{Duration, Instant};

use crate::house::{FREE_PORT, Region, application};

/// Has 40 MB of WORKING-STORAGE and fills it.
const FILLS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FILLS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  T                       PIC X(40000000).
       PROCEDURE DIVISION.
           MOVE ALL 'X' TO T
           EXEC CICS ABEND ABCODE('FULL') NODUMP END-EXEC.
";

/// Gets areas of growing length and fills them, until there is no storage.
const GETS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GETS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  P                       POINTER.
       01  N                       PIC S9(8) COMP VALUE 60000.
       LINKAGE SECTION.
       01  A                       PIC X(1000000).
       PROCEDURE DIVISION.
           PERFORM UNTIL EIBRESP NOT = 0 OR N > 1000000
               EXEC CICS GETMAIN SET(P) FLENGTH(N) NOHANDLE END-EXEC
               IF EIBRESP = 0
                   SET ADDRESS OF A TO P
                   MOVE ALL 'X' TO A(1:N)
                   ADD 10000 TO N
               END-IF
           END-PERFORM
           EXEC CICS ABEND ABCODE('NOST') NODUMP END-EXEC.
";

/// Stores below a table, further and further.
const WALKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WALKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  T.
           05  E                   PIC X(1000) OCCURS 10.
       01  I                       PIC S9(9) COMP.
       PROCEDURE DIVISION.
           PERFORM VARYING I FROM 1 BY -1 UNTIL I < -2000000
               MOVE 'X' TO E(I)
           END-PERFORM
           EXEC CICS ABEND ABCODE('WALK') NODUMP END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(FILL) GROUP(M) PROGRAM(FILLS)
DEFINE PROGRAM(FILLS) GROUP(M) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(GETS) GROUP(M) PROGRAM(GETS)
DEFINE PROGRAM(GETS) GROUP(M) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(WALK) GROUP(M) PROGRAM(WALKS)
DEFINE PROGRAM(WALKS) GROUP(M) CONCURRENCY(THREADSAFE)
";

/// Bytes by which the region may have grown behind hostile tasks: what windows and the allocator of each thread keep warm. A run of
/// GETS that kept its areas would leave 50 MB.
const GROWN_MAX: u64 = 40 << 20;
/// Runs of each of them.
const TIMES: usize = 8;
const PATIENCE: Duration = Duration::from_secs(20);

/// Anonymous memory of a process that is resident.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
    line.split_whitespace().next().and_then(|kb| kb.parse::<u64>().ok()).expect("a number") << 10
}

#[test]
fn memory_of_hostile_tasks_goes_back() {
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}[sit]\nEDSALIM = \"400M\"\n")),
        ("memory.csd", DEFINITIONS),
        ("programs/FILLS.cbl", FILLS),
        ("programs/GETS.cbl", GETS),
        ("programs/WALKS.cbl", WALKS),
    ]);
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    let mut runs = |transaction: &str| {
        terminal.start(transaction);
        terminal.sees("DFHAC2206");
    };
    runs("WALK");
    let before = resident(region.process());
    for transaction in ["WALK", "GETS", "FILL"] {
        (0..TIMES).for_each(|_| runs(transaction));
        let grown = || resident(region.process()).saturating_sub(before);
        let begin = Instant::now();
        // The allocator gives memory back while the region works.
        while grown() > GROWN_MAX {
            let grown = grown() >> 20;
            assert!(begin.elapsed() < PATIENCE, "{grown} MB more behind {transaction}");
            runs("WALK");
        }
    }
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
}

/// Programs with a large table each.
const LARGE: usize = 12;
/// Memory of a region that has just compiled such programs. Each of their tables has 9 MB.
const IDLE_MAX: u64 = 100 << 20;

/// Has a table of 100,000 elements, each with a name and a number, and shows the last one.
fn large(number: usize) -> String {
    format!(
        "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LARGE{number:02}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  T.
           05  E OCCURS 100000.
               10  NAME            PIC X(86) VALUE 'NAME {number:02}'.
               10  AMOUNT          PIC S9(7) COMP-3 VALUE 4711.
       01  SHOWN                   PIC X(7).
       01  DIGITS                  PIC 9(4).
       PROCEDURE DIVISION.
           MOVE NAME(100000)       TO SHOWN
           MOVE AMOUNT(100000)     TO DIGITS
           DISPLAY 'LAST ' SHOWN ' ' DIGITS
           EXEC CICS RETURN END-EXEC.
"
    )
}

#[test]
fn tables_of_programs_that_do_not_run_cost_no_memory() {
    let sources: Vec<(String, String)> =
        (0..LARGE).map(|number| (format!("programs/LARGE{number:02}.cbl"), large(number))).collect();
    let program = |number: usize| format!("DEFINE PROGRAM(LARGE{number:02}) GROUP(M)\n");
    let programs: String = (0..LARGE).map(program).collect();
    let definitions = format!("DEFINE TRANSACTION(LARG) GROUP(M) PROGRAM(LARGE07)\n{programs}");
    let mut files = vec![("region.toml", FREE_PORT), ("large.csd", definitions.as_str())];
    files.extend(sources.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let folder = application(&files);
    let region = Region::start(folder.path());
    region.logs(&format!("{LARGE} programs"));
    let idle = resident(region.process());
    assert!(idle < IDLE_MAX, "{} MB", idle >> 20);
    region.terminal().start("LARG");
    region.logs("LAST NAME 07 4711");
    region.signal("TERM");
    assert!(region.ended().0.success());
}
